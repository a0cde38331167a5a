import RealmStorage

/// Decides which bytes are trusted.
extension DamageWalk {
  /// If a block has at least this many nodes for each missing one, only the ref to the missing one
  /// is wrong, or a few bytes of the block.
  private static let nodesPerMissing = 3
  /// In a file of current libraries, other filler bytes are damage if fewer than one in this many nodes has them, and a few
  /// more.
  private static let (nodesPerOddFiller, furtherOddFillers) = (20, 8)
  /// Bytes of a small node: many begin in a sector.
  private static let smallNodeByteCount = 64

  /// Marks pages that cannot be decrypted as dead.
  mutating func markUnreadablePages() throws(RealmFileError) {
    guard nodes.source.isEncrypted else { return }
    let size = DamageWalk.blockByteCount
    for page in 0..<(end / size) {
      switch try nodes.source.condition(ofPage: page) {
      // A ref to a page that was never written means that its checksum is lost.
      case .valid, .older, .empty: continue
      case .damaged: markDead(page * size..<(page + 1) * size)
      }
    }
  }

  /// Stops trusting nodes with other filler bytes, if nearly all nodes have those that current
  /// libraries write, or, in formats 2 to 9, most nodes have the same ones.
  mutating func distrustFillers() throws(RealmFileError) {
    guard missingCount > 0 || hasNewKills, let rule = ruleOfFillers else { return }
    fillerRule = rule
    killed = BitSet()
    try walk()
  }

  private var ruleOfFillers: FillerRule? {
    if root.isLegacy { return legacyFillers.rule }
    let limit = nodeCount / DamageWalk.nodesPerOddFiller + DamageWalk.furtherOddFillers
    return oddFillers > 0 && oddFillers < limit && nodeCount > 0 ? .current : nil
  }

  /// Marks blocks, and sectors of the others, as dead if nodes are missing in them. In formats 2 to 9,
  /// only sectors: their readers doubt more by themselves, and a block often has the schema and all
  /// values of a class.
  mutating func judgeBlocks() {
    for block in stride(from: 0, to: end, by: DamageWalk.blockByteCount) {
      let bytes = block..<min(end, block + DamageWalk.blockByteCount)
      guard missing.contains(anyOf: units(bytes)) else { continue }
      if !root.isLegacy, lacksNodes(bytes) {
        markDead(bytes)
      } else {
        for sector in stride(from: block, to: bytes.upperBound, by: DamageWalk.sectorByteCount) {
          let bytes = sector..<min(end, sector + DamageWalk.sectorByteCount)
          if lacksNodes(bytes) { markDead(bytes) }
        }
      }
    }
  }

  private func lacksNodes(_ bytes: Range<Int>) -> Bool {
    let units = units(bytes)
    // If the ref points into another node, the ref is wrong, not the bytes.
    let count = missing.runs(in: units).joined().count { !taken.contains($0) }
    // In a sector that was overwritten, nodes begin only by chance; a single header can be damaged alone.
    let isSector = bytes.count <= DamageWalk.sectorByteCount
    let perMissing = isSector && count == 1 && !root.isLegacy ? 1 : DamageWalk.nodesPerMissing
    return count > 0 && starts.count(in: units) < perMissing * count
  }

  func isUsed(_ bytes: Range<Int>) -> Bool { taken.contains(anyOf: units(bytes)) }

  func hasStarts(_ bytes: Range<Int>) -> Bool { starts.contains(anyOf: units(bytes)) }

  mutating func markDead(_ bytes: Range<Int>) {
    let sectors = sectors(bytes)
    guard !deadSectors.contains(allOf: sectors) else { return }
    deadSectors.insert(sectors)
    hasNewKills = true
  }

  /// The number of refs to nodes in `bytes`, less the refs to places in it without a node.
  private func refBalance(_ bytes: Range<Int>) -> Int {
    starts.count(in: units(bytes)) - missing.count(in: units(bytes))
  }

  // MARK: Copies

  /// Marks bytes as dead that overwrote others, or were overwritten by them. Of two equal ranges, the
  /// one with fewer refs is the copy. A long node can cover both; then nothing shows which one it is.
  mutating func judgeCopies() {
    for copy in signs.copies.all
    where copy.first.upperBound <= end && copy.second.upperBound <= end
      && (isDamaged || copy.isUnlikely)
    {
      if copy.isRepeat {
        judge(repeat: copy)
      } else {
        judge(copy.first, copyOf: copy.second)
        judge(copy.second, copyOf: copy.first)
      }
    }
  }

