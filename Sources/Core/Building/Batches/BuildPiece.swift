import RealmModel
import RealmStorage

/// The output of a worker for some batches: encoded nodes, and what can only be resolved with all pieces.
/// Within a piece, the objects of a class are numbered from 0 on; their keys are known once the piece is placed.
final class BuildPiece: @unchecked Sendable {
  /// The clusters of one class.
  struct Objects {
    /// Number of objects in each cluster.
    var counts: [Int] = []
    /// The leaves of each column of each cluster; 0 for a leaf that waits for keys.
    var leaves: [Ref] = []
    /// The object keys; empty if the source has none.
    var keys: [ObjectKey] = []
    /// Number of objects in all clusters.
    var count = 0
  }

  /// A leaf that waits for object keys.
  struct PendingLeaf {
    let classPosition: Int
    /// Position among the clusters of the class in the piece.
    let cluster: Int
    let leafIndex: Int
    var program: PendingProgram
  }

  /// A column and a target class of its links.
  struct LinkPath: Hashable {
    /// Number of the column.
    let column: Int
    /// Position of the target class.
    let target: Int
  }

  /// A link to an object with a known key.
  struct Link {
    let target: ObjectKey
    /// Number of the object with the link.
    let origin: Int
  }

  /// A link that names its target by primary key, or that is sorted together with such links.
  struct IdentityLink {
    /// Position of the target class.
    let target: Int
    /// Hash of the primary key.
    let hash: UInt64
    /// Object key of the target if known; the hash is then unused.
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
  /// Entries of the indexes, by number of the column; in ``runs`` once the piece is complete.
  var entries: [Int: IndexEntryList] = [:]
  private(set) var runs: [Int: IndexRun] = [:]
  /// Number of bytes of the pending leaves.
  var pendingByteCount = 0
  /// The objects with mixed values that the format cannot hold: the number of the column, and of the object. Only the first
  /// ones are kept.
  private(set) var unsupported: [(column: Int, object: Int)] = []
  /// Number of all these objects.
  private(set) var unsupportedCount = 0

  /// The most objects that are kept because the format cannot hold their values.
  private static let unsupportedLimit = 1000

  /// Records that the format cannot hold the value of a property.
  func add(unsupported column: BuildColumn?, object: Int) {
    guard let column, unsupported.last.map({ $0 != (column.number, object) }) ?? true else {
      return
    }
    unsupportedCount += 1
    if unsupported.count < BuildPiece.unsupportedLimit {
      unsupported.append((column.number, object))
    }
  }

  /// Approximate size of the piece in memory.
  var byteCount: Int {
    nodes.byteCount + pendingByteCount + identities.byteCount + 16 * identityLinks.count
      + entries.values.reduce(0) { $0 + $1.byteCount }
      + runs.values.reduce(0) { $0 + $1.bytes.count }
      + links.values.reduce(0) { $0 + 16 * $1.count }
  }

  /// Ends the piece: sorts and compacts the entries of each index, which threads do for several pieces at a time.
  func end(_ layout: BuildLayout, scratchByteCount: Int) {
    for (number, entries) in entries {
      let keys = objects[layout.columns[number].classPosition]?.keys ?? []
      runs[number] = IndexRun(
        sorting: entries, keys.isEmpty ? .unkeyed : .keyed(keys),
        scratchByteCount: scratchByteCount)
    }
    entries.removeAll()
  }
}
