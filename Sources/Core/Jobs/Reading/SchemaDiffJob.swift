import RealmInterchange
public import RealmModel
public import RealmStorage

/// Compares two schemas, each of a realm or of a file in the notation of Realm JS.
public struct SchemaDiffJob: Sendable {
  /// One side of a comparison.
  public struct Side: Sendable {
    public let path: String
    public let schema: ObjectSchema
    /// The schema version of a realm; nil for a realm without one, and for a schema file.
    public let version: UInt64?
  }

  public struct Report: Sendable {
    public let from: Side
    public let to: Side
    public let changes: [SchemaChange]
  }

  private let paths: (from: String, to: String)
  private let cacheByteCount: Int

  /// - Parameter cacheByteCount: maximum bytes of decrypted pages of an encrypted realm that are
  ///   cached.
  public init(from: String, to: String, cacheByteCount: Int = Snapshot.usualCacheByteCount) {
    paths = (from, to)
    self.cacheByteCount = cacheByteCount
  }

  /// - Throws: the errors of opening a realm; `damaged`; ``ImportError`` for a schema file that is wrong.
  public func run(keys: some RealmKeySource) throws -> Report {
    let from = try side(paths.from, keys)
    let to = try side(paths.to, keys)
    return Report(
      from: from, to: to, changes: SchemaComparison(from: from.schema, to: to.schema).changes)
  }

  private func side(_ path: String, _ keys: some RealmKeySource) throws -> Side {
    if let schema = try SchemaFile.readIfText(path: path) {
      return Side(path: path, schema: schema, version: nil)
    }
    return try keys.open(path) { (key) in
      try realm(path, key)
    }
  }

  private func realm(_ path: String, _ key: RealmKey?) throws(RealmFileError) -> Side {
    try Snapshot.withBriefSnapshot(path: path, key: key, cacheByteCount: cacheByteCount) {
      (snapshot) throws(RealmFileError) in
      let realm = try ReadableRealm(snapshot)
      return Side(path: path, schema: realm.schema, version: try realm.schemaVersion())
    }
  }
}
