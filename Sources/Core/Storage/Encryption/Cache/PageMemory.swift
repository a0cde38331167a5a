import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Address space for all data of an encrypted file, with memory only for the parts in use.
///
/// If the system supports it, the memory of runs that are no longer needed moves to runs that are
/// decrypted next: zeroing new memory takes a fifth as long as decrypting.
///
/// Invariant: the runs in `spare` hold nothing that is needed, unless they were written to since.
@safe
final class PageMemory {
  /// Bytes of a run: the size of a large memory page, if the system has them. ``base`` is a multiple of it.
  static let runByteCount = 2 << 20
  /// Bytes of the system's memory pages; at least those of a page of the file.
  static let systemPageByteCount = max(
    EncryptedLayout.pageByteCount, sysconf(Int32(_SC_PAGESIZE)))

  let base: UnsafeMutableRawPointer
  /// The reserved address space. It is larger than needed, so that ``base`` can be aligned.
  private let reservation: UnsafeMutableRawBufferPointer
  /// Maximum number of runs whose memory is kept for reuse: 8, which is 16 MB, or 0.
  private let spareLimit: Int
  /// Indices of runs whose memory may be reused.
  private var spare: [Int] = []

  /// - Parameters:
  ///   - count: usable bytes from ``base`` on.
  ///   - movesRuns: whether to keep the memory of runs for reuse.
  /// - Throws: `inputOutput` if the system cannot reserve the address space.
  init(count: Int, movesRuns: Bool = true) throws(RealmFileError) {
    spareLimit = movesRuns ? 8 : 0
    let run = PageMemory.runByteCount
    let whole = (count + run - 1) / run * run
    let place = unsafe mmap(
      nil, whole + run, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let place = unsafe place, unsafe place != MAP_FAILED else { throw PageMemory.failure }
    unsafe reservation = UnsafeMutableRawBufferPointer(start: place, count: whole + run)
    unsafe base = place.alignedUp(toMultipleOf: run)
  }

  deinit { unsafe munmap(reservation.baseAddress, reservation.count) }

  /// Provides memory for `run`, whose pages are about to be decrypted.
  ///
  /// - Parameter isNeeded: whether a run holds anything that must stay.
  /// - Throws: `inputOutput` if the system withdrew the address space.
  func prepare(run: Int, isNeeded: (Int) -> Bool) throws(RealmFileError) {
    spare.removeAll { $0 == run || isNeeded($0) }
    let place = unsafe base + run * PageMemory.runByteCount
    if !isNeeded(run), let other = spare.popLast() {
      let from = unsafe base + other * PageMemory.runByteCount
      let moved = unsafe csystem_move_memory(from, place, PageMemory.runByteCount)
      guard moved >= 0 else { throw PageMemory.failure }
      if moved > 0 { return }
    }
    unsafe csystem_want_large_pages(place, PageMemory.runByteCount)
  }

  /// Returns the memory of `range`, in bytes from ``base``, to the system. The range consists of whole memory pages
  /// and holds nothing that is needed.
  func discard(_ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      let run = start / PageMemory.runByteCount
      let runEnd = (run + 1) * PageMemory.runByteCount
      let end = min(range.upperBound, runEnd)
      let isWhole = start % PageMemory.runByteCount == 0 && end == runEnd
      if isWhole, spare.count < spareLimit, !spare.contains(run) {
        spare.append(run)
      } else {
        giveBack(start..<end)
      }
      start = end
    }
  }

  private func giveBack(_ range: Range<Int>) {
    unsafe csystem_give_back(base + range.lowerBound, range.count)
  }

  private static var failure: RealmFileError {
    RealmFileError(.inputOutput(SystemError(errno, "reserve memory for decryption")))
  }
}
