/// Chooses the decrypted pages to drop, with the 2Q algorithm: pages that look-ups use repeatedly
/// survive a scan of the whole file.
///
/// A page starts on probation. Pages on probation are dropped in the order of their arrival. A dropped page becomes
/// a regular if it is requested again soon: before as many other pages were dropped as the cache holds. Regulars
/// are dropped only if few pages are on probation; those used since the last pass over them are spared once.
///
/// Invariant: a page is at most once in the two queues. Belongs to one thread at a time.
struct PageReplacement {
  /// Bits of a page in `marks`.
  private enum Mark {
    static let regular: UInt8 = 1
    static let used: UInt8 = 2
  }

  /// If there are enough regulars, one in this many pages is on probation.
  private static let probationShare = 4

  /// Number of pages that the cache holds.
  private let limit: Int
  private var probation = PageQueue()
  private var regulars = PageQueue()
  private let marks: PageTable<UInt8>
  /// For each page, the value of `dropped` when the page was last dropped; 0 if it never was.
  private let dropTimes: PageTable<UInt32>
  /// The number of pages dropped so far, plus one.
  private var dropped: UInt32 = 1

  /// - Throws: `inputOutput` if the system has no address space left.
  init(pageCount: Int, limit: Int) throws(RealmFileError) {
    self.limit = limit
    marks = try PageTable(count: pageCount)
    dropTimes = try PageTable(count: pageCount)
  }

  /// Number of pages in both queues.
  var count: Int { probation.count + regulars.count }

  /// Adds `page`, which was decrypted and is in no queue.
  mutating func add(_ page: Int) {
    let time = dropTimes[page]
    // Wraps around after 2³² pages; at worst, a page becomes a regular too early or too late.
    if time != 0, dropped &- time < UInt32(clamping: limit) {
      marks[page] = Mark.regular
      regulars.append(page)
    } else {
      marks[page] = 0
      probation.append(page)
    }
  }

  /// Records that `page`, which is in a queue, was requested again.
  func use(_ page: Int) {
    if marks[page] == Mark.regular { marks[page] = Mark.regular | Mark.used }
  }

  /// Removes pages from the queues.
  ///
  /// - Parameters:
  ///   - wanted: number of pages to remove.
  ///   - wholeRuns: whether to continue to the end of a run, because only the memory of whole runs can be reused
  ///     (``PageMemory``).
  ///   - isPinned: whether a page must stay.
  /// - Returns: fewer pages than wanted if the others are pinned.
  mutating func drop(
    _ wanted: Int, wholeRuns: Bool = false, isPinned: (Int) -> Bool
  ) -> [Int] {
    var pages: [Int] = []
    // Each page is visited at most once, a regular at most twice: the first visit clears its mark.
    var looks = probation.count + 2 * regulars.count
    while looks > 0 {
      if pages.count >= wanted {
        guard wholeRuns, let next = probation.first, let last = pages.last,
          next / PageCache.pagesPerRun == last / PageCache.pagesPerRun
        else { break }
      }
      looks -= 1
      let isFromProbation =
        regulars.isEmpty || pages.count >= wanted
        || probation.count > limit / PageReplacement.probationShare
      if isFromProbation, let page = probation.popFirst() {
        guard !isPinned(page) else {
          probation.append(page)
          continue
        }
        dropTimes[page] = dropped
        dropped = dropped == .max ? 1 : dropped + 1
        pages.append(page)
      } else if let page = regulars.popFirst() {
        guard !isPinned(page), marks[page] & Mark.used == 0 else {
          marks[page] = Mark.regular
          regulars.append(page)
          continue
        }
        pages.append(page)
      }
    }
    return pages
  }
}

/// A first-in, first-out queue of pages.
private struct PageQueue {
  private var pages: [Int] = []
  /// Index of the first page; the elements before it were removed.
  private var start = 0

  var count: Int { pages.count - start }
  var isEmpty: Bool { start == pages.count }
  var first: Int? { isEmpty ? nil : pages[start] }

  mutating func append(_ page: Int) {
    if start > 1024, start > pages.count / 2 {
      pages.removeSubrange(..<start)
      start = 0
    }
    pages.append(page)
  }

  mutating func popFirst() -> Int? {
    guard let first else { return nil }
    start += 1
    return first
  }
}
