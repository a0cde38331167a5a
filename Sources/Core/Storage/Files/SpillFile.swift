/// An unlinked file for what does not fit in memory: written from the start on, and read at any position.
/// Used by one thread at a time.
package final class SpillFile {
  private let file: FileDescriptor
  /// Number of bytes in the file.
  package private(set) var byteCount = 0

  /// - Throws: `cannotCreate`.
  package init() throws(RealmFileError) { file = try UnlinkedFile.make() }

  /// Appends `bytes`.
  ///
  /// - Throws: `inputOutput`.
  @unsafe
  package func append(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    try unsafe UnlinkedFile.write(bytes, at: byteCount, of: file)
    byteCount += bytes.count
  }

  /// Appends all bytes of `store`.
  ///
  /// - Throws: `inputOutput`.
  package func append(_ store: ByteStore) throws(RealmFileError) {
    try unsafe append(store.bytes)
  }

  /// Reads bytes that were appended; `bytes` has room for all of them.
  ///
  /// - Throws: `inputOutput`.
  @unsafe
  func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(RealmFileError) {
    guard try unsafe file.read(at: offset, into: bytes) == bytes.count else {
      throw RealmFileError(.unsupported("a temporary file became shorter while it was read"))
    }
  }

  /// Replaces the content of `store` by bytes that were appended.
  ///
  /// - Throws: `inputOutput`.
  package func read(
    at offset: Int, count: Int, into store: ByteStore
  ) throws(RealmFileError) {
    try unsafe store.refill(count) { (bytes) throws(RealmFileError) in
      try unsafe read(at: offset, into: bytes)
    }
  }
}
