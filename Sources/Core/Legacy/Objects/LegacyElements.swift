import RealmModel
import RealmStorage

/// Collects the elements of one property's lists or subtables, collection after collection. Used by one thread.
struct LegacyElements {
  private let assembler: LegacyAssembler
  private let property: LegacyProperty
  /// The columns of the subtables; nil for lists of links.
  private let columns: [LegacyColumn]?
  /// The values of each column so far, or the links of lists of links.
  private var builders: [ColumnBuilder?]
  /// The columns of the open collection.
  private var readers: [LegacyColumnReader] = []
  private var targets: LegacyTree?
  /// Root of the open collection.
  private var root: Ref = 0
  /// Number of elements collected so far.
  private(set) var count = 0

  init(
    _ property: LegacyProperty, _ assembler: LegacyAssembler
  ) throws(RealmFileError) {
    (self.property, self.assembler) = (property, assembler)
    if let elements = property.elements {
      columns = [elements]
    } else {
      columns = property.embedded.map { assembler.realm.layouts[$0].columns }
    }
    builders = Array(repeating: nil, count: columns?.count ?? 1)
  }

  /// Opens the collection at `root`, 0 for an empty one.
  ///
  /// - Returns: the number of its elements.
  /// - Throws: `damaged` with rule `table.slots`, or a rule of group `leaf` or `btree`.
  mutating func open(_ root: Ref) throws(RealmFileError) -> Int {
    readers.removeAll(keepingCapacity: true)
    (targets, self.root) = (nil, root)
    guard root != 0 else { return 0 }
    let nodes = assembler.nodes
    guard let columns, case .subtable(let spec) = property.column.kind else {
      targets = tree(ofTargets: root)
      let count = try BPlusTreeLeaves.count(root: root, nodes: nodes) { $0.count }
      try LegacyTable.check(rowCount: count, at: root, nodes)
      return count
    }
    let roots = try LegacyTable.roots(at: root, spec, nodes)
    let rows = try LegacyTable.rowCount(spec, roots, at: root, nodes)
    for column in columns {
      readers.append(try LegacyColumnReader(column, root: roots[column.slot], assembler.reader))
    }
    return rows
  }

  private func tree(ofTargets root: Ref) -> LegacyTree {
    let target: Int? = if case .linkList(let target) = property.column.kind { target } else { nil }
    return LegacyTree(root: root, .targets, isNullable: false, assembler.reader, target: target)
  }

  /// Removes the elements from `start` on: those of a collection that cannot be read as a whole.
  mutating func removeAll(from start: Int) {
    for i in builders.indices {
      if let count = builders[i]?.count, count > start { builders[i]?.removeAll(from: start) }
    }
    count = start
  }

  /// Collects elements of the open collection.
  mutating func append(_ rows: Range<Int>) throws(RealmFileError) {
    guard !rows.isEmpty else { return }
    for i in readers.indices { Self.add(try readers[i].values(rows), to: &builders[i]) }
    if let values = try targets?.values(rows) { Self.add(values, to: &builders[0]) }
    count += rows.count
  }

  private static func add(_ values: LeafValues, to builder: inout ColumnBuilder?) {
    if builder == nil { builder = ColumnBuilder(of: values) }
    builder?.append(values)
  }

  /// The collected elements, completed.
  ///
  /// - Parameter owners: the row of the object to which each element belongs.
  /// - Returns: nil if `room` has too little space for collections in the elements.
  func finish(
    owners: [Int], _ room: inout LegacyAssembler.Room
  ) throws(RealmFileError) -> ColumnValues? {
    if let embedded = property.embedded {
      return try objects(ofClass: embedded, owners, &room)
    }
    guard let values = builders[0]?.batch else { return property.noElements }
    switch (property.column.kind, property.elements?.kind, values) {
    case (.linkList(let target), _, .link(let keys)):
      return .link(
        try assembler.links(keys, to: target, allowsNull: false, owners: { owners[$0] }))
    case (_, .link(let target), .link(let keys)):
      return .link(
        try assembler.links(keys, to: target, allowsNull: true, owners: { owners[$0] }))
    case (_, _, .mixed(let stored)):
      return try assembler.mixed(stored, owners: owners, &room).map { .mixed($0) }
    case (_, _, .scalar(let scalars)): return .scalar(scalars)
    default: return nil
    }
  }

  /// The rows of subtables as embedded objects, which have no keys.
  private func objects(
    ofClass position: Int, _ owners: [Int], _ room: inout LegacyAssembler.Room
  ) throws(RealmFileError) -> ColumnValues? {
    guard count > 0 else { return property.noElements }
    let objectClass = assembler.realm.schema.classes[position]
    let properties = assembler.properties(ofClass: position)
    let outer = assembler.place
    assembler.place.className = objectClass.name.text
    defer { assembler.place = outer }
    let batch = try room.descend(at: root) {
      (room: inout LegacyAssembler.Room) throws(RealmFileError) -> ObjectBatch? in
      var columns: [ColumnValues?] = []
      for (i, property) in objectClass.properties.enumerated() {
        guard let values = builders[i]?.batch else { return nil }
        assembler.place.property = property.name.text
        guard
          let column = try assembler.values(
            properties[i], values, owners: owners, &room)
        else { return nil }
        columns.append(column)
      }
      return ObjectBatch(
        classPosition: position, count: count, keys: [], columns: columns, owner: nil)
    }
    return batch.map { .embedded(EmbeddedColumn(rows: Array(0..<count), objects: $0)) }
  }
}
