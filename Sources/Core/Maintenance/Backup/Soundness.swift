import RealmModel
import RealmStorage

/// Whether a realm that goes into a backup, or comes out of one, is sound.
enum Soundness {
  /// Checks the realm in `file`: every node of it is read.
  ///
  /// - Throws: `damaged` with the first rule that it breaks; the errors of opening a realm.
  static func check(
    _ file: FileDescriptor, key: RealmKey?, jobs: Int
  ) throws(RealmFileError) {
    let snapshot = try Snapshot(path: file.path, key: key, access: .exclusive)
    _ = try FileBuilder(
      snapshot, top: FileBuilder.Top(openableCopyOf: snapshot), edits: NodeEdits(),
      into: try RealmOutput(.nowhere, key: nil)
    ).write { _ in }
    _ = try Realm(snapshot)
  }
}
