package import RealmStorage

/// Finds out which nodes of a version of a damaged file can be trusted.
///
/// Nothing in a plain realm has a checksum, so damage shows where things contradict each other:
///
/// * a ref leads to bytes that are no node, a page that cannot be decrypted, or past the end;
/// * two refs lead to one node, or to nodes that overlap, although the nodes of a version form a tree;
/// * a node lies in space that the free list calls free;
/// * a text does not end with a zero byte.
///
/// Damage comes in blocks of a disk or a memory page. So if nodes are missing in a block of 4096 bytes where
/// refs lead, no byte of this block is trusted, nor any node that extends into it: half of a leaf of numbers
/// can be garbage that looks like numbers.
///
/// Each pass walks all nodes from the root; blocks that a pass finds dead are dead for the next one. No node is
/// opened twice in a pass.
package struct DamageWalk {
  /// Bytes of a block, which is trusted as a whole or not at all.
  package static let blockByteCount = 4096
  /// The most passes; each one but the last found more damage than the one before.
  private static let passLimit = 6
  /// Nodes in this many units before a place are looked at to find the one that extends over it.
  private static let overlapSearchUnits = 1 << 13
  static let unitByteCount = 8

  let nodes: NodeReader
  let root: SalvageRoot
  /// The end of the nodes: the logical size, or that of the data where it is truncated.
  let end: Int
  var taken = BitSet()
  var starts = BitSet()
  /// Nodes that are not to be read, by unit: those with contradictions and those that extend into dead blocks.
  package internal(set) var killed = BitSet()
  /// Blocks of which no byte is trusted.
  package internal(set) var deadBlocks = BitSet()
  /// The units to which refs lead that lead to no node.
  var missing = BitSet()
  /// Number of refs in the last pass that led to no readable node.
  package internal(set) var missingCount = 0
  /// Number of readable nodes in the last pass.
  package internal(set) var nodeCount = 0
  /// Number of refs in the last pass that led to readable bytes without the filler of a node.
  var oddFillers = 0
  var requiresFiller = false
  /// Whether nodes to which two refs lead, and nodes that overlap, are killed.
  private var killsConflicts = false
  /// Nodes killed in this pass.
  var hasNewKills = false
  /// Chunks of the free list; nil if it cannot be trusted.
  package internal(set) var free: SpaceMap?
  /// What later versions may have overwritten.
  private let reused: ReusedSpace
  /// Refs that lead behind the file.
  var strays: StrayRefs

  /// - Parameters:
  ///   - nodes: a reader of all bytes of the file.
  ///   - reused: what later versions may have overwritten; nothing for the newest version.
  ///   - deadBlocks: blocks of which it is known that no byte can be trusted.
  package init(
    _ root: SalvageRoot, _ nodes: NodeReader, reused: ReusedSpace = ReusedSpace(),
    deadBlocks: BitSet = BitSet()
  ) {
    (self.root, self.nodes) = (root, nodes)
    (self.reused, self.deadBlocks) = (reused, deadBlocks)
    end = min(root.logicalSize, nodes.logicalSize)
    strays = StrayRefs(fileByteCount: nodes.logicalSize)
  }

  /// Where nodes can be added behind the file, so that no ref of the version already leads to them.
  package var additionalSpace: Ref { strays.gap }

  /// Whether refs of the version lead into bytes behind the file.
  func hasStrays(in bytes: Range<Int>) -> Bool { strays.lead(into: bytes) }

  /// Whether anything is wrong.
  package var isDamaged: Bool {
    missingCount > 0 || !killed.isEmpty || !deadBlocks.isEmpty
      || root.logicalSize > nodes.logicalSize
  }

  /// Whether the node at the ref was reached and can be trusted.
  package func isSound(_ ref: Ref) -> Bool {
    let unit = ref / DamageWalk.unitByteCount
    return ref & 7 == 0 && ref > 0 && starts.contains(unit) && !killed.contains(unit)
  }

  /// Whether the node at the ref contradicts others, or extends into bytes that are not trusted.
  package func isKilled(_ ref: Ref) -> Bool { killed.contains(ref / DamageWalk.unitByteCount) }

  /// Whether a byte of `range` belongs to a node that was reached.
  package func isTaken(_ range: Range<Int>) -> Bool { taken.contains(anyOf: units(range)) }

  /// Whether a byte of `range` is in a dead block.
  package func isDead(_ range: Range<Int>) -> Bool {
    guard range.lowerBound < nodes.logicalSize else { return true }
    return deadBlocks.contains(anyOf: blocks(range))
  }

  /// The ranges of bytes that are not trusted, in ascending order.
  package var deadRanges: [Range<Int>] {
    let count = (end + DamageWalk.blockByteCount - 1) / DamageWalk.blockByteCount
    var ranges: [Range<Int>] = []
    var block = 0
    // A gap in the complement is a run of dead blocks.
    for alive in deadBlocks.gaps(in: 0..<count) + [count..<count] {
      if block < alive.lowerBound {
        ranges.append(
          block * DamageWalk.blockByteCount..<min(end, alive.lowerBound * DamageWalk.blockByteCount)
        )
      }
      block = alive.upperBound
    }
    if nodes.logicalSize < root.logicalSize { ranges.append(nodes.logicalSize..<root.logicalSize) }
    return ranges
  }

  /// - Throws: errors that say nothing about the file.
  package mutating func run() throws(RealmFileError) {
    try markUnreadablePages()
    // A parent in a dead block leads anywhere. So first the blocks, then nodes to which two refs lead.
    for pass in 0..<DamageWalk.passLimit {
      try walk()
      if pass == 0 {
        try distrustFillers()
        try judgeZeroedBlocks()
      }
      // Where nothing is missing, odd values are those of the app.
      if pass > 0 || missingCount > 0 {
        try judgeCopiedBlocks()
        try judgeTexts()
      }
      guard judgeBlocks() || hasNewKills else { break }
    }
    killsConflicts = true
    for _ in 0..<DamageWalk.passLimit {
      try walk()
      guard judgeBlocks() || hasNewKills else { break }
    }
    try judgeFreeSpace()
    killMissing()
  }

  /// Kills the nodes that cannot be read: a header of zeros could be taken for that of an empty node.
  private mutating func killMissing() {
    for run in missing.runs(in: 0..<end / DamageWalk.unitByteCount) {
      for unit in run where !taken.contains(unit) { killed.insert(unit) }
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
      guard ref + node.header.nodeByteCount <= end else { throw .damaged(.nodeBounds, at: ref) }
      // Eight zeros could be the header of an empty node, but nobody writes one without filler.
      guard node.hasFiller || !requiresFiller && !node.isZeroed else {
        throw .damaged(.nodeFlags, at: ref)
      }
    } catch {
      guard error.isDamage else { throw error }
      if try isCutOff(ref) { return kill(unit) }
      missingCount += 1
      if ref < end { missing.insert(unit) } else { noteStray(Int64(ref)) }
      return
    }
    let bytes = ref..<(ref + node.header.nodeByteCount)
    guard !deadBlocks.contains(anyOf: blocks(bytes)), !reused.isReused(ref, bytes) else {
      return kill(unit)
    }
    // Also of nodes that overlap others: random bytes are read as nodes of any size.
    if !node.hasFiller { oddFillers += 1 }
    let isRepeated = starts.contains(unit)
    if !taken.insert(units(bytes)) {
      missingCount += 1
      guard killsConflicts else { return }
      // The nodes contradict each other, and nothing tells which of them is right.
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

  /// Whether a node begins at `ref` that ends behind the file. Then nothing is wrong with what lies before it.
  private func isCutOff(_ ref: Ref) throws(RealmFileError) -> Bool {
    guard ref <= nodes.logicalSize - NodeHeader.byteCount else { return false }
    let bytes = ref..<ref + NodeHeader.byteCount
    guard try nodes.isReadable(bytes) else { return false }
    let word = unsafe ByteSlice(
      start: try nodes.source.nodeBytes(at: ref, count: bytes.count), count: bytes.count
    ).littleEndian(at: 0)
    guard UInt32(truncatingIfNeeded: word) == NodeScan.filler,
      let header = NodeHeader(word: word)
    else { return false }
    return ref + header.nodeByteCount > nodes.logicalSize
  }

  /// Makes sure that a ref that leads behind the version leads to nothing.
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
    // The one that begins before.
    let least = max(0, unit - DamageWalk.overlapSearchUnits)
    while unit > least {
      unit -= 1
      guard starts.contains(unit) else { continue }
      if let node = try? nodes.lookUp(unit * DamageWalk.unitByteCount),
        node.ref + node.header.nodeByteCount > bytes.lowerBound
      {
        kill(unit)
      }
      break
    }
    for gap in starts.runs(in: range) { for unit in gap { kill(unit) } }
  }

  func units(_ bytes: Range<Int>) -> Range<Int> {
    bytes.lowerBound / DamageWalk.unitByteCount..<(bytes.upperBound + 7) / DamageWalk.unitByteCount
  }

  func blocks(_ bytes: Range<Int>) -> Range<Int> {
    let size = DamageWalk.blockByteCount
    return bytes.lowerBound / size..<(bytes.upperBound + size - 1) / size
  }
}

extension Node {
  /// Whether the filler bytes are those that current libraries write, but for one flipped bit.
  var hasFiller: Bool { (filler ^ NodeScan.filler).nonzeroBitCount <= 1 }

  /// Whether the header has only zeros.
  var isZeroed: Bool { filler == 0 && header.flags == 0 && count == 0 }
}
