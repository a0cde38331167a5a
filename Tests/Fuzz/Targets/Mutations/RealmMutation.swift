import TestSupport

/// One to four changes of a realm, which follow from the seed. Half of them aim at nodes, whose headers
/// are found by their filler: a random change mostly hits free space.
package struct RealmMutation {
  private var bytes: [UInt8]
  private var random: SplitMix64
  private let nodes: [FoundNode]

  /// A node, live or not.
  private struct FoundNode {
    let offset: Int
    let hasRefs: Bool
    /// Bits of an element; 0 for kinds without elements of their own.
    let width: Int
    let count: Int
  }

  package init(of bytes: [UInt8], seed: UInt64) {
    self.bytes = bytes
    random = SplitMix64(seed: seed)
    nodes = RealmMutation.nodes(in: bytes)
  }

  private static func nodes(in bytes: [UInt8]) -> [FoundNode] {
    let filler = Array("AAAA".utf8)
    return stride(from: 24, to: bytes.count - 7, by: 8).compactMap { offset in
      guard bytes[offset..<(offset + 4)].elementsEqual(filler) else { return nil }
      let flags = bytes[offset + 4]
      let count =
        Int(bytes[offset + 5]) << 16 | Int(bytes[offset + 6]) << 8 | Int(bytes[offset + 7])
      let width = flags & 0x18 == 0 ? (1 << Int(flags & 7)) >> 1 : 0
      guard offset + 8 + count * width / 8 <= bytes.count else { return nil }
      return FoundNode(offset: offset, hasRefs: flags & 0x40 != 0, width: width, count: count)
    }
  }

  /// The changed bytes.
  package mutating func make() -> [UInt8] {
    for _ in 0..<(1 + below(4)) { change() }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int {
    limit <= 1 ? 0 : Int(random.next() % UInt64(limit))
  }

  private mutating func change() {
    guard bytes.count >= 32 else { return }
    switch below(16) {
    case 0: for _ in 0...below(8) { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
    case 1: bytes.removeSubrange((below(bytes.count / 8) * 8)...)
    case 2: if below(4) == 0 { bytes.removeSubrange(below(bytes.count)...) }
    case 3: swapWords()
    case 4: zero()
    case 5: copyRun()
    case 6: changeHeader()
    case 7, 8, 9: changeNodeHeader()
    case 10, 11: exchangeRefs()
    case 12, 13: repeatRef()
    default: setElement()
    }
  }

  /// Exchanges two values of eight bytes.
  private mutating func swapWords() {
    let (a, b) = (below(bytes.count / 8) * 8, below(bytes.count / 8) * 8)
    for i in 0..<8 { bytes.swapAt(a + i, b + i) }
  }

  private mutating func zero() {
    let start = below(bytes.count)
    for i in start..<min(bytes.count, start + 1 + below(64)) { bytes[i] = 0 }
  }

  private mutating func copyRun() {
    let count = min(8 * (1 + below(16)), bytes.count)
    let (from, to) = (
      below((bytes.count - count) / 8 + 1) * 8, below((bytes.count - count) / 8 + 1) * 8
    )
    bytes.replaceSubrange(to..<(to + count), with: Array(bytes[from..<(from + count)]))
  }

  /// The file header: another file format, another slot, another top ref.
  private mutating func changeHeader() {
    switch below(4) {
    case 0, 1:
      let formats: [UInt8] = [0, 9, 10, 11, 20, 21, 22, 23, 24, 25]
      let format = formats[below(formats.count)]
      (bytes[20], bytes[21]) = (format, format)
    case 2: bytes[23] ^= 1
    default: store(Int(truncatingIfNeeded: random.next()) >> below(64), 64, at: below(2) * 8)
    }
  }

  /// An absurd number of elements, or other flags.
  private mutating func changeNodeHeader() {
    guard let node = anyNode() else { return }
    switch below(6) {
    case 0, 1:
      let counts = [
        0, 1, 2, 255, 256, 257, 1000, 1001, 0xFFFF, 0xFF_FFFF, node.count + 1, node.count - 1,
        node.count * 2, below(1 << 24),
      ]
      let count = max(0, counts[below(counts.count)])
      for i in 0..<3 {
        bytes[node.offset + 5 + i] = UInt8(truncatingIfNeeded: count >> (16 - 8 * i))
      }
    case 2: bytes[node.offset + 4] = bytes[node.offset + 4] & 0xF8 | UInt8(below(8))
    case 3:
      // No width and many elements: rows that take no bytes.
      bytes[node.offset + 4] &= 0xF8
      let counts = [256, 1000, 0xFFFF, 0xFF_FFFF]
      let count = counts[below(counts.count)]
      for i in 0..<3 {
        bytes[node.offset + 5 + i] = UInt8(truncatingIfNeeded: count >> (16 - 8 * i))
      }
    case 4: bytes[node.offset + 4] ^= 1 << UInt8(3 + below(5))
    default: bytes[node.offset + 4] = UInt8(below(256))
    }
  }

  /// Replaces an element of a node with refs by one of another node, or of the same.
  private mutating func exchangeRefs() {
    guard let a = anyNode(withRefs: true), let b = below(2) == 0 ? a : anyNode(withRefs: true),
      a.count > 0, b.count > 0
    else { return }
    let (i, j) = (below(a.count), below(b.count))
    let (x, y) = (element(i, of: a), element(j, of: b))
    set(i, of: a, y)
    set(j, of: b, x)
  }

  /// Changes elements of a node with refs to refs to the same node, some node, or the node itself.
  private mutating func repeatRef() {
    guard let node = anyNode(withRefs: true), node.count > 0 else { return }
    let target: Int
    switch below(4) {
    case 0: target = node.offset
    case 1: target = element(below(node.count), of: node)
    default: target = anyNode()?.offset ?? 0
    }
    if below(3) == 0 {
      for i in 0..<node.count { set(i, of: node, target) }
    } else {
      set(below(node.count), of: node, target)
    }
  }

  /// Sets an element to a value that is likely to be a limit.
  private mutating func setElement() {
    guard let node = anyNode(), node.width > 0, node.count > 0 else { return }
    let other = element(below(node.count), of: node)
    let values = [
      0, 1, -1, -2, 2, 3, Int.max, Int.min, Int.max - 1, Int.min + 1, 0x7FFF_FFFF, -0x8000_0000,
      0xFFFF,
      other, other + (other < 1000 ? 1 : 0), Int(truncatingIfNeeded: random.next()), bytes.count,
      bytes.count - 8, 1 << 40 | 1,
    ]
    set(below(node.count), of: node, values[below(values.count)])
  }

  private mutating func anyNode(withRefs: Bool = false) -> FoundNode? {
    for _ in 0..<50 where !nodes.isEmpty {
      let node = nodes[below(nodes.count)]
      // It may be truncated by now.
      let end = node.offset + 8 + (node.count * node.width + 7) / 8
      if end <= bytes.count, !withRefs || node.hasRefs && node.width >= 8 { return node }
    }
    return nil
  }

  private func element(_ index: Int, of node: FoundNode) -> Int {
    guard node.width >= 8 else { return 0 }
    let start = node.offset + 8 + index * node.width / 8
    let raw = (0..<(node.width / 8)).reduce(UInt64(0)) {
      $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1))
    }
    return Int(truncatingIfNeeded: raw)
  }

  private mutating func set(_ index: Int, of node: FoundNode, _ value: Int) {
    guard node.width >= 8 else {
      bytes[node.offset + 8 + index * node.width / 8] ^= UInt8(truncatingIfNeeded: value | 1)
      return
    }
    store(value, node.width, at: node.offset + 8 + index * node.width / 8)
  }

  private mutating func store(_ value: Int, _ width: Int, at offset: Int) {
    for i in 0..<(width / 8) { bytes[offset + i] = UInt8(truncatingIfNeeded: value >> (8 * i)) }
  }
}
