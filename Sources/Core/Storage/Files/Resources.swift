#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the system allows a process to use.
package enum Resources {
  /// Bytes that files in the folder at `path` can still take; nil where that is unknown.
  package static func freeByteCount(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (bytes, isTooMuch) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return isTooMuch ? nil : bytes
  }

  /// The error where they do not suffice for the temporary copies.
  package static func checkTemporarySpace(_ byteCount: Int) throws(RealmFileError) {
    let folder = UnlinkedFile.folder
    guard let free = freeByteCount(at: folder), free < byteCount else { return }
    throw RealmFileError(
      .inputOutput(
        SystemError(
          ENOSPC,
          "keep temporary copies of \(byteCount) bytes where \(free) are free; TMPDIR names "
            + "another folder")), path: folder)
  }

  /// The error where files of `byteCount` bytes have no room in `folder`, which may not be there yet.
  package static func checkSpace(_ byteCount: Int, in folder: String) throws(RealmFileError) {
    var existing = folder
    while !OutputFile.exists(existing), existing != ".", existing != "/" {
      existing = OutputFile.folder(of: existing)
    }
    guard let free = freeByteCount(at: existing), free < byteCount else { return }
    throw RealmFileError(
      .inputOutput(SystemError(ENOSPC, "write \(byteCount) bytes where \(free) are free")),
      path: folder)
  }

  /// Allows as many open files as the system does: a backup has one for each realm.
  package static func allowManyFiles() {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 1 << 16)
    _ = unsafe setrlimit(resource, &limit)
  }

  /// Whether `name` fits a pattern of the shell, in which `*` stands for a slash too.
  package static func matches(_ name: String, pattern: String) -> Bool {
    unsafe fnmatch(pattern, name, 0) == 0
  }
}
