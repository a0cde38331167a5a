import RealmModel
import RealmStorage

/// Counts the bytes of all nodes of a snapshot, by class, property and purpose.
///
/// The walk follows every ref from the top array once. A cluster tree, or in formats 2 to 9 the array of columns, shows which nodes
/// belong to which property (chapter 2, section 5; chapter 5, section 5.5); the nodes below a leaf belong to the property of the leaf.
struct NodeCensus {
  /// The purpose of nodes.
  enum Purpose: Int, CaseIterable, Sendable {
    /// Values of properties, apart from the following.
    case values
    /// Strings and binaries of leaves with a value of more than 64 bytes; each has a node of its own
    /// (chapter 2, section 3.6).
    case longValues
    /// Elements of lists, sets and dictionaries.
    case collections
    case indexes
    case backlinks
    /// Clusters, and the keys of objects.
    case tree
    /// Tombstones: the remains of deleted objects that links still refer to.
    case tombstones
    /// Tables, classes and properties; the top array.
    case schema
    case history
    /// The lists of free space.
    case freeLists
  }

  /// A purpose, and the class and property to which the nodes belong.
  struct Owner: Hashable, Sendable {
    let purpose: Purpose
    /// Position of the table in the schema; nil for nodes that belong to no table.
    var table: Int?
    /// Position of the property in its class; nil for nodes that belong to no property.
    var property: Int?

    init(_ purpose: Purpose, table: Int? = nil, property: Int? = nil) {
      (self.purpose, self.table, self.property) = (purpose, table, property)
    }
  }

  /// A number of nodes and their bytes.
  struct Total: Equatable, Sendable {
    var nodeCount = 0
    var byteCount = 0
    /// Number of long values; 0 for other purposes. One of more than 16 MB has several nodes.
    var valueCount = 0

    init() {}

    static func += (a: inout Total, b: Total) {
      a.nodeCount += b.nodeCount
      a.byteCount += b.byteCount
      a.valueCount += b.valueCount
    }
  }

  /// How the children of a node are counted.
  enum Role {
    /// Like the node.
    case plain
    /// A node of a cluster tree.
    case cluster
    /// A leaf of strings or binaries, or a B+tree of such leaves.
    case strings
    /// A leaf of mixed values.
    case mixed
    /// A column of mixed values of formats 2 to 9.
    case oldMixed
    /// The root of a string or binary that has nodes of its own.
    case longValue
  }

  /// A ref to visit. `owner` is a position in ``owners``, `table` one in the schema.
  struct Step {
    let ref: Ref
    let role: Role
    let owner: Int
    var table = 0
  }

  /// A counted node, and the first of its elements whose child was not visited yet. The elements are read
  /// one by one: a list of all refs would take more memory than the node, which may be nearly the file.
  private struct Visit {
    let step: Step
    var next = 0
  }

  /// The owners of a column's nodes.
  struct Column {
    let role: Role
    let values: Int
    let longValues: Int
    let collections: Int
  }

  /// Number of nodes opened before the pages of an encrypted file are released.
  private static let nodesPerScope = 1024

  let realm: ReadableRealm
  let nodes: NodeReader
  private var owners: [Owner] = []
  private var sums: [Total] = []
  /// The columns of each table with clusters, by leaf index.
  var columns: [[Column?]] = []
  /// The columns by the owner of their values.
  private var columnsOfValues: [Int: Column] = [:]
  private var untilRelease = NodeCensus.nodesPerScope
  /// The space of the nodes.
  private var map: SpaceMap

  init(_ realm: ReadableRealm, nodes: NodeReader) {
    (self.realm, self.nodes) = (realm, nodes)
    map = SpaceMap(byteCount: realm.snapshot.top.logicalSize)
  }

  /// The totals of all owners with nodes, ordered by table, property and purpose.
  var totals: [(owner: Owner, total: Total)] {
    zip(owners, sums).filter { $1.nodeCount > 0 }.map { (owner: $0, total: $1) }.sorted {
      ($0.owner.table ?? -1, $0.owner.property ?? -1, $0.owner.purpose.rawValue)
        < ($1.owner.table ?? -1, $1.owner.property ?? -1, $1.owner.purpose.rawValue)
    }
  }

  /// Returns the space of the nodes and removes it from the census, because it can be large.
  mutating func takeMap() -> SpaceMap {
    defer { map = SpaceMap(byteCount: 0) }
    return map
  }

  /// Visits all nodes.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap` for a node that several refs point to, and the
  ///   errors of opening a node.
  mutating func run() throws(RealmFileError) {
    let top = realm.snapshot.top
    _ = map.take(0..<FileHeader.byteCount)
    guard top.ref != 0 else { return }
    var roots = try start(top)
    let tables = try take(top.tables, owner(.schema))
    switch realm {
    case .current(let realm): try add(realm, tables, &roots)
    case .legacy(let realm): try add(realm, tables, &roots)
    }
    let mark = nodes.mark()
    while let root = roots.popLast() {
      do throws(RealmFileError) {
        try visit(root, mark)
      } catch {
        throw error.adding(
          className: owners[root.owner].table.map { realm.schema.classes[$0].name.text })
      }
    }
    nodes.release(to: mark)
  }

