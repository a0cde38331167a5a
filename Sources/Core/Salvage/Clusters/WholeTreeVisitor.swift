import RealmModel
import RealmStorage

/// Refuses a tree that is not completely readable, and counts its nodes.
struct WholeTreeVisitor: ClusterTreeVisitor {
  private(set) var count = 1

  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {
    count += inner.childCount
  }
  mutating func leave(clusterCount: Int) {}
  mutating func lost(
    _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
  ) throws(RealmFileError) {
    throw error
  }
}
