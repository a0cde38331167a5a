#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A table with one number per page of a file, initially 0. Only the parts that were written take memory. Belongs
/// to one thread at a time.
@safe
final class PageTable<Number: FixedWidthInteger & BitwiseCopyable> {
  let count: Int
  let start: UnsafeMutablePointer<Number>

  /// - Throws: `inputOutput` if the system has no address space left.
  init(count: Int) throws(RealmFileError) {
    // A large allocation is a mapping of zeros, for which the system provides memory on the first write.
    let place = unsafe calloc(max(count, 1), MemoryLayout<Number>.stride)
    guard let place = unsafe place else {
      throw RealmFileError(.inputOutput(SystemError(ENOMEM, "reserve memory for decryption")))
    }
    self.count = count
    unsafe start = place.bindMemory(to: Number.self, capacity: max(count, 1))
  }

  deinit { unsafe free(start) }

  /// The number for `page`, which must be below ``count``.
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
