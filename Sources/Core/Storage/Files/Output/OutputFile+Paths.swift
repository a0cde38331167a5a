#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Inspects paths. All checks except ``exists(_:)`` follow symbolic links.
extension OutputFile {
  /// Whether anything exists at `path`, including a dangling link.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Whether `path` is a regular file.
  package static func isRegular(_ path: String) -> Bool { type(of: path) == S_IFREG }

  /// Whether `path` is a folder.
  package static func isFolder(_ path: String) -> Bool { type(of: path) == S_IFDIR }

  /// Whether `path` can only be written in order: a pipe or a device.
  package static func isStream(_ path: String) -> Bool {
    type(of: path).map { $0 != S_IFREG && $0 != S_IFDIR } ?? false
  }

  /// Whether only its owner has access to the file at `path`.
  package static func isPrivate(_ path: String) -> Bool {
    status(of: path).map { $0.st_mode & 0o077 == 0 } ?? false
  }

  private static func type(of path: String) -> mode_t? {
    status(of: path).map { $0.st_mode & S_IFMT }
  }

  /// The result of `stat`; nil if nothing exists at `path`.
  static func status(of path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Whether two paths refer to the same file; false if one does not exist.
  package static func isSameFile(_ a: String, _ b: String) -> Bool {
    guard let a = status(of: a), let b = status(of: b) else { return false }
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino
  }

  /// Whether outputs at two paths would be the same file, which may not exist yet.
  package static func isSameTarget(_ a: String, _ b: String) -> Bool {
    if isSameFile(a, b) { return true }
    guard let a = try? followingLinks(a), let b = try? followingLinks(b),
      isSameFile(folder(of: a), folder(of: b))
    else { return false }
    return a.split(separator: "/").last == b.split(separator: "/").last
  }

  /// The path that the symbolic link at `path` refers to, even if nothing exists there; `path` itself if it is
  /// not a link.
  ///
  /// - Throws: `cannotCreate` for a cycle of links.
  static func followingLinks(_ path: String) throws(RealmFileError) -> String {
    var path = path
    // The same limit as Linux.
    for _ in 0..<40 {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe readlink(path, bytes.baseAddress!, bytes.count)
      }
      guard count >= 0 else { return path }
      let link = String(decoding: buffer[..<count], as: UTF8.self)
      path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
    }
    throw RealmFileError(.cannotCreate(SystemError(ELOOP, "create the file")), path: path)
  }

  /// The folder that contains `path`.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
