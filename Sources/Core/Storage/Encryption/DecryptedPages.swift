#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The data of an encrypted file at its data offsets: address space for all of it is reserved, and a
/// page is decrypted into its place when it is first asked for. Belongs to one thread.
///
/// Invariant 1: `count` bytes from `base` are readable; those of a page whose bit in `resident`, which
/// has one for each page, is set are its data, and nobody may rely on the others.
/// Invariant 2: `log` names the resident pages in the order in which they were decrypted, so that
/// dropping its tail drops what was read last, and nothing that was read before.
@safe
final class DecryptedPages {
  /// Decrypted pages that are kept although the work on them is done: 16 MiB.
  private static let keptPages = 4096

  let base: UnsafeRawPointer
  let count: Int
  private let memory: PageMemory
  private let file: MappedFile
  private let cipher: PageCipher
  private let buffer = PageBuffer()
  private let mayChange: Bool
  private let memoryPageByteCount = max(
    EncryptedLayout.pageByteCount, sysconf(Int32(_SC_PAGESIZE)))
  let resident: UnsafeMutablePointer<UInt64>
  private var log: [Int] = []
  private let readAhead: ReadAhead?

  /// - Parameters:
  ///   - file: the mapping of the whole encrypted file.
  ///   - mayChange: true where another process may be writing to the file: a page that does not
  ///     verify is looked at again, as it may be half-written.
  ///   - readAhead: where pages are mostly asked for in their order, the file, which must stay open,
  ///     and the bytes of its data of which all will be asked for.
  /// - Throws: `inputOutput` where the address space cannot be had.
  init(
    file: MappedFile, key: RealmKey, mayChange: Bool = false,
    readAhead: (file: FileDescriptor, byteCount: Int)? = nil
  ) throws(RealmFileError) {
    count = EncryptedLayout.dataByteCount(fileByteCount: file.count)
    memory = try PageMemory(count: count)
    unsafe base = UnsafeRawPointer(memory.base)
    self.file = file
    self.mayChange = mayChange
    cipher = try PageCipher(key: key)
    if let (file, byteCount) = readAhead {
      self.readAhead = try ReadAhead(
        file: file, key: key, memory: memory, limit: min(byteCount, count))
    } else {
      self.readAhead = nil
    }
    let words = count / EncryptedLayout.pageByteCount / 64 + 1
    unsafe resident = .allocate(capacity: words)
    unsafe resident.initialize(repeating: 0, count: words)
  }

  deinit { unsafe resident.deallocate() }

  /// Number of entries of the log: what ``release(to:)`` takes.
  var loggedPages: Int { log.count }

  /// Number of pages that were decrypted and not asked for yet.
  var pagesAhead: Int { readAhead?.waitingPages ?? 0 }

  /// Makes sure that the pages of `range` are decrypted.
  ///
  /// - Parameters:
  ///   - range: inside `0..<count`.
  ///   - isWritten: something in the file refers to these bytes, so they were written. A page that
  ///     looks as if it never was, as does one that was written once and is damaged, is an error then
  ///     (chapter 1, section 5.3); else it is read as zeros.
  /// - Throws: `damagedPage`, `truncated` for a page that is cut off at the end of the file.
  func decrypt(_ range: Range<Int>, isWritten: Bool) throws(RealmFileError) {
    guard !range.isEmpty else { return }
    let last = (range.upperBound - 1) / EncryptedLayout.pageByteCount
    var page = range.lowerBound / EncryptedLayout.pageByteCount
    while page <= last {
      if unsafe resident[page &>> 6] &>> UInt64(page & 63) & 1 == 0 {
        try decryptPage(page, isWritten: isWritten)
      }
      page += 1
    }
  }

  /// Drops pages decrypted since the log had `mark` entries, the oldest first, if there are too many in
  /// all: half of what is kept then stays, where the mark leaves room for it. The newest are those that
  /// are likely to be asked for again.
  func release(to mark: Int) {
    guard log.count > DecryptedPages.keptPages, mark < log.count else { return }
    let newest = max(0, DecryptedPages.keptPages / 2 - mark)
    let dropped = Array(log[mark..<max(mark, log.count - newest)])
    log.removeSubrange(mark..<(mark + dropped.count))
    for page in dropped { unsafe resident[page >> 6] &= ~(1 << UInt64(page & 63)) }
    giveBack(dropped)
  }

