import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Resources that the system grants to this process.
package enum Resources {
  /// The free bytes on the file system of `path`; nil if unknown.
  package static func freeByteCount(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (bytes, isTooMuch) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return isTooMuch ? nil : bytes
  }

  /// Checks that there is space for `byteCount` bytes of temporary copies.
  ///
  /// - Throws: `inputOutput`, with the folder of temporary files as path.
  package static func checkTemporarySpace(_ byteCount: Int) throws(RealmFileError) {
    let folder = UnlinkedFile.folder
    guard let free = freeByteCount(at: folder), free < byteCount else { return }
    throw RealmFileError(
      .inputOutput(
        SystemError(ENOSPC, "store \(byteCount) bytes of temporary copies in \(free) free bytes")),
      path: folder)
  }

  /// Checks that `folder`, which may not exist yet, has space for `byteCount` bytes.
  ///
  /// - Throws: `inputOutput`, with the folder as path.
  package static func checkSpace(_ byteCount: Int, in folder: String) throws(RealmFileError) {
    var existing = folder
    while !OutputFile.exists(existing), existing != ".", existing != "/" {
      existing = OutputFile.folder(of: existing)
    }
    guard let free = freeByteCount(at: existing), free < byteCount else { return }
    throw RealmFileError(
      .inputOutput(SystemError(ENOSPC, "write \(byteCount) bytes to \(free) free bytes")),
      path: folder)
  }

  /// The bytes of memory that this process may use: those of the machine, or fewer if its control group has a limit.
  package static let memoryByteCount: Int = {
    let pages = Int(clamping: sysconf(Int32(_SC_PHYS_PAGES)))
    let machine = max(0, pages) * max(0, Int(clamping: sysconf(Int32(_SC_PAGESIZE))))
    let group = Int(csystem_memory_limit())
    return group < 0 ? machine : min(machine, group)
  }()

  /// Raises the limit of open files to the maximum, because a backup opens one for each realm.
  package static func allowManyFiles() { csystem_allow_many_files() }
}
