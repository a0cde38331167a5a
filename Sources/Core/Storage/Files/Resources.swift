#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Resources that the system grants a process.
package enum Resources {
  /// Free bytes for files in the folder at `path`; nil if unknown.
  package static func freeByteCount(at path: String) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    let (bytes, isTooMuch) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return isTooMuch ? nil : bytes
  }

  /// Throws if there is not enough space for `byteCount` bytes of temporary copies.
  package static func checkTemporarySpace(_ byteCount: Int) throws(RealmFileError) {
    let folder = UnlinkedFile.folder
    guard let free = freeByteCount(at: folder), free < byteCount else { return }
    throw RealmFileError(
      .inputOutput(
        SystemError(
          ENOSPC,
          "keep temporary copies of \(byteCount) bytes where \(free) are free")), path: folder)
  }

  /// Throws if `folder`, which may not exist yet, has no space for `byteCount` bytes.
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

  /// Raises the limit of open files to the maximum: a backup opens one for each realm.
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

  /// Whether `name` matches a shell pattern, in which `*` also matches a slash.
  package static func matches(_ name: String, pattern: String) -> Bool {
    unsafe fnmatch(pattern, name, 0) == 0
  }
}
