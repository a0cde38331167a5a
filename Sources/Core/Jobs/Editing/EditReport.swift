public import RealmMigration

/// The result of ``UpdateJob`` or ``DeleteJob``, or what it would be without a dry run.
public struct EditReport: Sendable {
  /// Path of the realm.
  public var path: String
  public var className: String
  /// Number of objects that the query found.
  public var found: Int
  /// Number of objects that got another value of a property, or that were deleted.
  public var changed: Int
  /// Number of embedded objects that were deleted with their owners.
  public var embedded = 0
  /// The number of objects that the caller expected to change; nil for any number.
  public var expected: Int?
  /// The first objects before and after, in the order of their keys.
  public var samples: [MigrationSample] = []
  /// Number of changesets that the client of a synced realm uploads; nil for other realms.
  public var changesets: Int?
  /// Nil if nothing was written: another number of objects was expected, or none changed and the realm would have
  /// replaced itself.
  public var rewrite: RewriteReport?
  public var isDryRun: Bool
  /// What the upgrade of a realm of formats 2 to 9 left out; nil for later formats, and if nothing was written.
  public var legacy: LegacyLosses?

  /// Whether as many objects changed as the caller expected.
  public var isExpected: Bool { expected.map { $0 == changed } ?? true }
}
