#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads folders.
package enum Folder {
  /// `path` as an absolute path without symbolic links; unchanged if nothing exists there.
  package static func absolutePath(_ path: String) -> String {
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The names in the folder at `path` except `.` and `..`, in no particular order; nil for each name that is not
  /// UTF-8.
  package static func names(in path: String) throws(SystemError) -> [String?] {
    guard let stream = unsafe opendir(path) else { throw SystemError(errno, "read the folder") }
    defer { unsafe closedir(stream) }
    var names: [String?] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        // The name ends with a zero byte inside the field.
        unsafe field.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)
        ) { unsafe String(validatingCString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
