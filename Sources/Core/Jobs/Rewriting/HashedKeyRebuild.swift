import RealmBuilding
import RealmModel
import RealmStorage
import RealmSync

/// Writes a realm of format 20, whose libraries find an object with a primary key by an object key that is a hash of it
/// (chapter 3, sections 4.3 and 4.5). A builder takes objects in the order of their keys, so the objects are built as they
/// come, and built again in the order of the hashes if their keys differ.
struct HashedKeyRebuild {
  let format: FileFormat
  /// Encrypts the intermediate realm.
  let key: RealmKey?

  /// - Parameter build: writes the realm with any object keys.
  /// - Returns: the size of the realm in bytes.
  func write(
    into output: RealmOutput, _ build: (RealmOutput) throws -> Int
  ) throws -> Int {
    let file = try OutputFile(unlinkedBy: .system)
    _ = try build(try RealmOutput(.file(file), key: key))
    let realm = try Realm(try Snapshot(unlinked: file, key: key))
    let keys = try HashedKeys(of: realm)
    guard keys.differ else {
      return try FileBuilder(
        realm.snapshot, top: FileBuilder.Top(of: realm.snapshot), edits: NodeEdits(),
        into: output
      ).write { _ in }
    }
    var building = RealmBuilder.Request()
    (building.format, building.version) = (format, realm.snapshot.top.version)
    building.platform = try WriterPlatform(of: realm, for: format)
    building.schemaVersion = try realm.schemaVersion()
    building.collisions = keys.collisions
    building.tables = try KeptTables(of: realm)
    building.allowsMissingTargets = true
    return try ObjectRebuild(from: try HashedKeySource(realm, keys), building) { _ in }
      .write(into: output) { _, _ in }
  }
}
