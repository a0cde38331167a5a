internal import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory for reading, for as long as the object lives.
///
/// Invariant 1: `count` bytes from `base` are mapped. A file that another process cuts short leaves
/// zeros where its pages were and sets ``wasCut``, instead of ending the process with a signal.
@safe
package final class MappedFile: @unchecked Sendable {
  package let base: UnsafeRawPointer
  package let count: Int
  private let slot: Int32

  /// Maps `count` bytes of the open file `descriptor`, which may be closed afterwards.
  ///
  /// - Parameter count: at least 1; the size of the file as `fstat` told it.
  /// - Throws: `inputOutput` where the system refuses the mapping.
  package init(descriptor: Int32, count: Int) throws(RealmFileError) {
    let start = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw RealmFileError(.inputOutput(SystemError(errno, "map the file")))
    }
    unsafe base = UnsafeRawPointer(start)
    self.count = count
    slot = unsafe cmapping_register(start, count)
  }

  deinit {
    cmapping_unregister(slot)
    unsafe munmap(UnsafeMutableRawPointer(mutating: base), count)
  }

  /// True once a page was touched that the file no longer has.
  package var wasCut: Bool { cmapping_was_cut(slot) != 0 }
}
