import RealmStorage
import Synchronization

/// Counts the nodes of the large collections of a part, which are read apart from the batches.
final class LegacyLedger: Sendable {
  /// Bytes of the nodes that were opened since the last ``take()``.
  private let openedByteCount = Mutex(0)

  /// Counts the nodes of a collection.
  ///
  /// - Parameters:
  ///   - byteCount: bytes of nodes that were not counted before.
  ///   - root: root of the collection.
  ///   - fileSize: logical size of the file in bytes.
  /// - Throws: `damaged` with rule `storage.node-overlap` if the collections opened more bytes than the file
  ///   has.
  func add(_ byteCount: Int, at root: Ref, fileSize: Int) throws(RealmFileError) {
    let opened = openedByteCount.withLock {
      $0 += byteCount
      return $0
    }
    guard opened <= fileSize else {
      throw .damaged(
        .storageNodeOverlap, at: root,
        "the large collections up to here lie in \(opened) bytes of nodes, but the file has "
          + "\(fileSize)")
    }
  }

  /// The bytes counted since the last call.
  func take() -> Int {
    openedByteCount.withLock { opened in
      defer { opened = 0 }
      return opened
    }
  }
}
