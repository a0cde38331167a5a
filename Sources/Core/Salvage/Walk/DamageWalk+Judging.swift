import RealmStorage

/// How a walk decides which bytes can be trusted.
extension DamageWalk {
  /// If at least this many nodes of a block are there for each one that is missing, the ref to the missing
  /// one is wrong, or only a few bytes of the block.
  private static let soundNodesPerMissing = 3
  /// Of so many nodes at most one may have other filler bytes in a file of current libraries.
  private static let nodesPerOddFiller = 20
  /// Fewer zeros at the end of a node are taken for values.
  private static let leastZeroedUnits = 8

  /// Pages that cannot be decrypted are dead.
  mutating func markUnreadablePages() throws(RealmFileError) {
    guard nodes.source.isEncrypted else { return }
    let size = DamageWalk.blockByteCount
    for page in 0..<(end / size) {
      switch try nodes.source.condition(ofPage: page) {
      // A ref into a page that was never written shows that its checksum is lost.
      case .valid, .older, .empty: continue
      case .damaged: deadBlocks.insert(page)
      }
    }
  }

  /// Current libraries write the same filler bytes into every node. Where nearly all nodes have them, one
  /// without them is none.
  mutating func distrustFillers() throws(RealmFileError) {
    guard oddFillers > 0, nodeCount > 0, missingCount > 0 || hasNewKills,
      oddFillers < nodeCount / DamageWalk.nodesPerOddFiller + 8
    else { return }
    requiresFiller = true
    killed = BitSet()
    try walk()
  }

  /// Decides about the blocks in which nodes are missing.
  ///
  /// - Returns: whether more blocks are dead than before.
  mutating func judgeBlocks() -> Bool {
    var isNew = false
    for block in 0..<(end + DamageWalk.blockByteCount - 1) / DamageWalk.blockByteCount {
      let units = units(ofBlock: block)
      guard missing.contains(anyOf: units) else { continue }
      // Inside another node, the ref is wrong and not the block.
      let count = missing.runs(in: units).reduce(0) { sum, run in
        sum + run.count { !taken.contains(anyOf: $0..<$0 + 1) }
      }
      let sound = starts.runs(in: units).reduce(0) { $0 + $1.count }
      guard count > 0, sound < DamageWalk.soundNodesPerMissing * count else { continue }
      if deadBlocks.insert(block) { isNew = true }
    }
    return isNew
  }

  private func units(ofBlock block: Int) -> Range<Int> {
    let perBlock = DamageWalk.blockByteCount / DamageWalk.unitByteCount
    return block * perBlock..<min((block + 1) * perBlock, end / DamageWalk.unitByteCount)
  }

  /// Decides about blocks that long nodes cover, so that no ref leads into them: in a damaged file, a block of
  /// zeros, and a copy of another block, alone or in a row of up to 16. Also about copies whose words differ so much
  /// that no library writes them twice: of two used ones, the one to which fewer refs lead is the copy. A page of an
  /// encrypted file cannot be decrypted anywhere else, so equal ones are no copies.
  mutating func judgeCopiedBlocks() throws(RealmFileError) {
    let count = end / DamageWalk.blockByteCount
    // 0 for a block of zeros, and for one that cannot be read.
    var hashes = [UInt64](repeating: 0, count: count)
    var seen: [UInt64: Int] = [:]
    var pairs: [(Int, Int)] = []
    let mark = nodes.mark()
    for block in 0..<count where !deadBlocks.contains(block) {
      defer { nodes.release(to: mark) }
      guard let bytes = try readable(block) else { continue }
      guard let hash = bytes.blockHash else {
        if isUsed(block: block) { markDead(block) }
        continue
      }
      hashes[block] = hash
      guard !nodes.source.isEncrypted else { continue }
      if let other = seen.updateValue(block, forKey: hash) { pairs.append((block, other)) }
    }
    for (block, other) in pairs {
      defer { nodes.release(to: mark) }
      // Damage begins and ends with a block. Values that are there twice, and nodes of two versions, rarely do.
      guard try !areEqualBeside(block, other, hashes), let bytes = try readable(block) else {
        continue
      }
      let isUnlikely = bytes.differentWordCount >= DamageWalk.leastDifferentWords
      judge(block, copyOf: other, isUnlikely: isUnlikely)
      judge(other, copyOf: block, isUnlikely: isUnlikely)
    }
  }

