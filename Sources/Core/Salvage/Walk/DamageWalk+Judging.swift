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
    let size = blockByteCount
    for page in 0..<(end / size) {
      switch try nodes.source.condition(ofPage: page) {
      // A ref to a page that was never written means that its checksum is lost.
      case .valid, .older, .empty: continue
      case .damaged: deadBlocks.insert(page)
      }
    }
  }

  /// Stops trusting nodes with other filler bytes, if nearly all nodes have those that current
  /// libraries write.
  mutating func distrustFillers() throws(RealmFileError) {
    // Libraries for formats 2 to 9 write various filler bytes.
    guard !root.isLegacy, oddFillers > 0, nodeCount > 0, missingCount > 0 || hasNewKills,
      oddFillers < nodeCount / DamageWalk.nodesPerOddFiller + 8
    else { return }
    requiresFiller = true
    killed = BitSet()
    try walk()
  }

  /// Marks blocks as dead if nodes are missing in them.
  ///
  /// - Returns: whether more blocks are dead than before.
  mutating func judgeBlocks() -> Bool {
    var isNew = false
    for block in 0..<(end + blockByteCount - 1) / blockByteCount {
      let units = units(ofBlock: block)
      guard missing.contains(anyOf: units) else { continue }
      // If the ref points into another node, the ref is wrong, not the block.
      let count = missing.runs(in: units).joined().count { !taken.contains($0) }
      let present = starts.count(in: units)
      guard count > 0, present < DamageWalk.nodesPerMissing * count else { continue }
      if deadBlocks.insert(block) { isNew = true }
    }
    return isNew
  }

  private func units(ofBlock block: Int) -> Range<Int> {
    let perBlock = blockByteCount / DamageWalk.unitByteCount
    return block * perBlock..<min((block + 1) * perBlock, end / DamageWalk.unitByteCount)
  }

  /// Marks blocks as dead that contradict no ref because a long node covers them: blocks of zeros,
  /// and copies of other blocks, alone or in a row of up to 16. If the words of a copied block
  /// differ so much that no library writes them twice, the one of the two with fewer refs is the
  /// copy. Equal pages of an encrypted file are not copies: a page cannot be decrypted in another
  /// place.
  ///
  /// - Parameter onlyUnlikely: whether to judge only blocks that no library writes twice, because nothing else is wrong.
  mutating func judgeCopiedBlocks(onlyUnlikely: Bool = false) throws(RealmFileError) {
    let count = end / blockByteCount
    // 0 for a block that is all zeros or cannot be read.
    var hashes = [UInt64](repeating: 0, count: count)
    var seen: [UInt64: Int] = [:]
    var pairs: [(Int, Int)] = []
    let mark = nodes.mark()
    for block in 0..<count where !deadBlocks.contains(block) {
      defer { nodes.release(to: mark) }
      guard let bytes = try readable(block) else { continue }
      guard let hash = bytes.blockHash else {
        if isUsed(block: block), !onlyUnlikely { markDead(block) }
        continue
      }
      hashes[block] = hash
      guard !nodes.source.isEncrypted else { continue }
      if let other = seen.updateValue(block, forKey: hash) { pairs.append((block, other)) }
    }
    for (block, other) in pairs {
      defer { nodes.release(to: mark) }
      // Damage begins and ends at block boundaries; values that occur twice, and nodes of two
      // versions, rarely do.
      guard try !areEqualBeside(block, other, hashes), let bytes = try readable(block) else {
        continue
      }
      // A short string that is repeated has as many different words as bytes.
      let least = onlyUnlikely ? 6 * leastDifferentWords : leastDifferentWords
      let isUnlikely = bytes.differentWordCount >= least
      // The space of older versions can have copies of nodes that were moved.
      guard !onlyUnlikely || isUnlikely && isUsed(block: block) && isUsed(block: other) else {
        continue
      }
      judge(block, copyOf: other, isUnlikely: isUnlikely)
      judge(other, copyOf: block, isUnlikely: isUnlikely)
    }
  }

  /// Whether the bytes before two rows of equal blocks are equal too, or those after them.
  ///
  /// - Parameter hashes: the hash of each block.
  private func areEqualBeside(
    _ one: Int, _ two: Int, _ hashes: [UInt64]
  ) throws(RealmFileError) -> Bool {
    func areEqual(_ distance: Int) -> Bool {
      let (a, b) = (one + distance, two + distance)
      return hashes.indices.contains(a) && hashes.indices.contains(b) && hashes[a] != 0
        && hashes[a] == hashes[b]
    }
    var row = 0...0
    while areEqual(row.lowerBound - 1), row.count <= DamageWalk.longestRow {
      row = row.lowerBound - 1...row.upperBound
    }
    while areEqual(row.upperBound + 1) {
      guard row.count <= DamageWalk.longestRow else { return true }
      row = row.lowerBound...row.upperBound + 1
    }
    let (size, count) = (blockByteCount, DamageWalk.neighbourByteCount)
    for start in [row.lowerBound * size - count, (row.upperBound + 1) * size] {
      let places = [one, two].map { $0 * size + start }
      guard places.allSatisfy({ $0 >= 0 && $0 + count <= end }),
        let first = try nodes.readableBytes(in: places[0]..<places[0] + count),
        let second = try nodes.readableBytes(in: places[1]..<places[1] + count)
      else { continue }
      if !first.isZeroed, first.hasSameWords(as: second) { return true }
    }
    return false
  }

  /// - Parameter isUnlikely: whether an undamaged file never has these blocks twice.
  private mutating func judge(_ block: Int, copyOf other: Int, isUnlikely: Bool) {
    guard isUsed(block: block) else { return }
    let hasNoRefs = !starts.contains(anyOf: units(ofBlock: block))
    // One ref can match a node in a copy by chance. Nodes in an unused block are unknown.
    let others = isUsed(block: other) ? refBalance(other) : 1
    if hasNoRefs || isUnlikely && refBalance(block) <= others { markDead(block) }
  }

  private func isUsed(block: Int) -> Bool { taken.contains(anyOf: units(ofBlock: block)) }

  /// Blocks with this many different words, one in eight, are not equal by chance.
  private var leastDifferentWords: Int { blockByteCount / (DamageWalk.unitByteCount * 8) }
  /// The bytes beside a block that show whether it was copied alone.
  private static let neighbourByteCount = 64
  /// The most blocks that a disk copies by mistake.
  private static let longestRow = 16

  private mutating func markDead(_ block: Int) {
    if deadBlocks.insert(block) { hasNewKills = true }
  }

  /// The number of refs to nodes in a block, less the refs to places in it without a node.
  private func refBalance(_ block: Int) -> Int {
    let units = units(ofBlock: block)
    return starts.count(in: units) - missing.count(in: units)
  }

  /// The bytes of a block; nil if they cannot be read.
  private func readable(_ block: Int) throws(RealmFileError) -> ByteSlice? {
    try nodes.readableBytes(
      in: block * blockByteCount..<(block + 1) * blockByteCount)
  }

  /// Marks runs of zeroed blocks as dead that cut off a node's values: the number right before them
  /// is not 0, nor is the one right after them if the node continues there. In an undamaged file, a
  /// run of zeros begins and ends anywhere.
  mutating func judgeZeroedBlocks() throws(RealmFileError) {
    let size = blockByteCount
    let mark = nodes.mark()
    func isDamage(_ run: Range<Int>) throws(RealmFileError) -> Bool {
      guard !run.isEmpty else { return false }
      let bytes = run.lowerBound * size..<run.upperBound * size
      // The bytes after the last node were never written, or are free.
      let units = self.units(bytes)
      let takenCount = taken.count(in: units)
      guard takenCount >= DamageWalk.leastZeroedUnits, !starts.contains(anyOf: units),
        try isUsed(bytes.lowerBound - DamageWalk.unitByteCount)
      else { return false }
      return try takenCount < units.count ? true : isUsed(bytes.upperBound)
    }
    var run = 0..<0
    for block in 0...end / size {
      if block < end / size, !deadBlocks.contains(block), try isZeroed(block) {
        run = run.isEmpty ? block..<block + 1 : run.lowerBound..<block + 1
      } else {
        if try isDamage(run) { deadBlocks.insert(run) }
        run = 0..<0
      }
      nodes.release(to: mark)
    }
  }

  /// Whether the unit at an offset belongs to a node and is not zero.
  private func isUsed(_ offset: Int) throws(RealmFileError) -> Bool {
    let range = offset..<offset + DamageWalk.unitByteCount
    guard offset >= 0, range.upperBound <= end, taken.contains(anyOf: units(range)),
      let bytes = try nodes.readableBytes(in: range)
    else { return false }
    return bytes.littleEndian(at: 0) != 0
  }

  private func isZeroed(_ block: Int) throws(RealmFileError) -> Bool {
    try readable(block)?.isZeroed ?? false
  }

  // MARK: Blocks of strings

  /// A leaf of strings is recognized by at least this many zero-terminated values in undamaged
  /// blocks, and by this fraction of all values (1 in `leastPart`).
  private static let (leastTerminated, leastPart) = (8, 4)

  /// Marks blocks within leaves of short strings as dead if a string in them has no zero byte at its
  /// end (chapter 2, section 3.6).
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
        blob.header.widthType == .ignore, blob.count >= blockByteCount / 2,
        judged.insert(ends.ref).inserted, judged.insert(blob.ref).inserted
      else { continue }
      for block in damagedBlocks(ends.integers(), blob) { markDead(block) }
    }
  }

  private func child(_ index: Int, of node: Node) -> Node? {
    guard case .ref(let ref) = node.element(at: index), isTrusted(ref) else { return nil }
    return try? nodes.lookUp(ref)
  }

  /// The blocks of `blob`, except its first, in which values lack the zero byte at their end although
  /// all values in the other blocks have it. In a leaf of binary data, both kinds are in the same
  /// blocks.
  private func damagedBlocks(_ ends: [Int64], _ blob: Node) -> [Int] {
    guard ends.last == Int64(blob.count), zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }),
      ends[0] >= 0
    else { return [] }
    let first = blob.ref + NodeHeader.byteCount
    var (terminated, open): ([Int: Int], [Int: Int]) = ([:], [:])
    var start = 0
    for end in ends.map({ Int($0) }) where end > start {
      defer { start = end }
      let block = (first + end - 1) / blockByteCount
      guard blob.bytes[end - 1] != 0 else {
        terminated[block, default: 0] += 1
        continue
      }
      guard block > blob.ref / blockByteCount else { return [] }
      open[block, default: 0] += 1
    }
    let elsewhere = terminated.reduce(0) { open[$1.key] == nil ? $0 + $1.value : $0 }
    guard elsewhere >= DamageWalk.leastTerminated, elsewhere * DamageWalk.leastPart >= ends.count
    else { return [] }
    // If nodes begin in the block, the refs to them say more than a few changed bytes.
    return open.filter { block, count in
      !starts.contains(anyOf: units(ofBlock: block))
        || count >= DamageWalk.leastTerminated && count > terminated[block, default: 0]
    }.keys.sorted()
  }
}

extension ByteSlice {
  /// Whether all bytes, a multiple of 8, are zero.
  fileprivate var isZeroed: Bool {
    stride(from: 0, to: count, by: 8).allSatisfy { littleEndian(at: $0) == 0 }
  }

  /// Whether the bytes, a multiple of 8, equal those of a slice of the same size.
  fileprivate func hasSameWords(as other: ByteSlice) -> Bool {
    stride(from: 0, to: count, by: 8).allSatisfy {
      littleEndian(at: $0) == other.littleEndian(at: $0)
    }
  }

  /// The number of different words in the bytes, a multiple of 8.
  fileprivate var differentWordCount: Int {
    Set(stride(from: 0, to: count, by: 8).map { littleEndian(at: $0) }).count
  }

  /// A hash of the bytes, a multiple of 8; nil if all are zero.
  fileprivate var blockHash: UInt64? {
    var (hash, any): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0)
    for offset in stride(from: 0, to: count, by: 8) {
      let word = littleEndian(at: offset)
      any |= word
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    return any == 0 ? nil : hash
  }
}

extension BitSet {
  /// The number of members in `range`.
  func count(in range: Range<Int>) -> Int { runs(in: range).reduce(0) { $0 + $1.count } }
}
