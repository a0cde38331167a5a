/// The decrypted pages of one encrypted file, for all its readers: address space for all of its data is
/// reserved, and a page is decrypted into its place when a reader first asks for it. May be used from
/// several threads.
///
/// A reader that asks for a page either finds it decrypted, or is told to decrypt it; no page is
/// decrypted by two at a time. What a reader was given stays until it lets go of it. Of the other pages
/// as many are kept as the limit allows.
///
/// Invariant 1: `count` bytes from `base` are readable. Those of a page in state `ready` are its data,
/// and nobody writes there while it is pinned. Those of a page in state `busy` belong to the thread that
/// decrypts it; nobody may rely on the others.
/// Invariant 2: `busyOrReady` is the number of pages that are not in state `absent`, `inRun` that number
/// for each run.
/// Invariant 3: where all pages are kept none is pinned, in a queue or dropped.
@safe
final class PageCache: @unchecked Sendable {
  /// What a reader that asks for a page is told.
  enum Answer {
    /// The page is there, and pinned.
    case ready
    /// The caller decrypts it, and then calls ``publish(_:)`` or ``giveUp(_:)``.
    case absent
  }

  private enum State {
    static let absent: UInt8 = 0
    static let busy: UInt8 = 1
    static let ready: UInt8 = 2
  }

  static let pagesPerRun = PageMemory.runByteCount / EncryptedLayout.pageByteCount
  /// Bytes of pages kept for a reader that comes to each page once: 16 MiB.
  static let byteCountForOnePass = 16 << 20

  let file: EncryptedFile
  /// Bytes of data.
  let count: Int
  let base: UnsafeRawPointer
  /// True where pages stay where they are as long as the cache lives: all data fits the limit.
  let keepsAll: Bool
  /// Pages that a reader may keep pinned although it released them.
  let idlePinLimit: Int

  private let memory: PageMemory
  private let movesMemory: Bool
  private let limit: Int
  private let monitor = Monitor()
  private let states: PageTable<UInt8>
  /// How many readers and owners of bytes need a page.
  private let pins: PageTable<UInt32>
  private let inRun: PageTable<UInt16>
  private var busyOrReady = 0
  private var replacement: PageReplacement
  /// Above how many pages some are dropped next: more than ``limit`` where nearly all are pinned, so
  /// that not each new page looks at all of them.
  private var dropThreshold: Int
  /// Threads that wait for a page that another one decrypts.
  private var waiting = 0

  /// - Parameters:
  ///   - byteCount: bytes of pages that are kept beside those that readers need at one time.
  ///   - movesMemory: the memory of runs that were dropped is kept, for ``claim(run:before:)``.
  /// - Throws: `inputOutput` where the address space cannot be had.
  init(
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

  /// Pages that are decrypted, or are being so.
  var residentPages: Int { monitor.locked { busyOrReady } }

  /// Where the data of `page` belongs: for the thread that decrypts it.
  @unsafe
  func place(of page: Int) -> UnsafeMutableRawPointer {
    unsafe memory.base + page * EncryptedLayout.pageByteCount
  }

  // MARK: One page

  /// Pins `page` for a reader. Waits while another thread decrypts it.
  ///
  /// - Parameter page: one of the data.
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

  /// Hands out `page`, which the caller decrypted; it is pinned.
  func publish(_ page: Int) {
    monitor.locked {
      end(page, isDecrypted: true)
      if !keepsAll { pins[page] += 1 }
      if waiting > 0 { monitor.wakeAll() }
    }
  }

  /// Tells that the caller could not decrypt `page`.
  func giveUp(_ page: Int) {
    monitor.locked {
      end(page, isDecrypted: false)
      if waiting > 0 { monitor.wakeAll() }
    }
  }

  /// Lets go of `pages`, each pinned once by the caller.
  func unpin(_ pages: some Sequence<Int>) {
    guard !keepsAll else { return }
    monitor.locked {
      for page in pages { pins[page] -= 1 }
      dropThreshold = limit
      makeRoom()
    }
  }

  // MARK: Runs of pages

  /// Takes the pages of `run` that are not there, for the caller to decrypt: ``publish(ahead:of:)``
  /// follows for each of them.
  ///
  /// - Parameter end: the first page that is not wanted.
  /// - Throws: `inputOutput` where the system has taken the memory away.
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

  /// Hands out `pages` of the `claimed` ones, which were decrypted, and gives up the others. None is
  /// pinned.
  func publish(ahead pages: [Int], of claimed: ArraySlice<Int>) {
    monitor.locked {
      var next = 0
      for page in claimed {
        // Both are in the same order.
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

  /// Drops pages where there are too many: an eighth of what is kept, as many at one time cost less.
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

  /// Gives back the memory of `pages`, which are in ascending order and absent now.
  private func giveBack(_ pages: [Int]) {
    // Neighbours go in one call, and what is in no use beside them in the same page of memory.
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

/// What readers need to know of an encrypted file.
struct EncryptedFile: Sendable {
  /// Of the whole file.
  let mapping: MappedFile
  let key: RealmKey
  /// True where another process may be writing to the file: a page that does not verify is looked at
  /// again, as it may be half-written.
  let mayChange: Bool
}
