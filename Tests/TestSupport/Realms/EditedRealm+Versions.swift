/// Realms with two versions, joined from two files.
extension EditedRealm {
  private static let blockByteCount = 4096

  /// Appends the version of another file as the next one, like a commit that changes every node. Each node has
  /// its own blocks. The nodes of the version before are free space of the new one.
  ///
  /// - Parameters:
  ///   - other: a realm whose newest version has slots for free space.
  ///   - neighbours: refs of nodes of `other` that come into one block.
  public mutating func append(versionOf other: EditedRealm, neighbours: [Int] = []) {
    precondition(bytes[23] & 1 == 0)
    let old = top
    var placed = Placed(free: [24..<bytes.count])
    for child in neighbours.flatMap({ other.children(of: $0) }) {
      placed.refs[child] = copy(child, of: other, &placed)
    }
    align(&placed)
    for ref in neighbours { placed.refs[ref] = copy(ref, of: other, &placed, isAligned: false) }
    var slots = (0..<other.count(of: other.top)).map { other.element($0, of: other.top) }
    for i in [0, 1] { slots[i] = copy(slots[i], of: other, &placed) }
    // The chunks of free space: their places, sizes and versions (chapter 1, section 3.2).
    slots[3] = add(integers: placed.free.map(\.lowerBound))
    slots[4] = add(integers: placed.free.map(\.count))
    slots[5] = add(integers: placed.free.map { _ in 1 })
    slots[6] = element(6, of: old) + 2
    let newTop = bytes.count
    slots[2] = (newTop + 8 + 8 * slots.count) << 1 | 1
    bytes += node(
      flags: 0x47, count: slots.count, slots.flatMap { littleEndianBytes($0, count: 8) })
    bytes.replaceSubrange(8..<16, with: littleEndianBytes(newTop, count: 8))
    (bytes[21], bytes[23]) = (bytes[20], bytes[23] | 1)
  }

  /// The places of the nodes of the other file, and the free space between them.
  private struct Placed {
    var refs: [Int: Int] = [:]
    var free: [Range<Int>]
  }

  /// Appends the node of another file after all nodes below it, unless it has been appended.
  ///
  /// - Returns: its ref.
  private mutating func copy(
    _ ref: Int, of other: EditedRealm, _ placed: inout Placed, isAligned: Bool = true
  ) -> Int {
    if let place = placed.refs[ref] { return place }
    let (flags, count) = (other.bytes[ref + 4], other.count(of: ref))
    var content = Array(other.bytes[ref..<ref + other.byteCount(of: ref)])
    if flags & 0x40 != 0 {
      let elements = (0..<count).map { other.element($0, of: ref) }.map {
        $0 != 0 && $0 & 1 == 0 ? copy($0, of: other, &placed) : $0
      }
      content = node(
        flags: flags & 0xE0 | 7, count: count, elements.flatMap { littleEndianBytes($0, count: 8) })
    }
    if isAligned { align(&placed) }
    bytes += content
    return bytes.count - content.count
  }

  private func children(of ref: Int) -> [Int] {
    guard bytes[ref + 4] & 0x40 != 0 else { return [] }
    return (0..<count(of: ref)).map { element($0, of: ref) }.filter { $0 != 0 && $0 & 1 == 0 }
  }

  /// Frees the rest of the last block.
  private mutating func align(_ placed: inout Placed) {
    let end = bytes.count
    // No zeros, which can be taken for damage.
    bytes += Array(repeating: 0x55, count: -end & (EditedRealm.blockByteCount - 1))
    if let last = placed.free.last, last.upperBound == end {
      placed.free[placed.free.count - 1] = last.lowerBound..<bytes.count
    } else if end < bytes.count {
      placed.free.append(end..<bytes.count)
    }
  }

  private mutating func add(integers: [Int]) -> Int {
    let place = bytes.count
    bytes += node(
      flags: 0x07, count: integers.count, integers.flatMap { littleEndianBytes($0, count: 8) })
    return place
  }

  /// Bytes of a node with its padding: elements of some bits, elements of some bytes, or bytes (chapter 1,
  /// section 4.2).
  private func byteCount(of ref: Int) -> Int {
    let (width, count) = ((1 << Int(bytes[ref + 4] & 7)) >> 1, count(of: ref))
    let payload =
      switch bytes[ref + 4] >> 3 & 3 {
      case 0: (count * width + 7) / 8
      case 1: count * width
      default: count
      }
    return 8 + (payload + 7) & ~7
  }
}
