#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One page of ciphertext and its metadata entry, copied from the file before verification: another
/// process may write to the file, and only verified bytes may be decrypted. Belongs to one thread.
@safe
final class PageBuffer {
  /// Attempts to read a page that fails its checksum. A process that rewrites a page writes the
  /// entry and the page one after the other, within microseconds. The pauses between the attempts
  /// add up to 31 milliseconds.
  static let attempts = 6

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

  /// Copies page and entry with `copyPage` and `copyEntry`, and returns their state. With
  /// `mayChange`, a page that fails its checksum or whose entry changed during the copy is copied
  /// again, a few times.
  ///
  /// - Throws: the errors of the closures.
  @unsafe
  func load(
    cipher: PageCipher, mayChange: Bool,
    copyPage: (UnsafeMutableRawPointer) throws(RealmFileError) -> Void,
    copyEntry: (UnsafeMutableRawPointer) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> PageState {
    var state = PageState.invalid
    for attempt in 0..<(mayChange ? PageBuffer.attempts : 1) {
      if attempt > 0 { pause(milliseconds: 1 << (attempt - 1)) }
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

/// Sleeps, so that other threads and processes can run.
func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
