#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Removes files and folders that the user asked to remove.
package struct FileRemoval: Sendable {
  private let operations: FileOperations

  package init(operations: FileOperations = .system) { self.operations = operations }

  /// Removes the file, link (not its target), pipe, or folder with its content at `path`. Does nothing if
  /// nothing exists there.
  ///
  /// - Throws: `inputOutput`, with the path that could not be removed.
  package func remove(_ path: String) throws(RealmFileError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw RealmFileError(.inputOutput(SystemError(errno, "inspect the file")), path: path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return try perform(path) { unsafe unlink(path) }
    }
    let names: [String?]
    do throws(SystemError) {
      names = try Folder.names(in: path)
    } catch {
      throw RealmFileError(.inputOutput(error), path: path)
    }
    // A file whose name is not UTF-8 stays. The folder then cannot be removed, which is reported.
    for name in names.compactMap(\.self) { try remove(path + "/" + name) }
    try perform(path) { unsafe rmdir(path) }
  }

  private func perform(_ path: String, _ call: () -> Int32) throws(RealmFileError) {
    if case .failure(let error) = operations.run(.unlink, call), error.number != ENOENT {
      throw RealmFileError(
        .inputOutput(SystemError(error.number, "remove the file")), path: path)
    }
  }
}
