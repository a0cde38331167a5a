import Dispatch

#if canImport(Glibc)
  import Glibc
#endif

/// Decrypts runs of pages on several threads, for a reader that comes to all of them: one run while
/// the reader is busy with the one before it.
///
/// Only pages that verify at once with their newest metadata are taken; what is wrong with another one
/// matters, and is found, when it is asked for.
///
/// Invariant: the memory of the pages of ``run``, and the lanes, belong to the queue from
/// ``start(with:skipping:)`` until ``collect()``, and to the reader otherwise.
@safe
final class ReadAhead: @unchecked Sendable {
  /// What one thread needs; used by one at a time.
  private final class Lane {
    let cipher: PageCipher
    let buffer = PageBuffer()
    /// The pages of the run that this lane decrypted.
    var pages: [Int] = []

    init(key: RealmKey) throws(RealmFileError) { cipher = try PageCipher(key: key) }
  }

  /// Bytes of data of a run, and what runs are aligned to: a large page of memory where there are such.
  static let alignment = laneCount * pagesPerLane * EncryptedLayout.pageByteCount

  private static let laneCount = 4
  /// Two megabytes in all: enough that starting and waiting take no time beside them.
  private static let pagesPerLane = 128

  private let file: MappedFile
  /// Where the data of page 0 has its place; there is room for all wanted pages.
  private let memory: UnsafeMutableRawPointer
  private let lanes: [Lane]
  private let queue = DispatchQueue(label: "realm-cli.read-ahead")
  /// The pages that are being decrypted, and perhaps others between them.
  private(set) var run = 0..<0
  /// The first page that is not wanted.
  private let end: Int

  /// - Parameters:
  ///   - memory: where the data of the file has its place.
  ///   - limit: bytes of data that are wanted, from the start of the file; `memory` has them.
  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  @unsafe
  init(
    file: MappedFile, key: RealmKey, memory: UnsafeMutableRawPointer, limit: Int
  ) throws(RealmFileError) {
    self.file = file
    unsafe self.memory = memory
    end = limit / EncryptedLayout.pageByteCount
    var lanes: [Lane] = []
    for _ in 0..<ReadAhead.laneCount { lanes.append(try Lane(key: key)) }
    self.lanes = lanes
  }

  /// Starts to decrypt the run of pages that `page` is in, but for those that `isDone` says are.
  ///
  /// - Precondition: ``run`` is empty.
  func start(with page: Int, skipping isDone: (Int) -> Bool) {
    let first = page - page % (lanes.count * ReadAhead.pagesPerLane)
    for (index, lane) in lanes.enumerated() {
      let start = min(end, first + index * ReadAhead.pagesPerLane)
      lane.pages = (start..<min(end, start + ReadAhead.pagesPerLane)).filter { !isDone($0) }
    }
    let behind = min(end, first + lanes.count * ReadAhead.pagesPerLane)
    guard first < behind else { return }
    run = first..<behind
    queue.async { self.decrypt() }
  }

  /// Waits for the run.
  ///
  /// - Returns: the pages of it that were decrypted.
  func collect() -> [Int] {
    guard !run.isEmpty else { return [] }
    queue.sync {}
    run = 0..<0
    return lanes.flatMap(\.pages)
  }

  private func decrypt() {
    prepareMemory()
    DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
      let lane = lanes[index]
      lane.pages.removeAll { !decrypt($0, lane) }
    }
  }

  /// Asks for the memory of the run as one large page, which takes a fraction of the time of a fault
  /// for each small one. It is there without that, too: systems that cannot do it are not told apart.
  private func prepareMemory() {
    #if os(Linux)
      let start = run.lowerBound * EncryptedLayout.pageByteCount
      unsafe madvise(memory + start, run.count * EncryptedLayout.pageByteCount, MADV_HUGEPAGE)
    #endif
  }

  /// - Returns: false where the page is not sound, or not in the file.
  private func decrypt(_ page: Int, _ lane: Lane) -> Bool {
    let offset = EncryptedLayout.ciphertextOffset(ofPage: page)
    guard offset + EncryptedLayout.pageByteCount <= file.count else { return false }
    let ciphertext = unsafe file.base + offset
    let entry = unsafe file.base + EncryptedLayout.entryOffset(ofPage: page)
    unsafe lane.buffer.load(page: ciphertext, entry: entry)
    let state = unsafe PageState(
      entry: lane.buffer.entry, page: lane.buffer.page, cipher: lane.cipher)
    guard case .valid(let counter, isOlder: false) = state else { return false }
    let dataOffset = page * EncryptedLayout.pageByteCount
    return unsafe lane.cipher.convert(
      lane.buffer.page, counter: counter, dataOffset: dataOffset, into: memory + dataOffset)
  }
}
