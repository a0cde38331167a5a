import Dispatch

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
  @safe
  private final class Lane {
    let cipher: PageCipher
    /// One block of the file, copied, so that what is verified is what is decrypted.
    let block = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (EncryptedLayout.pagesPerBlock + 1) * EncryptedLayout.pageByteCount,
      alignment: 4096)
    /// The pages of the run that this lane decrypted.
    var pages: [Int] = []

    init(key: RealmKey) throws(RealmFileError) { cipher = try PageCipher(key: key) }

    deinit { unsafe block.deallocate() }
  }

  private static let laneCount = 4
  /// Whole blocks. Two megabytes in all: enough that starting and waiting take no time beside them.
  private static let pagesPerLane =
    PageMemory.runByteCount / EncryptedLayout.pageByteCount / laneCount

  private let file: FileDescriptor
  private let memory: PageMemory
  private let lanes: [Lane]
  private let queue = DispatchQueue(label: "realm-cli.read-ahead")
  /// The pages that are being decrypted, and perhaps others between them.
  private(set) var run = 0..<0
  /// The first page that is not wanted.
  private let end: Int

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

  /// Starts to decrypt the pages of run `number` of the memory, which is prepared, but for those that
  /// `isDone` says are.
  ///
  /// - Precondition: ``run`` is empty.
  func start(run number: Int, skipping isDone: (Int) -> Bool) {
    let first = number * lanes.count * ReadAhead.pagesPerLane
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
    DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
      let lane = lanes[index]
      var start = 0
      var decrypted: [Int] = []
      while start < lane.pages.count {
        let block = lane.pages[start] / EncryptedLayout.pagesPerBlock
        let end =
          lane.pages[start...].firstIndex { $0 / EncryptedLayout.pagesPerBlock != block }
          ?? lane.pages.count
        decrypted += decrypt(lane.pages[start..<end], ofBlock: block, lane)
        start = end
      }
      lane.pages = decrypted
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
