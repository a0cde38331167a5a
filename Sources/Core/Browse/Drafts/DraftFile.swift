package import RealmStorage

/// Where a draft is kept while it is not saved: a patch in the state folder, one for each realm, and beside it the plan for the
/// schema. Only those of plain realms are kept, because the files are not encrypted.
package struct DraftFile: Sendable {
  let path: String

  /// - Parameters:
  ///   - folder: the absolute path of the state folder of realm-cli, such as `~/.local/state/realm-cli`.
  ///   - realm: the path of the realm.
  ///   - ending: the ending of the file's name: `yml` for a plan.
  /// - Throws: the errors of the digest.
  package init(
    stateFolder folder: String, realm: String, ending: String = "patch"
  ) throws(RealmFileError) {
    let realm = Folder.absolutePath(realm)
    let digest = try SHA256.digest(of: Array(realm.utf8)).prefix(16)
    let name = realm.split(separator: "/").last ?? "realm"
    path = "\(folder)/drafts/\(name)-\(digest).\(ending)"
  }

  /// The content of the file; nil if there is none.
  ///
  /// - Throws: the errors of reading the file.
  func read() throws(RealmFileError) -> [UInt8]? {
    guard OutputFile.exists(path) else { return nil }
    let file = try InputFile.open(path)
    return try file.read(at: 0, count: try file.size())
  }

  /// Replaces the file as a whole.
  ///
  /// - Throws: the errors of writing the file.
  func write(_ content: [UInt8]) throws(RealmFileError) {
    try PrivateFolder.make(path.split(separator: "/").dropLast())
    let file = try OutputFile(
      path: path, replacing: true, isInPlace: true, isPrivate: true, operations: .system)
    try file.write(content)
    try file.publish()
  }

  /// Gives the file another name, under which it stays.
  ///
  /// - Returns: its path.
  /// - Throws: the errors of writing the file.
  func setAside() throws(RealmFileError) -> String {
    var number = 1
    while OutputFile.exists("\(path).\(number)") { number += 1 }
    let aside = "\(path).\(number)"
    let file = try OutputFile(
      path: aside, replacing: false, isPrivate: true, operations: .system)
    try file.write(try read() ?? [])
    try file.publish()
    try remove()
    return aside
  }

  /// Removes the file, if there is one.
  ///
  /// - Throws: the errors of removing the file.
  func remove() throws(RealmFileError) { try FileRemoval().remove(path) }
}
