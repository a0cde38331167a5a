/// The state of a page, from its metadata entry and its ciphertext (chapter 1, section 5.3).
enum PageState: Equatable {
  /// There is no valid data: the page was never written, or its first write was interrupted.
  case neverWritten
  /// The page consists of zeros and has stale metadata: the file was truncated and grew again.
  case zeros
  /// Valid with this counter; `isOlder` if only the previous HMAC matches.
  case valid(counter: UInt32, isOlder: Bool)
  /// Neither HMAC matches: the key is wrong or the page is damaged.
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

/// The condition of a page of an encrypted file, for `verify` (chapter 1, section 8, rules 25 to 27).
package enum PageCondition: UInt8, Sendable {
  case valid
  /// Only the older of the two checksums matches: a write was interrupted.
  case older
  /// Never written, or zeros since the file was truncated.
  case empty
  case damaged
}
