import Dispatch

/// Decrypts runs of pages on several threads, for a reader that goes through a file from its start to
/// its end: some runs while the reader is busy with the one before them.
///
/// A reader that jumps, as it does in a file that many commits wrote, gets nothing: nearly all that is
/// decrypted ahead would have to make room before it is asked for. So a run is only the start of more
/// where its pages are taken.
///
/// Only pages that verify at once with their newest metadata are taken; what is wrong with another one
/// matters, and is found, when it is asked for.
///
/// Invariant: the memory of the pages of a run belongs to the queue until the run is collected. Work on
/// the queue keeps this object, and so the memory and the file.
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

  /// What a lane does of a run.
  private final class Share: @unchecked Sendable {
    /// The pages that it is to decrypt, and once that is done, those that it did.
    var pages: [Int]

    init(_ pages: [Int]) { self.pages = pages }
  }

  /// Pages on their way, or waiting to be taken: the shares belong to the queue until the run is done.
  private final class Run {
    let number: Int
    let shares: [Share]
    let done = DispatchSemaphore(value: 0)
    /// For each page of the run whether it is decrypted and was not taken. Nil until it is collected.
    var isReady: [Bool]?
    /// How many of the pages were taken.
    var taken = 0

    init(number: Int, shares: [Share]) { (self.number, self.shares) = (number, shares) }

    var firstPage: Int { number * ReadAhead.pagesPerRun }

    /// Waits until the run is done.
    func collect() {
      guard isReady == nil else { return }
      done.wait()
      var isReady = [Bool](repeating: false, count: ReadAhead.pagesPerRun)
      for share in shares {
        for page in share.pages { isReady[page - firstPage] = true }
      }
      self.isReady = isReady
    }

    /// The pages among `count` from `page` on that are ready, once.
    func take(_ page: Int, count: Int) -> [Int] {
      collect()
      var pages: [Int] = []
      for page in page..<(page + count) where isReady?[page - firstPage] == true {
        isReady?[page - firstPage] = false
        pages.append(page)
      }
      taken += pages.count
      return pages
    }
  }

  /// Pages of a run: two megabytes, enough that starting and waiting take no time beside them.
  private static let pagesPerRun = PageMemory.runByteCount / EncryptedLayout.pageByteCount
  private static let laneCount = 4
  /// Whole blocks.
  private static let pagesPerLane = pagesPerRun / laneCount
  /// Pages that are handed over at one time.
  private static let pagesPerTake = 16
  /// Runs that are there at one time: the one that the reader is at, the one before it, of which it may
  /// want something yet, and those behind.
  private static let runLimit = 4
  /// Pages in no run that were asked for one after the other and start one, where they all lie among so
  /// many.
  private static let (missCount, missSpan) = (64, 96)

  private let file: FileDescriptor
  private let memory: PageMemory
  private let lanes: [Lane]
  private let queue = DispatchQueue(label: "realm-cli.read-ahead")
  /// In the order in which they were started.
  private var runs: [Run] = []
  /// The first page that is not wanted.
  private let end: Int
  /// The pages in no run that were asked for last.
  private var misses: [Int] = []
  /// Pages of former runs that nobody asked for, and that nobody will get any more, until they are
  /// told.
  private var abandoned: [Int] = []

  /// - Parameters:
  ///   - memory: where the data of the file has its place; there is room for all wanted pages.
  ///   - limit: bytes of data that are wanted, from the start of the file; `memory` has them.
  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  init(
    file: FileDescriptor, key: RealmKey, memory: PageMemory, limit: Int
  ) throws(RealmFileError) {
    self.file = file
    self.memory = memory
    end = limit / EncryptedLayout.pageByteCount
    var lanes: [Lane] = []
    for _ in 0..<ReadAhead.laneCount { lanes.append(try Lane(key: key)) }
    self.lanes = lanes
  }

  /// Pages that are decrypted and wait to be taken.
  var waitingPages: Int {
    runs.reduce(0) { sum, run in
      run.collect()
      return sum + (run.isReady ?? []).count { $0 }
    }
  }

  /// Whether the memory of `page` is in use here.
  func contains(_ page: Int) -> Bool {
    guard let run = run(of: page) else { return false }
    return run.isReady?[page - run.firstPage] ?? true
  }

  /// Hands `page` over, which was asked for, and those beside it.
  ///
  /// - Parameter isDone: whether a page is decrypted already, without this.
  /// - Returns: the pages that are the caller's now; without `page` where it was not decrypted.
  /// - Throws: `inputOutput` where the system has taken the memory away.
  func take(_ page: Int, isDone: (Int) -> Bool) throws(RealmFileError) -> [Int] {
    var found = run(of: page)
    if found == nil { found = try runAfterMisses(page, isDone) }
    guard let run = found else { return [] }
    let pages = run.take(page - page % ReadAhead.pagesPerTake, count: ReadAhead.pagesPerTake)
    let isSequence = runs.contains {
      $0.number == run.number - 1 && $0.taken >= ReadAhead.pagesPerRun / 2
    }
    if isSequence {
      try start(behind: run, count: 2, isDone)
    } else if run.taken >= ReadAhead.pagesPerRun / 4 {
      try start(behind: run, count: 1, isDone)
    }
    return pages
  }

  /// The pages that were decrypted and that nobody will get, once: their memory is the caller's.
  func removeAbandoned() -> [Int] {
    defer { abandoned = [] }
    return abandoned
  }

  private func run(of page: Int) -> Run? {
    runs.first { $0.number == page / ReadAhead.pagesPerRun }
  }

  /// A new run that `page` is in, where nearly all pages around it were asked for.
  private func runAfterMisses(_ page: Int, _ isDone: (Int) -> Bool) throws(RealmFileError) -> Run? {
    if misses.count == ReadAhead.missCount { misses.removeFirst() }
    misses.append(page)
    guard misses.count == ReadAhead.missCount, page < end,
      let first = misses.min(), let last = misses.max(), last - first < ReadAhead.missSpan
    else { return nil }
    misses = []
    return try start(page / ReadAhead.pagesPerRun, isDone)
  }

  private func start(
    behind run: Run, count: Int, _ isDone: (Int) -> Bool
  ) throws(RealmFileError) {
    for number in (run.number + 1)...(run.number + count)
    where number * ReadAhead.pagesPerRun < end && !runs.contains(where: { $0.number == number }) {
      _ = try start(number, isDone)
    }
  }

  private func start(_ number: Int, _ isDone: (Int) -> Bool) throws(RealmFileError) -> Run {
    if runs.count >= ReadAhead.runLimit { abandonFirst() }
    try memory.prepare(run: number) { other in
      let first = other * ReadAhead.pagesPerRun
      return runs.contains { $0.number == other }
        || (first..<(first + ReadAhead.pagesPerRun)).contains(where: isDone)
    }
    let first = number * ReadAhead.pagesPerRun
    let shares = (0..<ReadAhead.laneCount).map { lane in
      let start = first + lane * ReadAhead.pagesPerLane
      return Share((start..<(start + ReadAhead.pagesPerLane)).filter { $0 < end && !isDone($0) })
    }
    let run = Run(number: number, shares: shares)
    runs.append(run)
    let done = run.done
    queue.async {
      self.decrypt(shares)
      done.signal()
    }
    return run
  }

  private func abandonFirst() {
    let run = runs.removeFirst()
    run.collect()
    for (index, isReady) in (run.isReady ?? []).enumerated() where isReady {
      abandoned.append(run.firstPage + index)
    }
  }

  private func decrypt(_ shares: [Share]) {
    DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
      let pages = shares[index].pages
      var start = 0
      var decrypted: [Int] = []
      while start < pages.count {
        let block = pages[start] / EncryptedLayout.pagesPerBlock
        let end =
          pages[start...].firstIndex { $0 / EncryptedLayout.pagesPerBlock != block }
          ?? pages.count
        decrypted += decrypt(pages[start..<end], ofBlock: block, lanes[index])
        start = end
      }
      shares[index].pages = decrypted
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
      let dataOffset = page * EncryptedLayout.pageByteCount
      return unsafe lane.cipher.convert(
        ciphertext, counter: counter, dataOffset: dataOffset, into: memory.base + dataOffset)
    }
  }
}
