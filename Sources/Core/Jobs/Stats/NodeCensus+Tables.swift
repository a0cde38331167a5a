import RealmModel
import RealmStorage

/// The top arrays of a realm and of its tables, and who owns the trees below them.
extension NodeCensus {
  /// Counts the top array of the realm, and returns the refs below it, except for the list of tables.
  mutating func start(_ top: TopArray) throws(RealmFileError) -> [Step] {
    let (schema, history) = (owner(.schema), owner(.history))
    let lists = owner(.freeLists)
    _ = try take(top.ref, schema)
    var steps = [Step(ref: top.tableNames, role: .plain, owner: schema)]
    if top.history != 0 { steps.append(Step(ref: top.history, role: .plain, owner: history)) }
    if let free = top.freeList {
      steps += free.all.filter { $0 != 0 }
        .map { Step(ref: $0, role: .plain, owner: lists) }
    }
    steps += refs(of: try nodes.lookUp(top.ref), from: TopArray.Slot.evacuation)
      .map { Step(ref: $0, role: .plain, owner: lists) }
    return steps
  }

  /// Counts the top arrays of tables with clusters, and adds the refs below them.
  ///
  /// - Parameter tables: the list of tables.
  mutating func add(
    _ realm: Realm, _ tables: Node, _ steps: inout [Step]
  ) throws(RealmFileError) {
    let positions = Dictionary(
      realm.schema.tables.map { ($0.ref, $0.position) }, uniquingKeysWith: { first, _ in first })
    for i in 0..<tables.count {
      guard case .ref(let ref) = tables.element(at: i), let position = positions[ref] else {
        continue
      }
      try add(realm.schema.tables[position], &steps)
    }
  }

  /// The refs in the slots of `node`.
  ///
  /// - Parameter slot: the first one.
  func refs(of node: Node, from slot: Int = 0) -> [Ref] {
    // Without bits, there is no ref among any number of elements.
    guard node.width > 0 else { return [] }
    var refs: [Ref] = []
    for i in slot..<max(slot, node.count) {
      if case .ref(let ref) = node.element(at: i) { refs.append(ref) }
    }
    return refs
  }

  private mutating func add(_ table: Table, _ steps: inout [Step]) throws(RealmFileError) {
    let position = table.position
    let (schema, tree) = (owner(.schema, table: position), owner(.tree, table: position))
    let (backlinks, tombstones) = (
      owner(.backlinks, table: position), owner(.tombstones, table: position)
    )
    let indexes = table.columns.indices.map { owner(.indexes, table: position, property: $0) }
    addColumns(of: table, backlinks: backlinks)
    let top = try take(table.ref, schema)
    for slot in 0..<top.count {
      guard case .ref(let ref) = top.element(at: slot) else { continue }
      switch slot {
      case TableLayout.Slot.clusters:
        steps.append(Step(ref: ref, role: .cluster, owner: tree, table: position))
      case TableLayout.Slot.tombstones:
        steps.append(Step(ref: ref, role: .plain, owner: tombstones))
      case TableLayout.Slot.indexes:
        let roots = try take(ref, schema)
        for (property, column) in table.columns.enumerated()
        where column.key.leafIndex < roots.count {
          guard case .ref(let root) = roots.element(at: column.key.leafIndex) else { continue }
          steps.append(Step(ref: root, role: .plain, owner: indexes[property]))
        }
      case TableLayout.Slot.spec:
        try addSpec(at: ref, of: table, schema, &steps)
      default: steps.append(Step(ref: ref, role: .plain, owner: schema))
      }
    }
  }

  /// The lists of distinct values of enumerated columns hold values of properties.
  private mutating func addSpec(
    at ref: Ref, of table: Table, _ schema: Int, _ steps: inout [Step]
  ) throws(RealmFileError) {
    let spec = try take(ref, schema)
    for slot in 0..<spec.count {
      guard case .ref(let ref) = spec.element(at: slot) else { continue }
      guard slot == SpecLayout.Slot.enumerations else {
        steps.append(Step(ref: ref, role: .plain, owner: schema))
        continue
      }
      let lists = try take(ref, schema)
      for list in refs(of: lists) {
        let column = table.columns.first { $0.enumeration == list }
        let owner = column.flatMap { columns[table.position][$0.key.leafIndex]?.values }
        steps.append(Step(ref: list, role: .plain, owner: owner ?? schema))
      }
    }
  }

  private mutating func addColumns(of table: Table, backlinks: Int) {
    let position = table.position
    let count =
      (table.columns.map(\.key.leafIndex) + table.backlinkColumns.map(\.key.leafIndex)).max()
      .map { $0 + 1 } ?? 0
    var columns: [Column?] = Array(repeating: nil, count: count)
    for (property, column) in table.columns.enumerated() {
      let role: Role =
        switch column.type {
        case _ where column.collection != nil: .plain
        case .string, .binary: .strings
        case .mixed: .mixed
        default: .plain
        }
      columns[column.key.leafIndex] = self.column(
        role, table: position, property: property, isCollection: column.collection != nil)
    }
    for column in table.backlinkColumns {
      columns[column.key.leafIndex] = Column(
        role: .plain, values: backlinks, longValues: backlinks, collections: backlinks)
    }
    let missing = max(0, position + 1 - self.columns.count)
    self.columns.append(contentsOf: Array(repeating: [], count: missing))
    self.columns[position] = columns
  }
}
