import RealmModel
import RealmStorage

/// Opens the versions before the salvaged one, as far as it is known that their bytes are not
/// overwritten.
///
/// Each version is a copy of the file, like the salvaged one.
struct OlderVersionSearch {
  /// The most versions.
  private static let limit = 8

  let search: SalvageRootSearch

  /// - Returns: the versions, the newest first; none if the number of commits since is unknown.
  func versions(
    before chosen: SalvageRootSearch.Candidate
  ) throws(RealmFileError) -> [OlderVersion] {
    guard let own = number(of: chosen.root), let newest = newest(own) else { return [] }
    let roots = Dictionary(search.roots.roots.map { ($0.version, $0) }) { first, _ in first }
    var reused = ReusedSpace()
    var dead = chosen.walk.deadSectors
    var found: [OlderVersion] = []
    var number = newest
    let last = roots.keys.min() ?? own
    while number >= last, found.count < OlderVersionSearch.limit, reused.isKnown {
      defer { number -= 1 }
      guard number != own else {
        reused.goBack(past: chosen.walk)
        continue
      }
      guard let root = roots[number], !FileFormat.legacyNumbers.contains(root.format) else {
        reused.goBack(past: nil)
        continue
      }
      var walk = DamageWalk(
        root, try search.file.makeReader(), signs: search.signs ?? SectorSigns(), reused: reused,
        deadSectors: dead)
      try walk.run()
      if number < own {
        dead.formUnion(walk.deadSectors)
        if var version = try undamaged(open(root, walk)) {
          version.fillsLost = search.request.fillsFromPrevious
          found.append(version)
        }
      }
      reused.goBack(past: walk)
    }
    return found
  }

  /// - Throws: `damaged` if the tables of the version cannot be read.
  private func open(
    _ root: SalvageRoot, _ walk: DamageWalk
  ) throws(RealmFileError) -> OlderVersion {
    var repairs = SalvageImage.Repairs(walk)
    var snapshot = try image(root, walk, repairs)
    // The salvaged version has the same names, corrected.
    if try TableRecovery.correctNames(snapshot, &repairs) {
      snapshot = try image(root, walk, repairs)
    }
    return OlderVersion(number: root.version, realm: try SalvagedRealm(snapshot).realm)
  }

  private func image(
    _ root: SalvageRoot, _ walk: DamageWalk, _ repairs: SalvageImage.Repairs
  ) throws(RealmFileError) -> Snapshot {
    try SalvageImage.open(
      search.file, root, walk, repairs, cacheByteCount: search.request.cacheByteCount)
  }

  /// The number of a root's version; nil if the root is lost and the number unknown.
  private func number(of root: SalvageRoot) -> Int? {
    guard root.origin == .rebuilt, !search.roots.roots.contains(where: { $0.ref == root.ref })
    else { return root.version }
    return lostNewest
  }

  /// The number of the newest version, if the header refers to it and its root is lost.
  private var lostNewest: Int? {
    search.roots.versionBeforeLost.flatMap { $0 > 0 ? $0 + 1 : nil }
  }

  /// The number of the newest version; nil if a later one may be lost.
  private func newest(_ own: Int) -> Int? {
    let found = search.roots.roots.map(\.version).max() ?? own
    guard search.roots.versionBeforeLost == nil else {
      return lostNewest.map { max($0, found, own) }
    }
    let isNamed = search.roots.roots.contains { $0.origin == .header || $0.origin == .footer }
    return isNamed ? max(found, own) : nil
  }
}
