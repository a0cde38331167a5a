package import RealmStorage

/// Receives all parts of a collection during a walk. Readers need only the values; checks need
/// everything.
package protocol CollectionVisitor: BPlusTreeVisitor, ClusterTreeVisitor {
  /// Called for the top node of a dictionary, before the leaves of its keys and values.
  mutating func visit(dictionary top: Node)

  /// Called for a cluster of a dictionary that is a cluster tree (formats 21 and 22).
  mutating func visit(_ cluster: Cluster, at position: ClusterPosition)

  /// Called before the leaves of a tree with values of `type`.
  mutating func begin(type: ColumnType, isNullable: Bool)

  /// Called for a decoded leaf of the tree that began last.
  ///
  /// - Parameter isInCluster: true for a leaf of a dictionary that is a cluster tree (formats 21 and 22).
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
