package import RealmStorage

/// Decides which nodes of a version in a damaged file can be trusted.
///
/// A plain realm has no checksums, so damage shows only where things contradict each other:
///
/// * a ref points to bytes that are not a node, to a page that cannot be decrypted, or past the
///   end;
/// * two refs point to one node or to overlapping nodes, although the nodes of a version form a tree;
/// * a node is in free space;
/// * bytes look overwritten: ``SectorSigns``.
///
/// If nodes are missing in a sector of 512 bytes, no byte of it is trusted, nor any node that overlaps it: half
/// of a leaf of numbers can be garbage that looks like numbers. Such a sector is *dead*, and such a
/// node *killed*: it will be unreadable in the image. Damage can come in blocks of 4096 bytes, the pages of memory. If most
/// nodes of a block are missing, the other nodes in it are *doubtful*: they can be read, and contradict nothing.
///
/// Each pass walks all nodes from the root, without the sectors that earlier passes found dead. No
/// node is opened twice in a pass.
package struct DamageWalk {
  static let blockByteCount = 4096
  /// Bytes of a sector, which is trusted as a whole or not at all.
  static let sectorByteCount = SectorSigns.byteCount
  /// The most passes. Each one except the last found more damage than the one before.
  private static let passLimit = 6
  /// The most units before a place that are searched for a node that extends over it.
  private static let overlapSearchUnits = 1 << 13
  static let unitByteCount = 8

  let nodes: NodeReader
  let root: SalvageRoot
  /// The end of the nodes: the logical size, or the end of a truncated file.
  let end: Int
  var taken = BitSet()
  var starts = BitSet()
  /// The units of killed nodes: those with contradictions, and those that overlap dead blocks.
  var killed = BitSet()
  /// The numbers of dead sectors.
  var deadSectors = BitSet()
  /// The units that refs point to although there is no node.
  var missing = BitSet()
  /// Number of refs to unreadable nodes in the last pass.
  var missingCount = 0
  /// Number of readable nodes in the last pass.
  var nodeCount = 0
  /// Number of readable nodes in the last pass without the usual filler bytes; 0 in formats 2 to 9.
  var oddFillers = 0
  /// The filler bytes of the readable nodes in the last pass, in formats 2 to 9.
  var legacyFillers = LegacyFillers()
  var fillerRule = FillerRule.any
  /// Whether nodes with two refs, and overlapping nodes, are killed.
  private var killsConflicts = false
  /// Whether this pass killed nodes.
  var hasNewKills = false
  /// The free space; nil if it is unknown or cannot be trusted.
  var free: SpaceMap?
  /// What later versions may have overwritten.
  private let reused: ReusedSpace
  /// Refs that point past the end of the file.
  var strays: StrayRefs
  /// What the bytes show by themselves.
  let signs: SectorSigns
  /// The sectors of the blocks in which most nodes are missing.
  var doubtfulSectors = BitSet()
  /// Whether doubtful nodes are killed.
  let dropsDoubtful: Bool

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - signs: what the bytes of the file show by themselves.
  ///   - dropsDoubtful: whether doubtful nodes are killed.
  ///   - reused: what later versions may have overwritten; nothing for the newest version.
  ///   - deadSectors: sectors that are known to be damaged.
  package init(
    _ root: SalvageRoot, _ nodes: NodeReader, signs: SectorSigns = SectorSigns(),
    dropsDoubtful: Bool = false, reused: ReusedSpace = ReusedSpace(),
    deadSectors: BitSet = BitSet()
  ) {
    (self.root, self.nodes) = (root, nodes)
    (self.signs, self.dropsDoubtful) = (signs, dropsDoubtful)
    (self.reused, self.deadSectors) = (reused, deadSectors)
    end = min(root.logicalSize, nodes.logicalSize)
    strays = StrayRefs(fileByteCount: nodes.logicalSize)
  }

  /// The start of the space after the end of the file that no ref of the version points to, for new
  /// nodes.
  var additionalSpace: Ref { strays.gap }

  /// Whether refs of the version point into `bytes`, which are after the end of the file.
  func hasStrays(in bytes: Range<Int>) -> Bool { strays.lead(into: bytes) }

  /// Whether anything is wrong.
  var isDamaged: Bool {
    missingCount > 0 || !killed.isEmpty || !deadSectors.isEmpty
      || root.logicalSize > nodes.logicalSize
  }

  /// Whether the walk reached a node at the ref, and trusts it.
  package func isTrusted(_ ref: Ref) -> Bool {
    let unit = ref / DamageWalk.unitByteCount
    return ref & 7 == 0 && ref > 0 && starts.contains(unit) && !killed.contains(unit)
  }

  /// Whether the node at the ref was killed.
  func isKilled(_ ref: Ref) -> Bool { killed.contains(ref / DamageWalk.unitByteCount) }

  /// Whether a byte of `range` belongs to a node that was reached.
  package func isTaken(_ range: Range<Int>) -> Bool { taken.contains(anyOf: units(range)) }

  /// Whether a byte of `range` is in a dead sector.
  func isDead(_ range: Range<Int>) -> Bool {
    guard range.lowerBound < nodes.logicalSize else { return true }
    return deadSectors.contains(anyOf: sectors(range))
  }

  /// The dead bytes of the block around `offset` that follow each other there; nil if `offset` is not dead.
  func deadBytes(around offset: Int) -> Range<Int>? {
    guard isDead(offset..<offset + 1) else { return nil }
    let (block, sector) = (DamageWalk.blockByteCount, DamageWalk.sectorByteCount)
    let start = offset / block * block
    guard start < nodes.logicalSize else { return start..<start + block }
    let runs = deadSectors.runs(in: start / sector..<(start + block) / sector)
    let run = runs.first { $0.contains(offset / sector) }
    return run.map { $0.lowerBound * sector..<$0.upperBound * sector }
  }

  /// The ranges of bytes that are not trusted, in ascending order.
  var deadRanges: [Range<Int>] {
    let size = DamageWalk.sectorByteCount
    var ranges = deadSectors.runs(in: 0..<(end + size - 1) / size).map {
      $0.lowerBound * size..<min(end, $0.upperBound * size)
    }
    if nodes.logicalSize < root.logicalSize { ranges.append(nodes.logicalSize..<root.logicalSize) }
    return ranges
  }

  /// - Throws: errors that are not damage.
  package mutating func run() throws(RealmFileError) {
    try markUnreadablePages()
    // Nodes in a dead block have arbitrary refs. So the blocks come first, then nodes with two refs.
    for pass in 0..<DamageWalk.passLimit {
      try walk()
      if pass == 0 {
        try distrustFillers()
        try judgeNoise()
      }
      try judgeZeros()
      if isDamaged { try judgeForeignHeaders() }
      judgeBlocks()
      guard hasNewKills else { break }
    }
    killsConflicts = true
    for _ in 0..<DamageWalk.passLimit {
      try walk()
      judgeBlocks()
      guard hasNewKills else { break }
    }
    try judgeFreeSpace()
    killMissing()
  }

  /// Walks once, without a look at the bytes.
  ///
  /// - Returns: whether every node can be read and none contradicts another one. If not, the walk has to begin anew.
  /// - Throws: errors that are not damage.
  mutating func findsNothing() throws(RealmFileError) -> Bool {
    killsConflicts = true
    try walk()
    try judgeFreeSpace()
    // Only the headers of nodes were read.
    try markUnreadablePages(exceptFree: true)
    return !isDamaged
  }

  /// Kills the nodes that cannot be read: a header of zeros would be read as an empty node.
  private mutating func killMissing() {
    for unit in missing.runs(in: allUnits).joined() where !taken.contains(unit) {
      killed.insert(unit)
    }
  }

  // MARK: A pass

  mutating func walk() throws(RealmFileError) {
    beginPass()
    var stack = root.starts
    let mark = nodes.mark()
    while let ref = stack.popLast() {
      try visit(ref, &stack)
      nodes.release(to: mark)
    }
  }

  mutating func beginPass() {
    let units = end / DamageWalk.unitByteCount + 1
    (taken, starts) = (BitSet(count: units), BitSet(count: units))
    missing = BitSet(count: units)
    (missingCount, nodeCount, oddFillers, hasNewKills) = (0, 0, 0, false)
    legacyFillers = LegacyFillers()
    taken.insert(0..<(FileHeader.byteCount / DamageWalk.unitByteCount))
  }

  /// Takes the bytes of a node that is reached.
  mutating func take(_ bytes: Range<Int>) {
    taken.insert(units(bytes))
    starts.insert(bytes.lowerBound / DamageWalk.unitByteCount)
  }

  private mutating func visit(_ ref: Ref, _ stack: inout [Ref]) throws(RealmFileError) {
    let unit = ref / DamageWalk.unitByteCount
    guard !killed.contains(unit) else {
      missingCount += 1
      return
    }
    guard !reused.isReused(ref, ref..<ref + 1) else { return kill(unit) }
    let node: Node
    do throws(RealmFileError) {
      guard ref < end else { throw .damaged(.nodeBounds, at: ref) }
      node = try nodes.lookUp(ref)
      guard node.extent.upperBound <= end else { throw .damaged(.nodeBounds, at: ref) }
      guard isPlausible(node) else {
        throw .damaged(.nodeFlags, at: ref)
      }
    } catch {
      guard error.isDamage else { throw error }
      if try isCutOff(ref) { return kill(unit) }
      missingCount += 1
      if ref < end { missing.insert(unit) } else { noteStray(Int64(ref)) }
      return
    }
    let bytes = node.extent
    guard !deadSectors.contains(anyOf: sectors(bytes)), !reused.isReused(ref, bytes) else {
      return kill(unit)
    }
    let isRepeated = starts.contains(unit)
    // Counts overlapping nodes too: random bytes are read as nodes of any size.
    if !root.isLegacy {
      if !node.hasFiller { oddFillers += 1 }
    } else if !isRepeated {
      legacyFillers.count(node)
    }
    if !taken.insert(units(bytes)) {
      missingCount += 1
      guard killsConflicts else { return }
      // The nodes contradict each other, and nothing shows which one is right.
      kill(unit)
      if !isRepeated { killOverlapped(by: bytes) }
      return
    }
    starts.insert(unit)
    nodeCount += 1
    guard node.hasRefs, node.width > 0 else { return }
    for i in stride(from: node.count - 1, through: 0, by: -1) {
      let raw = node.integer(at: i)
      guard raw != 0, raw & 1 == 0 else { continue }
      guard raw & 7 == 0, raw >= FileHeader.byteCount, raw < root.logicalSize else {
        missingCount += 1
        noteStray(raw)
        continue
      }
      stack.append(Int(raw))
    }
  }

  /// Whether a node begins at `ref` and ends past the end of the file. Then the bytes before the
  /// end are fine.
  func isCutOff(_ ref: Ref) throws(RealmFileError) -> Bool {
    guard ref <= nodes.logicalSize - NodeHeader.byteCount else { return false }
    guard
      let word = try nodes.readableBytes(in: ref..<ref + NodeHeader.byteCount)?.littleEndian(at: 0),
      UInt32(truncatingIfNeeded: word) == NodeScan.filler, let header = NodeHeader(word: word)
    else { return false }
    return ref + header.nodeByteCount > nodes.logicalSize
  }

  /// Notes a ref to bytes past the end of the version, so that nothing readable is put there.
  private mutating func noteStray(_ raw: Int64) {
    guard raw & 7 == 0, raw >= end else { return }
    if raw < nodes.logicalSize {
      killed.insert(Int(raw) / DamageWalk.unitByteCount)
    } else {
      strays.insert(Int(raw))
    }
  }

  mutating func kill(_ unit: Int) {
    missingCount += 1
    if killed.insert(unit) { hasNewKills = true }
  }

  /// Kills the nodes that were reached before and overlap `bytes`.
  private mutating func killOverlapped(by bytes: Range<Int>) {
    let range = units(bytes)
    var unit = range.lowerBound
    // The node that begins before `bytes`.
    let least = max(0, unit - DamageWalk.overlapSearchUnits)
    while unit > least {
      unit -= 1
      guard starts.contains(unit) else { continue }
      if let node = try? nodes.lookUp(unit * DamageWalk.unitByteCount),
        node.extent.upperBound > bytes.lowerBound
      {
        kill(unit)
      }
      break
    }
    for unit in starts.runs(in: range).joined() { kill(unit) }
  }

  /// Whether the bytes can be a node.
  func isPlausible(_ node: Node) -> Bool { fillerRule.accepts(node) }

  /// The units of the version.
  var allUnits: Range<Int> { 0..<end / DamageWalk.unitByteCount }

  func units(_ bytes: Range<Int>) -> Range<Int> {
    bytes.lowerBound / DamageWalk.unitByteCount..<(bytes.upperBound + 7) / DamageWalk.unitByteCount
  }

  func sectors(_ bytes: Range<Int>) -> Range<Int> {
    let size = DamageWalk.sectorByteCount
    return bytes.lowerBound / size..<(bytes.upperBound + size - 1) / size
  }
}
