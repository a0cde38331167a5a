#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Removes files and folders, for a user who asked for it.
package struct FileRemoval: Sendable {
  private let operations: FileOperations

  package init(operations: FileOperations = .system) { self.operations = operations }

  /// Removes what is at `path`: a file, a link (not what it leads to), a pipe, or a folder with all
  /// that is in it. Nothing at all is fine.
  ///
  /// - Throws: `inputOutput`, with the path of what stays.
  package func remove(_ path: String) throws(RealmFileError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw RealmFileError(.inputOutput(SystemError(errno, "look at the file")), path: path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return try unlink(path) { Self.systemUnlink(path) }
    }
    let names: [String?]
    do throws(SystemError) {
      names = try Folder.names(in: path)
    } catch {
      throw RealmFileError(.inputOutput(error), path: path)
    }
    // What has no name in UTF-8 stays, and so does its folder, which is told.
    for name in names.compactMap(\.self) { try remove(path + "/" + name) }
    try unlink(path) { unsafe rmdir(path) }
  }

  private func unlink(_ path: String, _ call: () -> Int32) throws(RealmFileError) {
    if case .failure(let error) = operations.run(.unlink, call), error.number != ENOENT {
      throw RealmFileError(
        .inputOutput(SystemError(error.number, "remove the file")), path: path)
    }
  }

  private static func systemUnlink(_ path: String) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.unlink(path)
    #else
      unsafe Darwin.unlink(path)
    #endif
  }
}