  /// Gives the memory of `pages` back, which are not resident any more.
  private func giveBack(_ pages: [Int]) {
    // Pages of the file that lie in one page of memory go together, when all of them may; and
    // neighbours in one call.
    let perMemoryPage = memoryPageByteCount / EncryptedLayout.pageByteCount
    var run = 0..<0
    for group in pages.map({ $0 / perMemoryPage }).sorted() where group >= run.upperBound {
      let first = group * perMemoryPage
      // What is decrypted ahead may share a page of memory with what is dropped.
      let isInUse = (first..<(first + perMemoryPage)).contains { page in
        isResident(page) || readAhead?.contains(page) == true
      }
      guard !isInUse else { continue }
      if group > run.upperBound {
        drop(run)
        run = group..<group
      }
      run = run.lowerBound..<(group + 1)
    }
    drop(run)
  }

  /// Gives the memory pages of `range` back.
  private func drop(_ range: Range<Int>) {
    memory.discard(
      (range.lowerBound * memoryPageByteCount)..<(range.upperBound * memoryPageByteCount))
  }

  private func isResident(_ page: Int) -> Bool {
    unsafe page < count / EncryptedLayout.pageByteCount
      && resident[page >> 6] >> UInt64(page & 63) & 1 != 0
  }

  /// Notes that the data of `page` is there.
  private func keep(_ page: Int) {
    unsafe resident[page >> 6] |= 1 << UInt64(page & 63)
    log.append(page)
  }

  private func decryptPage(_ page: Int, isWritten: Bool) throws(RealmFileError) {
    if let readAhead {
      for page in try readAhead.take(page, isDone: isResident) { keep(page) }
      giveBack(readAhead.removeAbandoned())
      if isResident(page) { return }
    }
    let offset = page * EncryptedLayout.pageByteCount
    let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
    guard end <= file.count else {
      throw RealmFileError(.truncated(missingBytes: end - file.count), offset: offset)
    }
    switch try state(ofPage: page) {
    case .neverWritten, .zeros:
      guard !isWritten else { throw RealmFileError(.damagedPage(page), offset: offset) }
      // Not resident: whoever needs data there must ask again.
      unsafe memset(memory.base + offset, 0, EncryptedLayout.pageByteCount)
      return
    case .valid(let counter, _):
      guard
        unsafe cipher.convert(
          buffer.page, counter: counter, dataOffset: offset, into: memory.base + offset)
      else { throw RealmFileError(.damagedPage(page), offset: offset) }
    case .invalid:
      throw RealmFileError(.damagedPage(page), offset: offset)
    }
    keep(page)
  }

  /// Copies page `page` into the buffer and tells its state. The page must lie inside the file.
  private func state(ofPage page: Int) throws(RealmFileError) -> PageState {
    let ciphertext = unsafe file.base + EncryptedLayout.ciphertextOffset(ofPage: page)
    let entry = unsafe file.base + EncryptedLayout.entryOffset(ofPage: page)
    return unsafe try buffer.load(cipher: cipher, mayChange: mayChange) { place in
      unsafe place.copyMemory(from: ciphertext, byteCount: EncryptedLayout.pageByteCount)
    } copyEntry: { place in
      unsafe place.copyMemory(from: entry, byteCount: EncryptedLayout.entryByteCount)
    }
  }

  /// What page `page`, which must be one of the data, says of itself.
  func condition(ofPage page: Int) throws(RealmFileError) -> PageCheck.Condition {
    let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
    guard end <= file.count else { return .damaged }
    return switch try state(ofPage: page) {
    case .valid(_, let isOlder): isOlder ? .older : .valid
    case .neverWritten, .zeros: .empty
    case .invalid: .damaged
    }
  }

  /// True where page 0, the one of the header, was written and verifies.
  func headerPageVerifies() -> Bool {
    if case .valid = try? state(ofPage: 0) { return true }
    return false
  }

  /// True where any page before page `limit` verifies with the key: tells a damaged page from a
  /// wrong key.
  func keyFitsAnyPage(before limit: Int) -> Bool {
    for page in 0..<min(limit, count / EncryptedLayout.pageByteCount) {
      let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
      guard end <= file.count else { return false }
      if case .valid = try? state(ofPage: page) { return true }
    }
    return false
  }
}
