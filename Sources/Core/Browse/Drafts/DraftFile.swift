package import RealmStorage

/// Where a draft is kept while it is not saved: a patch in the state folder, one for each realm. Only drafts of plain realms are
/// kept, because the file is not encrypted.
package struct DraftFile: Sendable {
  let path: String

  /// - Parameters:
  ///   - folder: the absolute path of the user's state folder for programs, such as `~/.local/state`.
  ///   - realm: the path of the realm.
  /// - Throws: the errors of the digest.
  package init(stateFolder folder: String, realm: String) throws(RealmFileError) {
    let realm = Folder.absolutePath(realm)
    let digest = try SHA256.digest(of: Array(realm.utf8)).prefix(16)
    let name = realm.split(separator: "/").last ?? "realm"
    path = "\(folder)/realm-cli/drafts/\(name)-\(digest).patch"
  }

  /// The patch; nil if there is none.
  ///
  /// - Throws: the errors of reading the file.
  func read() throws(RealmFileError) -> [UInt8]? {
    guard OutputFile.exists(path) else { return nil }
    let file = try InputFile.open(path)
    return try file.read(at: 0, count: try file.size())
  }

  /// Replaces the patch as a whole.
  ///
  /// - Throws: the errors of writing the file.
  func write(_ patch: [UInt8]) throws(RealmFileError) {
    try PrivateFolder.make(path.split(separator: "/").dropLast())
    let file = try OutputFile(
      path: path, replacing: true, isInPlace: true, isPrivate: true, operations: .system)
    try file.write(patch)
    try file.publish()
  }

  /// Removes the patch, if there is one.
  ///
  /// - Throws: the errors of removing the file.
  func remove() throws(RealmFileError) { try FileRemoval().remove(path) }
}
