/// An unlinked file for data that does not fit in memory: bytes are appended, and read at any position. Used by
/// one thread at a time.
package final class SpillFile {
  private let file: FileDescriptor
  /// Bytes in the file.
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

  /// Fills `bytes` with the bytes at `offset`, which must have been appended.
  ///
  /// - Throws: `inputOutput`; `unsupported` if the file became shorter.
  @unsafe
  func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(RealmFileError) {
    guard try unsafe file.read(at: offset, into: bytes) == bytes.count else {
      throw RealmFileError(.unsupported("a temporary file became shorter while it was read"))
    }
  }

  /// Replaces the content of `store` with the `count` bytes at `offset`, which must have been appended.
  ///
  /// - Throws: same as ``read(at:into:)``.
  package func read(
    at offset: Int, count: Int, into store: ByteStore
  ) throws(RealmFileError) {
    try unsafe store.refill(count) { (bytes) throws(RealmFileError) in
      try unsafe read(at: offset, into: bytes)
    }
  }
}
