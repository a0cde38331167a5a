/// An unlinked file for data that does not fit in memory: bytes are appended, and read at any position. Used by
/// one thread at a time.
package final class SpillFile {
  let file: FileDescriptor
  /// Bytes in the file.
  package private(set) var byteCount = 0

  /// Nil if the bytes are in the file as they are.
  private let cipher: SpillCipher?
  /// Bytes that are encrypted at once.
  private let bufferByteCount: Int

  /// - Parameters:
  ///   - isEncrypted: whether the bytes may not be on the disk as they are, because they come from an encrypted realm or
  ///     go to one.
  ///   - bufferByteCount: bytes that are encrypted at once.
  /// - Throws: `cannotCreate`; `unsupported` if the system cannot encrypt them.
  package init(isEncrypted: Bool, bufferByteCount: Int = 1 << 16) throws(RealmFileError) {
    file = try UnlinkedFile.make()
    cipher = isEncrypted ? try SpillCipher() : nil
    self.bufferByteCount = bufferByteCount
  }

  /// Appends `bytes`.
  ///
  /// - Throws: `inputOutput`.
  @unsafe
  package func append(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    if let cipher {
      try unsafe append(bytes, with: cipher)
    } else {
      try unsafe UnlinkedFile.write(bytes, at: byteCount, of: file)
      byteCount += bytes.count
    }
  }

  @unsafe
  private func append(
    _ bytes: UnsafeRawBufferPointer, with cipher: SpillCipher
  ) throws(RealmFileError) {
    let buffer = ByteStore()
    var done = 0
    while done < bytes.count {
      let part = unsafe UnsafeRawBufferPointer(
        rebasing: bytes[done..<min(done + bufferByteCount, bytes.count)])
      try unsafe buffer.refill(part.count) { (target) throws(RealmFileError) in
        guard let from = part.baseAddress, let to = target.baseAddress else { return }
        try unsafe cipher.apply(from, to: to, count: part.count, at: byteCount)
      }
      try unsafe UnlinkedFile.write(buffer.bytes, at: byteCount, of: file)
      byteCount += part.count
      done += part.count
    }
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
    if let cipher, let start = bytes.baseAddress {
      try unsafe cipher.apply(start, to: start, count: bytes.count, at: offset)
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
