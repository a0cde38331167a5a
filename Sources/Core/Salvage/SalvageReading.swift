import RealmModel
package import RealmStorage

/// The version that is salvaged, as far as it can be read, and what of older versions comes into the result.
///
/// 1. New nodes replace lost ones as far as others say the same: ``TableDonor``, ``TableRecovery``.
/// 2. ``ClusterRecovery`` finds objects whose tree is broken.
/// 3. If that is asked for, ``OlderVersionSearch`` opens older versions, ``TableGraft`` takes tables of them, and
///    ``OlderObjects`` finds what else comes into the result.
package struct SalvageReading {
  private let search: SalvageRootSearch
  private let request: SalvageRequest
  private(set) var chosen: SalvageRootSearch.Candidate
  package private(set) var salvaged: SalvagedRealm
  /// What was found without the nodes that led to it; nil if nothing was looked for.
  private(set) var recovered: ClusterRecovery.Result?
  /// The nodes in place of lost ones; nil if nothing is lost.
  private(set) var repairs: SalvageImage.Repairs?
  /// Nil for nothing.
  package private(set) var older: OlderObjects?
  /// The numbers of the older versions that were read.
  private(set) var olderVersions: [Int] = []

  /// - Throws: the errors of reading that say nothing about the file; `damaged` if the tables cannot be read.
  package init(
    _ search: SalvageRootSearch, _ chosen: SalvageRootSearch.Candidate,
    _ request: SalvageRequest
  ) throws(RealmFileError) {
    (self.search, self.request) = (search, request)
    var chosen = chosen
    let image = try SalvageReading.image(of: search.file, &chosen, request)
    self.chosen = chosen
    salvaged = try SalvagedRealm(image.snapshot)
    (recovered, repairs) = (image.recovered, image.repairs)
    if request.needsOlderVersions {
      var lost = if let lost = image.lost { lost } else { try LostKeys(salvaged) }
      lost.note(salvaged)
      try addOlderVersions(lost)
    }
  }

  package var isDamaged: Bool { chosen.walk.isDamaged || !salvaged.lostTables.isEmpty }

  /// The most objects of a table that can be lost, if `kept` are in the result: what nodes can have that cannot be
  /// read or have no place, and embedded objects without an owner. A number of objects that says more is wrong.
  ///
  /// - Throws: errors that say nothing about the file.
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

  /// The realm as an image, with new trees of the objects that nothing leads to.
  private static func image(
    of file: DamagedFile, _ chosen: inout SalvageRootSearch.Candidate,
    _ request: SalvageRequest
  ) throws(RealmFileError) -> Image {
    let root = chosen.root
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
    let versions = try OlderVersionSearch(search: search, cacheByteCount: request.cacheByteCount)
      .versions(before: chosen)
    olderVersions = versions.map(\.number)
    guard !versions.isEmpty else { return }
    if request.fillsFromPrevious, var grafted = repairs {
      if try TableGraft.run(salvaged, versions, &grafted) {
        repairs = grafted
        salvaged = try SalvagedRealm(
          SalvageImage.open(
            search.file, chosen.root, chosen.walk, grafted, cacheByteCount: request.cacheByteCount))
      }
    }
    var wanted = OlderObjects.Request()
    (wanted.fillsLost, wanted.includesFreed) = (request.fillsFromPrevious, request.includesFreed)
    wanted.objectLimit = request.olderObjectLimit
    let walk = chosen.walk
    older = try OlderObjects(wanted, salvaged, lost, versions: versions) { walk.isSound($0) }
  }
}
