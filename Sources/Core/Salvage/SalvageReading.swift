package import RealmModel
package import RealmStorage

/// The version to salvage as a realm that can be opened, and what older versions add to the result.
///
/// 1. New nodes replace lost ones where other nodes have the same information: ``TableDonor``,
///    ``TableRecovery``.
/// 2. ``ClusterRecovery`` finds the objects of classes whose cluster tree is broken.
/// 3. If requested, ``OlderVersionSearch`` opens older versions, ``TableGraft`` takes lost tables
///    from them, and ``OlderObjects`` finds the objects to add.
///
/// A version of formats 2 to 9 is converted instead (``LegacyConversion``).
package struct SalvageReading {
  let search: SalvageRootSearch
  /// The version as it was found.
  let root: SalvageReport.Root
  /// The version with the lost nodes that were adopted.
  private(set) var chosen: SalvageRootSearch.Candidate
  private(set) var salvaged: SalvagedRealm
  /// The schema version; nil if the realm has none or it cannot be read.
  package let schemaVersion: UInt64?
  /// Why the schema version cannot be read; nil if it can.
  let lostVersion: Finding?
  /// The objects that the scan found; nil if nothing was looked for.
  private(set) var recovered: ClusterRecovery.Result?
  /// The nodes in place of lost ones; nil if nothing is lost.
  private(set) var repairs: SalvageImage.Repairs?
  /// What older versions add; nil for nothing.
  private(set) var older: OlderObjects?
  /// The numbers of the older versions that were read.
  private(set) var olderVersions: [Int] = []
  /// What the rules of the format say about the version; the rules are in a module that this one does not know.
  private(set) var contradictions: Contradictions

  /// Rules that the version breaks although each of its nodes can be read.
  package struct Contradictions: Sendable {
    /// The first ones.
    package var findings: [Finding]
    /// Number of all.
    package var count: Int

    package init(findings: [Finding] = [], count: Int = 0) {
      (self.findings, self.count) = (findings, count)
    }
  }

  /// - Throws: `damaged` if the tables cannot be read; `halfUpgraded` for a version of formats 2 to 9 with tables of
  ///   later formats; errors that are not damage.
  package init(
    _ search: SalvageRootSearch, _ chosen: SalvageRootSearch.Candidate,
    _ contradictions: Contradictions
  ) throws(RealmFileError) {
    (self.search, self.contradictions) = (search, contradictions)
    var chosen = chosen
    guard !chosen.root.isLegacy else {
      let conversion = try LegacyConversion(&chosen, search)
      salvaged = try SalvagedRealm(conversion.snapshot, conversion.losses)
      (self.chosen, root) = (chosen, chosen.chosenSummary)
      (recovered, repairs) = (nil, nil)
      (schemaVersion, lostVersion) = (
        try salvaged.realm.schemaVersion(), conversion.losses.version
      )
      return
    }
    try chosen.root.checkUpgrade(try search.file.makeReader())
    root = chosen.chosenSummary
    let image = try SalvageReading.image(&chosen, search)
    self.chosen = chosen
    salvaged = try SalvagedRealm(image.snapshot)
    (recovered, repairs) = (image.recovered, image.repairs)
    do throws(RealmFileError) {
      (schemaVersion, lostVersion) = (try salvaged.realm.schemaVersion(), nil)
    } catch {
      guard let finding = Finding(error) else { throw error }
      (schemaVersion, lostVersion) = (nil, finding)
    }
    // What is lost says why the rules are broken.
    if isDamaged { self.contradictions = Contradictions() }
    if search.request.needsOlderVersions {
      var lost = if let lost = image.lost { lost } else { try LostKeys(salvaged) }
      lost.note(salvaged)
      try addOlderVersions(lost)
    }
  }

  /// Whether anything is wrong with the realm.
  var isDamaged: Bool {
    chosen.walk.isDamaged || !salvaged.lostTables.isEmpty
      || !(salvaged.conversion?.isEmpty ?? true)
  }

  /// Whether values can be wrong: bytes are, or the version contradicts itself.
  var isDoubtful: Bool { isDamaged || contradictions.count > 0 }

  /// What the version shows of the platform that wrote it.
  ///
  /// - Throws: errors that are not damage.
  package func platform(for format: FileFormat) throws(RealmFileError) -> WriterPlatform {
    try WriterPlatform(of: salvaged.realm, for: format)
  }

  /// The most objects that a table can have lost if `kept` are in the result: those below nodes that
  /// cannot be read or have no place in the tree, and embedded objects without an owner. If the
  /// table's number of objects says more, it is wrong.
  ///
  /// - Throws: errors that are not damage.
  func lostLimit(of table: Table, kept: Int) throws(RealmFileError) -> Int {
    let survey = try ClusterSurvey(
      root: table.clusters, salvaged.realm.snapshot.makeReader())
    let unowned = table.kind == .embedded ? max(0, survey.objectCount - kept) : 0
    return (recovered?.lostLimits[table.key.slot] ?? 0).saturatingSum(survey.lostLimit)
      .saturatingSum(unowned)
  }

  private struct Image {
    let snapshot: Snapshot
    var recovered: ClusterRecovery.Result?
    var repairs: SalvageImage.Repairs?
    var lost: LostKeys?
  }

  /// Opens the realm as an image with everything that replaces lost nodes.
  private static func image(
    _ chosen: inout SalvageRootSearch.Candidate, _ search: SalvageRootSearch
  ) throws(RealmFileError) -> Image {
    let (file, request, root) = (search.file, search.request, chosen.root)
    var walk = chosen.walk
    func open(_ repairs: SalvageImage.Repairs?) throws(RealmFileError) -> Snapshot {
      try SalvageImage.open(file, root, walk, repairs, cacheByteCount: request.cacheByteCount)
    }
    var repairs = SalvageImage.Repairs(walk)
    if var elements = root.tableElements {
      try chosen.lostTables?.append(
        to: &elements, names: root.tableNames, try file.makeReader(), &walk, into: repairs.nodes)
      repairs.tables = repairs.nodes.append(
        refs: elements.map { $0 == 0 ? Int64(TableDonor.lostRef) : $0 })
    }
    if chosen.lostTables == nil, walk.isDamaged || root.origin == .rebuilt {
      try TableDonor.run(try file.makeReader(), root, &walk, &repairs)
    }
    chosen.walk = walk
    if root.tableNames == 0 { repairs.tableNames = repairs.nodes.append(integers: []) }
    var snapshot = try open(repairs)
    let isDamaged = walk.isDamaged || root.origin == .rebuilt
    if chosen.isSound { return Image(snapshot: snapshot) }
    if !isDamaged, try !TableRecovery.isNeeded(snapshot) { return Image(snapshot: snapshot) }
    let isListKnown = root.tableElements == nil
    if try TableRecovery.run(snapshot, isListKnown: isListKnown, &repairs) {
      snapshot = try open(repairs)
    }
    guard isDamaged else { return Image(snapshot: snapshot, repairs: repairs) }
    var lost = request.needsOlderVersions ? try LostKeys(try SalvagedRealm(snapshot)) : nil
    let mayLackTables = !isListKnown && root.tableNames == 0
    guard
      let recovered = try ClusterRecovery.run(
        snapshot, root, mayLackTables: mayLackTables, &walk, repairs)
    else {
      return Image(snapshot: snapshot, repairs: repairs, lost: lost)
    }
    chosen.walk = walk
    lost?.note(recovered)
    return Image(
      snapshot: try open(recovered.nodes), recovered: recovered, repairs: recovered.nodes,
      lost: lost)
  }

  /// - Parameter lost: the keys of the objects that the realm may have lost.
  private mutating func addOlderVersions(_ lost: LostKeys) throws(RealmFileError) {
    let request = search.request
    let versionSearch = OlderVersionSearch(search: search)
    let versions = try versionSearch.versions(before: chosen)
    olderVersions = versions.map(\.number)
    guard !versions.isEmpty else { return }
    if var grafted = repairs,
      try TableGraft.run(salvaged, versions, &grafted)
    {
      repairs = grafted
      salvaged = try SalvagedRealm(
        SalvageImage.open(
          search.file, chosen.root, chosen.walk, grafted, cacheByteCount: request.cacheByteCount))
    }
    let walk = chosen.walk
    older = try OlderObjects(request, salvaged, lost, versions: versions) { walk.isTrusted($0) }
  }
}
