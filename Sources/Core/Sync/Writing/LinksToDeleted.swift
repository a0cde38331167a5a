import RealmModel
import RealmStorage

/// Removes the links to objects that are deleted, as the deletion of a target does (chapter 3, section 6.3): a single
/// link, a mixed value and a dictionary value become null, an element of a list and a member of a set go.
struct LinksToDeleted {
  private let realm: Realm
  private let deleted: [Int: KeyList]
  /// The top-level objects that stay and have such links, in themselves or in their embedded objects, by position of
  /// their class. Takes 8 bytes for each.
  private let origins: [Int: KeyList]

  /// - Parameter deleted: the keys of the objects, by position of their class.
  init(_ realm: Realm, _ deleted: [Int: KeyList]) throws(RealmFileError) {
    (self.realm, self.deleted) = (realm, deleted)
    let reader = try PropertyReader(realm)
    var found: [Int: Set<ObjectKey>] = [:]
    var waiting = deleted.mapValues { $0.keys.map { ObjectKey($0) } }
    // From the targets to the objects with the links, and from embedded objects to their owners.
    while let (position, keys) = waiting.popFirst() {
      let table = realm.schema.tables[position]
      for column in table.backlinkColumns {
        guard let origin = realm.schema.table(column.origin) else { continue }
        for key in try reader.origins(of: keys, in: table, column) {
          guard found[origin.position, default: []].insert(key).inserted,
            origin.kind == .embedded
          else { continue }
          waiting[origin.position, default: []].append(key)
        }
      }
    }
    origins = found.filter { realm.schema.tables[$0.key].kind != .embedded }.reduce(into: [:]) {
      (origins, entry) in
      let gone = deleted[entry.key]
      let keys = entry.value.filter { gone?.contains($0) != true }
      if !keys.isEmpty { origins[entry.key] = KeyList(Array(keys)) }
    }
  }

  /// Positions of the classes with such links.
  var classes: [Int] { origins.keys.sorted() }

  /// Passes the instructions that remove the links to `body`, in the order of the classes and objects.
  ///
  /// - Throws: the errors of reading the objects and of `body`.
  func forEachRemoval(
    _ body: (Instruction) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    var request = ObjectRequest()
    // Members of sets are named by the primary keys of their targets.
    (request.links, request.normalization) = (.identities, .stored)
    for (position, keys) in origins.sorted(by: { $0.key < $1.key }) {
      let table = realm.schema.tables[position]
      guard let primaryKey = table.primaryKey else { continue }
      try realm.forEachBatch(of: keys, in: table, request) { (batch) throws(RealmFileError) in
        guard case .scalar(let values) = batch.columns[primaryKey] else { return }
        for row in 0..<batch.count {
          let object = Instruction.Place(
            table: Instruction.InternedName(table.className.bytes),
            key: Instruction.ObjectIdentity(values[row]), field: Instruction.InternedName([]))
          try remove(from: batch, row, at: object, isNested: false, body)
        }
      }
    }
  }

  // MARK: Values

  /// - Parameter isNested: whether `place` is that of an embedded object, and not of the object itself.
  private func remove(
    from batch: ObjectBatch, _ row: Int, at place: Instruction.Place, isNested: Bool,
    _ body: (Instruction) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let properties = realm.schema.objects.classes[batch.classPosition].properties
    for (property, column) in zip(properties, batch.columns) {
      guard let column else { continue }
      var inner = place
      let name = Instruction.InternedName(property.name.bytes)
      if isNested { inner.path.append(.name(name)) } else { inner.field = name }
      try remove(from: column, row, at: inner, isSet: property.collection == .set, body)
    }
  }

  /// Removes the links in a value. A link as the value itself becomes null.
  private func remove(
    from values: ColumnValues, _ row: Int, at place: Instruction.Place, isSet: Bool = false,
    _ body: (Instruction) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    switch values {
    case .scalar: return
    case .link, .mixed:
      if payload(ofDeleted: values, row) != nil {
        return try body(.update(place, .null, .value(isDefault: false)))
      }
      guard case .mixed(let column) = values else { return }
      switch column.values[row] {
      case .list(let i):
        if let lists = column.lists { try remove(from: lists, i, at: place, isSet: false, body) }
      case .dictionary(let i):
        if let entries = column.dictionaries {
          try remove(from: entries, i, at: place, isSet: false, body)
        }
      default: return
      }
    case .embedded(let column):
      guard column.rows[row] >= 0 else { return }
      try remove(from: column.objects, column.rows[row], at: place, isNested: true, body)
    case .collection(let column): try remove(from: column, row, at: place, isSet: isSet, body)
    }
  }

  private func remove(
    from collections: CollectionColumn, _ row: Int, at place: Instruction.Place, isSet: Bool,
    _ body: (Instruction) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    var size = 0
    if let runs = collections.runs?.restarted() {
      while let run = try runs.next() { size += run.range(of: 0).count }
    } else {
      size = collections.range(of: row).count
    }
    var index = 0
    func pass(_ part: CollectionColumn, _ range: Range<Int>) throws(RealmFileError) {
      for i in range {
        let link = payload(ofDeleted: part.elements, i)
        if isSet {
          if let link { try body(.setErase(place, link)) }
          continue
        }
        var element = place
        if let keys = part.keys {
          guard case .string(let bytes) = keys[i] else { continue }
          element.path.append(.name(Instruction.InternedName(bytes.bytes)))
        } else {
          element.path.append(.index(index))
          if link != nil {
            // The elements behind it move down by one.
            try body(.arrayErase(element, priorSize: size))
            size -= 1
            continue
          }
          index += 1
        }
        try remove(from: part.elements, i, at: element, body)
      }
    }
    guard let runs = collections.runs?.restarted() else {
      return try pass(collections, collections.range(of: row))
    }
    while let run = try runs.next() { try pass(run, run.range(of: 0)) }
  }

  /// The link in `row` if its target is deleted; nil for anything else.
  private func payload(ofDeleted values: ColumnValues, _ row: Int) -> Instruction.Payload? {
    let (target, key, identity): (Int, ObjectKey, BatchValue)
    switch values {
    case .link(let column):
      guard !column.nulls[row], row < column.keys.count else { return nil }
      (target, key, identity) = (column.target, column.keys[row], column.identity(row))
    case .mixed(let column):
      guard case .link(let i) = column.values[row], let found = column.links[i].key else {
        return nil
      }
      (target, key, identity) = (column.links[i].target, found, column.links[i].identity ?? .null)
    case .scalar, .embedded, .collection: return nil
    }
    guard deleted[target]?.contains(key) == true else { return nil }
    return .link(
      table: Instruction.InternedName(realm.schema.tables[target].className.bytes),
      key: Instruction.ObjectIdentity(identity))
  }
}

extension PropertyReader {
  /// The keys of the objects that link to the objects with `keys` through a column, one for each link.
  fileprivate func origins(
    of keys: [ObjectKey], in table: Table, _ column: BacklinkColumn
  ) throws(RealmFileError) -> [ObjectKey] {
    var origins: [ObjectKey] = []
    var left = keys[...]
    while !left.isEmpty {
      let some = Array(left.prefix(ObjectBatch.capacity))
      left = left.dropFirst(some.count)
      let mark = mark()
      defer { release(to: mark) }
      let rows = try rows(some, of: table)
      origins += try backlinks(column, rows, limit: .max)?.keys ?? []
    }
    return origins
  }
}
