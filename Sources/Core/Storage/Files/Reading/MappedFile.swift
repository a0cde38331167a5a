import CMapping

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file mapped into memory for reading. The mapping lives as long as the object.
///
/// Invariant 1: `count` bytes from `base` are mapped. If another process truncates the file, lost pages read as
/// zeros and ``cutOffset`` is set while the ``FaultGuard`` is on; with the guard off, reading them ends the
/// process.
@safe
package final class MappedFile: @unchecked Sendable {
  package let base: UnsafeRawPointer
  package let count: Int
  /// The slot in the table of the guard; -1 if there is none.
  private let slot: Int32

  /// Maps `count` bytes of the open file `descriptor`, which may be closed afterwards.
  ///
  /// - Parameter count: at least 1; the size of the file from `fstat`.
  /// - Throws: `inputOutput` if the system rejects the mapping, or if the guard already watches as many files as
  ///   it can.
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

  /// The byte offset of a page that could not be read, because the file was truncated or the disk failed; nil
  /// if there is none.
  var cutOffset: Int? {
    let cut = cmapping_cut(slot)
    return cut == 0 ? nil : Int(cut - 1)
  }
}
