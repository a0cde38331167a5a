import RealmModel
import RealmStorage

/// The names of tables or columns, with flipped bits corrected if other bytes prove them.
///
/// Names are short strings (chapter 2, section 3.5): zeros fill the row after a name, and the last
/// byte of the row counts them. No name contains a zero. The names of classes begin with `class_`.
struct NameRepair {
  /// The names; nil for one that cannot be read.
  private(set) var names: [[UInt8]?] = []
  /// The flipped bits.
  private(set) var flips: [SalvageReport.Bit] = []

  var isWhole: Bool { flips.isEmpty && !names.contains { $0 == nil } }

  /// - Parameters:
  ///   - node: the array with the names.
  ///   - areTables: whether the names are those of tables.
  /// - Returns: nil if the node is not an array of short strings.
  init?(_ node: Node, areTables: Bool) {
    guard !node.hasRefs, node.header.widthType == .multiply, node.count < 1 << 16 else {
      return nil
    }
    let (bytes, width) = (node.bytes, node.width)
    for row in 0..<node.count where width > 0 {
      let block = bytes.part(row * width..<(row + 1) * width).bytes
      let offset = node.ref + NodeHeader.byteCount + row * width
      guard var name = name(in: block, at: offset) else {
        names.append(nil)
        continue
      }
      if areTables { repairPrefix(&name, at: offset) }
      names.append(name)
    }
    if width == 0 { names = Array(repeating: [], count: node.count) }
  }

  /// The name in a row. If the number of zeros after it is not the one in its last byte, a bit
  /// flipped: in the zeros if exactly one bit is set there, otherwise in the number.
  ///
  /// - Returns: nil if the number is too large and the zeros do not show the right one.
  private mutating func name(in block: [UInt8], at offset: Int) -> [UInt8]? {
    let end = block.count - 1
    let stated = Int(block[end])
    let name = block[..<end].prefix { $0 != 0 }
    let zeros = end - name.count
    guard stated != zeros else { return Array(name) }
    let kept = block[..<max(0, end - stated)]
    if stated <= end, !kept.isEmpty, !kept.contains(0) {
      let strays = block[kept.count..<end].indices.filter { block[$0] != 0 }
      if strays.count == 1, block[strays[0]].nonzeroBitCount == 1 {
        note(block[strays[0]], at: offset + strays[0])
        return Array(kept)
      }
    }
    let bits = UInt8(truncatingIfNeeded: stated ^ zeros)
    if !name.isEmpty, bits.nonzeroBitCount == 1, block[name.count..<end].allSatisfy({ $0 == 0 }) {
      note(bits, at: offset + end)
      return Array(name)
    }
    // A null, or a name with zeros, but not a flipped bit.
    return stated <= block.count ? Array(kept) : nil
  }

  private mutating func note(_ bits: UInt8, at offset: Int) {
    for bit in 0..<8 where bits >> UInt8(bit) & 1 != 0 {
      flips.append(SalvageReport.Bit(offset: offset, bit: bit))
    }
  }

  /// Corrects one bit in the prefix of a class's name.
  private mutating func repairPrefix(_ name: inout [UInt8], at offset: Int) {
    let prefix = ObjectClass.tablePrefix
    guard name.count > prefix.count else { return }
    let wrong = prefix.indices.filter { name[$0] != prefix[$0] }
    guard wrong.count == 1, case let i = wrong[0], (name[i] ^ prefix[i]).nonzeroBitCount == 1 else {
      return
    }
    note(name[i] ^ prefix[i], at: offset + i)
    name[i] = prefix[i]
  }
}
