import Dispatch

/// Decrypts runs of pages on several threads, for a reader that goes through a file from its start to
/// its end: some runs while the reader is busy with the one before them.
///
/// A reader that jumps, as it does in a file that many commits wrote, gets nothing: nearly all that is
/// decrypted ahead would have to make room before it is asked for. So a run is only the start of more
/// where its pages are asked for.
///
/// Only pages that verify at once with their newest metadata are decrypted here; what is wrong with
/// another one matters, and is found, when the reader asks for it.
///
/// Invariant: what is not constant belongs to the reader's thread. Work on the queue keeps this object,
/// and so the cache and the file.
@safe
final class ReadAhead: @unchecked Sendable {
  /// What one thread needs; used by one at a time.
  @safe
  private final class Lane {
    let cipher: PageCipher
    /// One block of the file, copied, so that what is verified is what is decrypted.
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (EncryptedLayout.pagesPerBlock + 1) * EncryptedLayout.pageByteCount,
      alignment: 4096)

    init(key: RealmKey) throws(RealmFileError) { cipher = try PageCipher(key: key) }

    deinit { unsafe block.deallocate() }
  }

  /// Pages that were decrypted, or are being so.
  private final class Run {
    let number: Int
    let done = DispatchSemaphore(value: 0)
    /// How many of its pages the reader asked for.
    var asked = 0

    init(number: Int) { self.number = number }
  }

  private static let pagesPerRun = PageCache.pagesPerRun
  private static let laneCount = 4
  /// Runs that are watched at one time: the one that the reader is at, the one before it, of which it
  /// may want something yet, and those behind.
  private static let runLimit = 4
  /// Pages in no run that were asked for one after the other and start one, where they all lie among so
  /// many.
  private static let (missCount, missSpan) = (64, 96)

  private let file: FileDescriptor
  private let cache: PageCache
  private let lanes: [Lane]
  private let queue = DispatchQueue(label: "realm-cli.read-ahead")
  /// In the order in which they were started.
  private var runs: [Run] = []
  /// The first page that is not wanted.
  private let end: Int
  /// The pages in no run that were asked for last.
  private var misses: [Int] = []

  /// - Parameters:
  ///   - file: the file of `cache`, which must stay open.
  ///   - limit: bytes of data that are wanted, from the start of the file.
  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  init(
    of file: FileDescriptor, into cache: PageCache, limit: Int
  ) throws(RealmFileError) {
    (self.file, self.cache) = (file, cache)
    end = min(limit, cache.count) / EncryptedLayout.pageByteCount
    var lanes: [Lane] = []
    for _ in 0..<ReadAhead.laneCount { lanes.append(try Lane(key: cache.file.key)) }
    self.lanes = lanes
  }

  /// Notes that the reader asks for `page`, and starts what it will ask for next.
  ///
  /// - Throws: `inputOutput` where the system has taken the memory away.
  func note(_ page: Int) throws(RealmFileError) {
    guard let run = runs.first(where: { $0.number == page / ReadAhead.pagesPerRun }) else {
      return try noteMiss(page)
    }
    run.asked += 1
    let isSequence = runs.contains {
      $0.number == run.number - 1 && $0.asked >= ReadAhead.pagesPerRun / 2
    }
    if isSequence {
      try start(behind: run, count: 2)
    } else if run.asked >= ReadAhead.pagesPerRun / 4 {
      try start(behind: run, count: 1)
    }
  }

  /// Starts a run that `page` is in, where nearly all pages around it were asked for.
  private func noteMiss(_ page: Int) throws(RealmFileError) {
    if misses.count == ReadAhead.missCount { misses.removeFirst() }
    misses.append(page)
    guard misses.count == ReadAhead.missCount, page < end,
      let first = misses.min(), let last = misses.max(), last - first < ReadAhead.missSpan
    else { return }
    misses = []
    try start(page / ReadAhead.pagesPerRun)
  }

  private func start(behind run: Run, count: Int) throws(RealmFileError) {
    for number in (run.number + 1)...(run.number + count)
    where number * ReadAhead.pagesPerRun < end && !runs.contains(where: { $0.number == number }) {
      try start(number)
    }
  }

  private func start(_ number: Int) throws(RealmFileError) {
    // No more are on their way than are watched.
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

  /// Decrypts `pages`, all of one run, in as many shares as there are lanes.
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

  /// - Returns: the `pages`, all of one block, without those that are not sound, or not in the file.
  private func decrypt(_ pages: ArraySlice<Int>, ofBlock block: Int, _ lane: Lane) -> [Int] {
    let offset = unsafe block * lane.block.count
    // An error is told when one of the pages is asked for.
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
