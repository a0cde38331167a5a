import RealmStorage

/// Finds a block of a disk inside of a leaf whose values are unlike all others of the leaf: it was overwritten. Nothing else
/// shows that, because any bytes are numbers.
///
/// Of each value, one byte counts: the highest one, which is the same in most values, or each byte of values of up to
/// 8 bits and of strings. Bytes that occur outside of the block are *known*. A block is foreign if most of its bytes are not
/// known, also at its start and its end, and are of all sizes: values of an app rarely become random exactly where a block
/// begins, and again not where it ends.
enum BlockContrast {
  /// Bytes of a block: a sector of the disks of the time.
  static let blockByteCount = 512
  /// Known bytes are at most one in this many of all that are compared outside of the block, and not more than one in
  /// this many is another one. Otherwise all values are random.
  private static let leastRepetition = 4
  /// If more bytes are known, a block of random bytes does not stand out.
  private static let knownLimit = 128
  /// The fewest bytes of a block that are compared.
  private static let leastCount = 16
  /// Each of so many sizes has at least one in `leastShare` of the foreign bytes.
  private static let (sizeCount, leastShare) = (4, 16)
  /// The bytes at the start and at the end of a block that are looked at by themselves.
  private static let edgeCount = 8

  /// Whether a block of a node is foreign.
  ///
  /// - Parameter node: a node of numbers or bytes.
  static func isFound(in node: Node) -> Bool {
    let values = Values(node)
    guard values.blocks.count > 1 else { return false }
    let all = values.counts(values.blocks[0].lowerBound..<values.count)
    return values.blocks.indices.contains { isForeign($0, values, all) }
  }

  /// - Parameter all: how often each byte occurs.
  private static func isForeign(_ i: Int, _ values: Values, _ all: [Int]) -> Bool {
    let block = values.blocks[i]
    let otherCount = values.count - block.count
    guard block.count >= leastCount, otherCount >= leastCount else { return false }
    let own = values.counts(block)
    let isKnown = all.indices.map { value in
      let count = all[value] - own[value]
      // Other foreign blocks have most bytes only a few times.
      return count > 0 && (count * all.count > otherCount || otherCount < all.count)
    }
    let knownCount = isKnown.count { $0 }
    let covered = all.indices.reduce(0) { $0 + (isKnown[$1] ? all[$1] - own[$1] : 0) }
    guard knownCount <= min(knownLimit, otherCount / leastRepetition),
      covered >= otherCount - otherCount / leastRepetition
    else { return false }
    func foreignCount(_ range: Range<Int>) -> Int {
      range.reduce(0) { $0 + (isKnown[Int(values.byte($1))] ? 0 : 1) }
    }
    let foreign = foreignCount(block)
    // Sorted values are unlike those before, too, but like each other.
    let areOfAllSizes = stride(from: 0, to: all.count, by: all.count / sizeCount).allSatisfy {
      start in
      let count = (start..<start + all.count / sizeCount).reduce(0) {
        $0 + (isKnown[$1] ? 0 : own[$1])
      }
      return count * leastShare >= foreign
    }
    guard areOfAllSizes, foreign * 2 > block.count,
      foreignCount(block.prefix(edgeCount)) * 2 >= edgeCount,
      foreignCount(block.suffix(edgeCount)) * 2 >= edgeCount
    else { return false }
    // The values beside it are like the others, unless they are in another foreign block.
    return [i - 1, i + 1].contains {
      guard values.blocks.indices.contains($0) else { return false }
      let beside =
        $0 < i ? values.blocks[$0].suffix(edgeCount) : values.blocks[$0].prefix(edgeCount)
      return !beside.isEmpty && foreignCount(beside) * 4 <= beside.count
    }
  }

  /// The bytes of a node that are compared.
  private struct Values {
    /// Their positions in each block.
    let blocks: [Range<Int>]
    private let bytes: ByteSlice
    /// Bytes of a value.
    private let size: Int

    init(_ node: Node) {
      bytes = node.bytes
      size =
        switch node.header.widthType {
        case .bits: max(1, node.width / 8)
        case .multiply: max(1, node.width)
        default: 1
        }
      guard bytes.count > blockByteCount else {
        blocks = []
        return
      }
      let first = node.ref + NodeHeader.byteCount
      var (blocks, start): ([Range<Int>], Int) = ([], 0)
      while start < bytes.count / size * size {
        let blockEnd = ((first + start) / blockByteCount + 1) * blockByteCount - first
        let end = min(bytes.count, blockEnd) / size * size
        blocks.append(start / size..<max(start, end) / size)
        // A block can begin inside of a value of 16 bytes.
        start = max(end, start + size)
      }
      self.blocks = blocks
    }

    var count: Int { blocks.last?.upperBound ?? 0 }

    func byte(_ i: Int) -> UInt8 { bytes[i * size + size - 1] }

    func counts(_ range: Range<Int>) -> [Int] {
      var counts = [Int](repeating: 0, count: 256)
      for i in range { counts[Int(byte(i))] += 1 }
      return counts
    }
  }
}
