import RealmModel
import RealmStorage

/// The form of the clusters of a table.
struct ClusterForm {
  let layout: TableLayout
  private let nodes: NodeReader
  /// The elements of a cluster that the columns need: the keys, and a leaf for each leaf index.
  let slotCount: Int
  /// The positions of the columns, in the order of their leaves.
  let columns: [Int]

  init(_ layout: TableLayout, _ nodes: NodeReader) {
    (self.layout, self.nodes) = (layout, nodes)
    slotCount = 2 + (layout.spec.keys.map(\.leafIndex).max() ?? -1)
    let keys = layout.spec.keys
    columns = keys.indices.sorted { keys[$0].leafIndex < keys[$1].leafIndex }
  }

  /// Whether a node has as many elements as a cluster of the table. Columns removed from the end leave
  /// nulls behind.
  func hasElements(_ node: Node) -> Bool {
    // The first element, which gives the keys, is not 0. A node of width 0 could claim millions of nulls.
    node.count >= slotCount && node.width > 0
      && (slotCount..<node.count).allSatisfy { node.integer(at: $0) == 0 }
  }

  /// The place of a column's leaf in a cluster, from 0 on.
  func leafIndex(_ column: Int) -> Int { layout.spec.keys[column].leafIndex }

  /// Number of rows of the leaf at `ref`; nil if it does not have the form of the column, or if some of
  /// its nodes cannot be read.
  func rows(ofLeaf ref: Ref, column position: Int) -> Int? {
    let key = layout.spec.keys[position]
    // The number of elements in a leaf of ids is one of bytes.
    guard let node = try? nodes.lookUp(ref), let type = key.type,
      node.count <= Leaf.capacity || [.objectId, .uuid].contains(type) && key.collection == nil
    else { return nil }
    let rows = layout.spec.rows(of: node, column: position, nodes)
    return rows.flatMap { $0 <= Leaf.capacity ? $0 : nil }
  }

  /// Whether leaves of the column can have nodes below them.
  func canHaveChildren(_ position: Int) -> Bool {
    let key = layout.spec.keys[position]
    guard key.collection == nil, let type = key.type else { return true }
    return [.string, .binary, .timestamp, .mixed, .backlink].contains(type)
  }

  /// Whether the table has leaves with refs, which can look like clusters.
  var hasLeavesWithRefs: Bool { layout.spec.keys.indices.contains(where: canHaveChildren) }

  /// Whether a node with the form of a cluster can be a leaf of a lost cluster: dates are two nodes of
  /// integers, and so are two lists of integers.
  func canBeLeaf(_ cluster: OrphanCluster, _ walk: DamageWalk) -> Bool {
    guard let node = try? nodes.lookUp(cluster.ref) else { return true }
    let children = (0..<node.count).compactMap { i -> Node? in
      guard case .ref(let ref) = node.element(at: i), walk.condition(of: ref) == .lost else {
        return nil
      }
      return try? nodes.lookUp(ref)
    }
    let others = children.filter { !$0.isIntegers }
    guard let first = others.first else { return true }
    // Only a leaf of mixed values has nodes of several forms below it.
    if MixedLeaf.Slot.legalCounts.contains(node.count),
      cluster.lacksKeys || (try? MixedLeaf(node, nodes, isLookUp: true)) != nil
    {
      return true
    }
    return cluster.lacksKeys
      && others.allSatisfy {
        $0.hasRefs == first.hasRefs && $0.header.widthType == first.header.widthType
      }
  }

  /// Whether the index of the primary key has the objects of a cluster.
  func isConfirmed(_ cluster: OrphanCluster, _ evidence: LeafEvidence) -> Bool {
    guard let primaryKey = evidence.primaryKey,
      let keys = evidence.keys(ofPrimaryKeys: cluster.leaves[primaryKey], rows: cluster.count)
    else { return false }
    return evidence.areAll(keys)
  }

