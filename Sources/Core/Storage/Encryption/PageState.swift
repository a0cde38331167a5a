/// The state of a page, from its metadata entry and its ciphertext (chapter 1, section 5.3).
enum PageState: Equatable {
  /// No valid data: never written, or a first write that was interrupted.
  case neverWritten
  /// Stale metadata for a page of zeros: the file was truncated and grew again.
  case zeros
  /// Valid with this counter; `isOlder` if only the previous HMAC matches.
  case valid(counter: UInt32, isOlder: Bool)
  /// Neither HMAC matches: wrong key or corruption.
  case invalid

  /// - Parameters:
  ///   - entry: 64 bytes: counter 1, HMAC 1, counter 2, HMAC 2.
  ///   - page: 4096 bytes of ciphertext.
  @unsafe
  init(entry: UnsafeRawPointer, page: UnsafeRawPointer, cipher: PageCipher) {
    let counter1 = unsafe UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self))
    let counter2 = unsafe UInt32(
      littleEndian: entry.loadUnaligned(fromByteOffset: 32, as: UInt32.self))
    if counter1 == 0 {
      self = .neverWritten
    } else if unsafe cipher.verifies(page, against: entry + 4) {
      self = .valid(counter: counter1, isOlder: false)
    } else if counter2 == 0 {
      self = .neverWritten
    } else if unsafe cipher.verifies(page, against: entry + 36) {
      self = .valid(counter: counter2, isOlder: true)
    } else if unsafe PageState.isZero(page) {
      self = .zeros
    } else {
      self = .invalid
    }
  }

  @unsafe
  private static func isZero(_ page: UnsafeRawPointer) -> Bool {
    for i in stride(from: 0, to: EncryptedLayout.pageByteCount, by: 8)
    where unsafe page.loadUnaligned(fromByteOffset: i, as: UInt64.self) != 0 {
      return false
    }
    return true
  }
}