  // MARK: Owners

  /// Adds an owner, or one with the same purpose, class and property.
  mutating func owner(_ purpose: Purpose, table: Int? = nil, property: Int? = nil) -> Int {
    owners.append(Owner(purpose, table: table, property: property))
    sums.append(Total())
    return owners.count - 1
  }

  /// Adds the owners of the nodes of a property.
  ///
  /// - Parameter isCollection: whether all nodes hold collections.
  mutating func column(
    _ role: Role, table: Int, property: Int, isCollection: Bool
  ) -> Column {
    let collections = owner(.collections, table: table, property: property)
    let column = Column(
      role: role,
      values: isCollection ? collections : owner(.values, table: table, property: property),
      longValues: owner(.longValues, table: table, property: property), collections: collections)
    columnsOfValues[column.values] = column
    return column
  }

  // MARK: Nodes

  /// Opens and counts a node.
  mutating func take(_ ref: Ref, _ owner: Int) throws(RealmFileError) -> Node {
    let node = try nodes.lookUp(ref)
    let byteCount = node.header.nodeByteCount
    guard map.take(ref..<(ref + byteCount)) else {
      throw .damaged(
        .storageNodeOverlap, at: ref, "the node overlaps another node, or several refs point to it")
    }
    sums[owner].nodeCount += 1
    sums[owner].byteCount += byteCount
    return node
  }

  /// Counts the nodes below `root`, in the order of the file.
  private mutating func visit(
    _ root: Step, _ mark: NodeReader.Mark
  ) throws(RealmFileError) {
    var path: [Visit] = []
    try enter(root, &path)
    while let last = path.indices.last {
      let node = try nodes.lookUp(path[last].step.ref)
      let child = nextChild(of: node, &path[last])
      if path[last].next == node.count { path.removeLast() }
      if let child { try enter(child, &path) }
      untilRelease -= 1
      guard untilRelease == 0 else { continue }
      nodes.release(to: mark)
      untilRelease = NodeCensus.nodesPerScope
    }
  }

  private mutating func enter(_ step: Step, _ path: inout [Visit]) throws(RealmFileError) {
    let node = try take(step.ref, step.owner)
    if case .longValue = step.role { sums[step.owner].valueCount += 1 }
    // In a node of width 0 every element is 0, for any count.
    if node.hasRefs, node.width > 0, node.count > 0 { path.append(Visit(step: step)) }
  }

  private func nextChild(of node: Node, _ visit: inout Visit) -> Step? {
    while visit.next < node.count {
      let slot = visit.next
      visit.next += 1
      if case .ref(let ref) = node.element(at: slot) {
        return child(ref, slot, of: node, visit.step)
      }
    }
    return nil
  }

  /// How the child in slot `slot` of a visited node is counted.
  private func child(_ ref: Ref, _ slot: Int, of node: Node, _ step: Step) -> Step {
    switch step.role {
    case .plain, .longValue: return Step(ref: ref, role: .plain, owner: step.owner)
    case .cluster:
      guard slot > 0 else { return Step(ref: ref, role: .plain, owner: step.owner) }
      guard !node.isInner else {
        return Step(ref: ref, role: .cluster, owner: step.owner, table: step.table)
      }
      let columns = columns[step.table]
      guard slot - 1 < columns.count, let column = columns[slot - 1] else {
        return Step(ref: ref, role: .plain, owner: step.owner)
      }
      return Step(ref: ref, role: column.role, owner: column.values)
    case .strings:
      // The first element of an inner node has offsets.
      if node.isInner {
        return Step(ref: ref, role: slot == 0 ? .plain : .strings, owner: step.owner)
      }
      // Each string of a leaf of long ones has its own node.
      guard node.hasContext, let column = columnsOfValues[step.owner] else {
        return Step(ref: ref, role: .plain, owner: step.owner)
      }
      return Step(ref: ref, role: .longValue, owner: column.longValues)
    case .mixed:
      guard let column = columnsOfValues[step.owner] else {
        return Step(ref: ref, role: .plain, owner: step.owner)
      }
      switch slot {
      case MixedLeaf.Slot.strings: return Step(ref: ref, role: .strings, owner: step.owner)
      case MixedLeaf.Slot.refs: return Step(ref: ref, role: .plain, owner: column.collections)
      default: return Step(ref: ref, role: .plain, owner: step.owner)
      }
    case .oldMixed:
      let isBinaries = slot == NodeCensus.oldMixedBinaries
      return Step(ref: ref, role: isBinaries ? .strings : .plain, owner: step.owner)
    }
  }

  /// The slot of the binaries and strings in a column of mixed values of formats 2 to 9 (chapter 5, section 6.12).
  private static let oldMixedBinaries = 2
}
