import Dispatch

/// Decrypts runs of pages on several threads, ahead of a reader that reads a file from start to end.
///
/// A reader that jumps, as in a file that many commits wrote, does not benefit: nearly all pages
/// decrypted ahead would be dropped before they are requested. So a run triggers further runs only
/// if its pages are requested.
///
/// Only pages that match their newest HMAC at the first attempt are decrypted here. The reader decrypts the others
/// when it requests them, and reports their errors.
///
/// Invariant: mutable state belongs to the reader's thread. Work on the queue retains this object,
/// and with it the cache and the file.
@safe
package final class ReadAhead: @unchecked Sendable {
  /// The working memory of one thread.
  @safe
  private final class Lane {
    let cipher: PageCipher
    /// A copy of one block of the file, so that the bytes decrypted are those that were verified.
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (EncryptedLayout.pagesPerBlock + 1) * EncryptedLayout.pageByteCount,
      alignment: 4096)

    init(key: RealmKey) throws(RealmFileError) { cipher = try PageCipher(key: key) }

    deinit { unsafe block.deallocate() }
  }

  /// A run whose pages are decrypted or being decrypted.
  private final class Run {
    let number: Int
    let done = DispatchSemaphore(value: 0)
    /// The number of its pages that the reader requested.
    var requested = 0

    init(number: Int) { self.number = number }
  }

  private static let pagesPerRun = PageCache.pagesPerRun
  private static let laneCount = 4
  /// Maximum number of runs at a time: the current one, the one before it, which the reader may still need, and
  /// those after it.
  private static let runLimit = 4
  /// A run is started after this many requests outside of all runs, if they lie within this many pages.
  private static let (missCount, missSpan) = (64, 96)

  private let file: FileDescriptor
  private let cache: PageCache
  private let lanes: [Lane]
  private let queue = DispatchQueue(label: "realm-cli.read-ahead")
  /// The runs, in the order in which they were started.
  private var runs: [Run] = []
  /// The page after the last one that is wanted.
  private let end: Int
  /// The last pages requested outside of all runs.
  private var misses: [Int] = []

  /// - Parameters:
  ///   - file: the file of `cache`, which must stay open.
  ///   - limit: bytes of data that are wanted, from the start of the file.
  /// - Throws: `unsupported` if the system lacks the algorithms.
  init(
    of file: FileDescriptor, into cache: PageCache, limit: Int
  ) throws(RealmFileError) {
    (self.file, self.cache) = (file, cache)
    end = min(limit, cache.count) / EncryptedLayout.pageByteCount
    var lanes: [Lane] = []
    for _ in 0..<ReadAhead.laneCount { lanes.append(try Lane(key: cache.file.key)) }
    self.lanes = lanes
  }

  /// Records that the reader requests `page`, and starts the runs that it will need next.
  ///
  /// - Throws: `inputOutput` if the system withdrew the memory.
  func note(_ page: Int) throws(RealmFileError) {
    guard let run = runs.first(where: { $0.number == page / ReadAhead.pagesPerRun }) else {
      return try noteMiss(page)
    }
    run.requested += 1
    let isSequence = runs.contains {
      $0.number == run.number - 1 && $0.requested >= ReadAhead.pagesPerRun / 2
    }
    if isSequence {
      try start(after: run, count: 2)
    } else if run.requested >= ReadAhead.pagesPerRun / 4 {
      try start(after: run, count: 1)
    }
  }

  /// Starts the run that contains `page`, if nearly all pages around it were requested.
  private func noteMiss(_ page: Int) throws(RealmFileError) {
    if misses.count == ReadAhead.missCount { misses.removeFirst() }
    misses.append(page)
    guard misses.count == ReadAhead.missCount, page < end,
      let first = misses.min(), let last = misses.max(), last - first < ReadAhead.missSpan
    else { return }
    misses = []
    try start(page / ReadAhead.pagesPerRun)
  }

  private func start(after run: Run, count: Int) throws(RealmFileError) {
    for number in (run.number + 1)...(run.number + count)
    where number * ReadAhead.pagesPerRun < end && !runs.contains(where: { $0.number == number }) {
      try start(number)
    }
  }

  private func start(_ number: Int) throws(RealmFileError) {
    // Waits for the oldest run, which also limits the number of runs in progress.
    if runs.count >= ReadAhead.runLimit { runs.removeFirst().done.wait() }
    let pages = try cache.claim(run: number, before: end)
    let run = Run(number: number)
    runs.append(run)
    let done = run.done
    queue.async {
      self.decrypt(pages)
      done.signal()
    }
  }

  /// Decrypts `pages`, all of one run, split among the lanes.
  private func decrypt(_ pages: [Int]) {
    let pagesPerLane = ReadAhead.pagesPerRun / lanes.count
    DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
      let share = pages.filter { $0 % ReadAhead.pagesPerRun / pagesPerLane == index }
      var start = 0
      while start < share.count {
        let block = share[start] / EncryptedLayout.pagesPerBlock
        let end =
          share[start...].firstIndex { $0 / EncryptedLayout.pagesPerBlock != block }
          ?? share.count
        let decrypted = decrypt(share[start..<end], ofBlock: block, lanes[index])
        cache.publish(ahead: decrypted, of: share[start..<end])
        start = end
      }
    }
  }

  /// Decrypts `pages`, all of one block.
  ///
  /// - Returns: the decrypted pages: not those that are invalid or past the end of the file.
  private func decrypt(_ pages: ArraySlice<Int>, ofBlock block: Int, _ lane: Lane) -> [Int] {
    let offset = unsafe block * lane.block.count
    // The error is reported when one of the pages is requested.
    guard let count = unsafe try? file.read(at: offset, into: lane.block) else { return [] }
    return pages.filter { page in
      let place = EncryptedLayout.ciphertextOffset(ofPage: page) - offset
      guard place + EncryptedLayout.pageByteCount <= count,
        let start = unsafe lane.block.baseAddress
      else { return false }
      let ciphertext = unsafe start + place
      let state = unsafe PageState(
        entry: start + (EncryptedLayout.entryOffset(ofPage: page) - offset), page: ciphertext,
        cipher: lane.cipher)
      guard case .valid(let counter, isOlder: false) = state else { return false }
      return unsafe lane.cipher.convert(
        ciphertext, counter: counter, dataOffset: page * EncryptedLayout.pageByteCount,
        into: cache.place(of: page))
    }
  }
}
