import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage

/// Turns a version of formats 2 to 9 into a realm of format 24, without what is damaged.
///
/// The walk finds nodes that contradict each other, as in later formats. Readers of the old format then find leaves with
/// impossible values (`LegacyDoubts`). Such a leaf was overwritten, so other nodes in its blocks are doubtful too: the
/// walk is repeated without these blocks, until nothing new is found. What is left is written as a realm of format 24
/// into an unlinked file, with defaults in place of lost values. From there on, salvage reads a realm like any other.
struct LegacyConversion {
  /// The most repetitions. Each one except the last found more damage than the one before.
  private static let passLimit = 8

  let snapshot: Snapshot
  let losses: ConversionLosses

  /// - Parameter chosen: the version; its walk is repeated without the blocks that turn out to be damaged.
  /// - Throws: `damaged` if the list of tables cannot be read; `halfUpgraded`; errors that are not damage.
  init(
    _ chosen: inout SalvageRootSearch.Candidate, _ search: SalvageRootSearch
  ) throws(RealmFileError) {
    let (realm, found) = try LegacyConversion.judged(&chosen, search)
    let source = LegacySalvageSource(realm, doubtsText: chosen.walk.isDamaged)
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
      realm, source.outcome, DoubtfulNodes(chosen.walk), lostVersion: lostVersion, found: found)
  }

  /// Repeats the walk until no reader finds impossible values.
  ///
  /// - Returns: the realm, and the places of the tables of which a part was found without a ref to it.
  private static func judged(
    _ chosen: inout SalvageRootSearch.Candidate, _ search: SalvageRootSearch
  ) throws(RealmFileError) -> (LegacyRealm, foundTables: Set<Int>) {
    let cacheByteCount = search.request.cacheByteCount
    guard !chosen.isSound else {
      let snapshot = try SalvageImage.open(
        search.file, chosen.root, chosen.walk, cacheByteCount: cacheByteCount)
      return (try LegacyRealm(snapshot), [])
    }
    let signs = search.signs ?? SectorSigns()
    var pass = 1
    while true {
      let repairs = try LegacyTableRepair.run(
        try search.file.makeReader(), chosen.root, search.roots.roots, &chosen.walk)
      let snapshot = try SalvageImage.open(
        search.file, chosen.root, chosen.walk, repairs, cacheByteCount: cacheByteCount)
      let realm = try LegacyRealm(
        leavingOutDamageOf: snapshot, isDamaged: chosen.walk.isDamaged)
      let tables = repairs?.foundTables ?? []
      guard pass < passLimit else { return (realm, tables) }
      let source = LegacySalvageSource(realm, doubtsText: chosen.walk.isDamaged)
      let found = try source.impossibleNodes().filter { chosen.walk.isTrusted($0.key) }
      guard !found.isEmpty else { return (realm, tables) }
      let sectors = try chosen.walk.sectors(of: found)
      chosen.walk = DamageWalk(
        chosen.root, try search.file.makeReader(), signs: signs, deadSectors: sectors)
      try chosen.walk.run()
      pass += 1
    }
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

extension DamageWalk {
  /// The dead sectors, and those in which nodes were overwritten.
  ///
  /// - Parameter found: the rules that trusted nodes break. If it is about the header of a node that extends over several
  ///   sectors, the first sector is damaged; otherwise the header is fine, and with it this sector.
  fileprivate func sectors(of found: [Ref: Rule]) throws(RealmFileError) -> BitSet {
    var sectors = deadSectors
    for (ref, rule) in found {
      let all = self.sectors(try nodes.lookUp(ref).extent)
      switch rule {
      case _ where all.count == 1: _ = sectors.insert(all)
      case .leafTerminator, .leafShortString, .linkDangling, .leafTimestamp,
        .leafStringOffsets, .leafEnumeration, .leafBool, .leafNullValue, .mixedType, .mixedIndex,
        .storageNodeOverlap:
        _ = sectors.insert(all.dropFirst())
      default: _ = sectors.insert(all.lowerBound)
      }
    }
    return sectors
  }
}
