#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One number for each page of a file, zero at first. It takes memory only where it was written to.
/// Belongs to one thread at a time.
@safe
final class PageTable<Number: FixedWidthInteger & BitwiseCopyable> {
  let count: Int
  let start: UnsafeMutablePointer<Number>

  /// - Throws: `inputOutput` where the system has no address space left.
  init(count: Int) throws(RealmFileError) {
    // Large allocations are mappings of zeros, of which a page is made when it is first written to.
    let place = unsafe calloc(max(count, 1), MemoryLayout<Number>.stride)
    guard let place = unsafe place else {
      throw RealmFileError(.inputOutput(SystemError(ENOMEM, "reserve memory for decryption")))
    }
    self.count = count
    unsafe start = place.bindMemory(to: Number.self, capacity: max(count, 1))
  }

  deinit { unsafe free(start) }

  /// The number of `page`, which must be below ``count``.
  @inline(__always)
  subscript(page: Int) -> Number {
    get {
      precondition(page >= 0 && page < count)
      return unsafe start[page]
    }
    set {
      precondition(page >= 0 && page < count)
      unsafe start[page] = newValue
    }
  }
}
