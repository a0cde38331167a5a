#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder that a backup is unpacked to.
package enum TargetFolder {
  /// Creates `base` and the folders of `relative`, a path of checked components, inside it. Links
  /// inside `base` are not followed, because they may lead out of it.
  ///
  /// - Parameter created: receives the created folders, the outermost first.
  /// - Throws: `cannotCreate`, with the path, also if a link or a file is in the way.
  package static func make(
    _ relative: [String], in base: String, created: inout [String]
  ) throws(RealmFileError) {
    if !OutputFile.isFolder(base) { try makeFolder(base, &created) }
    var path = base
    for name in relative {
      path += "/" + name
      var status = stat()
      if unsafe lstat(path, &status) != 0 {
        try makeFolder(path, &created)
      } else if status.st_mode & S_IFMT != S_IFDIR {
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        throw RealmFileError(
          .cannotCreate(SystemError(isLink ? ELOOP : ENOTDIR, "restore into this")), path: path)
      }
    }
  }

  private static func makeFolder(
    _ path: String, _ created: inout [String]
  ) throws(RealmFileError) {
    guard unsafe mkdir(path, 0o777) == 0 else {
      throw RealmFileError(.cannotCreate(SystemError(errno, "make the folder")), path: path)
    }
    created.append(path)
  }

  /// Removes the folders that ``make(_:in:created:)`` created, if they are empty.
  package static func remove(_ created: [String]) {
    for path in created.reversed() { _ = unsafe rmdir(path) }
  }

  /// Whether `path` is a symbolic link.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The names in the folder `path`, sorted by their bytes, without hidden files.
  ///
  /// - Throws: `unreadable`, with the path.
  package static func names(in path: String) throws(RealmFileError) -> [String] {
    let names: [String?]
    do throws(SystemError) {
      names = try Folder.names(in: path)
    } catch {
      throw RealmFileError(.unreadable(error), path: path)
    }
    return names.compactMap(\.self).filter { !$0.hasPrefix(".") }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }
}
