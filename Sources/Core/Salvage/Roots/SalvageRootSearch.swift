import RealmModel
package import RealmStorage

/// The roots of a damaged file, and how much of the newest ones can be read.
package struct SalvageRootSearch {
  /// The most roots whose nodes are walked.
  private static let walkLimit = 24
  /// The root that the header does not name must be as readable as this part of the most readable one.
  private static let leastPart = 0.5
  /// The most lists of free space that are tried.
  private static let freeListLimit = 4

  /// A root and what can be read of it.
  package struct Candidate {
    package fileprivate(set) var root: SalvageRoot
    var walk: DamageWalk
    /// Number of refs in the list of tables that lead to a readable node; nil if the list cannot be read.
    let tableCount: Int?
    /// Tables whose top arrays are lost, in a file that was written whole.
    fileprivate(set) var lostTables: LostTables?

    /// The part of the refs that lead to a readable node.
    var readablePart: Double {
      Double(walk.nodeCount) / Double(max(1, walk.nodeCount + walk.missingCount))
    }

    package var summary: SalvageReport.Root {
      SalvageReport.Root(
        offset: root.origin == .rebuilt ? 0 : root.ref, version: root.version,
        origin: SalvageReport.Root.Origin(root.origin), fileFormat: root.format,
        logicalByteCount: root.logicalSize, nodeCount: walk.nodeCount,
        missingCount: walk.missingCount, tableCount: tableCount)
    }
  }

  package let file: DamagedFile
  package private(set) var roots: SalvageRoots
  /// Bits that are corrected in the bytes of the file.
  package private(set) var flips: [BitRepair.Flip] = []

  /// - Throws: `neverCommitted` for a realm without any version; `notARealm` for another file without any root;
  ///   the errors of ``SalvageRoots``.
  package init(_ file: DamagedFile) throws(RealmFileError) {
    self.file = file
    do throws(RealmFileError) {
      guard try !file.isNeverCommitted() else { throw RealmFileError(.neverCommitted) }
      roots = try SalvageRoots(file)
    } catch {
      throw file.readFault ?? error.adding(path: file.path)
    }
    // Without any root, the tables of a realm can still be there.
    guard
      !roots.roots.isEmpty || file.foreignContent == nil && roots.hasMnemonic || file.hasNodes
    else {
      throw RealmFileError(.notARealm, path: file.path, found: file.foreignContent)
    }
  }

  /// The same in a copy of the file in which the flipped bits of the newest version are corrected; this one if
  /// there are none.
  package func corrected() throws(RealmFileError) -> SalvageRootSearch {
    guard let root = roots.roots.first(where: { $0.origin == .header || $0.origin == .footer }),
      let (file, flips) = try BitRepair.run(file, root)
    else { return self }
    var search = try SalvageRootSearch(file)
    search.flips = flips
    return search
  }

  /// Takes the file format that the dictionaries of a version tell, where the header does not tell it.
  package mutating func settleFormat(_ candidate: inout Candidate) throws(RealmFileError) {
    guard !roots.isFormatKnown,
      let format = FormatEvidence.format(
        of: candidate.root, try file.makeReader(), candidate.walk)
    else { return }
    roots.setFormat(format)
    candidate.root = candidate.root.inFormat(format)
  }

  /// Whether header or footer name the newest version, or tell its number.
  package var isNewestKnown: Bool {
    roots.roots.contains { $0.origin == .footer }
      || roots.areFlagsKnown
        && (roots.versionBeforeLost ?? 0 > 0 || roots.roots.contains { $0.origin == .header })
  }

  /// Whether the newest version of which anything is known is newer than that of `root`.
  package func isOlder(_ root: SalvageRoot) -> Bool {
    if let before = roots.versionBeforeLost, root.version <= before { return true }
    let named = roots.roots.filter { $0.origin == .header || $0.origin == .footer }
    // Without a header that names the newest version, each root may be the newest. With one, a newer root is that of
    // a commit that did not end.
    return (named.isEmpty ? roots.roots : named).contains { $0.version > root.version }
  }

  /// What can be read of the version of `root`.
  package func candidate(_ root: SalvageRoot) throws(RealmFileError) -> Candidate {
    let nodes = try file.makeReader()
    var walk = DamageWalk(root, nodes)
    try walk.run()
    var tableCount: Int?
    if let elements = root.tableElements {
      tableCount = elements.count { $0 & 1 == 0 && walk.isSound(Ref($0)) }
    } else if walk.isSound(root.tables) {
      let tables = try nodes.lookUp(root.tables)
      if tables.hasRefs {
        tableCount = (0..<tables.count).count { slot in
          if case .ref(let ref) = tables.element(at: slot) { walk.isSound(ref) } else { false }
        }
      }
    }
    return Candidate(root: root, walk: walk, tableCount: tableCount)
  }

  /// The newest roots with what can be read of them.
  package func candidates() throws(RealmFileError) -> [Candidate] {
    var candidates: [Candidate] = []
    for root in roots.roots.prefix(SalvageRootSearch.walkLimit) {
      candidates.append(try candidate(root))
    }
    return candidates
  }

  /// The root to read if nobody chose one: the one that header or footer name if its tables can be read; else
  /// one made of the newest tables that are found, if they are newer than those of the newest root of which
  /// much can be read.
  package func best() throws(RealmFileError) -> Candidate? {
    let named = roots.roots.filter { $0.origin == .header || $0.origin == .footer }
    for root in named {
      let candidate = try candidate(root)
      if candidate.tableCount ?? 0 > 0 || candidate.isEmptyRealm { return candidate }
    }
    let usable = try candidates().filter { $0.tableCount ?? 0 > 0 || $0.isEmptyRealm }
    let most = usable.map(\.readablePart).max() ?? 0
    let found = usable.first { $0.readablePart >= SalvageRootSearch.leastPart * most }
    return try rebuilt(named.first, insteadOf: found?.root) ?? found
  }

  /// A root made of tables that a scan finds.
  ///
  /// - Parameters:
  ///   - named: the root that header or footer name, whose list of tables cannot be read; nil if it is lost.
  ///   - other: the root to read otherwise.
  /// - Returns: nil if nothing newer than `other` is found.
  private func rebuilt(
    _ named: SalvageRoot?, insteadOf other: SalvageRoot?
  ) throws(RealmFileError) -> Candidate? {
    let nodes = try file.makeReader()
    var top: Candidate?
    if let named { top = try self.candidate(named) }
    let search = try TableSearch(nodes) { bytes in
      // With a list of free space, it is known what belongs to the version.
      guard let walk = top?.walk, walk.knowsFreeSpace else { return true }
      return walk.isLost(bytes) || walk.isSound(bytes.lowerBound)
    }
    let names = named.flatMap { top?.walk.isSound($0.tableNames) ?? false ? $0.tableNames : nil }
    var parts = search.newest(names: names)
    if let other, !search.isNewer(parts, than: other) { return nil }
    // Of a file whose versions have lists of free space, that of this version is lost.
    if roots.roots.contains(where: { $0.freeList != nil }) { parts.hasNoFreeSpace = false }
    func candidate(of parts: SalvageRoot.Parts) throws(RealmFileError) -> Candidate {
      try self.candidate(
        SalvageRoot(
          parts, like: named ?? roots.roots.first, isTop: named != nil,
          format: named?.format ?? roots.format,
          logicalSize: file.byteCount & ~7))
    }
    var first = try candidate(of: parts)
    if roots.roots.isEmpty, search.hasOneVersion, parts.tables == nil {
      let lost = try LostTables(nodes, first.walk)
      if !lost.isEmpty { first.lostTables = lost }
    }
    guard first.walk.nodeCount > 0 && first.tableCount ?? 0 > 0 || first.lostTables != nil else {
      return nil
    }
    guard named == nil, !parts.hasNoFreeSpace, first.lostTables == nil else { return first }
    for list in search.freeLists(fitting: first.walk).prefix(SalvageRootSearch.freeListLimit) {
      parts.freeList = list
      let second = try candidate(of: parts)
      if second.walk.free != nil { return second }
    }
    return first
  }
}

extension SalvageRootSearch.Candidate {
  /// Whether this is a sound version without tables.
  var isEmptyRealm: Bool { tableCount == 0 && !walk.isDamaged }
}

extension SalvageReport.Root.Origin {
  init(_ origin: SalvageRoot.Origin) {
    switch origin {
    case .header: self = .header
    case .otherSlot: self = .otherSlot
    case .footer: self = .footer
    case .scan: self = .scan
    case .rebuilt: self = .rebuilt
    }
  }
}
