import RealmModel
import RealmStorage

/// Finds a block of a disk inside of a leaf whose values are unlike all others of the leaf: it was overwritten. Nothing else
/// shows that, because any bytes are numbers.
///
/// Of each value, one symbol counts: its highest byte, which is the same in most values, each byte of values of up to
/// 8 bits and of long strings, or the whole value of a leaf of short strings. Symbols that occur outside of the block are
/// *known*. A block is foreign if many of its symbols are not known, also at its start and its end, and those right beside
/// it are.
enum BlockContrast {
  /// Bytes of a block: a sector of the disks of the time.
  static let blockByteCount = 512
  /// Known symbols are at most one in this many of all that are compared outside of the block, and not more than one in
  /// this many is another one. Otherwise all values are random.
  private static let leastRepetition = 4
  /// If more bytes are known, a block of random bytes does not stand out.
  private static let knownLimit = 128
  /// The fewest symbols of a block that are compared.
  private static let leastCount = 16
  /// Each of so many sizes has at least one in `leastShare` of the foreign bytes.
  private static let (sizeCount, leastShare) = (4, 16)
  /// The symbols at the start and at the end of a block that are looked at by themselves.
  private static let edgeCount = 8
  /// Of the first and of the last symbols of a copied block, this part of all, at least one is foreign.
  private static let copiedEdgePart = 32

  /// Whether a block of a node is foreign.
  ///
  /// - Parameters:
  ///   - node: a node of numbers, bytes or short strings.
  ///   - areStrings: whether whole values are compared.
  static func isFound(in node: Node, areStrings: Bool = false) -> Bool {
    // Each block is compared with all values: a larger node is no leaf.
    guard !areStrings || node.count <= BPlusTreeLeaves.capacity else { return false }
    let values = Values(node, areWhole: areStrings)
    guard values.blocks.count > 1 else { return false }
    let all = values.counts(values.blocks[0].lowerBound..<values.count)
    return values.blocks.indices.contains { i in
      guard let block = Block(values, i, all) else { return false }
      return block.hasRandomBytes || block.isCopied
    }
  }

  /// A block whose known symbols are few.
  private struct Block {
    private let values: Values
    private let i: Int
    private let range: Range<Int>
    /// How often each symbol occurs in the block.
    private let own: [Int]
    private let isKnown: [Bool]
    /// The number of symbols in the block that are not known.
    private let foreign: Int

    /// - Parameter all: how often each symbol occurs in the leaf.
    init?(_ values: Values, _ i: Int, _ all: [Int]) {
      (self.values, self.i, range) = (values, i, values.blocks[i])
      let otherCount = values.count - range.count
      guard range.count >= leastCount, otherCount >= leastCount else { return nil }
      let own = values.counts(range)
      let isKnown = all.indices.map { symbol in
        let count = all[symbol] - own[symbol]
        // Other foreign blocks have most bytes only a few times.
        return count > 0
          && (values.areWhole || count * all.count > otherCount || otherCount < all.count)
      }
      let knownCount = isKnown.count { $0 }
      let covered = all.indices.reduce(0) { $0 + (isKnown[$1] ? all[$1] - own[$1] : 0) }
      guard knownCount <= min(knownLimit, otherCount / leastRepetition),
        covered >= otherCount - otherCount / leastRepetition
      else { return nil }
      (self.own, self.isKnown) = (own, isKnown)
      foreign = all.indices.reduce(0) { $0 + (isKnown[$1] ? 0 : own[$1]) }
    }

    /// Whether most symbols are foreign bytes of all sizes: values of an app rarely become random exactly where a block
    /// begins, and again not where it ends. Sorted values are unlike those before, too, but like each other.
    var hasRandomBytes: Bool {
      let areOfAllSizes =
        !values.areWhole
        && stride(from: 0, to: own.count, by: own.count / sizeCount).allSatisfy { start in
          let count = (start..<start + own.count / sizeCount).reduce(0) {
            $0 + (isKnown[$1] ? 0 : own[$1])
          }
          return count * leastShare >= foreign
        }
      guard areOfAllSizes, foreign * 2 > range.count,
        foreignCount(range.prefix(edgeCount)) * 2 >= edgeCount,
        foreignCount(range.suffix(edgeCount)) * 2 >= edgeCount
      else { return false }
      // The values beside it are like the others, unless they are in another foreign block.
      return [before, after].contains {
        !$0.isEmpty && foreignCount($0) * leastRepetition <= $0.count
      }
    }

    /// Whether foreign symbols begin and end with the block, and those beside it are of the same kind. Sorted values are
    /// between others.
    var isCopied: Bool {
      let edgeCount = max(1, range.count / copiedEdgePart)
      return foreign * leastRepetition >= range.count
        && foreignCount(range.prefix(edgeCount)) > 0
        && foreignCount(range.suffix(edgeCount)) > 0
        && foreignCount(before) == 0 && foreignCount(after) == 0
        && !Set(before.map(values.symbol)).isDisjoint(with: after.map(values.symbol))
    }

    private var before: Range<Int> {
      values.blocks.indices.contains(i - 1) ? values.blocks[i - 1].suffix(edgeCount) : 0..<0
    }

    private var after: Range<Int> {
      values.blocks.indices.contains(i + 1) ? values.blocks[i + 1].prefix(edgeCount) : 0..<0
    }

    private func foreignCount(_ range: Range<Int>) -> Int {
      range.reduce(0) { $0 + (isKnown[values.symbol($1)] ? 0 : 1) }
    }
  }

  /// The values of a node that are compared.
  private struct Values {
    /// Their positions in each block.
    let blocks: [Range<Int>]
    private let bytes: ByteSlice
    /// Bytes of a value.
    private let size: Int
    /// The symbols of values that count as a whole; otherwise nil.
    private let symbols: [Int]?
    private let symbolCount: Int

    init(_ node: Node, areWhole: Bool) {
      let bytes = node.bytes
      let size =
        switch node.header.widthType {
        case .bits: max(1, node.width / 8)
        case .multiply: max(1, node.width)
        default: 1
        }
      let first = node.ref + NodeHeader.byteCount
      (self.bytes, self.size) = (bytes, size)
      var (blocks, start): ([Range<Int>], Int) = ([], 0)
      if bytes.count > blockByteCount {
        while start < bytes.count / size * size {
          let blockEnd = ((first + start) / blockByteCount + 1) * blockByteCount - first
          let end = min(bytes.count, blockEnd) / size * size
          // A block can begin inside of a value of 16 bytes.
          if start < end {
            blocks.append(start / size..<end / size)
          }
          start = max(end, start + size)
        }
      }
      self.blocks = blocks
      guard areWhole, let count = blocks.last?.upperBound else {
        (symbols, symbolCount) = (nil, 256)
        return
      }
      var known: [[UInt8]: Int] = [:]
      symbols = (0..<count).map { i in
        let value = (i * size..<(i + 1) * size).map { bytes[$0] }
        let symbol = known[value] ?? known.count
        known[value] = symbol
        return symbol
      }
      symbolCount = known.count
    }

    var count: Int { blocks.last?.upperBound ?? 0 }
    /// Whether whole values are compared.
    var areWhole: Bool { symbols != nil }

    func symbol(_ i: Int) -> Int { symbols?[i] ?? Int(bytes[i * size + size - 1]) }

    func counts(_ range: Range<Int>) -> [Int] {
      var counts = [Int](repeating: 0, count: symbolCount)
      for i in range { counts[symbol(i)] += 1 }
      return counts
    }
  }
}
