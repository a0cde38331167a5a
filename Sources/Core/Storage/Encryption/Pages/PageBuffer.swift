#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A copy of one page of ciphertext and its metadata entry. Because another process may write to the file, a page
/// is copied before it is verified, and the verified copy is decrypted. Belongs to one thread.
@safe
final class PageBuffer {
  /// Maximum attempts to read a page that fails its checksum. A process that rewrites a page writes entry and page
  /// one after the other, within microseconds. The pauses between the attempts add up to 31 milliseconds.
  static let attempts = 6

  /// Sleeps before attempt `attempt`, which is 0 for the first one: 1 ms, then twice as long each time.
  static func pause(before attempt: Int) {
    if attempt > 0 { usleep(1000 << (UInt32(attempt) - 1)) }
  }

  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: EncryptedLayout.pageByteCount + 2 * EncryptedLayout.entryByteCount, alignment: 64)

  deinit { unsafe memory.deallocate() }

  /// The 4096 bytes of ciphertext.
  @unsafe var page: UnsafeMutableRawPointer { unsafe memory }
  /// The 64 bytes of the entry, read before the page.
  @unsafe var entry: UnsafeMutableRawPointer { unsafe memory + EncryptedLayout.pageByteCount }
  /// The 64 bytes of the entry, read after the page.
  @unsafe private var entryAfter: UnsafeMutableRawPointer {
    unsafe entry + EncryptedLayout.entryByteCount
  }

  /// Copies page and entry with `copyPage` and `copyEntry`, and returns the state of the page.
  ///
  /// - Parameter mayChange: whether to try again, a few times, if the page fails its checksum or its entry changed
  ///   during the copy.
  /// - Throws: the errors of the closures.
  @unsafe
  func load(
    cipher: PageCipher, mayChange: Bool,
    copyPage: (UnsafeMutableRawPointer) throws(RealmFileError) -> Void,
    copyEntry: (UnsafeMutableRawPointer) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> PageState {
    var state = PageState.invalid
    for attempt in 0..<(mayChange ? PageBuffer.attempts : 1) {
      PageBuffer.pause(before: attempt)
      unsafe try copyEntry(entry)
      unsafe try copyPage(page)
      state = unsafe PageState(entry: entry, page: page, cipher: cipher)
      if !mayChange { break }
      unsafe try copyEntry(entryAfter)
      let isStable = unsafe memcmp(entry, entryAfter, EncryptedLayout.entryByteCount) == 0
      if isStable, state != .invalid { break }
      if !isStable { state = .invalid }
    }
    return state
  }
}