  private mutating func judge(_ bytes: Range<Int>, copyOf other: Range<Int>) {
    // Whole sectors are overwritten. Equal nodes have equal values.
    guard SectorSigns.isWhole(bytes), isUsed(bytes), !beginsNode(bytes) else { return }
    // One ref can match a node in a copy by chance. Nodes in unused bytes are unknown.
    let others = isUsed(other) ? refBalance(other) : 1
    if !hasStarts(bytes) || refBalance(bytes) <= others { markDead(bytes) }
  }

  /// Whether a node, or its values, begin exactly with `bytes`. Damage begins there only by chance, unless many small
  /// nodes begin in the bytes.
  private func beginsNode(_ bytes: Range<Int>) -> Bool {
    let unit = bytes.lowerBound / DamageWalk.unitByteCount
    return starts.contains(anyOf: max(0, unit - 1)..<unit + 1)
      && starts.count(in: units(bytes)) * DamageWalk.smallNodeByteCount < bytes.count
  }

  /// Judges bytes that were moved within a block or sector: the one that ends or the one that begins
  /// where they repeat.
  private mutating func judge(repeat copy: SectorCopies.Copy) {
    let middle = copy.second.lowerBound
    // Equal nodes are next to each other in undamaged files too.
    let areNodes = [copy.first, copy.second].allSatisfy {
      starts.contains($0.lowerBound / DamageWalk.unitByteCount)
    }
    guard isDamaged || !areNodes else { return }
    let size =
      middle % DamageWalk.blockByteCount == 0
      ? DamageWalk.blockByteCount : DamageWalk.sectorByteCount
    let count = max(size, (copy.first.count + size - 1) / size * size)
    for bytes in [max(0, middle - count)..<middle, middle..<min(end, middle + count)]
    where isUsed(bytes) {
      markDead(bytes)
    }
  }

  // MARK: Bytes that are no nodes

  /// Marks sectors as dead whose bytes belong to the version but are no nodes. All bytes that nothing
  /// refers to and that are not free are nodes whose refs are lost.
  mutating func judgeLostSpace() throws(RealmFileError) {
    // Only current libraries write headers that can be recognized without a ref.
    guard let free, !root.isLegacy else { return }
    let mark = nodes.mark()
    for gap in untakenSpace {
      var place = gap.lowerBound
      // Where bytes begin that are no node; nil in and after nodes.
      var strange: Int?
      // The header of the node that ends after dead bytes can be in them.
      var isAfterDead = false
      while place < gap.upperBound {
        defer { nodes.release(to: mark) }
        guard try !isCutOff(place) else { break }
        let unit = place..<place + DamageWalk.unitByteCount
        let isKnown = free.isTaken(anyOf: unit) || isDead(unit)
        let node = isKnown ? nil : try lostNode(at: place, below: gap.upperBound, free)
        if isKnown || node != nil {
          if let start = strange { markStrange(start..<place) }
          (strange, isAfterDead) = (nil, node == nil && isDead(unit))
        } else if strange == nil, !isAfterDead {
          strange = place
        }
        place = node?.extent.upperBound ?? unit.upperBound
      }
      if let start = strange { markStrange(start..<gap.upperBound) }
    }
  }

  private func lostNode(
    at place: Int, below limit: Int, _ free: SpaceMap
  ) throws(RealmFileError) -> Node? {
    guard let node = try undamaged(nodes.lookUp(place)), node.hasFiller,
      node.extent.upperBound <= limit, !free.isTaken(anyOf: node.extent)
    else { return nil }
    return node
  }

  /// Marks the sector with the first of some bytes that are no node, and those that they fill. The rest
  /// can be the end of a node whose header is in one of these.
  private mutating func markStrange(_ bytes: Range<Int>) {
    // A ref to the place is judged with the others of its block.
    guard !missing.contains(bytes.lowerBound / DamageWalk.unitByteCount) else { return }
    let sectors = sectors(bytes)
    for sector in sectors {
      let start = sector * DamageWalk.sectorByteCount
      let end = start + DamageWalk.sectorByteCount
      // If nodes begin in the sector, only some of its bytes are damaged.
      let isFilled = sector == sectors.lowerBound || end <= bytes.upperBound
      if isFilled, !hasStarts(start..<min(end, self.end)) { markDead(start..<end) }
    }
  }
}

extension BitSet {
  /// The number of members in `range`.
  func count(in range: Range<Int>) -> Int { runs(in: range).reduce(0) { $0 + $1.count } }
}
