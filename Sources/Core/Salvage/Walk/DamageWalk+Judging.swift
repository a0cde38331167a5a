import RealmStorage

/// Decides which bytes are trusted.
extension DamageWalk {
  /// If a block has at least this many nodes for each missing one, only the ref to the missing one
  /// is wrong, or a few bytes of the block.
  private static let nodesPerMissing = 3
  /// In a file of current libraries, at most one in this many nodes may have other filler bytes.
  private static let nodesPerOddFiller = 20
  /// Fewer units of zeros at the end of a node count as values.
  private static let leastZeroedUnits = 8

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
  /// libraries write.
  mutating func distrustFillers() throws(RealmFileError) {
    guard oddFillers > 0, nodeCount > 0, missingCount > 0 || hasNewKills,
      oddFillers < nodeCount / DamageWalk.nodesPerOddFiller + 8
    else { return }
    requiresFiller = true
    killed = BitSet()
    try walk()
  }

  /// Marks blocks, and sectors of the others, as dead if nodes are missing in them.
  mutating func judgeBlocks() {
    for block in stride(from: 0, to: end, by: DamageWalk.blockByteCount) {
      let bytes = block..<min(end, block + DamageWalk.blockByteCount)
      guard missing.contains(anyOf: units(bytes)) else { continue }
      if lacksNodes(bytes) {
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
    return count > 0 && starts.count(in: units) < DamageWalk.nodesPerMissing * count
  }

  private func isUsed(_ bytes: Range<Int>) -> Bool { taken.contains(anyOf: units(bytes)) }

  private func hasStarts(_ bytes: Range<Int>) -> Bool { starts.contains(anyOf: units(bytes)) }

  private mutating func markDead(_ bytes: Range<Int>) {
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
    for copy in signs.copies where copy.first.upperBound <= end && copy.second.upperBound <= end {
      if copy.isRepeat {
        judge(repeat: copy)
      } else {
        judge(copy.first, copyOf: copy.second)
        judge(copy.second, copyOf: copy.first)
      }
    }
  }

  private mutating func judge(_ bytes: Range<Int>, copyOf other: Range<Int>) {
    // Whole sectors are overwritten. Two nodes can have equal values.
    guard SectorSigns.isWhole(bytes), isUsed(bytes), !isPayload(bytes) else { return }
    // One ref can match a node in a copy by chance. Nodes in unused bytes are unknown.
    let others = isUsed(other) ? refBalance(other) : 1
    if !hasStarts(bytes) || refBalance(bytes) <= others { markDead(bytes) }
  }

  /// Whether bytes are those of a node after its header.
  private func isPayload(_ bytes: Range<Int>) -> Bool {
    let header = bytes.lowerBound - NodeHeader.byteCount
    guard header > 0, starts.contains(header / DamageWalk.unitByteCount) else { return false }
    let node = try? nodes.lookUp(header)
    return node?.extent.upperBound == bytes.upperBound
  }

  /// Judges bytes that were moved within a block or sector: the one that ends or the one that begins
  /// where they repeat.
  private mutating func judge(repeat copy: SectorSigns.Copy) {
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

  // MARK: Zeros and noise

  /// Marks runs of sectors with one repeated word, mostly zeros, as dead if they cut off a node's values:
  /// the word is not right before them, nor right after them if the node continues there. In an undamaged
  /// file, such a run begins and ends anywhere.
  mutating func judgeRepeatedWords() throws(RealmFileError) {
    let mark = nodes.mark()
    for run in signs.repeated where run.bytes.lowerBound < end {
      defer { nodes.release(to: mark) }
      let bytes = run.bytes.lowerBound..<min(run.bytes.upperBound, end)
      guard isUsed(bytes), !hasStarts(bytes),
        let node = try node(covering: bytes.lowerBound)
      else { continue }
      let begins = try isCut(before: bytes.lowerBound, run.word, node)
      // The bytes after the last node were never written, or are free.
      let isWhole = node.extent.upperBound >= bytes.upperBound
      let ends = isWhole ? try isCut(after: bytes.upperBound, run.word, node) : false
      let areZeros = run.word == 0
      let isOverwritten =
        isWhole
        ? begins && ends || isDamaged && areZeros && (begins || ends)
        : areZeros
          && (isDamaged
            || begins && bytes.count >= DamageWalk.blockByteCount
              && taken.count(in: units(bytes)) >= DamageWalk.leastZeroedUnits)
      if isOverwritten { markDead(bytes) }
    }
  }

  /// Whether the value of a node before `place` differs from a repeated word.
  private func isCut(
    before place: Int, _ word: UInt64, _ node: Node
  ) throws(RealmFileError) -> Bool {
    let size = valueByteCount(of: node)
    return try differs(max(node.ref + NodeHeader.byteCount, place - size)..<place, word)
  }

  /// Whether the value of a node after `place` differs from a repeated word.
  private func isCut(
    after place: Int, _ word: UInt64, _ node: Node
  ) throws(RealmFileError) -> Bool {
    let size = valueByteCount(of: node)
    return try differs(place..<min(node.extent.upperBound, place + size), word)
  }

  /// The bytes of whole words that a value of a node can have: a decimal has two words, and one of them
  /// is often 0.
  private func valueByteCount(of node: Node) -> Int {
    node.header.widthType == .multiply && node.header.width == 16 ? 16 : 8
  }

  private func differs(_ bytes: Range<Int>, _ word: UInt64) throws(RealmFileError) -> Bool {
    guard !bytes.isEmpty, let slice = try nodes.readableBytes(in: bytes) else { return false }
    return stride(from: 0, to: slice.count & ~7, by: 8).contains {
      slice.littleEndian(at: $0) != word
    }
  }

  /// Marks runs of sectors with noise as dead if a node has other values right before and after them.
  ///
  /// The noise of a compressed image begins and ends anywhere, so blobs need both. Numbers of a leaf
  /// that are all random are the app's own.
  mutating func judgeNoise() throws(RealmFileError) {
    let size = DamageWalk.sectorByteCount
    let mark = nodes.mark()
    for run in signs.noise.runs(in: 0..<end / size) {
      defer { nodes.release(to: mark) }
      let bytes = run.lowerBound * size..<run.upperBound * size
      // A node that begins there has its header.
      guard isUsed(bytes), !hasStarts(bytes), let node = try node(covering: bytes.lowerBound)
      else { continue }
      let payload = node.ref + NodeHeader.byteCount..<node.extent.upperBound
      let before =
        max(payload.lowerBound, bytes.lowerBound - DamageWalk.noiseWindow)..<bytes.lowerBound
      let after =
        bytes
        .upperBound..<max(
          bytes.upperBound, min(payload.upperBound, bytes.upperBound + DamageWalk.noiseWindow))
      let (isBefore, isAfter) = (
        try condition(before, isBefore: true), try condition(after, isBefore: false)
      )
      guard isBefore != .noise, isAfter != .noise else { continue }
      // Noise that goes on after the node is not part of a value.
      let others = [
        isBefore == .other, isAfter == .other,
        bytes.upperBound - payload.upperBound >= DamageWalk.leastNoiseBehind,
      ].count { $0 }
      let isNumbers = node.header.widthType != .ignore
      if others >= 2 || others == 1 && (isNumbers || isDamaged) { markDead(bytes) }
    }
  }

  /// The bytes beside noise that are looked at, those right next to it, and the fewest that show
  /// something.
  private static let (noiseWindow, nextToNoise, leastNoiseWindow) = (256, 64, 24)
  /// The fewest bytes of noise after a node that are not part of it.
  private static let leastNoiseBehind = 128

  private enum NoiseCondition { case noise, other, unknown }

  /// What the bytes of a node beside noise look like. If noise begins elsewhere, it is also next to the
  /// first sector of noise.
  private func condition(
    _ window: Range<Int>, isBefore: Bool
  ) throws(RealmFileError) -> NoiseCondition {
    guard window.count >= DamageWalk.leastNoiseWindow else { return .unknown }
    let count = min(window.count, DamageWalk.nextToNoise)
    let next =
      isBefore
      ? window.upperBound - count..<window.upperBound
      : window.lowerBound..<window.lowerBound + count
    guard try !isNoise(window) else { return .noise }
    return try isNoise(next) ? .noise : .other
  }

  private func isNoise(_ bytes: Range<Int>) throws(RealmFileError) -> Bool {
    guard let slice = try nodes.readableBytes(in: bytes) else { return false }
    let words = stride(from: 0, to: slice.count & ~7, by: 8).map { slice.littleEndian(at: $0) }
    return words.count > DamageWalk.nextToNoise / 8
      ? NoiseTest.isNoise(words) : NoiseTest.isShortNoise(words)
  }

  /// The node that begins before `place` and extends over it.
  private func node(covering place: Int) throws(RealmFileError) -> Node? {
    guard let unit = starts.last(before: place / DamageWalk.unitByteCount) else { return nil }
    guard let node = try undamaged(nodes.lookUp(unit * DamageWalk.unitByteCount)) else {
      return nil
    }
    return node.extent.upperBound > place ? node : nil
  }

  // MARK: Headers of other nodes

  /// The most elements of a node whose header counts as one among values: fewer than text looks like.
  private static let foreignCountLimit = 1 << 16

  /// Marks sectors as dead in which a header of another node is among the values of a node. They were
  /// overwritten with bytes of another place.
  mutating func judgeForeignHeaders() throws(RealmFileError) {
    let mark = nodes.mark()
    for unit in starts.runs(in: allUnits).joined() where !killed.contains(unit) {
      defer { nodes.release(to: mark) }
      let node = try nodes.lookUp(unit * DamageWalk.unitByteCount)
      guard !node.hasRefs, node.bytes.count >= DamageWalk.leastForeignBytes else { continue }
      for offset in stride(from: 0, through: node.bytes.count - NodeHeader.byteCount, by: 8) {
        let word = node.bytes.littleEndian(at: offset)
        guard UInt32(truncatingIfNeeded: word) == NodeScan.filler,
          let header = NodeHeader(word: word), header.count > 0,
          header.count < DamageWalk.foreignCountLimit,
          !header.hasRefs || header.width >= 8,
          header.nodeByteCount <= end - node.ref
        else { continue }
        let place = node.ref + NodeHeader.byteCount + offset
        // The header of the node itself survived, so its sector is another one.
        if place / DamageWalk.sectorByteCount > node.ref / DamageWalk.sectorByteCount {
          markDead(place..<place + NodeHeader.byteCount)
        }
      }
    }
  }

  /// A smaller node lies in one sector, or its values are too few to show anything.
  private static let leastForeignBytes = 16

  // MARK: Bytes that are no nodes

  /// Marks sectors as dead whose bytes belong to the version but are no nodes. All bytes that nothing
  /// refers to and that are not free are nodes whose refs are lost.
  mutating func judgeLostSpace() throws(RealmFileError) {
    guard let free else { return }
    let mark = nodes.mark()
    for gap in untakenSpace {
      var place = gap.lowerBound
      // Where bytes begin that are no node; nil in and after nodes.
      var strange: Int?
      // The header of the node that ends after dead bytes can be in them.
      var isAfterDead = false
      while place < gap.upperBound {
        defer { nodes.release(to: mark) }
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
      if sector == sectors.lowerBound || end <= bytes.upperBound { markDead(start..<end) }
    }
  }

  // MARK: Strings

  /// A leaf of strings is recognized by at least this many zero-terminated values in undamaged
  /// sectors, and by this fraction of all values (1 in `leastPart`).
  private static let (leastTerminated, leastPart) = (8, 4)

  /// Marks sectors within leaves of short strings as dead if a string in them has no zero byte at its
  /// end (chapter 2, section 3.6), or another one before it.
  mutating func judgeStrings() throws(RealmFileError) {
    let mark = nodes.mark()
    // A node belongs to one leaf.
    var judged = Set<Ref>()
    for unit in starts.runs(in: allUnits).joined() where !killed.contains(unit) {
      defer { nodes.release(to: mark) }
      let leaf = try nodes.lookUp(unit * DamageWalk.unitByteCount)
      // The ends of the values, their bytes, null flags.
      guard leaf.hasRefs, !leaf.isInner, !leaf.hasContext, leaf.count == 3,
        let ends = child(0, of: leaf), let blob = child(1, of: leaf), ends.isIntegers,
        blob.header.widthType == .ignore, blob.count >= DamageWalk.sectorByteCount / 2,
        judged.insert(ends.ref).inserted, judged.insert(blob.ref).inserted
      else { continue }
      for sector in damagedSectors(ends.integers(), blob) {
        markDead(sector * DamageWalk.sectorByteCount..<(sector + 1) * DamageWalk.sectorByteCount)
      }
    }
  }

  private func child(_ index: Int, of node: Node) -> Node? {
    guard case .ref(let ref) = node.element(at: index), isTrusted(ref) else { return nil }
    return try? nodes.lookUp(ref)
  }

  /// The sectors of `blob`, except its first, in which values lack the zero byte at their end, or have
  /// one before it, although all values in the other sectors are strings. In a leaf of binary data, both
  /// kinds are in the same sectors.
  private func damagedSectors(_ ends: [Int64], _ blob: Node) -> [Int] {
    guard ends.last == Int64(blob.count), zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }),
      ends[0] >= 0
    else { return [] }
    let first = blob.ref + NodeHeader.byteCount
    var (terminated, open): ([Int: Int], [Int: Int]) = ([:], [:])
    var start = 0
    for end in ends.map({ Int($0) }) where end > start {
      defer { start = end }
      let zero = (start..<end).first { blob.bytes[$0] == 0 }
      let sector = (first + (zero ?? end - 1)) / DamageWalk.sectorByteCount
      guard zero != end - 1 else {
        terminated[sector, default: 0] += 1
        continue
      }
      guard sector > blob.ref / DamageWalk.sectorByteCount else { return [] }
      open[sector, default: 0] += 1
    }
    let elsewhere = terminated.reduce(0) { open[$1.key] == nil ? $0 + $1.value : $0 }
    guard elsewhere >= DamageWalk.leastTerminated, elsewhere * DamageWalk.leastPart >= ends.count
    else { return [] }
    // If nodes begin in the sector, the refs to them say more than a few changed bytes.
    return open.filter { sector, count in
      let bytes =
        sector * DamageWalk.sectorByteCount..<min(end, (sector + 1) * DamageWalk.sectorByteCount)
      return !hasStarts(bytes)
        || count >= DamageWalk.leastTerminated && count > terminated[sector, default: 0]
    }.keys.sorted()
  }
}

extension BitSet {
  /// The number of members in `range`.
  func count(in range: Range<Int>) -> Int { runs(in: range).reduce(0) { $0 + $1.count } }
}
