import RealmModel
import RealmQuery
import RealmStorage

/// Which cells of a damaged realm survive.
///
/// A cell survives if the damage hits none of the nodes with its value: the leaf, the nodes below it, the
/// distinct values of an enumerated column. A value with embedded objects survives with all their values, a
/// link with the primary key of its target, or some value of a target without one.
///
/// A surviving cell is described if the nodes that identify its value also survive: the cluster node and the
/// keys of the objects, and the column keys of the table; for a column of links also the target class,
/// one of the two arrays that name it, and the nodes with the keys of its targets. If they are lost, the
/// place of a value can at best be concluded from other nodes. For a cluster below a lost inner node, the
/// list of free space must survive: without it, the cluster could be one of an older version.
struct Survivors {
  private let original: Original
  private let nodes: NodeReader
  private let damaged: [Range<Int>]
  /// Whether the own bytes of a value of an object survive, by table, object key and column.
  private var own: [[Int64: [Bool]]] = []
  /// The lost nodes above an object, by table and object key.
  private var causes: [[Int64: [Cause]]] = []
  /// The lost arrays of each table.
  private var tableCauses: [[Cause]] = []

  /// A kind of node without which a value is not described, or that other nodes must replace.
  enum Cause: String, Comparable {
    case root, table, spec
    case columnKeys = "column keys"
    case columnNames = "column names"
    case opposites
    case inner = "inner node"
    /// An inner node, and the list of free space.
    case version = "inner node and free space"
    case cluster
    case objectKeys = "object keys"

    static func < (a: Cause, b: Cause) -> Bool { a.rawValue < b.rawValue }

    /// Whether a value is not described without the node.
    var isDescribing: Bool {
      switch self {
      case .table, .spec, .columnKeys, .cluster, .objectKeys, .version: true
      case .root, .columnNames, .opposites, .inner: false
      }
    }
  }

  init(_ original: Original, damaged: [Range<Int>]) throws {
    self.original = original
    self.damaged = damaged.sorted { $0.lowerBound < $1.lowerBound }
    let realm = original.realm
    let reader = try RealmReader(realm)
    nodes = reader.nodes
    let top = realm.snapshot.top
    let roots = [top.ref, top.tables].contains { isDamaged(at: $0) } ? [Cause.root] : []
    let innerCause = isFreeListDamaged(top) ? Cause.version : .inner
    for table in realm.schema.tables {
      own.append([:])
      causes.append([:])
      tableCauses.append(try causes(in: table))
      let above = roots + tableCauses[table.position]
      let inner = try innerCauses(ref: table.clusters, [], innerCause)
      for (i, position) in try reader.clusters(of: table).enumerated() {
        let cluster = try reader.cluster(position)
        let node = try nodes.lookUp(cluster.ref)
        var found = above + inner[i]
        if isDamaged(node: node) { found.append(.cluster) }
        if case .ref(let keys) = node.element(at: 0), isDamaged(at: keys) {
          found.append(.objectKeys)
        }
        let flags = try flags(of: cluster, node, table)
        for row in flags.indices {
          own[table.position][cluster.key(at: row).raw] = flags[row]
          if !found.isEmpty { causes[table.position][cluster.key(at: row).raw] = found }
        }
      }
    }
  }

  // MARK: Nodes

