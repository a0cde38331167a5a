import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage

/// A version of a realm that a job changes, and the options of the result. One of formats 2 to 9 is first upgraded into an
/// unlinked file.
struct ChangedRealm {
  let realm: Realm
  let building: RealmBuilder.Request
  /// Whether the changes belong into the history of a sync client.
  let isSynced: Bool
  /// What the upgrade of a realm of formats 2 to 9 left out; nil for later formats.
  let legacy: LegacyLosses?

  /// - Parameters:
  ///   - isInPlace: whether the result replaces the realm.
  ///   - jobs: number of threads.
  /// - Throws: `oldSyncHistory`, `oldSyncedFormat`, `serverRealm` and `outOfRealmHistory`; `needsUpgrade`; `halfUpgraded`;
  ///   ``RebuildError`` for objects of formats 2 to 9 that no realm of the current format can hold; the errors of reading and
  ///   writing a realm.
  init(_ snapshot: Snapshot, _ formats: FormatChoice, isInPlace: Bool, jobs: Int) throws {
    isSynced = try !snapshot.isLegacy && SyncedTarget.takesChanges(snapshot)
    let stored = try ReadableRealm(snapshot)
    let format = try formats.format(for: snapshot, isInPlace: isInPlace)
    switch stored {
    case .current(let current): (realm, legacy) = (current, nil)
    case .legacy(let older):
      do {
        let upgrade = try LegacyRebuild(older, jobs: jobs)
        (realm, legacy) = (try upgrade.staged(key: snapshot.key) { _, _ in }, upgrade.losses)
      } catch {
        throw error.adding(path: snapshot.path)
      }
    }
    building = try RealmBuilder.Request(after: snapshot, legacy == nil ? realm : nil, format)
  }
}
