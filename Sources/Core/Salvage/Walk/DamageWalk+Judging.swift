import RealmStorage

/// Decides which bytes are trusted.
extension DamageWalk {
  /// If a block has at least this many nodes for each missing one, only the ref to the missing one
  /// is wrong, or a few bytes of the block.
  private static let nodesPerMissing = 3
  /// In a file of current libraries, other filler bytes are damage if fewer than one in this many nodes has them, and a few
  /// more.
  private static let (nodesPerOddFiller, furtherOddFillers) = (20, 8)
  /// Marks pages that cannot be decrypted as dead.
  ///
  /// - Parameter exceptFree: whether to leave out pages of free space.
  mutating func markUnreadablePages(exceptFree: Bool = false) throws(RealmFileError) {
    guard nodes.source.isEncrypted else { return }
    let size = DamageWalk.blockByteCount
    for page in 0..<(end / size) {
      if exceptFree, free?.isTaken(allOf: page * size..<(page + 1) * size) ?? false { continue }
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

  /// Marks sectors as dead if nodes are missing in them, and the sectors of blocks as doubtful.
  mutating func judgeBlocks() {
    for block in stride(from: 0, to: end, by: DamageWalk.blockByteCount) {
      let bytes = block..<min(end, block + DamageWalk.blockByteCount)
      guard missing.contains(anyOf: units(bytes)) else { continue }
      let isDoubtful = lacksNodes(bytes)
      if isDoubtful { doubtfulSectors.insert(sectors(bytes)) }
      if isDoubtful, dropsDoubtful {
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

}

extension BitSet {
  /// The number of members in `range`.
  func count(in range: Range<Int>) -> Int { runs(in: range).reduce(0) { $0 + $1.count } }
}
