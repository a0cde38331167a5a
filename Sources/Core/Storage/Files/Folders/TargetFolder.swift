import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder to which files are written.
package enum TargetFolder {
  /// Creates the folder `base` and in it the path `relative`, whose components the caller has checked. Links
  /// inside of `base` are not followed, because they may lead out of it.
  ///
  /// - Parameter created: receives the created folders.
  /// - Throws: `cannotCreate`, with the path; also if a link or a file is in the way.
  package static func make(
    _ relative: [String], in base: String, created: CreatedFolders
  ) throws(RealmFileError) {
    if !OutputFile.isFolder(base) { try created.make(base) }
    var path = base
    for name in relative {
      path += "/" + name
      var status = stat()
      if unsafe lstat(path, &status) != 0 {
        try created.make(path)
      } else if status.st_mode & S_IFMT != S_IFDIR {
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        throw RealmFileError(
          .cannotCreate(SystemError(isLink ? ELOOP : ENOTDIR, "use this as a folder")), path: path)
      }
    }
  }

  /// Whether `path` is a symbolic link.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// The names in the folder at `path` except those of hidden files, sorted by their bytes.
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

/// The folders that a job created. Unless ``keep()`` is called, those that are empty when the process ends are
/// removed.
package final class CreatedFolders {
  /// The folders, the outermost first, each with its slot in the table of unfinished files.
  private var folders: [(path: String, slot: Int32)] = []

  package init() {}

  fileprivate func make(_ path: String) throws(RealmFileError) {
    guard unsafe mkdir(path, 0o777) == 0 else {
      throw RealmFileError(.cannotCreate(SystemError(errno, "create the folder")), path: path)
    }
    // Not registered earlier, because another process may have created the folder.
    folders.append((path, unsafe csystem_register_unfinished(path)))
  }

  /// Removes the folders that are empty. One that still contains an unfinished file is removed when the process
  /// ends.
  package func removeEmpty() {
    folders = folders.reversed().filter { folder in
      guard unsafe rmdir(folder.path) == 0 else { return true }
      csystem_forget_unfinished(folder.slot)
      return false
    }.reversed()
  }

  /// Keeps the folders, even if a signal ends the process.
  package func keep() {
    for folder in folders { csystem_forget_unfinished(folder.slot) }
    folders = []
  }
}
