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
  ///   - schemaVersion: the schema version of the result; nil for that of the realm.
  ///   - jobs: number of threads.
  /// - Throws: `halfUpgraded`, `damaged`; the errors of an encrypted realm.
  init(
    _ snapshot: Snapshot, schemaVersion: UInt64? = nil, jobs: Int
  ) throws(JobError) {
    let realm = try inJob(LegacyRealm(snapshot))
    let schema = realm.schema
    let source = LegacySource(
      realm, .forRebuild, classes: schema.topLevelClasses + schema.keptInternalClasses)
    var building = RealmBuilder.Request()
    building.schemaVersion =
      if let schemaVersion { schemaVersion } else { try inJob(realm.schemaVersion()) }
    building.jobs = jobs
    self.schemaVersion = building.schemaVersion
    objects = ObjectRebuild(from: source, building) { _ in }
    var losses = LegacyLosses()
    let kind = try inJob(HistoryKind(of: snapshot.top))
    losses.syncHistory = kind == .syncClient || kind == .syncServer ? kind : nil
    losses.objectIdColumns = realm.hidden.objectIds
    losses.hiddenColumns = realm.hidden.hidden
    losses.emptyColumns = realm.hidden.empty
    self.losses = losses
  }
}
