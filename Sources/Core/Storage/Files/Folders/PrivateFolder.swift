#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Folders for files that only the user may read, such as those in the state folder.
package enum PrivateFolder {
  /// Creates the folders of an absolute path that do not exist.
  ///
  /// - Parameter parts: the names between the slashes.
  /// - Throws: `cannotCreate`, with the path.
  package static func make(_ parts: some Sequence<Substring>) throws(RealmFileError) {
    var folder = ""
    for part in parts {
      folder += "/" + part
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST || OutputFile.isFolder(folder)
      else {
        throw RealmFileError(.cannotCreate(SystemError(errno, "create the folder")), path: folder)
      }
    }
  }
}
