import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage

/// Turns a version of formats 2 to 9 into a realm of format 24, without what is damaged.
///
/// What can be read is written as a realm of format 24 into an unlinked file, with defaults in place of lost values. From
/// there on, salvage reads a realm like any other.
struct LegacyConversion {
  let snapshot: Snapshot
  let losses: ConversionLosses

  /// - Throws: `damaged` if the list of tables cannot be read; `halfUpgraded`; errors that are not damage.
  init(
    _ chosen: SalvageRootSearch.Candidate, _ search: SalvageRootSearch
  ) throws(RealmFileError) {
    let image = try SalvageImage.open(
      search.file, chosen.root, chosen.walk, cacheByteCount: search.request.cacheByteCount)
    let realm =
      chosen.isSound ? try LegacyRealm(image) : try LegacyRealm(leavingOutDamageOf: image)
    let source = LegacySalvageSource(realm)
    var building = RealmBuilder.Request()
    building.allowsDuplicateKeys = true
    building.jobs = search.request.jobs
    var lostVersion: Finding?
    do throws(RealmFileError) {
      building.schemaVersion = try realm.schemaVersion()
    } catch {
      guard let finding = Finding(error) else { throw error }
      lostVersion = finding
    }
    snapshot = try LegacyConversion.build(source, building, search)
    losses = try ConversionLosses(
      realm, source.outcome, DoubtfulNodes(chosen.walk), lostVersion: lostVersion)
  }

  private static func build(
    _ source: LegacySalvageSource, _ building: RealmBuilder.Request, _ search: SalvageRootSearch
  ) throws(RealmFileError) -> Snapshot {
    let file = try OutputFile(unlinkedBy: .system)
    let builder = RealmBuilder(
      into: try RealmOutput(.file(file), key: search.file.key), building)
    do throws(RoadError<RealmFileError, BuildError>) {
      _ = try ObjectRoad(from: source, to: builder, jobs: building.jobs).run()
    } catch {
      switch error {
      case .source(let error): throw error
      case .sink(let error):
        if case .file(let error) = error.kind { throw error }
        throw RealmFileError(.nothingToSave("the objects cannot be converted: \(error)"))
      }
    }
    return try Snapshot(
      unlinked: file, key: search.file.key, cacheByteCount: search.request.cacheByteCount)
  }
}
