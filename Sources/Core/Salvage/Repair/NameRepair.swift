import RealmModel
import RealmStorage

/// The names of tables or columns, in which flipped bits are corrected where other bytes prove them.
///
/// Names are short strings (chapter 2, section 3.5). Behind a name there are zeros, and the last byte of its row
/// counts them; no name contains a zero. The names of classes begin with `class_`.
package struct NameRepair {
  /// The names; nil for one that cannot be read.
  private(set) var names: [[UInt8]?] = []
  /// The bits that had flipped: offset of the byte, position in it.
  private(set) var flips: [(offset: Int, bit: Int)] = []

  var isWhole: Bool { flips.isEmpty && !names.contains { $0 == nil } }

  /// - Parameters:
  ///   - node: the array with the names.
  ///   - areTables: whether the names are those of tables.
  /// - Returns: nil if the node has not the form of short strings.
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

  /// The name in a row. If the zeros behind the name are not as many as its last byte says, one of the two has a
  /// flipped bit: the zeros, if one bit among them is set; otherwise the number.
  ///
  /// - Returns: nil for a number that is too large, if the zeros do not tell the right one.
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
    // A null, or a name with zeros: not by one flipped bit.
    return stated <= block.count ? Array(kept) : nil
  }

  private mutating func note(_ bits: UInt8, at offset: Int) {
    for bit in 0..<8 where bits >> UInt8(bit) & 1 != 0 { flips.append((offset, bit)) }
  }

  /// Corrects one bit of the prefix of the name of a class.
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
