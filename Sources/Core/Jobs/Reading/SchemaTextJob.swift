public import RealmInterchange
import RealmModel
public import RealmStorage

/// Writes the schema of a realm in one of the formats of `schema show`.
public struct SchemaTextJob: Sendable {
  private let path: String
  private let key: RealmKey?
  private let version: Snapshot.Version
  private let cacheByteCount: Int
  private let format: SchemaTextFormat
  private let tables: TableOptions

  /// - Parameter cacheByteCount: maximum bytes of decrypted pages of an encrypted realm that are
  ///   cached.
  /// - Parameter tables: the tables that the classes of other libraries describe.
  public init(
    path: String, key: RealmKey?, version: Snapshot.Version = .latest,
    cacheByteCount: Int = Snapshot.usualCacheByteCount, format: SchemaTextFormat,
    tables: TableOptions = TableOptions()
  ) {
    (self.path, self.key, self.version, self.format) = (path, key, version, format)
    (self.cacheByteCount, self.tables) = (cacheByteCount, tables)
  }

  /// The output, and whether the realm is encrypted.
  ///
  /// - Throws: the errors of opening a realm; `damaged`; `changedWhileReading`.
  public func run() throws -> (text: [UInt8], isEncrypted: Bool) {
    try text()
  }

  private func text() throws(RealmFileError) -> (text: [UInt8], isEncrypted: Bool) {
    try Snapshot.withBriefSnapshot(
      path: path, key: key, version: version, cacheByteCount: cacheByteCount
    ) {
      (snapshot) throws(RealmFileError) in
      let realm = try ReadableRealm(snapshot)
      let facts = TableFacts(
        options: tables, schemaVersion: try realm.schemaVersion(),
        hasUniqueKeys: !snapshot.isLegacy)
      let text = try format.text(realm.schema, tables: facts) { realm.origins(ofLinksTo: $0) }
      return (text, snapshot.isEncrypted)
    }
  }
}
