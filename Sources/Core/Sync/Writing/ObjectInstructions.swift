import RealmModel
import RealmStorage

/// Makes the instructions that create and change objects, in the same order as the reference (chapter 4, section 4.4).
struct ObjectInstructions {
  /// The names of a class and its properties in changesets.
  private struct ClassNames {
    let name: Instruction.InternedName
    let properties: [Instruction.InternedName]
  }

  private let schema: ObjectSchema
  private let names: [ClassNames]

  init(_ schema: ObjectSchema) {
    self.schema = schema
    names = schema.classes.map { content in
      ClassNames(
        name: Instruction.InternedName(content.name.bytes),
        properties: content.properties.map { Instruction.InternedName($0.name.bytes) })
    }
  }

  // MARK: Schema

  /// Adds the app's classes that `old` does not have, then the properties that it does not have.
  ///
  /// - Parameter old: a schema with the same classes at the same positions, but maybe fewer; nil for none.
  func addSchema(beyond old: ObjectSchema?, to changeset: inout ChangesetEncoder) {
    func before(_ position: Int) -> ObjectClass? {
      old.flatMap { $0.classes.indices.contains(position) ? $0.classes[position] : nil }
    }
    for position in schema.appClasses where before(position) == nil {
      let content = schema.classes[position]
      changeset.append(
        .addTable(
          name: names[position].name, kind: content.kind.tableKind,
          primaryKey: content.primaryKey.map { key in
            Instruction.PrimaryKeyColumn(
              name: names[position].properties[key],
              type: content.properties[key].type.valueType,
              isNullable: content.properties[key].isOptional)
          }))
    }
    for position in schema.appClasses {
      let content = schema.classes[position]
      let known = Set(before(position)?.properties.map(\.name) ?? [])
      for (i, property) in content.properties.enumerated()
      where i != content.primaryKey && !known.contains(property.name) {
        let isDictionary = property.collection == .dictionary
        changeset.append(
          .addColumn(
            Instruction.NewColumn(
              table: names[position].name, name: names[position].properties[i],
              type: property.type.valueType, isNullable: property.isOptional,
              collection: property.collection.instructionKind,
              target: property.type == .link ? property.target.map { names[$0].name } : nil,
              keyType: isDictionary ? .string : nil)))
      }
    }
  }

  // MARK: Objects

  /// The identity of an object of a class with a primary key.
  private func identity(of object: ChangedObject) -> Instruction.ObjectIdentity {
    let batch = object.batch
    guard let key = schema.classes[batch.classPosition].primaryKey,
      case .scalar(let values) = batch.columns[key]
    else { return .null }
    return Instruction.ObjectIdentity(values[object.row])
  }

  /// Why a changeset cannot hold an object.
  enum Refusal: Equatable {
    /// The changeset became larger than its limit.
    case tooLarge
    /// A dictionary in the property has this key, which the reference refuses.
    case dictionaryKey(String, property: Int)
  }

  /// The obstacle for an object that no changeset can hold.
  func obstacle(_ object: ChangedObject, _ refusal: Refusal, sizeLimit: Int) -> SyncObstacle {
    let content = schema.classes[object.batch.classPosition]
    let key = identity(of: object).text
    return switch refusal {
    case .tooLarge:
      SyncObstacle(
        kind: .tooLarge(key: key, limit: sizeLimit), className: content.name.text, property: nil)
    case .dictionaryKey(let entry, let property):
      SyncObstacle(
        kind: .dictionaryKey(entry, key: key), className: content.name.text,
        property: content.properties[property].name.text)
    }
  }

  /// Creates the object if it is new, and sets its properties.
  ///
  /// - Parameter sizeLimit: maximum bytes of the changeset.
  /// - Returns: nil, or why the object may be incomplete.
  /// - Throws: the errors of reading a large collection.
  func add(
    _ object: ChangedObject, to changeset: inout ChangesetEncoder, sizeLimit: Int
  ) throws(RealmFileError) -> Refusal? {
    let position = object.batch.classPosition
    let content = schema.classes[position]
    let key = identity(of: object)
    let table = names[position].name
    if object.isNew { changeset.append(.createObject(table: table, key: key)) }
    var run = Run(changeset: changeset, sizeLimit: sizeLimit, clears: !object.isNew)
    changeset = ChangesetEncoder()
    for (i, property) in content.properties.enumerated() where i != content.primaryKey {
      guard let (values, row) = object.values(ofProperty: i) else { continue }
      let place = Instruction.Place(table: table, key: key, field: names[position].properties[i])
      try add(property, values, row, at: place, to: &run)
      if let key = run.refusedKey {
        changeset = run.changeset
        return .dictionaryKey(key, property: i)
      }
      guard !run.isFull else { break }
    }
    changeset = run.changeset
    return run.isFull ? .tooLarge : nil
  }

  /// The encoding of an object into a changeset of limited size.
  private struct Run {
    var changeset: ChangesetEncoder
    let sizeLimit: Int
    /// Whether to clear collections first, because the object may exist.
    let clears: Bool
    /// A key of a dictionary that the reference refuses.
    var refusedKey: String?

    /// Whether what follows of the object need not be added.
    var isFull: Bool { refusedKey != nil || changeset.bytes.count > sizeLimit }
  }

