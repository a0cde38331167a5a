#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data of an encrypted file at its data offsets: address space for all of it is reserved, and a
/// page is decrypted into its place when it is first asked for. Belongs to one thread.
///
/// Invariant 1: `count` bytes from `base` are readable; those of a page whose bit in `resident` is
/// clear are zeros.
/// Invariant 2: `log` names the resident pages in the order in which they were decrypted, so that
/// dropping its tail drops what was read last, and nothing that was read before.
@safe
final class DecryptedPages {
  /// Decrypted pages that are kept although the work on them is done: 16 MiB.
  private static let keptPages = 4096

  let base: UnsafeRawPointer
  let count: Int
  private let memory: UnsafeMutableRawPointer
  private let file: MappedFile
  private let cipher: PageCipher
  private var resident: [UInt64]
  private var log: [Int] = []

  /// - Parameter file: the mapping of the whole encrypted file.
  /// - Throws: `inputOutput` where the address space cannot be had.
  init(file: MappedFile, key: RealmKey) throws(RealmFileError) {
    let count = EncryptedLayout.dataByteCount(fileByteCount: file.count)
    let reserved = max(count, 1)
    let memory = unsafe mmap(
      nil, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
      throw RealmFileError(.inputOutput(SystemError(errno, "reserve memory for decryption")))
    }
    unsafe self.memory = memory
    unsafe base = UnsafeRawPointer(memory)
    self.count = count
    self.file = file
    do {
      cipher = try PageCipher(key: key)
    } catch {
      unsafe munmap(memory, reserved)
      throw error
    }
    resident = Array(repeating: 0, count: count / EncryptedLayout.pageByteCount / 64 + 1)
  }

  deinit { unsafe munmap(memory, max(count, 1)) }

  /// Number of entries of the log: what ``release(to:)`` takes.
  var loggedPages: Int { log.count }

  /// Makes sure that the pages of `range` are decrypted.
  ///
  /// - Parameter range: inside `0..<count`.
  /// - Throws: `damagedPage`, `truncated` for a page that is cut off at the end of the file.
  @inline(__always)
  func decrypt(_ range: Range<Int>) throws(RealmFileError) {
    guard !range.isEmpty else { return }
    let last = (range.upperBound - 1) / EncryptedLayout.pageByteCount
    var page = range.lowerBound / EncryptedLayout.pageByteCount
    while page <= last {
      if resident[page >> 6] >> UInt64(page & 63) & 1 == 0 { try decryptPage(page) }
      page += 1
    }
  }

  /// Drops the pages decrypted since the log had `mark` entries, if there are too many of them.
  func release(to mark: Int) {
    guard log.count > DecryptedPages.keptPages, mark < log.count else { return }
    for page in log[mark...] {
      resident[page >> 6] &= ~(1 << UInt64(page & 63))
      unsafe madvise(
        memory + page * EncryptedLayout.pageByteCount, EncryptedLayout.pageByteCount,
        MADV_DONTNEED)
    }
    log.removeSubrange(mark...)
  }

  private func decryptPage(_ page: Int) throws(RealmFileError) {
    let offset = page * EncryptedLayout.pageByteCount
    let place = EncryptedLayout.ciphertextOffset(ofPage: page)
    guard place + EncryptedLayout.pageByteCount <= file.count else {
      throw RealmFileError(
        .truncated(missingBytes: place + EncryptedLayout.pageByteCount - file.count),
        offset: offset)
    }
    let ciphertext = unsafe file.base + place
    let entry = unsafe file.base + EncryptedLayout.entryOffset(ofPage: page)
    switch unsafe PageState(entry: entry, page: ciphertext, cipher: cipher) {
    case .neverWritten, .zeros: break
    case .valid(let counter, _):
      guard
        unsafe cipher.decrypt(
          ciphertext, counter: counter, dataOffset: offset, into: memory + offset)
      else { throw RealmFileError(.damagedPage(page), offset: offset) }
    case .invalid:
      throw RealmFileError(.damagedPage(page), offset: offset)
    }
    resident[page >> 6] |= 1 << UInt64(page & 63)
    log.append(page)
  }

  /// True where any page before page `limit` verifies with the key: tells a damaged page from a
  /// wrong key.
  func keyFitsAnyPage(before limit: Int) -> Bool {
    for page in 0..<min(limit, count / EncryptedLayout.pageByteCount) {
      let place = EncryptedLayout.ciphertextOffset(ofPage: page)
      guard place + EncryptedLayout.pageByteCount <= file.count else { return false }
      let state = unsafe PageState(
        entry: file.base + EncryptedLayout.entryOffset(ofPage: page), page: file.base + place,
        cipher: cipher)
      if case .valid = state { return true }
    }
    return false
  }
}
