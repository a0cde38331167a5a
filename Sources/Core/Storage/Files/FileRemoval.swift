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
    for name in try names(in: path) { try remove(path + "/" + name) }
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

  /// What is in a folder, without the folder itself and its parent.
  private func names(in folder: String) throws(RealmFileError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      throw RealmFileError(.inputOutput(SystemError(errno, "read the folder")), path: folder)
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        // The system ends the name with a zero inside the field.
        unsafe field.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)
        ) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
