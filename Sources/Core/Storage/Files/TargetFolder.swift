import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The folder that files are written to.
package enum TargetFolder {
  /// Creates `base` and the folders of `relative`, a path of checked components, inside it. Links
  /// inside `base` are not followed, because they may lead out of it.
  ///
  /// - Parameter created: receives the created folders.
  /// - Throws: `cannotCreate`, with the path, also if a link or a file is in the way.
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
          .cannotCreate(SystemError(isLink ? ELOOP : ENOTDIR, "restore into this")), path: path)
      }
    }
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

/// The folders that a job created. Those that are empty when the process ends are removed, unless they are
/// kept.
package final class CreatedFolders {
  /// The outermost first, each with its slot among the unfinished files.
  private var folders: [(path: String, slot: Int32)] = []

  package init() {}

  fileprivate func make(_ path: String) throws(RealmFileError) {
    guard unsafe mkdir(path, 0o777) == 0 else {
      throw RealmFileError(.cannotCreate(SystemError(errno, "make the folder")), path: path)
    }
    // Not before: another process may have made the folder.
    folders.append((path, unsafe csystem_register_unfinished(path)))
  }

  /// Removes the folders that are empty. One that still has an unfinished file is removed when the process
  /// ends.
  package func removeEmpty() {
    folders = folders.reversed().filter { folder in
      guard unsafe rmdir(folder.path) == 0 else { return true }
      csystem_forget_unfinished(folder.slot)
      return false
    }.reversed()
  }

  /// Lets the folders stay, whatever happens to the process.
  package func keep() {
    for folder in folders { csystem_forget_unfinished(folder.slot) }
    folders = []
  }
}
