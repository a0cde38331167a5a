import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage
public import RealmSync

/// The parts of a realm of formats 2 to 9 that a rebuilt realm lacks.
public struct LegacyLosses: Sendable, Equatable {
  /// The history, which was left out; changes in it that were not uploaded stay in the objects. Nil for a
  /// local realm, whose history other processes need only while they write.
  public var syncHistory: HistoryKind?
  /// Entries of the history of a sync client; nil if they cannot be counted.
  public var historyEntries: Int?
  /// Changesets of the history that were not uploaded; nil if they cannot be counted.
  public var pendingChangesets: Int?
  /// Columns `!OID` with object keys of sync.
  public var objectIdColumns = 0
  /// Other columns that SDKs hide.
  public var hiddenColumns = 0
  /// Columns with subtables that have no columns.
  public var emptyColumns = 0
  /// Tables with the name of a table of the SDKs but other columns, if the realm has classes.
  public var internalTables = 0
}

/// Writes a realm of the current format, or of another one that can be built, from a realm of formats 2 to 9. Every class stays.
struct LegacyRebuild {
  let objects: ObjectRebuild
  let losses: LegacyLosses
  /// The schema version of the result; nil if the app set none.
  let schemaVersion: UInt64?

  /// - Parameters:
  ///   - building: the format and the version of the result.
  ///   - classes: positions of the classes whose objects are written; nil for all. The others stay empty.
  ///   - schemaVersion: the schema version of the result; nil to keep the one of the realm.
  ///   - isTemporary: whether the result is read once and dropped, so objects of a class may have the same
  ///     primary key.
  ///   - jobs: number of threads.
  /// - Throws: `damaged` if the schema version cannot be read; the errors of an encrypted realm.
  init(
    _ realm: LegacyRealm, _ building: RealmBuilder.Request = RealmBuilder.Request(),
    classes: Set<Int>? = nil, schemaVersion: UInt64? = nil,
    isTemporary: Bool = false, jobs: Int
  ) throws {
    let schema = realm.schema
    let source = LegacySource(
      realm, .forRebuild,
      classes: (schema.topLevelClasses + schema.keptInternalClasses()).filter {
        classes?.contains($0) ?? true
      })
    var building = building
    building.schemaVersion =
      if let schemaVersion { schemaVersion } else { try realm.schemaVersion() }
    building.allowsDuplicateKeys = isTemporary
    building.jobs = jobs
    self.schemaVersion = building.schemaVersion
    objects = ObjectRebuild(from: source, building) { _ in }
    var losses = LegacyLosses()
    let kind = try HistoryKind(of: realm.snapshot.top)
    losses.syncHistory = kind == .syncClient || kind == .syncServer ? kind : nil
    if kind == .syncClient { try losses.count(realm.snapshot) }
    losses.objectIdColumns = realm.hidden.objectIdColumns
    losses.hiddenColumns = realm.hidden.hiddenColumns
    losses.emptyColumns = realm.hidden.emptyColumns
    losses.internalTables = realm.hidden.internalTables
    self.losses = losses
  }

  /// Writes the result into an unlinked file.
  ///
  /// - Parameters:
  ///   - key: encrypts the file.
  ///   - progress: receives the number of objects done and the total.
  func staged(
    key: RealmKey?, _ progress: @escaping (Int, Int) -> Void
  ) throws -> Realm {
    let file = try OutputFile(unlinkedBy: .system)
    _ = try objects.write(into: try RealmOutput(.file(file), key: key), progress)
    return try Realm(Snapshot(unlinked: file, key: key))
  }
}

extension LegacyLosses {
  /// Counts the entries of the history. A damaged history is left out of the result like any other.
  fileprivate mutating func count(_ snapshot: Snapshot) throws(RealmFileError) {
    do throws(RealmFileError) {
      let history = try ClientHistory(snapshot)
      historyEntries = history?.entryCount ?? 0
      pendingChangesets = history?.pending.count ?? 0
    } catch {
      guard case .damaged = error.kind else { throw error }
    }
  }
}
