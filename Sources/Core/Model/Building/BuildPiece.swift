import RealmStorage

/// What a worker makes of some batches: encoded nodes, and what only all pieces together tell. Objects are
/// numbered by class from 0 on, in the order in which they come; their keys are known when the piece is placed.
final class BuildPiece: @unchecked Sendable {
  /// The clusters of one class.
  struct Objects {
    /// Objects of each cluster.
    var counts: [Int] = []
    /// A leaf for each column of each cluster; 0 for one that is pending.
    var leaves: [Ref] = []
    /// Keys of the objects, where they have some.
    var keys: [ObjectKey] = []
    /// Objects of all clusters.
    var count = 0
  }

  /// A leaf that waits for keys.
  struct PendingLeaf {
    let classPosition: Int
    /// Among those of the class in this piece.
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

  /// A link to an object whose key is known.
  struct Link {
    let target: ObjectKey
    /// Number of the object that has the link.
    let origin: Int
  }

  /// A link to an object with a primary key.
  struct IdentityLink {
    let target: Int
    let hash: UInt64
  }

  let nodes = NodeBuffer()
  /// By class.
  var objects: [Int: Objects] = [:]
  var pending: [PendingLeaf] = []
  var links: [LinkPath: [Link]] = [:]
  var identityLinks: [IdentityLink] = []
  /// What the identity links lead to, in the same order.
  let identities = IdentityList()
  /// Entries of the indexes, by number of the column.
  var entries: [Int: IndexEntryList] = [:]
  /// Bytes of pending leaves.
  var weight = 0

  /// About the bytes that the piece takes.
  var byteCount: Int {
    nodes.byteCount + weight + identities.byteCount + 16 * identityLinks.count
      + entries.values.reduce(0) { $0 + $1.byteCount }
      + links.values.reduce(0) { $0 + 16 * $1.count }
  }
}
