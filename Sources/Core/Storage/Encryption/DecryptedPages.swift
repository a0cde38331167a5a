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
  private let memory: UnsafeMutableRawPointer
  /// What was asked of the system: a little more, so that `memory` starts with a large page.
  private let reservation: UnsafeMutableRawBufferPointer
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
  ///   - readAhead: where pages are mostly asked for in their order, the bytes of data of which all
  ///     will be; 0 elsewhere.
  /// - Throws: `inputOutput` where the address space cannot be had.
  init(
    file: MappedFile, key: RealmKey, mayChange: Bool = false, readAhead: Int = 0
  ) throws(RealmFileError) {
    let count = EncryptedLayout.dataByteCount(fileByteCount: file.count)
    let reserved = count + ReadAhead.alignment
    let place = unsafe mmap(
      nil, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let place = unsafe place, unsafe place != MAP_FAILED else {
      throw RealmFileError(.inputOutput(SystemError(errno, "reserve memory for decryption")))
    }
    unsafe reservation = UnsafeMutableRawBufferPointer(start: place, count: reserved)
    let memory = unsafe place.alignedUp(toMultipleOf: ReadAhead.alignment)
    unsafe self.memory = memory
    unsafe base = UnsafeRawPointer(memory)
    self.count = count
    self.file = file
    self.mayChange = mayChange
    do {
      cipher = try PageCipher(key: key)
      self.readAhead =
        readAhead > 0
        ? unsafe try ReadAhead(file: file, key: key, memory: memory, limit: min(readAhead, count))
        : nil
    } catch {
      unsafe munmap(place, reserved)
      throw error
    }
    let words = count / EncryptedLayout.pageByteCount / 64 + 1
    unsafe resident = .allocate(capacity: words)
    unsafe resident.initialize(repeating: 0, count: words)
  }

  deinit {
    _ = readAhead?.collect()
    unsafe resident.deallocate()
    unsafe munmap(reservation.baseAddress, reservation.count)
  }

  /// Number of entries of the log: what ``release(to:)`` takes.
  var loggedPages: Int { log.count }

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

  /// Drops the pages decrypted since the log had `mark` entries, if there are too many of them.
  func release(to mark: Int) {
    guard log.count > DecryptedPages.keptPages, mark < log.count else { return }
    let dropped = Array(log[mark...])
    log.removeSubrange(mark...)
    for page in dropped { unsafe resident[page >> 6] &= ~(1 << UInt64(page & 63)) }
    // What is being decrypted stays, and may share a page of memory with what is dropped.
    if let readAhead { keep(readAhead.collect()) }
    // Pages of the file that lie in one page of memory go together, when all of them may; and
    // neighbours in one call.
    let perMemoryPage = memoryPageByteCount / EncryptedLayout.pageByteCount
    var run = 0..<0
    for group in dropped.map({ $0 / perMemoryPage }).sorted() where group >= run.upperBound {
      let first = group * perMemoryPage
      guard !(first..<(first + perMemoryPage)).contains(where: isResident) else { continue }
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
    guard !range.isEmpty else { return }
    let offset = range.lowerBound * memoryPageByteCount
    let end = min(range.upperBound * memoryPageByteCount, count)
    #if os(Linux)
      unsafe madvise(memory + offset, end - offset, MADV_DONTNEED)
    #else
      unsafe madvise(memory + offset, end - offset, MADV_FREE)
    #endif
  }

  private func isResident(_ page: Int) -> Bool {
    unsafe page < count / EncryptedLayout.pageByteCount
      && resident[page >> 6] >> UInt64(page & 63) & 1 != 0
  }

  /// Notes that the data of `pages` is there.
  private func keep(_ pages: [Int]) {
    for page in pages { unsafe resident[page >> 6] |= 1 << UInt64(page & 63) }
    log += pages
  }

  /// Takes the run of pages that `page` is in, where the page in front of it was read: so will those
  /// be that follow.
  private func readAhead(_ page: Int) {
    guard let readAhead else { return }
    if !readAhead.run.contains(page) {
      guard page > 0, isResident(page - 1) else { return }
      keep(readAhead.collect())
      guard !isResident(page) else { return }
      readAhead.start(with: page, skipping: isResident)
    }
    let next = readAhead.run.upperBound
    keep(readAhead.collect())
    if next > page { readAhead.start(with: next, skipping: isResident) }
  }

  private func decryptPage(_ page: Int, isWritten: Bool) throws(RealmFileError) {
    readAhead(page)
    if isResident(page) { return }
    let offset = page * EncryptedLayout.pageByteCount
    let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
    guard end <= file.count else {
      throw RealmFileError(.truncated(missingBytes: end - file.count), offset: offset)
    }
    switch try state(ofPage: page) {
    case .neverWritten, .zeros:
      guard !isWritten else { throw RealmFileError(.damagedPage(page), offset: offset) }
      // Not resident: whoever needs data there must ask again.
      unsafe memset(memory + offset, 0, EncryptedLayout.pageByteCount)
      return
    case .valid(let counter, _):
      guard
        unsafe cipher.convert(
          buffer.page, counter: counter, dataOffset: offset, into: memory + offset)
      else { throw RealmFileError(.damagedPage(page), offset: offset) }
    case .invalid:
      throw RealmFileError(.damagedPage(page), offset: offset)
    }
    keep([page])
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