  /// Sets a property.
  private func add(
    _ property: Property, _ values: ColumnValues, _ row: Int, at place: Instruction.Place,
    to run: inout Run
  ) throws(RealmFileError) {
    guard case .collection(let collections) = values else {
      return try set(values, row, to: &run) {
        .update(place, $0, .value(isDefault: false))
      } path: {
        place
      }
    }
    // Like the reference, clears the lists of new objects too. Embedded objects are new, even where others were.
    if property.collection == .list || run.clears && place.path.isEmpty {
      run.changeset.append(.clear(place, property.collection.instructionKind))
    }
    // The members of a set keep the order of the file.
    try add(collections, row, isSet: property.collection == .set, at: place, to: &run)
  }

  /// Fills a collection.
  private func add(
    _ collections: CollectionColumn, _ row: Int, isSet: Bool, at place: Instruction.Place,
    to run: inout Run
  ) throws(RealmFileError) {
    var count = 0
    func fill(_ part: CollectionColumn, _ range: Range<Int>) throws(RealmFileError) {
      for i in range {
        guard !run.isFull else { return }
        if let keys = part.keys {
          var entry = place
          guard case .string(let bytes) = keys[i] else { continue }
          guard !ObjectInstructions.isRefused(bytes.bytes) else {
            run.refusedKey = String(decoding: bytes.bytes, as: UTF8.self)
            return
          }
          entry.path.append(.name(Instruction.InternedName(bytes.bytes)))
          try set(part.elements, i, to: &run) {
            .update(entry, $0, .value(isDefault: false))
          } path: {
            entry
          }
          continue
        }
        if isSet {
          try set(part.elements, i, to: &run) {
            .setInsert(place, $0)
          } path: {
            place
          }
        } else {
          var element = place
          element.path.append(.index(count))
          let size = count
          try set(part.elements, i, to: &run) {
            .arrayInsert(element, $0, priorSize: size)
          } path: {
            element
          }
        }
        count += 1
      }
    }
    guard let runs = collections.runs else {
      return try fill(collections, collections.range(of: row))
    }
    while !run.isFull, let part = try runs.next() { try fill(part, part.range(of: 0)) }
  }

  /// Whether the reference inserts no entry with this key: servers and other clients fail (chapter 4, section 3.4).
  private static func isRefused(_ key: [UInt8]) -> Bool {
    key.first == UInt8(ascii: "$") || key.contains(UInt8(ascii: "."))
  }

  /// Sets a value: a scalar, a link, or an embedded object or nested collection with its content.
  ///
  /// - Parameters:
  ///   - instruction: returns the instruction that sets a payload.
  ///   - path: returns the place of the value.
  private func set(
    _ values: ColumnValues, _ row: Int, to run: inout Run,
    _ instruction: (Instruction.Payload) -> Instruction, path: () -> Instruction.Place
  ) throws(RealmFileError) {
    switch values {
    case .scalar(let column): run.changeset.append(instruction(Instruction.Payload(column[row])))
    case .link(let column):
      guard !column.nulls[row] else {
        return run.changeset.append(instruction(.null))
      }
      run.changeset.append(
        instruction(
          .link(
            table: names[column.target].name,
            key: Instruction.ObjectIdentity(column.identity(row)))))
    case .embedded(let column):
      let place = path()
      let isNull = column.rows[row] < 0
      // Setting a property to a new object keeps the object that is there, with its sets and dictionaries.
      if isNull || run.clears && place.path.isEmpty { run.changeset.append(instruction(.null)) }
      guard !isNull else { return }
      run.changeset.append(instruction(.newObject))
      try addEmbedded(column.objects, column.rows[row], at: place, to: &run)
    case .mixed(let column):
      try set(column, row, to: &run, instruction, path: path)
    // A collection contains another one only as a mixed value.
    case .collection: return
    }
  }

  private func addEmbedded(
    _ objects: ObjectBatch, _ row: Int, at place: Instruction.Place, to run: inout Run
  ) throws(RealmFileError) {
    for (i, property) in schema.classes[objects.classPosition].properties.enumerated() {
      guard let values = objects.columns[i], !run.isFull else { continue }
      var inner = place
      inner.path.append(.name(names[objects.classPosition].properties[i]))
      try add(property, values, row, at: inner, to: &run)
    }
  }

  private func set(
    _ column: MixedColumn, _ row: Int, to run: inout Run,
    _ instruction: (Instruction.Payload) -> Instruction, path: () -> Instruction.Place
  ) throws(RealmFileError) {
    switch column.values[row] {
    case .link(let i):
      let link = column.links[i]
      guard let identity = link.identity else {
        return run.changeset.append(instruction(.null))
      }
      run.changeset.append(
        instruction(
          .link(table: names[link.target].name, key: Instruction.ObjectIdentity(identity))))
    case .list(let i):
      run.changeset.append(instruction(.newList))
      clear(.list, at: path(), in: &run)
      guard let lists = column.lists else { return }
      try add(lists, i, isSet: false, at: path(), to: &run)
    case .dictionary(let i):
      run.changeset.append(instruction(.newDictionary))
      clear(.dictionary, at: path(), in: &run)
      guard let dictionaries = column.dictionaries else { return }
      try add(dictionaries, i, isSet: false, at: path(), to: &run)
    case let value: run.changeset.append(instruction(Instruction.Payload(value)))
    }
  }

  /// Clears the collection in a mixed property: setting a property to a collection of the kind that it already has
  /// keeps the elements.
  private func clear(
    _ kind: Instruction.Collection, at place: Instruction.Place, in run: inout Run
  ) {
    if run.clears, place.path.isEmpty { run.changeset.append(.clear(place, kind)) }
  }
}

extension Instruction {
  fileprivate static func clear(_ place: Place, _ kind: Collection) -> Instruction {
    .clear(place, Int64(kind.rawValue))
  }
}
