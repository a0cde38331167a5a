package import RealmModel
package import RealmStorage

/// The clusters of a tree that can be reached, and the findings about its inner nodes. `verify`
/// splits them into pieces.
package struct ClusterTreeScan: Sendable {
  package let clusters: [ClusterPosition]
  package let shape: ClusterTreeShape
  package let findings: Findings

  /// - Parameter subject: the subject of the findings.
  /// - Throws: errors that say nothing about the file.
  package init(
    root: Ref, nodes: NodeReader, about subject: Findings.Subject, limit: Int
  ) throws(RealmFileError) {
    var visitor = Visitor(findings: Findings(limit: limit))
    visitor.findings.about(subject)
    clusters = try ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    (shape, findings) = (visitor.shape, visitor.findings)
  }

  private struct Visitor: ClusterTreeVisitor {
    var shape = ClusterTreeShape()
    var findings: Findings

    mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {
      shape.enter(inner, isRoot: isRoot, clusterCount: clusterCount, &findings)
    }
    mutating func leave(clusterCount: Int) { shape.leave(clusterCount: clusterCount) }
    mutating func lost(
      _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
    ) throws(RealmFileError) {
      try shape.lost(error, &findings)
    }
  }
}
