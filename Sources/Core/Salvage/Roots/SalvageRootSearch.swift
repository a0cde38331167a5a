import RealmModel
package import RealmStorage

/// The versions in a damaged file, how much of the newest ones can be read, and which one to read.
package struct SalvageRootSearch {
  /// The most roots whose nodes are walked.
  private static let walkLimit = 24
  /// A root that the header does not refer to must be readable to at least this fraction of the
  /// most readable one.
  private static let leastPart = 0.5
  /// The most free lists that are tried.
  private static let freeListLimit = 4

  /// A root and how much of its version can be read.
  package struct Candidate {
    package fileprivate(set) var root: SalvageRoot
    var walk: DamageWalk
    /// Number of readable tables; nil if the list of tables cannot be read.
    let tableCount: Int?
    /// Whether nothing in the version is doubted, because it breaks no rule.
    package var isSound = false
    /// Tables without a top array, in a truncated file that was written at once.
    fileprivate(set) var lostTables: LostTables?

    /// The fraction of the refs that refer to a readable node.
    fileprivate var readablePart: Double {
      Double(walk.nodeCount) / Double(max(1, walk.nodeCount + walk.missingCount))
    }

    /// Whether there are tables, or this is an undamaged version without any.
    fileprivate var isUsable: Bool { tableCount ?? 0 > 0 || tableCount == 0 && !walk.isDamaged }

    var summary: SalvageReport.Root {
      SalvageReport.Root(
        offset: root.origin == .rebuilt ? 0 : root.ref, version: root.version,
        origin: root.origin, fileFormat: root.format, logicalByteCount: root.logicalSize,
        nodeCount: walk.nodeCount, missingCount: walk.missingCount, tableCount: tableCount)
    }

    var chosenSummary: SalvageReport.Root {
      var root = summary
      root.isChosen = true
      return root
    }
  }

  let request: SalvageRequest
  package let file: DamagedFile
  private(set) var roots: SalvageRoots
  /// What the bytes show by themselves; nil until a version turns out to be damaged.
  private(set) var signs: SectorSigns?
  /// The flipped bits that are corrected in the bytes of `file`.
  private(set) var flips: [SalvageReport.Bit] = []

  /// - Throws: `neverCommitted` for a realm without any version; `notARealm` for another file
  ///   without any root; the errors of ``DamagedFile`` and ``SalvageRoots``.
  package init(_ request: SalvageRequest) throws(RealmFileError) {
    let file = try DamagedFile(
      path: request.path, key: request.key, cacheByteCount: request.cacheByteCount)
    try self.init(request, file)
  }

  private init(_ request: SalvageRequest, _ file: DamagedFile) throws(RealmFileError) {
    (self.request, self.file) = (request, file)
    do throws(RealmFileError) {
      guard try !file.isNeverCommitted() else { throw RealmFileError(.neverCommitted) }
      roots = try SalvageRoots(file)
    } catch {
      throw file.readFault ?? error.adding(path: file.path)
    }
    // Even without a root, the tables of a realm can still be there.
    guard
      !roots.roots.isEmpty || file.foreignContent == nil && roots.hasMnemonic || file.hasNodes
    else {
      throw RealmFileError(.notARealm, path: file.path, found: file.foreignContent)
    }
  }

  /// The same search for a version in which something is wrong, in a copy of the file in which the flipped bits of the
  /// newest version are corrected, unless another version is requested.
  package func doubting() throws(RealmFileError) -> SalvageRootSearch {
    var search = self
    if request.version == .newest, let root = named.first, !root.isLegacy,
      let (file, flips) = try BitRepair.run(file, root)
    {
      search = try SalvageRootSearch(request, file)
      search.flips = flips
    }
    search.signs = try SectorSigns(try search.file.makeReader())
    return search
  }

  /// The roots that header or footer refer to as the newest.
  private var named: [SalvageRoot] {
    roots.roots.filter { $0.origin == .header || $0.origin == .footer }
  }

  // MARK: The choice

  /// Chooses the requested version. If the file format in the header is lost, it is inferred from
  /// the dictionaries of this version.
  ///
  /// - Returns: nil if there is no such version, or if no version can be read.
  package mutating func choose() throws(RealmFileError) -> Candidate? {
    guard var chosen = try requested() else { return nil }
    if !roots.isFormatKnown, !chosen.root.isLegacy,
      let format = FormatEvidence.format(of: chosen.root, try file.makeReader(), chosen.walk)
    {
      roots.setFormat(format)
      chosen.root = chosen.root.inFormat(format)
    }
    return chosen
  }

  private mutating func requested() throws(RealmFileError) -> Candidate? {
    let root: SalvageRoot?
    switch request.version {
    case .newest: return try best()
    case .previous:
      let newest = try best()?.root
      root = newest.flatMap { newest in roots.roots.first { $0.version < newest.version } }
    case .offset(let offset): root = roots.roots.first { $0.ref == offset }
    }
    return if let root { try candidate(root) } else { nil }
  }

  /// The newest readable version: the one that header or footer refer to if its tables can be read.
  /// Otherwise one assembled from the newest tables found, if they are newer than those of the
  /// newest root that is mostly readable.
  private mutating func best() throws(RealmFileError) -> Candidate? {
    for root in named {
      let candidate = try candidate(root)
      if candidate.isUsable { return candidate }
    }
    let usable = try candidates().filter(\.isUsable)
    let most = usable.map(\.readablePart).max() ?? 0
    let found = usable.first { $0.readablePart >= SalvageRootSearch.leastPart * most }
    return try rebuilt(named.first, insteadOf: found?.root) ?? found
  }

  /// Whether header or footer refer to the newest version, or imply its number.
  var isNewestKnown: Bool {
    roots.roots.contains { $0.origin == .footer }
      || roots.areFlagsKnown
        && (roots.versionBeforeLost ?? 0 > 0 || roots.roots.contains { $0.origin == .header })
  }

  /// Whether there is, or was, a version that is newer than the one of `root`.
  func isOlder(_ root: SalvageRoot) -> Bool {
    if let before = roots.versionBeforeLost, root.version <= before { return true }
    // If the header refers to no version, any root may be the newest. If it does, a newer root
    // belongs to a commit that did not finish.
    return (named.isEmpty ? roots.roots : named).contains { $0.version > root.version }
  }

  // MARK: Candidates

  /// Walks the version of `root`.
  private mutating func candidate(_ root: SalvageRoot) throws(RealmFileError) -> Candidate {
    let nodes = try file.makeReader()
    let walk = try walk(root, nodes)
    var tableCount: Int?
    if let elements = root.tableElements {
      tableCount = elements.count { $0 & 1 == 0 && walk.isTrusted(Ref($0)) }
    } else if walk.isTrusted(root.tables) {
      let tables = try nodes.lookUp(root.tables)
      if tables.hasRefs {
        // Without bits, there is no ref among any number of elements.
        let slots = tables.width > 0 ? 0..<tables.count : 0..<0
        tableCount = slots.count { slot in
          if case .ref(let ref) = tables.element(at: slot) { walk.isTrusted(ref) } else { false }
        }
      }
    }
    return Candidate(root: root, walk: walk, tableCount: tableCount)
  }

  /// Walks the nodes of a version. The signs are looked at only if something is wrong with it.
  private mutating func walk(
    _ root: SalvageRoot, _ nodes: NodeReader
  ) throws(RealmFileError) -> DamageWalk {
    if signs == nil {
      var walk = DamageWalk(root, nodes)
      if try walk.findsNothing() { return walk }
      signs = try SectorSigns(nodes)
    }
    var walk = DamageWalk(
      root, nodes, signs: signs ?? SectorSigns(), dropsDoubtful: request.dropsDoubtful)
    try walk.run()
    return walk
  }

  /// The newest roots, walked.
  mutating func candidates() throws(RealmFileError) -> [Candidate] {
    var candidates: [Candidate] = []
    for root in roots.roots.prefix(SalvageRootSearch.walkLimit) {
      candidates.append(try candidate(root))
    }
    return candidates
  }

  /// The version of a candidate as it is in the file; nil if it is known to be damaged.
  ///
  /// - Throws: errors that are not damage.
  package func stored(_ candidate: Candidate) throws(RealmFileError) -> Snapshot? {
    guard !candidate.walk.isDamaged, candidate.root.origin != .rebuilt else { return nil }
    return try SalvageImage.open(
      file, candidate.root, candidate.walk, cacheByteCount: request.cacheByteCount)
  }

  /// Whether no bit of the names of classes and properties flipped, as far as they show it. They are no damage otherwise: a
  /// table whose name does not begin with `class_` is an internal one.
  ///
  /// - Parameter stored: the version of `candidate`.
  /// - Throws: errors that are not damage.
  package func hasWholeNames(
    _ candidate: Candidate, _ stored: Snapshot
  ) throws(RealmFileError) -> Bool {
    if candidate.root.isLegacy { return true }
    return try !TableRecovery.isNeeded(stored)
  }

  /// A version assembled from tables that a scan finds.
  ///
  /// - Parameters:
  ///   - named: the root that header or footer refer to, whose list of tables cannot be read; nil if
  ///     the root is lost.
  ///   - other: the root to read otherwise.
  /// - Returns: nil if nothing newer than `other` is found.
  private mutating func rebuilt(
    _ named: SalvageRoot?, insteadOf other: SalvageRoot?
  ) throws(RealmFileError) -> Candidate? {
    let nodes = try file.makeReader()
    guard !((named ?? roots.roots.first)?.isLegacy ?? roots.isLegacy) else {
      return try rebuiltLegacy(named, insteadOf: other, nodes)
    }
    let top: DamageWalk? = if let named { try self.candidate(named).walk } else { nil }
    let search = try TableSearch(nodes) { bytes in
      // The free list shows which nodes belong to the version.
      guard let top, top.knowsFreeSpace else { return true }
      return top.isLost(bytes) || top.isTrusted(bytes.lowerBound)
    }
    let names = named.flatMap { top?.isTrusted($0.tableNames) ?? false ? $0.tableNames : nil }
    var parts = search.newest(names: names)
    if let other, !search.isNewer(parts, than: other) { return nil }
    // If other versions have free lists, this one had one too, and it is lost.
    if roots.roots.contains(where: { $0.freeList != nil }) { parts.hasNoFreeSpace = false }
    var first = try candidate(root(of: parts, named))
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
      let second = try candidate(root(of: parts, named))
      if second.walk.free != nil { return second }
    }
    return first
  }

  /// The space that the commit of a version freed. The next commit does not write there, so it has nothing newer.
  ///
  /// - Returns: nil if it is unknown.
  /// - Throws: errors that are not damage.
  private func freedSpace(
    by root: SalvageRoot, _ nodes: NodeReader
  ) throws(RealmFileError) -> SpaceMap? {
    guard let refs = root.freeList,
      let lists = try undamaged(FreeList.Lists(refs, logicalSize: root.logicalSize, nodes)),
      let versions = lists.versions
    else { return nil }
    var map = SpaceMap(byteCount: root.logicalSize)
    for i in 0..<lists.count where versions.integer(at: i) >= root.version {
      let (offset, byteCount) = lists.chunk(i)
      guard offset >= 0, byteCount > 0, offset < root.logicalSize,
        byteCount <= Int64(root.logicalSize) - offset
      else { return nil }
      _ = map.take(Int(offset)..<Int(offset + byteCount))
    }
    return map
  }

  /// - Parameter named: the root that header or footer refer to; nil if it is lost.
  private func root(of parts: SalvageRoot.Parts, _ named: SalvageRoot?) -> SalvageRoot {
    let like = named ?? roots.roots.first
    return SalvageRoot(
      parts, like: like, isTop: named != nil, format: like?.format ?? roots.format,
      logicalSize: file.byteCount & ~7)
  }

  /// The same as ``rebuilt(_:insteadOf:)`` for formats 2 to 9.
  private mutating func rebuiltLegacy(
    _ named: SalvageRoot?, insteadOf other: SalvageRoot?, _ nodes: NodeReader
  ) throws(RealmFileError) -> Candidate? {
    let top: DamageWalk? = if let named { try candidate(named).walk } else { nil }
    let free = top?.free
    var before: SpaceMap?
    if let other, other.origin == .otherSlot { before = try freedSpace(by: other, nodes) }
    let freed = free ?? before
    let older = roots.roots.filter { $0.ref != named?.ref }
    let search = try LegacyTableSearch(nodes)
    let known = named.flatMap { top?.isTrusted($0.tableNames) ?? false ? $0.tableNames : nil }
    let texts = known.flatMap(search.texts)
    var (parts, isNewer) = search.parts(
      isRootLost: named == nil, texts: texts, older: older.map(\.tables),
      isInOrder: named?.hasNoFreeSpace ?? roots.roots.isEmpty,
      where: { ref in !(freed?.isTaken(anyOf: ref..<ref + NodeHeader.byteCount) ?? false) })
    guard isNewer || other == nil else { return nil }
    parts.tableNames =
      known ?? search.names(count: parts.elements.count, known: older.map(\.tableNames))?.ref
    let found = try candidate(root(of: parts, named))
    // The tables of an older version are better than a few of the newest one.
    let least = other == nil ? 1 : (parts.elements.count + 1) / 2
    return found.tableCount ?? 0 >= least ? found : nil
  }
}
