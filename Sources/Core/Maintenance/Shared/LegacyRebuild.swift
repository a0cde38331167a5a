import RealmLegacy
import RealmModel
import RealmStorage
public import RealmSync

/// What a realm of formats 2 to 9 has that a rebuilt one does not have.
public struct LegacyLosses: Sendable, Equatable {
  /// The history, which was left out; changes in it that were not uploaded stay in the objects. Nil for a
  /// local realm, whose history other processes need only while they write.
  public var syncHistory: HistoryKind?
  /// Columns `!OID` with object keys of sync.
  public var objectIdColumns = 0
  /// Other columns that SDKs hide.
  public var hiddenColumns = 0
  /// Columns of tables without columns.
  public var emptyColumns = 0
}

/// Writes a realm of format 24 from a realm of formats 2 to 9. Every class stays.
struct LegacyRebuild {
  let objects: ObjectRebuild
  let losses: LegacyLosses
  /// The schema version of the result; nil if the app set none.
  let schemaVersion: UInt64?

  /// - Parameters:
  ///   - classes: positions of the classes whose objects are written; nil for all. The others stay empty.
  ///   - schemaVersion: the schema version of the result; nil for that of the realm.
  ///   - isTemporary: whether the result is read once and dropped, so objects of a class may have the same
  ///     primary key.
  ///   - jobs: number of threads.
  /// - Throws: `damaged` if the schema version cannot be read; the errors of an encrypted realm.
  init(
    _ realm: LegacyRealm, classes: Set<Int>? = nil, schemaVersion: UInt64? = nil,
    isTemporary: Bool = false, jobs: Int
  ) throws(JobError) {
    let schema = realm.schema
    let source = LegacySource(
      realm, .forRebuild,
      classes: (schema.topLevelClasses + schema.keptInternalClasses()).filter {
        classes?.contains($0) ?? true
      })
    var building = RealmBuilder.Request()
    building.schemaVersion =
      if let schemaVersion { schemaVersion } else { try inJob(realm.schemaVersion()) }
    building.allowsDuplicateKeys = isTemporary
    building.jobs = jobs
    self.schemaVersion = building.schemaVersion
    objects = ObjectRebuild(from: source, building) { _ in }
    var losses = LegacyLosses()
    let kind = try inJob(HistoryKind(of: realm.snapshot.top))
    losses.syncHistory = kind == .syncClient || kind == .syncServer ? kind : nil
    losses.objectIdColumns = realm.hidden.objectIds
    losses.hiddenColumns = realm.hidden.hidden
    losses.emptyColumns = realm.hidden.empty
    self.losses = losses
  }
}
