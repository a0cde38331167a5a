import CCipher

/// AES-256-CTR with a random key that only this process has, for the bytes of a ``SpillFile``. Used by one thread at a
/// time.
@safe
final class SpillCipher {
  private static let blockByteCount = 16
  private static let keyByteCount = 32

  private let context: OpaquePointer

  /// - Throws: `unsupported` if the system lacks AES-256-CTR or random numbers.
  init() throws(RealmFileError) {
    let context = unsafe withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: SpillCipher.keyByteCount
    ) { key -> OpaquePointer? in
      guard let bytes = key.baseAddress, unsafe ccipher_random(bytes, key.count) == 1 else {
        return nil
      }
      defer { unsafe ccipher_wipe(bytes, key.count) }
      return unsafe ccipher_stream_new(bytes)
    }
    guard let context = unsafe context else { throw SpillCipher.unavailable }
    unsafe self.context = context
  }

  deinit { unsafe ccipher_stream_free(context) }

  private static let unavailable = RealmFileError(.unsupported("the system lacks AES-256-CTR"))

  /// Encrypts or decrypts the `count` bytes at `input`, which have the given offset in the file, to `output`, which may be
  /// `input`.
  @unsafe
  func apply(
    _ input: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int, at offset: Int
  ) throws(RealmFileError) {
    guard start(at: offset), unsafe ccipher_stream_apply(context, input, output, count) == 1 else {
      throw SpillCipher.unavailable
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
      guard unsafe ccipher_stream_start(context, counter) == 1 else { return false }
      let skipped = unsafe counter + SpillCipher.blockByteCount
      let rest = offset % SpillCipher.blockByteCount
      return unsafe rest == 0 || ccipher_stream_apply(context, skipped, skipped, rest) == 1
    }
  }
}
