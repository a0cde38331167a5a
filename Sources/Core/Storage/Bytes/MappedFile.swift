internal import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory for reading, for as long as the object lives.
///
/// Invariant 1: `count` bytes from `base` are mapped. A file that another process cuts short leaves
/// zeros where its pages were and sets ``cutOffset`` where the ``FaultGuard`` is on; else reading there
/// ends the process.
@safe
package final class MappedFile: @unchecked Sendable {
  package let base: UnsafeRawPointer
  package let count: Int
  /// -1 where nothing watches the mapping.
  private let slot: Int32

  /// Maps `count` bytes of the open file `descriptor`, which may be closed afterwards.
  ///
  /// - Parameter count: at least 1; the size of the file as `fstat` told it.
  /// - Throws: `inputOutput` where the system refuses the mapping, or where the guard is on and as many
  ///   files are mapped already as it can watch.
  package init(descriptor: Int32, count: Int) throws(RealmFileError) {
    let start = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw RealmFileError(.inputOutput(SystemError(errno, "map the file")))
    }
    unsafe base = UnsafeRawPointer(start)
    self.count = count
    slot = unsafe cmapping_register(start, count)
    guard slot >= 0 || cmapping_is_installed() == 0 else {
      unsafe munmap(start, count)
      throw RealmFileError(.inputOutput(SystemError(EMFILE, "map the file")))
    }
  }

  deinit {
    cmapping_unregister(slot)
    unsafe munmap(UnsafeMutableRawPointer(mutating: base), count)
  }

  /// Byte offset of a page that was touched and could not be had: the file lost it, or the disk
  /// cannot read it. Nil while there was none.
  package var cutOffset: Int? {
    let cut = cmapping_cut(slot)
    return cut == 0 ? nil : Int(cut - 1)
  }
}
