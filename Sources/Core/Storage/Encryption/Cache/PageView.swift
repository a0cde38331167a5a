/// The pages of a ``PageCache`` that one reader holds. There is one bit per page, so that a repeated access costs
/// one bit test. Belongs to one thread.
///
/// Invariant 1: a page whose bit in `resident` is set is decrypted and stays so until the view
/// releases it.
/// Invariant 2: `sealed` followed by `log` lists those pages in the order of their first use. Both
/// are empty if the cache keeps all pages.
/// Invariant 3: each page in `log`, and each page whose bit in `idle` is set, is pinned once for
/// this view. No page is in both. Pages in `idle` were released, and are listed in `released`.
@safe
package final class PageView {
  let cache: PageCache
  /// One bit per page.
  let resident: PageTable<UInt64>
  private var log: [Int] = []
  /// Parts of the log that a ``Hold`` shares, and the number of their pages.
  private var sealed: [PinnedPages] = []
  private var sealedCount = 0
  /// One bit per page: whether it was released and is still pinned. Most look-ups return to a few pages, and
  /// reusing a pinned page takes no lock.
  private let idle: PageTable<UInt64>
  private var released: [Int] = []
  private let cipher: PageCipher
  private let buffer = PageBuffer()
  private let readAhead: ReadAhead?

  /// - Parameter readAhead: for a reader that reads most pages in the order of the file.
  /// - Throws: `inputOutput` if there is no memory; `unsupported` if the system lacks the
  ///   algorithms.
  package init(of cache: PageCache, readAhead: ReadAhead? = nil) throws(RealmFileError) {
    (self.cache, self.readAhead) = (cache, readAhead)
    cipher = try PageCipher(key: cache.file.key)
    let words = cache.count / EncryptedLayout.pageByteCount / 64 + 1
    resident = try PageTable(count: words)
    idle = try PageTable(count: words)
  }

  deinit {
    cache.unpin(log)
    dropIdle()
  }

  /// The number of pages in the log, for ``release(to:)``.
  var loggedPages: Int { sealedCount + log.count }

  /// Makes sure that the pages of `range` are decrypted. A ref refers to these bytes, so they must have been
  /// written.
  ///
  /// - Parameter range: inside the data, not empty.
  /// - Throws: `damagedPage`, also for a page that seems never to have been written: one that was written once and
  ///   is damaged looks the same (chapter 1, section 5.3); `truncated` for a page that is cut off at the end of the
  ///   file.
  func require(_ range: Range<Int>) throws(RealmFileError) {
    let last = (range.upperBound - 1) / EncryptedLayout.pageByteCount
    for page in range.lowerBound / EncryptedLayout.pageByteCount...last {
      guard try isWritten(page) else {
        throw RealmFileError(.damagedPage(page), offset: page * EncryptedLayout.pageByteCount)
      }
    }
  }

  /// Whether `page`, a page of the data, was ever written. If so, it is decrypted.
  ///
  /// - Throws: `damagedPage`, `truncated`.
  func isWritten(_ page: Int) throws(RealmFileError) -> Bool {
    let (word, bit) = PageView.place(of: page)
    guard resident[word] & bit == 0 else { return true }
    if idle[word] & bit != 0 {
      idle[word] &= ~bit
    } else {
      guard try obtain(page) else { return false }
    }
    resident[word] |= bit
    if !cache.keepsAll { log.append(page) }
    return true
  }

  /// Pins `page`, and decrypts it if no other reader did.
  ///
  /// - Returns: false if the page was never written.
  private func obtain(_ page: Int) throws(RealmFileError) -> Bool {
    try readAhead?.note(page)
    guard cache.pin(page) == .absent else { return true }
    let isWritten: Bool
    do throws(RealmFileError) {
      isWritten = try decrypt(page)
    } catch {
      cache.giveUp(page)
      throw error
    }
    if isWritten { cache.publish(page) } else { cache.giveUp(page) }
    return isWritten
  }

  /// Releases the pages added since the log had `mark` entries. A part that a ``Hold`` shares is released only as a
  /// whole.
  func release(to mark: Int) {
    guard mark < loggedPages else { return }
    let start = max(0, mark - sealedCount)
    for page in log[start...] {
      let (word, bit) = PageView.place(of: page)
      resident[word] &= ~bit
      idle[word] |= bit
    }
    released += log[start...]
    log.removeSubrange(start...)
    unseal(to: mark)
    if released.count > cache.idlePinLimit { dropIdle() }
  }

  /// Keeps all pages of the log pinned as long as the result lives. The view gives up the pages added since the log
  /// had `mark` entries.
  func hold(since mark: Int) -> [PinnedPages] {
    let start = max(0, mark - sealedCount)
    let earlier = PinnedPages(Array(log[..<start]), of: cache)
    let held = sealed + [earlier, PinnedPages(Array(log[start...]), of: cache)]
    forget(log[start...])
    log = []
    unseal(to: mark)
    if !earlier.pages.isEmpty {
      sealed.append(earlier)
      sealedCount += earlier.pages.count
    }
    return held
  }

  /// Gives up the sealed parts that start at `mark` or later.
  private func unseal(to mark: Int) {
    while let last = sealed.last, sealedCount - last.pages.count >= mark {
      forget(last.pages[...])
      sealed.removeLast()
      sealedCount -= last.pages.count
    }
  }

  private func forget(_ pages: ArraySlice<Int>) {
    for page in pages {
      let (word, bit) = PageView.place(of: page)
      resident[word] &= ~bit
    }
  }

  /// The word and bit of `page`.
  @inline(__always)
  private static func place(of page: Int) -> (word: Int, bit: UInt64) {
    (page >> 6, 1 << UInt64(page & 63))
  }

  private func dropIdle() {
    // A page that was reused and released again is listed twice.
    cache.unpin(
      released.filter { page in
        let (word, bit) = PageView.place(of: page)
        defer { idle[word] &= ~bit }
        return idle[word] & bit != 0
      })
    released.removeAll(keepingCapacity: true)
  }

  /// Decrypts `page` into its place, which belongs to this thread.
  ///
  /// - Returns: false if the page was never written.
  private func decrypt(_ page: Int) throws(RealmFileError) -> Bool {
    let offset = page * EncryptedLayout.pageByteCount
    let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
    guard end <= cache.file.mapping.count else {
      throw RealmFileError(
        .truncated(missingBytes: end - cache.file.mapping.count), offset: offset)
    }
    switch try state(ofPage: page) {
    case .neverWritten, .zeros: return false
    case .valid(let counter, _):
      let isDone = unsafe cipher.convert(
        buffer.page, counter: counter, dataOffset: offset, into: cache.place(of: page))
      if isDone { return true }
    case .invalid: break
    }
    throw RealmFileError(.damagedPage(page), offset: offset)
  }

  /// Copies page `page` into the buffer and returns its state. The page must lie inside the file.
  private func state(ofPage page: Int) throws(RealmFileError) -> PageState {
    let file = cache.file
    let ciphertext = unsafe file.mapping.base + EncryptedLayout.ciphertextOffset(ofPage: page)
    let entry = unsafe file.mapping.base + EncryptedLayout.entryOffset(ofPage: page)
    return unsafe try buffer.load(cipher: cipher, mayChange: file.mayChange) { place in
      unsafe place.copyMemory(from: ciphertext, byteCount: EncryptedLayout.pageByteCount)
    } copyEntry: { place in
      unsafe place.copyMemory(from: entry, byteCount: EncryptedLayout.entryByteCount)
    }
  }

  // MARK: The state of pages

  /// The condition of page `page`, which must be a page of the data.
  func condition(ofPage page: Int) throws(RealmFileError) -> PageCondition {
    let end = EncryptedLayout.ciphertextOffset(ofPage: page) + EncryptedLayout.pageByteCount
    guard end <= cache.file.mapping.count else { return .damaged }
    return switch try state(ofPage: page) {
    case .valid(_, let isOlder): isOlder ? .older : .valid
    case .neverWritten, .zeros: .empty
    case .invalid: .damaged
    }
  }
}

/// Pages that stay pinned as long as this object lives.
final class PinnedPages: Sendable {
  let pages: [Int]
  private let cache: PageCache

  /// - Parameter pages: pages that the caller has pinned once for this object.
  init(_ pages: [Int], of cache: PageCache) { (self.pages, self.cache) = (pages, cache) }

  deinit { cache.unpin(pages) }
}
