/// Decides which decrypted pages make room for others: 2Q, so that pages that look-ups come back to
/// survive a scan of the whole file.
///
/// A page is on probation first, and those on probation go in the order in which they came. One that
/// was dropped and is wanted again before as many others were dropped as the cache holds is a regular
/// from then on. Regulars make room only where few pages are on probation, and those first that nobody
/// asked for since the last time round.
///
/// Invariant: each page is at most once in the two queues together. Belongs to one thread at a time.
struct PageReplacement {
  /// Bits of a page in `marks`.
  private enum Mark {
    static let regular: UInt8 = 1
    static let used: UInt8 = 2
  }

  /// Pages on probation are a quarter of all, where there are enough regulars.
  private static let probationShare = 4

  /// Pages that the cache holds.
  private let limit: Int
  private var probation = PageQueue()
  private var regulars = PageQueue()
  private let marks: PageTable<UInt8>
  /// For each page the value of `dropped` when it was dropped last, 0 for never.
  private let dropTimes: PageTable<UInt32>
  /// Pages dropped so far, and one more.
  private var dropped: UInt32 = 1

  /// - Throws: `inputOutput` where the system has no address space left.
  init(pageCount: Int, limit: Int) throws(RealmFileError) {
    self.limit = limit
    marks = try PageTable(count: pageCount)
    dropTimes = try PageTable(count: pageCount)
  }

  /// Pages in both queues.
  var count: Int { probation.count + regulars.count }

  /// Takes in `page`, which was decrypted and is in no queue.
  mutating func add(_ page: Int) {
    let time = dropTimes[page]
    // Wraps around after 2³² pages: then a page is at worst taken for a regular too early or too late.
    if time != 0, dropped &- time < UInt32(clamping: limit) {
      marks[page] = Mark.regular
      regulars.append(page)
    } else {
      marks[page] = 0
      probation.append(page)
    }
  }

  /// Notes that `page`, which is in a queue, was asked for again.
  func use(_ page: Int) {
    if marks[page] == Mark.regular { marks[page] = Mark.regular | Mark.used }
  }

  /// Takes pages out of the queues.
  ///
  /// - Parameters:
  ///   - wanted: how many.
  ///   - wholeRuns: goes on to the end of a run, as the memory of whole runs can be used again
  ///     (``PageMemory``).
  ///   - isPinned: whether a page must stay.
  /// - Returns: fewer pages than wanted where the others must stay.
  mutating func drop(
    _ wanted: Int, wholeRuns: Bool = false, isPinned: (Int) -> Bool
  ) -> [Int] {
    var pages: [Int] = []
    // Each page is looked at once at most, a regular twice: its mark goes at the first look.
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

/// Pages in the order in which they came.
private struct PageQueue {
  private var pages: [Int] = []
  /// Where the first one is; what lies before is gone.
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
