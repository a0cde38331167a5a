import RealmModel
import RealmStorage
package import RealmSync

/// Applies changesets to objects in memory, like a client that downloads them into an empty realm (chapter 4,
/// section 3.5). Checks that changesets create the objects of a realm.
///
/// Its memory grows with the changesets. Used by one thread.
package final class ChangesetReplay {
  private(set) var classes: [Instruction.InternedName: ReplayedClass] = [:]
  /// The classes in the order of their creation.
  private(set) var names: [Instruction.InternedName] = []
  private var objectCount = 0

  package init() {}

  /// Applies an unwrapped changeset.
  ///
  /// - Throws: ``ChangesetError`` at the first instruction that cannot be decoded or does not match the realm so far.
  ///   The instructions before it have been applied.
  package func apply(_ bytes: [UInt8]) throws(ChangesetError) {
    var decoder = ChangesetDecoder(bytes)
    while true {
      let start = decoder.offset
      guard let instruction = try decoder.next() else { return }
      do throws(Mismatch) {
        try apply(instruction)
      } catch {
        throw ChangesetError(error.problem, at: start)
      }
    }
  }

  /// Why an instruction does not match the realm.
  struct Mismatch: Error {
    let problem: String
    init(_ problem: String) { self.problem = problem }
  }

  private func apply(_ instruction: Instruction) throws(Mismatch) {
    switch instruction {
    case .addTable(let name, let kind, let primaryKey): try addTable(name, kind, primaryKey)
    case .eraseTable(let name):
      _ = try knownClass(name)
      classes[name] = nil
      names.removeAll { $0 == name }
    case .createObject(let table, let key):
      guard try knownClass(table).accepts(key) else {
        throw Mismatch("class \(table.text) has no objects with such a key")
      }
      guard try knownClass(table).objects[key] == nil else { return }
      classes[table]?.objects[key] = ReplayedClass.Object(number: objectCount)
      objectCount += 1
    case .eraseObject(let table, let key):
      _ = try knownClass(table)
      classes[table]?.objects[key] = nil
    case .addColumn(let column): try addColumn(column)
    case .eraseColumn(let table, let field):
      guard try knownClass(table).column(named: field) != nil else {
        throw Mismatch("property \(table.text).\(field.text) does not exist")
      }
      classes[table]?.removeColumn(named: field)
    case .update(let place, let payload, _): try update(place, payload)
    case .addInteger(let place, let delta):
      try change(place) { (value, _) throws(Mismatch) in
        guard case .scalar(.int(let number)) = value else {
          throw Mismatch("the value to add to is not an integer")
        }
        value = .scalar(.int(number &+ delta))
      }
    case .arrayInsert, .arrayMove, .arrayErase: try changeList(instruction)
    case .clear(let place, _):
      try change(place) { (value, _) throws(Mismatch) in
        switch value {
        case .list: value = .list([])
        case .set: value = .set(ReplayedSet())
        case .dictionary: value = .dictionary([:])
        default: throw Mismatch("the value to clear is not a collection")
        }
      }
    case .setInsert(let place, let payload):
      try change(place) { (value, column) throws(Mismatch) in
        guard case .set(var members) = value else { throw Mismatch("the value is not a set") }
        try check(payload, column)
        // Released, so that the set is not shared and not copied.
        value = .null
        members.insert(payload)
        value = .set(members)
      }
    case .setErase(let place, let payload):
      try change(place) { (value, _) throws(Mismatch) in
        guard case .set(var members) = value else { throw Mismatch("the value is not a set") }
        value = .null
        members.remove(payload)
        value = .set(members)
      }
    }
  }

  // MARK: Schema

  func knownClass(_ name: Instruction.InternedName) throws(Mismatch) -> ReplayedClass {
    guard let known = classes[name] else { throw Mismatch("class \(name.text) does not exist") }
    return known
  }

  private func addTable(
    _ name: Instruction.InternedName, _ kind: Instruction.TableKind,
    _ primaryKey: Instruction.PrimaryKeyColumn?
  ) throws(Mismatch) {
    guard let known = classes[name] else {
      classes[name] = ReplayedClass(kind: kind, primaryKey: primaryKey)
      names.append(name)
      return
    }
    guard known.kind == kind, known.primaryKey == primaryKey else {
      throw Mismatch("class \(name.text) exists with another kind or primary key")
    }
  }

  private func addColumn(_ column: Instruction.NewColumn) throws(Mismatch) {
    let owner = try knownClass(column.table)
    let name = "\(column.table.text).\(column.name.text)"
    if let known = owner.column(named: column.name) {
      guard known == column else { throw Mismatch("property \(name) exists with another type") }
      return
    }
    guard owner.primaryKey?.name != column.name else {
      throw Mismatch("property \(name) is the primary key")
    }
    if let target = column.target { _ = try knownClass(target) }
    classes[column.table]?.append(column)
  }

  /// Checks that a property, or an element of its collection, can have a value.
  func check(
    _ payload: Instruction.Payload, _ column: Instruction.NewColumn
  ) throws(Mismatch) {
    let isEmbedded = column.target.map { classes[$0]?.kind == .embedded } ?? false
    if case .link(let table, let key) = payload, try !knownClass(table).accepts(key) {
      throw Mismatch("class \(table.text) has no objects with such a key")
    }
    if case .decimal(let coefficient, let exponent, let isNegative) = payload,
      Decimal128(coefficient: coefficient, exponent: exponent, isNegative: isNegative) == nil
    {
      throw Mismatch("no decimal has the exponent \(exponent)")
    }
    guard column.accepts(payload, targetIsEmbedded: isEmbedded) else {
      throw Mismatch(
        "property \(column.table.text).\(column.name.text) cannot have a value of type"
          + " \(payload.type)")
    }
  }

  // MARK: Values

  private func update(
    _ place: Instruction.Place, _ payload: Instruction.Payload
  ) throws(Mismatch) {
    guard case .erased = payload else {
      return try change(place, creating: true) { (value, column) throws(Mismatch) in
        try check(payload, column)
        if keeps(value, payload, at: place, column) { return }
        value = ReplayedValue(payload) ?? .null
      }
    }
    var parent = place
    guard case .name(let key)? = parent.path.popLast() else {
      throw Mismatch("only an entry of a dictionary can be erased")
    }
    try change(parent) { (value, _) throws(Mismatch) in
      guard case .dictionary(var entries) = value else {
        throw Mismatch("only an entry of a dictionary can be erased")
      }
      value = .null
      entries[key] = nil
      value = .dictionary(entries)
    }
  }

  /// Whether a value stays as it is, with its content: an embedded object, except as an entry of a dictionary, that is set
  /// to a new object, and a collection of a mixed property that is set to a new one of its kind.
  private func keeps(
    _ value: ReplayedValue, _ payload: Instruction.Payload, at place: Instruction.Place,
    _ column: Instruction.NewColumn
  ) -> Bool {
    switch (value, payload) {
    case (.object, .newObject): column.collection != .dictionary
    case (.list, .newList), (.dictionary, .newDictionary): place.path.isEmpty
    default: false
    }
  }

  private func changeList(_ instruction: Instruction) throws(Mismatch) {
    func list(
      _ place: Instruction.Place, _ priorSize: Int,
      _ body: (inout [ReplayedValue], Int, Instruction.NewColumn) throws(Mismatch) -> Void
    ) throws(Mismatch) {
      var parent = place
      guard case .index(let index)? = parent.path.popLast() else { return }
      try change(parent) { (value, column) throws(Mismatch) in
        guard case .list(var elements) = value else { throw Mismatch("the value is not a list") }
        guard elements.count == priorSize else {
          throw Mismatch("the list has \(elements.count) elements, expected \(priorSize)")
        }
        value = .null
        defer { value = .list(elements) }
        try body(&elements, index, column)
      }
    }
    // The decoder checked the indexes against the prior size.
    switch instruction {
    case .arrayInsert(let place, let payload, let size):
      try list(place, size) { (elements, index, column) throws(Mismatch) in
        try check(payload, column)
        elements.insert(ReplayedValue(payload) ?? .null, at: index)
      }
    case .arrayMove(let place, let destination, let size):
      try list(place, size) { (elements, index, _) throws(Mismatch) in
        elements.insert(elements.remove(at: index), at: destination)
      }
    case .arrayErase(let place, let size):
      try list(place, size) { (elements, index, _) throws(Mismatch) in
        elements.remove(at: index)
      }
    default: return
    }
  }

  /// Changes the value at `place`.
  ///
  /// - Parameter creating: whether the last step may name a new entry of a dictionary.
  private func change(
    _ place: Instruction.Place, creating: Bool = false,
    _ body: (inout ReplayedValue, Instruction.NewColumn) throws(Mismatch) -> Void
  ) throws(Mismatch) {
    let owner = try knownClass(place.table)
    guard let column = owner.column(named: place.field) else {
      throw Mismatch("property \(place.table.text).\(place.field.text) does not exist")
    }
    guard let object = owner.objects[place.key] else {
      throw Mismatch("the object of class \(place.table.text) does not exist")
    }
    guard place.path.count <= BatchAssembler.nestingLimit else {
      throw Mismatch("a value is nested more than \(BatchAssembler.nestingLimit) levels deep")
    }
    var value = object.fields[place.field] ?? column.defaultValue
    // Removed from the object, so that no collection is shared and copied.
    classes[place.table]?.objects[place.key]?.fields[place.field] = nil
    defer { classes[place.table]?.objects[place.key]?.fields[place.field] = value }
    try change(&value, column, place.path[...], isProperty: true, creating, body)
  }

  /// Changes the value at `path` in `value`.
  ///
  /// - Parameter isProperty: whether `value` is the value of a property, not an element of its collection.
  private func change(
    _ value: inout ReplayedValue, _ column: Instruction.NewColumn,
    _ path: ArraySlice<Instruction.Step>, isProperty: Bool, _ creating: Bool,
    _ body: (inout ReplayedValue, Instruction.NewColumn) throws(Mismatch) -> Void
  ) throws(Mismatch) {
    guard let step = path.first else {
      guard !creating || !isProperty || column.collection == .none else {
        throw Mismatch("the collection \(column.name.text) is set as a whole, not an element of it")
      }
      return try body(&value, column)
    }
    let rest = path.dropFirst()
    // Removed from its owner while it changes, so that no collection is shared and copied.
    switch (value, step) {
    case (.list(var elements), .index(let index)):
      guard index < elements.count else {
        throw Mismatch("the list has no element \(index), only \(elements.count)")
      }
      value = .null
      defer { value = .list(elements) }
      try change(&elements[index], column, rest, isProperty: false, creating, body)
    case (.dictionary(var entries), .name(let key)):
      let isNew = entries[key] == nil
      guard !isNew || rest.isEmpty && creating else {
        throw Mismatch("the dictionary has no key \(key.text)")
      }
      value = .null
      defer { value = .dictionary(entries) }
      do throws(Mismatch) {
        try change(
          &entries[key, default: .null], column, rest, isProperty: false, creating, body)
      } catch {
        if isNew { entries[key] = nil }
        throw error
      }
    case (.object(var fields), .name(let name)):
      guard let target = column.target, let inner = try knownClass(target).column(named: name)
      else { throw Mismatch("an embedded object has no property \(name.text)") }
      value = .null
      defer { value = .object(fields) }
      try change(
        &fields[name, default: inner.defaultValue], inner, rest, isProperty: true, creating, body)
    default:
      throw Mismatch("a path continues in a value that is neither a collection nor an object")
    }
  }
}
