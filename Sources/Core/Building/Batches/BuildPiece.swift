import RealmModel
import RealmStorage

/// The output of a worker for some batches: encoded nodes, and the facts that can be resolved only with
/// all pieces. Objects are numbered per class from 0 on, in their order. Their keys are known when the
/// piece is placed.
final class BuildPiece: @unchecked Sendable {
  /// The clusters of one class.
  struct Objects {
    /// Number of objects in each cluster.
    var counts: [Int] = []
    /// A leaf for each column of each cluster; 0 for a pending leaf.
    var leaves: [Ref] = []
    /// Keys of the objects; empty if the source gives none.
    var keys: [ObjectKey] = []
    /// Number of objects in all clusters.
    var count = 0
  }

  /// A leaf that waits for object keys.
  struct PendingLeaf {
    let classPosition: Int
    /// Position among the clusters of the class in this piece.
    let cluster: Int
    let leafIndex: Int
    var program: PendingProgram
  }

  /// Links of one column to objects of one class.
  struct LinkPath: Hashable {
    /// Number of the column.
    let column: Int
    let target: Int
  }

  /// A link to an object with a known key.
  struct Link {
    let target: ObjectKey
    /// Number of the object that contains the link.
    let origin: Int
  }

  /// A link that names its target by primary key, or is sorted together with such links.
  struct IdentityLink {
    let target: Int
    /// Hash of the primary key.
    let hash: UInt64
    /// Key of the target if it is known; then the hash is unused.
    let key: ObjectKey?
  }

  let nodes = NodeBuffer()
  /// The objects, by position of their class.
  var objects: [Int: Objects] = [:]
  var pending: [PendingLeaf] = []
  var links: [LinkPath: [Link]] = [:]
  var identityLinks: [IdentityLink] = []
  /// The targets of ``identityLinks``, in the same order.
  let identities = IdentityList()
  /// Entries of the indexes, by number of the column.
  var entries: [Int: IndexEntryList] = [:]
  /// Byte count of the pending leaves.
  var weight = 0

  /// Approximate number of bytes that the piece takes.
  var byteCount: Int {
    nodes.byteCount + weight + identities.byteCount + 16 * identityLinks.count
      + entries.values.reduce(0) { $0 + $1.byteCount }
      + links.values.reduce(0) { $0 + 16 * $1.count }
  }
}
