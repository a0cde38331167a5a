/// The decrypted pages of one encrypted file, shared by all its readers. Address space is reserved
/// for all data; a page is decrypted into its place on first use. Several threads may use the cache.
///
/// A reader that requests a page either finds it decrypted or must decrypt it; no two readers decrypt
/// a page at the same time. A page stays until all its readers have released it. The cache keeps as many
/// released pages as the limit allows.
///
/// Invariant 1: `count` bytes from `base` are readable. A page in state `ready` holds its data, and
/// nobody writes to it while it is pinned. A page in state `busy` belongs to the thread that
/// decrypts it. The content of all other pages is undefined.
/// Invariant 2: `busyOrReady` is the number of pages that are not in state `absent`; `inRun` is the
/// same number for each run.
/// Invariant 3: if the cache keeps all pages, no page is pinned, queued or dropped.
@safe
package final class PageCache: @unchecked Sendable {
  /// The answer to a reader that requests a page.
  enum Answer {
    /// The page is decrypted, and now pinned.
    case ready
    /// The caller must decrypt the page, and then call ``publish(_:)`` or ``giveUp(_:)``.
    case absent
  }

  private enum State {
    static let absent: UInt8 = 0
    static let busy: UInt8 = 1
    static let ready: UInt8 = 2
  }

  static let pagesPerRun = PageMemory.runByteCount / EncryptedLayout.pageByteCount
  /// The size of a cache for a reader that reads each page once: 16 MiB.
  static let byteCountForOnePass = 16 << 20

  let file: EncryptedFile
  /// Bytes of data.
  package let count: Int
  let base: UnsafeRawPointer
  /// Whether all data fits the limit, so that pages stay in their place as long as the cache lives.
  let keepsAll: Bool
  /// The number of released pages that a reader may keep pinned.
  let idlePinLimit: Int

  private let memory: PageMemory
  private let movesMemory: Bool
  private let limit: Int
  private let monitor = Monitor()
  private let states: PageTable<UInt8>
  /// For each page, how many readers and holds need it.
  private let pins: PageTable<UInt32>
  private let inRun: PageTable<UInt16>
  private var busyOrReady = 0
  private var replacement: PageReplacement
  /// Above this number of pages, some are dropped. It exceeds ``limit`` if nearly all pages are pinned, so that not
  /// every new page triggers a search.
  private var dropThreshold: Int
  /// The number of threads that wait for a page that another thread decrypts.
  private var waiting = 0

  /// - Parameters:
  ///   - byteCount: bytes of pages to keep, in addition to the pages that readers need at a time.
  ///   - movesMemory: whether ``claim(run:before:)`` reuses the memory of dropped runs.
  /// - Throws: `inputOutput` if the system cannot reserve the address space.
  package init(
    _ file: EncryptedFile, byteCount: Int, movesMemory: Bool = false
  ) throws(RealmFileError) {
    self.file = file
    count = EncryptedLayout.dataByteCount(fileByteCount: file.mapping.count)
    self.movesMemory = movesMemory
    memory = try PageMemory(count: count, movesRuns: movesMemory)
    unsafe base = UnsafeRawPointer(memory.base)
    let pageCount = count / EncryptedLayout.pageByteCount + 1
    limit = max(64, byteCount / EncryptedLayout.pageByteCount)
    dropThreshold = limit
    keepsAll = pageCount <= limit
    idlePinLimit = limit / 32
    states = try PageTable(count: pageCount)
    pins = try PageTable(count: pageCount)
    inRun = try PageTable(count: pageCount / PageCache.pagesPerRun + 1)
    replacement = try PageReplacement(pageCount: pageCount, limit: limit)
  }

  /// The number of pages that are decrypted or being decrypted.
  var residentPages: Int { monitor.locked { busyOrReady } }

  /// The place of the data of `page`, for the thread that decrypts it.
  @unsafe
  func place(of page: Int) -> UnsafeMutableRawPointer {
    unsafe memory.base + page * EncryptedLayout.pageByteCount
  }

  // MARK: One page

  /// Pins `page` for a reader. Waits if another thread is decrypting it.
  ///
  /// - Parameter page: a page of the data.
  func pin(_ page: Int) -> Answer {
    monitor.locked {
      while states[page] == State.busy {
        waiting += 1
        monitor.wait()
        waiting -= 1
      }
      guard states[page] == State.absent else {
        if !keepsAll {
          pins[page] += 1
          replacement.use(page)
        }
        return .ready
      }
      begin(page)
      makeRoom()
      return .absent
    }
  }

  /// Makes `page`, which the caller decrypted, available to all readers. It is pinned.
  func publish(_ page: Int) {
    monitor.locked {
      end(page, isDecrypted: true)
      if !keepsAll { pins[page] += 1 }
      if waiting > 0 { monitor.wakeAll() }
    }
  }

  /// Reports that the caller could not decrypt `page`.
  func giveUp(_ page: Int) {
    monitor.locked {
      end(page, isDecrypted: false)
      if waiting > 0 { monitor.wakeAll() }
    }
  }

  /// Releases `pages`, each of which the caller pinned once.
  func unpin(_ pages: some Sequence<Int>) {
    guard !keepsAll else { return }
    monitor.locked {
      for page in pages { pins[page] -= 1 }
      dropThreshold = limit
      makeRoom()
    }
  }

  // MARK: Runs of pages

  /// Claims the absent pages of `run` for the caller to decrypt. The caller must pass each of them to
  /// ``publish(ahead:of:)``.
  ///
  /// - Parameter end: the page after the last one to claim.
  /// - Throws: `inputOutput` if the system withdrew the memory.
  func claim(run: Int, before end: Int) throws(RealmFileError) -> [Int] {
    try monitor.locked { () throws(RealmFileError) in
      try memory.prepare(run: run) { inRun[$0] > 0 }
      let first = run * PageCache.pagesPerRun
      let pages = (first..<min(end, first + PageCache.pagesPerRun)).filter {
        states[$0] == State.absent
      }
      for page in pages { begin(page) }
      makeRoom()
      return pages
    }
  }

  /// Makes those `claimed` pages available that were decrypted: `pages`. Gives up the others. None is pinned.
  func publish(ahead pages: [Int], of claimed: ArraySlice<Int>) {
    monitor.locked {
      var next = 0
      for page in claimed {
        // Both are in ascending order.
        let isDecrypted = next < pages.count && pages[next] == page
        if isDecrypted { next += 1 }
        end(page, isDecrypted: isDecrypted)
      }
      if waiting > 0 { monitor.wakeAll() }
    }
  }

  // MARK: Inside the lock

  private func begin(_ page: Int) {
    states[page] = State.busy
    busyOrReady += 1
    inRun[page / PageCache.pagesPerRun] += 1
  }

  private func end(_ page: Int, isDecrypted: Bool) {
    guard isDecrypted else { return remove(page) }
    states[page] = State.ready
    if !keepsAll { replacement.add(page) }
  }

  private func remove(_ page: Int) {
    states[page] = State.absent
    busyOrReady -= 1
    inRun[page / PageCache.pagesPerRun] -= 1
  }

  /// Drops pages if there are too many: an eighth of the limit at a time, because larger batches cost less.
  private func makeRoom() {
    guard !keepsAll, busyOrReady > dropThreshold else { return }
    let some = limit / 8
    let pages = replacement.drop(busyOrReady - limit + some, wholeRuns: movesMemory) {
      pins[$0] > 0
    }
    for page in pages { remove(page) }
    dropThreshold = max(limit, busyOrReady + some)
    giveBack(pages.sorted())
  }

  /// Returns the memory of `pages` to the system. They are in ascending order and absent.
  private func giveBack(_ pages: [Int]) {
    // Adjacent pages are returned in one call, together with absent pages in the same memory page.
    let pagesPerMemoryPage = PageMemory.systemPageByteCount / EncryptedLayout.pageByteCount
    var pending = 0..<0
    for page in pages where page >= pending.upperBound {
      let run = page / PageCache.pagesPerRun
      var range: Range<Int>
      if inRun[run] == 0 {
        range = run * PageCache.pagesPerRun..<(run + 1) * PageCache.pagesPerRun
      } else {
        let first = page / pagesPerMemoryPage * pagesPerMemoryPage
        range = first..<(first + pagesPerMemoryPage)
        guard range.allSatisfy({ $0 >= states.count || states[$0] == State.absent }) else {
          continue
        }
      }
      if range.lowerBound == pending.upperBound {
        range = pending.lowerBound..<range.upperBound
      } else {
        discard(pending)
      }
      pending = range
    }
    discard(pending)
  }

  private func discard(_ pages: Range<Int>) {
    let size = EncryptedLayout.pageByteCount
    memory.discard(pages.lowerBound * size..<pages.upperBound * size)
  }
}

/// An open encrypted file.
package struct EncryptedFile: Sendable {
  /// The mapping of the whole file.
  package let mapping: MappedFile
  package let key: RealmKey
  /// Whether another process may be writing to the file. Then a page that fails its checksum may be half-written,
  /// and is read again.
  let mayChange: Bool

  package init(mapping: MappedFile, key: RealmKey, mayChange: Bool) {
    (self.mapping, self.key, self.mayChange) = (mapping, key, mayChange)
  }
}
