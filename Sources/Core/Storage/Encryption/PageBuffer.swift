#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One page of ciphertext and its metadata entry, copied out of a file that another process may be
/// writing, so that what is verified is what is decrypted. Belongs to one thread.
@safe
final class PageBuffer {
  /// How often a page is looked at that does not verify: a process that rewrites it writes the entry
  /// and the page one after the other, within microseconds. The pauses between the looks add up to
  /// 31 milliseconds.
  static let attempts = 6

  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: EncryptedLayout.pageByteCount + 2 * EncryptedLayout.entryByteCount, alignment: 64)

  deinit { unsafe memory.deallocate() }

  /// The 4096 bytes.
  @unsafe var page: UnsafeMutableRawPointer { unsafe memory }
  /// The 64 bytes of the entry, as they were before the page was copied.
  @unsafe var entry: UnsafeMutableRawPointer { unsafe memory + EncryptedLayout.pageByteCount }
  /// The 64 bytes of the entry, as they were after the page was copied.
  @unsafe private var entryAfter: UnsafeMutableRawPointer {
    unsafe entry + EncryptedLayout.entryByteCount
  }

  /// Copies page and entry by `copyPage` and `copyEntry` and tells their state. With `mayChange`, a
  /// page that does not verify and an entry that changed meanwhile are copied again, a few times.
  ///
  /// - Throws: what the closures throw.
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

/// Lets other threads and processes work for a while.
func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