  private func isDamaged(node: Node) -> Bool {
    let range = node.ref..<node.ref + node.header.nodeByteCount
    var (low, high) = (0, damaged.count)
    while low < high {
      let middle = (low + high) / 2
      if damaged[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < damaged.count && damaged[low].overlaps(range)
  }

  private func isDamaged(at ref: Ref) -> Bool {
    (try? nodes.lookUp(ref)).map { isDamaged(node: $0) } ?? true
  }

  private func isDamaged(tree ref: Ref) -> Bool {
    guard let node = try? nodes.lookUp(ref) else { return true }
    if isDamaged(node: node) { return true }
    guard node.hasRefs else { return false }
    return (0..<node.count).contains { i in
      if case .ref(let child) = node.element(at: i) { isDamaged(tree: child) } else { false }
    }
  }

  /// The lost arrays of a table (chapter 3, sections 2 and 3).
  private func causes(in table: Table) throws -> [Cause] {
    let top = try nodes.lookUp(table.ref)
    let spec = try nodes.lookUp(try top.ref(at: 0))
    var found: [Cause] = isDamaged(node: top) ? [.table] : []
    if isDamaged(node: spec) { found.append(.spec) }
    if isDamaged(at: try spec.ref(at: 5)) { found.append(.columnKeys) }
    if isDamaged(at: try spec.ref(at: 1)) { found.append(.columnNames) }
    if try isDamaged(at: top.ref(at: 7)) || isDamaged(at: top.ref(at: 8)) {
      found.append(.opposites)
    }
    return found
  }

  /// Whether the list of free space is lost.
  private func isFreeListDamaged(_ top: TopArray) -> Bool {
    let lists = top.freeList.map { [$0.positions, $0.lengths] } ?? []
    return ([top.ref] + lists).contains { isDamaged(at: $0) }
  }

  /// Whether an inner node above each cluster below `ref` is lost.
  private func innerCauses(ref: Ref, _ above: [Cause], _ cause: Cause) throws -> [[Cause]] {
    let node = try nodes.lookUp(ref)
    guard node.isInner else { return [above] }
    var isLost = isDamaged(node: node)
    if case .ref(let offsets) = node.element(at: 0), isDamaged(at: offsets) { isLost = true }
    let found = isLost ? [cause] : above
    return try (3..<node.count).flatMap { try innerCauses(ref: node.ref(at: $0), found, cause) }
  }

  /// Whether the own bytes of the values of a cluster survive, by row and column.
  private func flags(of cluster: Cluster, _ node: Node, _ table: Table) throws -> [[Bool]] {
    var flags = Array(
      repeating: Array(repeating: true, count: table.columns.count), count: cluster.count)
    let lists = try nodes.lookUp(try nodes.lookUp(table.ref).ref(at: 0))
    for (i, column) in table.columns.enumerated() {
      guard case .ref(let leaf) = node.element(at: column.key.leafIndex + 1) else { continue }
      if column.collection == nil {
        var isLost = isDamaged(tree: leaf)
        if case .ref(let enumerations) = lists.element(at: 4),
          case .ref(let values) = try nodes.lookUp(enumerations).element(at: i)
        {
          isLost = isLost || isDamaged(tree: values)
        }
        guard isLost else { continue }
        for row in flags.indices { flags[row][i] = false }
      } else {
        let roots = try nodes.lookUp(leaf)
        let isLeafDamaged = isDamaged(node: roots)
        for row in flags.indices {
          guard case .ref(let root) = roots.element(at: row) else {
            flags[row][i] = !isLeafDamaged
            continue
          }
          flags[row][i] = !isLeafDamaged && !isDamaged(tree: root)
        }
      }
    }
    return flags
  }

  // MARK: Cells

  /// Whether a value of an object survives, with all objects in it.
  func survives(_ place: LinkedObjects.Place, _ column: Int) -> Bool {
    guard own[place.table][place.key]?[column] ?? false else { return false }
    return original.linked.embedded(place, column).allSatisfy { object in
      original.realm.schema.tables[object.table].columns.indices.allSatisfy { survives(object, $0) }
    } && original.linked.targets(place, column).allSatisfy(isKnown)
  }

  /// Whether a value of an object is left by which a link can name it.
  private func isKnown(_ place: LinkedObjects.Place) -> Bool {
    let flags = own[place.table][place.key] ?? []
    guard let key = original.realm.schema.tables[place.table].primaryKey else {
      return flags.contains(true)
    }
    return key < flags.count && flags[key]
  }

  /// The lost nodes above an object.
  func causes(_ place: LinkedObjects.Place) -> [Cause] { causes[place.table][place.key] ?? [] }

  /// Whether the nodes that identify a value survive, with those of all objects in it and of its targets.
  func isDescribed(_ place: LinkedObjects.Place, _ column: Int) -> Bool {
    guard !causes(place).contains(where: \.isDescribing), isTargetDescribed(place.table, column)
    else { return false }
    return original.linked.embedded(place, column).allSatisfy { object in
      original.realm.schema.tables[object.table].columns.indices.allSatisfy {
        isDescribed(object, $0)
      }
    }
      && original.linked.targets(place, column).allSatisfy { target in
        // A link has the key of its target, which the inner nodes above it determine.
        !causes(target).contains { $0.isDescribing || $0 == .inner }
      }
  }

  /// Whether the nodes with the target class of a column of links survive; true for other columns.
  private func isTargetDescribed(_ table: Int, _ column: Int) -> Bool {
    let property = original.realm.schema.tables[table].columns[column].property
    guard property.type == .link, let target = property.target else { return true }
    return !tableCauses[target].contains(where: \.isDescribing)
      && !(tableCauses[table].contains(.opposites) && tableCauses[target].contains(.opposites))
  }
}
