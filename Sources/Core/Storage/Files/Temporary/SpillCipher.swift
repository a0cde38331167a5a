import COpenSSL

/// AES-256-CTR with a random key that only this process has, for the bytes of a ``SpillFile``. Used by one thread at a
/// time.
@safe
final class SpillCipher {
  private static let blockByteCount = 16
  private static let keyByteCount = 32
  /// Bytes that libcrypto gets at once; it counts them as 32-bit numbers.
  private static let mostAtOnce = 1 << 20

  private let context: OpaquePointer

  /// - Throws: `unsupported` if libcrypto lacks AES-256-CTR or random numbers.
  init() throws(RealmFileError) {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw SpillCipher.unavailable }
    unsafe self.context = context
    let isReady = unsafe withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: SpillCipher.keyByteCount
    ) { key in
      defer { unsafe OPENSSL_cleanse(key.baseAddress, key.count) }
      return unsafe RAND_priv_bytes(key.baseAddress, Int32(key.count)) == 1
        && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nil, key.baseAddress, nil) == 1
    }
    guard isReady else { throw SpillCipher.unavailable }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  private static let unavailable = RealmFileError(.unsupported("libcrypto lacks AES-256-CTR"))

  /// Encrypts or decrypts the `count` bytes at `input`, which have the given offset in the file, to `output`, which may be
  /// `input`.
  @unsafe
  func apply(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int, at offset: Int
  ) throws(RealmFileError) {
    guard start(at: offset) else { throw SpillCipher.unavailable }
    var done = 0
    while done < count {
      let part = min(count - done, SpillCipher.mostAtOnce)
      guard
        unsafe update(
          output.advanced(by: done).assumingMemoryBound(to: UInt8.self),
          input.advanced(by: done).assumingMemoryBound(to: UInt8.self), part)
      else { throw SpillCipher.unavailable }
      done += part
    }
  }

  /// Sets the counter to the block of `offset`, and passes over the bytes before it.
  private func start(at offset: Int) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * SpillCipher.blockByteCount) {
      memory in
      guard let counter = memory.baseAddress else { return false }
      unsafe memory.initialize(repeating: 0)
      let block = UInt64(offset / SpillCipher.blockByteCount)
      for i in 0..<8 { unsafe memory[15 - i] = UInt8(truncatingIfNeeded: block >> (8 * i)) }
      guard unsafe EVP_EncryptInit_ex(context, nil, nil, nil, counter) == 1 else { return false }
      let skipped = unsafe counter + SpillCipher.blockByteCount
      let rest = offset % SpillCipher.blockByteCount
      return unsafe rest == 0 || update(skipped, skipped, rest)
    }
  }

  @unsafe
  private func update(
    _ output: UnsafeMutablePointer<UInt8>, _ input: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    var written: Int32 = 0
    return unsafe EVP_EncryptUpdate(context, output, &written, input, Int32(count)) == 1
      && Int(written) == count
  }
}
