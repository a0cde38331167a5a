import RealmModel
import RealmStorage
import Synchronization

/// Counts the nodes of the large collections of a part, which are read apart from the batches.
final class LegacyLedger: Sendable {
  /// What was opened since the last ``take()``.
  private let opened = Mutex(OpenedBytes(of: "the large collections"))

  /// Counts the nodes of a collection.
  ///
  /// - Parameters:
  ///   - byteCount: bytes of nodes that were not counted before.
  ///   - root: root of the collection.
  ///   - fileSize: logical size of the file in bytes.
  /// - Throws: as ``OpenedBytes/add(_:at:fileSize:)``.
  func add(_ byteCount: Int, at root: Ref, fileSize: Int) throws(RealmFileError) {
    try opened.withLock { (opened) throws(RealmFileError) in
      try opened.add(byteCount, at: root, fileSize: fileSize)
    }
  }

  /// The bytes counted since the last call.
  func take() -> Int { opened.withLock { $0.take() } }
}
