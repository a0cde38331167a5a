import CCipher

/// Computes a SHA-256 piece by piece. Belongs to one thread.
@safe
package final class SHA256 {
  package static let byteCount = 32
  private let context: OpaquePointer

  /// - Throws: `unsupported` if the system has no SHA-256.
  package init() throws(RealmFileError) {
    guard let context = unsafe ccipher_digest_new() else { throw SHA256.unavailable }
    unsafe self.context = context
  }

  deinit { unsafe ccipher_digest_free(context) }

  private static var unavailable: RealmFileError {
    RealmFileError(.unsupported("the system has no SHA-256"))
  }

  /// Adds `bytes` to the digest.
  @unsafe
  package func update(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard unsafe ccipher_digest_update(context, bytes.baseAddress, bytes.count) == 1 else {
      throw SHA256.unavailable
    }
  }

  /// Adds `bytes` to the digest.
  package func add(_ bytes: ByteSlice) throws(RealmFileError) {
    let isAdded = unsafe bytes.withUnsafeBytes { bytes in
      unsafe ccipher_digest_update(context, bytes.baseAddress, bytes.count) == 1
    }
    guard isAdded else { throw SHA256.unavailable }
  }

  /// Starts a new digest.
  package func restart() throws(RealmFileError) {
    guard unsafe ccipher_digest_restart(context) == 1 else { throw SHA256.unavailable }
  }

  /// The digest, in hexadecimal digits. No bytes may be added before ``restart()``.
  package func finish() throws(RealmFileError) -> String { try finishBytes().hexadecimal }

  /// The digest. No bytes may be added before ``restart()``.
  package func finishBytes() throws(RealmFileError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: SHA256.byteCount)
    guard unsafe ccipher_digest_finish(context, &digest) == 1 else { throw SHA256.unavailable }
    return digest
  }

  /// The first 24 bytes of the digest, as big-endian integers. No bytes may be added before ``restart()``.
  package func finishWords() throws(RealmFileError) -> (UInt64, UInt64, UInt64) {
    var digest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let isDone = unsafe withUnsafeMutableBytes(of: &digest) { digest in
      unsafe ccipher_digest_finish(
        context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self)) == 1
    }
    guard isDone else { throw SHA256.unavailable }
    return (digest.0.bigEndian, digest.1.bigEndian, digest.2.bigEndian)
  }

  /// The digest of `bytes` alone. More digests can follow.
  package func digestBytes(of bytes: ByteSlice) throws(RealmFileError) -> [UInt8] {
    try restart()
    try add(bytes)
    return try finishBytes()
  }

  /// The first 24 bytes of the digest of `bytes` alone, as big-endian integers. More digests can follow.
  package func words(of bytes: ByteSlice) throws(RealmFileError) -> (UInt64, UInt64, UInt64) {
    try restart()
    try add(bytes)
    return try finishWords()
  }

  /// The digest of `bytes`.
  package static func digest(of bytes: [UInt8]) throws(RealmFileError) -> String {
    let hash = try SHA256()
    try hash.add(bytes)
    return try hash.finish()
  }

  /// The digest of the first `count` bytes of `file`.
  ///
  /// - Throws: `shrankWhileReading` if the file has fewer bytes; `inputOutput`.
  package static func digest(
    of file: FileDescriptor, count: Int
  ) throws(RealmFileError) -> String {
    let hash = try SHA256()
    var pieces = FilePieces(file, count: count)
    while let piece = try pieces.next() { try hash.add(piece) }
    return try hash.finish()
  }

  private func add(_ bytes: [UInt8]) throws(RealmFileError) {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(RealmFileError) in
      try unsafe update(UnsafeRawBufferPointer(bytes))
    }
  }
}

extension ByteSlice {
  /// The SHA-1 of the bytes, from which object keys are derived (chapter 3, section 4.3); nil if the system
  /// has no SHA-1.
  package var sha1: [UInt8]? {
    unsafe withUnsafeBytes { bytes in
      var digest = [UInt8](repeating: 0, count: 20)
      return unsafe ccipher_sha1(bytes.baseAddress, bytes.count, &digest) == 1 ? digest : nil
    }
  }
}
