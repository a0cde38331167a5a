import RealmStorage

/// What a walk over a collection tells: everything that is stored of it. Reading needs the values only,
/// checking all of it.
protocol CollectionVisitor: BPlusTreeVisitor, ClusterTreeVisitor {
  /// The node that a dictionary is; the leaves of its keys and of its values follow.
  mutating func visit(dictionary top: Node)

  /// A cluster of a dictionary that is a cluster tree, as up to format 22.
  mutating func visit(_ cluster: Cluster, at position: ClusterPosition)

  /// A tree of values of `type` begins.
  mutating func begin(type: ColumnType, isNullable: Bool)

  /// A leaf of the tree that began last, decoded.
  ///
  /// - Parameter isInCluster: a leaf of a dictionary that is a cluster tree, as up to format 22.
  mutating func visit(
    _ leaf: Node, _ batch: LeafValues, isInCluster: Bool
  ) throws(RealmFileError)
}

extension NoVisitor: CollectionVisitor {
  @inline(__always) mutating func visit(dictionary top: Node) {}
  @inline(__always) mutating func visit(_ cluster: Cluster, at position: ClusterPosition) {}
  @inline(__always) mutating func begin(type: ColumnType, isNullable: Bool) {}
  @inline(__always)
  mutating func visit(_ leaf: Node, _ batch: LeafValues, isInCluster: Bool) {}
}
