import Dispatch

/// Decrypts runs of pages on several threads, for a reader that comes to all of them.
///
/// Only pages that verify at once with their newest metadata are taken; what is wrong with another one
/// matters, and is found, when it is asked for.
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

  private static let laneCount = 4
  /// Half a megabyte in all: little enough to stay in a cache until it is read.
  private static let pagesPerLane = 32

  private let file: MappedFile
  /// Where the data of page 0 has its place; there is room for all wanted pages.
  private let memory: UnsafeMutableRawPointer
  private let lanes: [Lane]
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

  /// Decrypts the pages of a run from `first` on, but for those that `isDone` says are.
  ///
  /// - Returns: the pages that were decrypted.
  func decrypt(from first: Int, skipping isDone: (Int) -> Bool) -> [Int] {
    for (index, lane) in lanes.enumerated() {
      let start = min(end, first + index * ReadAhead.pagesPerLane)
      lane.pages = (start..<min(end, start + ReadAhead.pagesPerLane)).filter { !isDone($0) }
    }
    DispatchQueue.concurrentPerform(iterations: lanes.count) { index in
      let lane = lanes[index]
      lane.pages.removeAll { !decrypt($0, lane) }
    }
    return lanes.flatMap(\.pages)
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