  /// Whether the bytes before two rows of equal blocks are equal, too, or those behind them.
  ///
  /// - Parameter hashes: of all blocks.
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
    let (size, count) = (DamageWalk.blockByteCount, DamageWalk.neighbourByteCount)
    for start in [row.lowerBound * size - count, (row.upperBound + 1) * size] {
      let places = [one, two].map { $0 * size + start }
      guard places.allSatisfy({ $0 >= 0 && $0 + count <= end }),
        let first = try readable(places[0]..<places[0] + count),
        let second = try readable(places[1]..<places[1] + count)
      else { continue }
      if !first.isZeroed, first.hasSameWords(as: second) { return true }
    }
    return false
  }

  /// - Parameter isUnlikely: whether the blocks are not equal in a sound file.
  private mutating func judge(_ block: Int, copyOf other: Int, isUnlikely: Bool) {
    guard isUsed(block: block) else { return }
    let hasNoRefs = starts.runs(in: units(ofBlock: block)).isEmpty
    // One ref to a copy can lead to a node by chance. Nothing shows which nodes are in an unused block.
    let others = isUsed(block: other) ? soundRefs(other) : 1
    if hasNoRefs || isUnlikely && soundRefs(block) <= others { markDead(block) }
  }

  private func isUsed(block: Int) -> Bool { taken.contains(anyOf: units(ofBlock: block)) }

  /// Blocks with so many different words, of 512, are not equal by chance.
  private static let leastDifferentWords = 64
  /// So many bytes beside a block show whether it was copied alone.
  private static let neighbourByteCount = 64
  /// A disk copies no more blocks than these by mistake.
  private static let longestRow = 16

  private mutating func markDead(_ block: Int) {
    if deadBlocks.insert(block) { hasNewKills = true }
  }

  /// The number of refs that lead to nodes in a block, less those that lead to none.
  private func soundRefs(_ block: Int) -> Int {
    let units = units(ofBlock: block)
    return starts.runs(in: units).reduce(0) { $0 + $1.count }
      - missing.runs(in: units).reduce(0) { $0 + $1.count }
  }

  /// The bytes of a block; nil if they cannot be read.
  private func readable(_ block: Int) throws(RealmFileError) -> ByteSlice? {
    try readable(block * DamageWalk.blockByteCount..<(block + 1) * DamageWalk.blockByteCount)
  }

  private func readable(_ range: Range<Int>) throws(RealmFileError) -> ByteSlice? {
    guard try nodes.isReadable(range) else { return nil }
    return unsafe ByteSlice(
      start: try nodes.source.nodeBytes(at: range.lowerBound, count: range.count),
      count: range.count)
  }

  /// Decides about blocks of zeros in which nodes end or that they cover: zeros that begin with a block, or end
  /// with one, behind or before a number that is not 0, are no values. In a sound file, a run of zeros
  /// begins and ends anywhere.
  mutating func judgeZeroedBlocks() throws(RealmFileError) {
    let size = DamageWalk.blockByteCount
    let mark = nodes.mark()
    func isDamage(_ run: Range<Int>) throws(RealmFileError) -> Bool {
      guard !run.isEmpty else { return false }
      let bytes = run.lowerBound * size..<run.upperBound * size
      // The bytes from the end of the last node on were never written, or are free.
      let units = self.units(bytes)
      let takenCount = taken.runs(in: units).reduce(0) { $0 + $1.count }
      guard takenCount >= DamageWalk.leastZeroedUnits, starts.runs(in: units).isEmpty,
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
      try nodes.isReadable(range)
    else { return false }
    let bytes = unsafe ByteSlice(
      start: try nodes.source.nodeBytes(at: offset, count: range.count), count: range.count)
    return bytes.littleEndian(at: 0) != 0
  }

  private func isZeroed(_ block: Int) throws(RealmFileError) -> Bool {
    try readable(block)?.isZeroed ?? false
  }

  /// The space that the free list calls free, if the list is plausible.
  func statedFreeSpace() -> (map: SpaceMap, chunks: [Range<Int>])? {
    guard let refs = root.freeList,
      let lists = try? FreeList.Lists(refs, logicalSize: end, nodes, needsVersions: false)
    else { return nil }
    var map = SpaceMap(byteCount: end)
    // Without what lies behind the end: a truncated file can state any size.
    var chunks: [Range<Int>] = []
    var previous = 0
    for i in 0..<lists.count {
      let (offset, byteCount) = lists.chunk(i)
      guard offset >= Int64(previous), byteCount > 0, byteCount <= Int64(root.logicalSize),
        offset <= Int64(root.logicalSize) - byteCount
      else { return nil }
      previous = Int(offset + byteCount)
      let chunk = min(Int(offset), end)..<min(previous, end)
      chunks.append(chunk)
      _ = map.take(chunk)
    }
    return (map, chunks)
  }

  /// Decides about nodes in space that is free.
  mutating func judgeFreeSpace() throws(RealmFileError) {
    guard let refs = root.freeList, isSound(refs.positions), isSound(refs.lengths),
      let (map, chunks) = statedFreeSpace()
    else { return }
    let taken = chunks.reduce(0) { sum, chunk in
      sum + starts.runs(in: units(chunk)).reduce(0) { $0 + $1.count }
    }
    free = map
    guard taken > 0 else { return }
    // Many nodes in free space say that the list is wrong.
    guard taken <= nodeCount / 100 + 1 else {
      free = nil
      return
    }
    for chunk in chunks {
      for run in starts.runs(in: units(chunk)) {
        for unit in run { kill(unit) }
      }
    }
  }
}

extension ByteSlice {
  /// Whether all bytes, a multiple of 8, are zero.
  fileprivate var isZeroed: Bool {
    stride(from: 0, to: count, by: 8).allSatisfy { littleEndian(at: $0) == 0 }
  }

  /// Whether all bytes, a multiple of 8, are those of a slice of the same size.
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
