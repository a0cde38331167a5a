internal import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Address space for all the data of an encrypted file, with memory behind those parts that are in use.
///
/// Memory of runs that are not needed any more is moved to those that are decrypted next, where the
/// system can do that: filling new memory with zeros takes it a fifth of the time of decryption.
///
/// Invariant: `spare` are runs in which nothing is needed, unless it was written there since.
@safe
final class PageMemory {
  /// Bytes of a run: a large page of memory where there are such. ``base`` is a multiple of it.
  static let runByteCount = 2 << 20
  /// Unit of memory of the system in bytes; at least a page of the file.
  static let systemPageByteCount = max(
    EncryptedLayout.pageByteCount, sysconf(Int32(_SC_PAGESIZE)))

  let base: UnsafeMutableRawPointer
  /// What was asked of the system: a little more, so that ``base`` is what it is.
  private let reservation: UnsafeMutableRawBufferPointer
  /// Runs whose memory is kept to be moved: 16 MB, or none.
  private let spareLimit: Int
  /// Numbers of runs that have memory which may be moved.
  private var spare: [Int] = []

  /// - Parameters:
  ///   - count: bytes from ``base`` on.
  ///   - movesRuns: whether the memory of runs is kept for others.
  /// - Throws: `inputOutput` where the address space cannot be had.
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

  /// Sees to memory for run `run`, which nothing is in, or something that `isNeeded` knows.
  ///
  /// - Parameter isNeeded: whether there is anything in a run that must stay.
  /// - Throws: `inputOutput` where the system has taken the address space away.
  func prepare(run: Int, isNeeded: (Int) -> Bool) throws(RealmFileError) {
    spare.removeAll { $0 == run || isNeeded($0) }
    let place = unsafe base + run * PageMemory.runByteCount
    if !isNeeded(run), let other = spare.popLast() {
      let from = unsafe base + other * PageMemory.runByteCount
      let moved = unsafe csystem_move_memory(from, place, PageMemory.runByteCount)
      guard moved >= 0 else { throw PageMemory.failure }
      if moved > 0 { return }
    }
    // One large page takes a fraction of the time of a fault for each small one. It is no more than a
    // hint: systems that cannot do it are not told apart.
    #if os(Linux)
      unsafe madvise(place, PageMemory.runByteCount, MADV_HUGEPAGE)
    #endif
  }

  /// Gives back the memory of `range`, bytes from ``base`` on, in which nothing is needed: multiples of
  /// the system's pages.
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
    #if os(Linux)
      unsafe madvise(base + range.lowerBound, range.count, MADV_DONTNEED)
    #else
      unsafe madvise(base + range.lowerBound, range.count, MADV_FREE)
    #endif
  }

  private static var failure: RealmFileError {
    RealmFileError(.inputOutput(SystemError(errno, "reserve memory for decryption")))
  }
}