  /// The cluster at `ref`, if it can be one of the table.
  ///
  /// - Parameter walk: which bytes nothing refers to, and which can be trusted.
  func cluster(at ref: Ref, _ walk: DamageWalk) -> OrphanCluster? {
    guard slotCount > 1, let node = try? nodes.lookUp(ref), hasElements(node),
      let keys = keys(of: node, walk)
    else { return nil }
    var (leaves, lost): ([Ref], [(column: Int, leaf: Ref)]) = ([], [])
    for (i, key) in layout.spec.keys.enumerated() {
      guard key.leafIndex + 1 < node.count,
        case .ref(let leaf) = node.element(at: key.leafIndex + 1)
      else { return nil }
      leaves.append(leaf)
      switch walk.condition(of: leaf) {
      case .unreadable: continue
      case .other: return nil
      case .lost: lost.append((i, leaf))
      }
    }
    let rows =
      keys.count
      ?? lost.lazy.compactMap { (column, leaf) in self.rows(ofLeaf: leaf, column: column) }.first
    // A cluster with mostly unreadable leaves could be anything.
    guard lost.count * 2 >= leaves.count, let rows, (1...Cluster.capacity).contains(rows),
      lost.allSatisfy({ hasForm($0.leaf, $0.column, rows: rows) })
    else { return nil }
    return OrphanCluster(
      ref: ref, count: rows, lastRelativeKey: keys.last ?? UInt64(rows - 1), leaves: leaves,
      lacksKeys: keys.count == nil)
  }

  /// The number of objects and the last key of a cluster; both nil if the keys cannot be read.
  ///
  /// - Returns: nil if the node is not a cluster.
  private func keys(of node: Node, _ walk: DamageWalk) -> (count: Int?, last: UInt64?)? {
    if case .ref(let ref) = node.element(at: 0), walk.condition(of: ref) == .unreadable {
      return (nil, nil)
    }
    guard let cluster = try? Cluster(node, base: 0, nodes: nodes), cluster.count > 0 else {
      return nil
    }
    if let keys = cluster.keys {
      let values = (0..<keys.count).map { keys.unsigned(at: $0) }
      guard walk.condition(of: keys.ref) == .lost,
        zip(values, values.dropFirst()).allSatisfy({ $0 < $1 })
      else { return nil }
    }
    return (cluster.count, cluster.relativeKey(at: cluster.count - 1))
  }

  private func hasForm(_ leaf: Ref, _ column: Int, rows: Int) -> Bool {
    let key = layout.spec.keys[column]
    guard let node = try? nodes.lookUp(leaf), let type = key.type else { return false }
    if layout.spec.rows(of: node, column: column, expected: rows, nodes) != nil { return true }
    // The leaf has the form of the column, but some of its nodes cannot be read.
    return key.collection == nil && !layout.spec.isEnumerated(column)
      && ![.int, .bool, .link, .backlink].contains(type) && node.hasRefs && !node.isInner
  }
}

/// Recognizes the leaves of a column by their form.
extension SpecLayout {
  /// Whether the leaves of a column have positions in a list of distinct strings.
  func isEnumerated(_ position: Int) -> Bool { ((try? enumeration(position)) ?? 0) != 0 }

  /// Number of rows of a leaf of column `position`.
  ///
  /// - Parameter expected: the number that it must have; nil for any.
  /// - Returns: nil if the node does not have the form of such a leaf, or if some of its nodes cannot be
  ///   read.
  func rows(of leaf: Node, column position: Int, expected: Int? = nil, _ nodes: NodeReader) -> Int?
  {
    let key = keys[position]
    guard let type = key.type, !leaf.isInner else { return nil }
    if key.collection == nil, type != .backlink, !isEnumerated(position) {
      let values = try? Leaf.decode(
        leaf, type: type, isNullable: key.isNullable, isBiased: true, rows: expected, nodes: nodes)
      return values?.count
    }
    // Checked first: a node without bytes for its elements can state 16 million of them.
    guard !leaf.hasContext, (expected ?? leaf.count) == leaf.count else { return nil }
    let hasForm =
      if key.collection != nil {
        (try? CollectionRootsLeaf(leaf).values(rows: leaf.count)) != nil
      } else {
        type == .backlink ? leaf.hasRefs : leaf.isIntegers
      }
    return hasForm ? leaf.count : nil
  }
}
