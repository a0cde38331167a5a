import RealmStorage

/// Blocks to which no ref leads, because a long leaf of texts covers them: its texts tell whether they are damaged.
extension DamageWalk {
  /// The fewest values with a zero byte at their end that a leaf of texts has in its other blocks, and the part of
  /// all values that they are at least.
  private static let (leastTerminated, leastPart) = (8, 4)

  /// Decides about blocks within leaves of short texts, each of which ends with a zero byte (chapter 2, section
  /// 3.6): in a damaged file, one that does not shows that its block is damaged.
  mutating func judgeTexts() throws(RealmFileError) {
    let mark = nodes.mark()
    // Each node belongs to one leaf.
    var judged = Set<Ref>()
    for run in starts.runs(in: 0..<end / DamageWalk.unitByteCount) {
      for unit in run where !killed.contains(unit) {
        defer { nodes.release(to: mark) }
        let leaf = try nodes.lookUp(unit * DamageWalk.unitByteCount)
        // The ends of the values, their bytes, null flags.
        guard leaf.hasRefs, !leaf.isInner, !leaf.hasContext, leaf.count == 3,
          let ends = child(0, of: leaf), let blob = child(1, of: leaf), ends.isIntegers,
          blob.header.widthType == .ignore, blob.count >= DamageWalk.blockByteCount / 2,
          judged.insert(ends.ref).inserted, judged.insert(blob.ref).inserted
        else { continue }
        for block in damagedBlocks(ends.integers(), blob) where deadBlocks.insert(block) {
          hasNewKills = true
        }
      }
    }
  }

  private func child(_ index: Int, of node: Node) -> Node? {
    guard case .ref(let ref) = node.element(at: index), isSound(ref) else { return nil }
    return try? nodes.lookUp(ref)
  }

  /// The blocks of `blob` behind its first one in which texts have no zero byte at their end, although all in the
  /// other blocks have one. Of other values, such as data, those with and without one are in the same blocks.
  private func damagedBlocks(_ ends: [Int64], _ blob: Node) -> [Int] {
    guard ends.last == Int64(blob.count), zip(ends, ends.dropFirst()).allSatisfy({ $0 <= $1 }),
      ends[0] >= 0
    else { return [] }
    let first = blob.ref + NodeHeader.byteCount
    var (terminated, open): ([Int: Int], [Int: Int]) = ([:], [:])
    var start = 0
    for end in ends.map({ Int($0) }) where end > start {
      defer { start = end }
      let block = (first + end - 1) / DamageWalk.blockByteCount
      guard blob.bytes[end - 1] != 0 else {
        terminated[block, default: 0] += 1
        continue
      }
      guard block > blob.ref / DamageWalk.blockByteCount else { return [] }
      open[block, default: 0] += 1
    }
    let elsewhere = terminated.reduce(0) { open[$1.key] == nil ? $0 + $1.value : $0 }
    guard elsewhere >= DamageWalk.leastTerminated, elsewhere * DamageWalk.leastPart >= ends.count
    else { return [] }
    // Of a block in which nodes begin, the refs to these tell more than a few bytes that changed.
    return open.filter { block, count in
      let perBlock = DamageWalk.blockByteCount / DamageWalk.unitByteCount
      return starts.runs(in: block * perBlock..<(block + 1) * perBlock).isEmpty
        || count >= DamageWalk.leastTerminated && count > terminated[block, default: 0]
    }.keys.sorted()
  }
}
