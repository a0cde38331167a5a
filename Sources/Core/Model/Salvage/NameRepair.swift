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
      var name = Array(block.prefix { $0 != 0 }.prefix(width - 1))
      let padding = Int(block[width - 1])
      let zeros = width - 1 - name.count
      if padding != zeros {
        guard block[name.count..<width - 1].allSatisfy({ $0 == 0 }), !name.isEmpty else {
          // A null, or zeros within a name: not by one flipped bit.
          names.append(
            padding < width ? Array(block.prefix(width - 1 - padding)) : padding == width ? [] : nil
          )
          continue
        }
        note(UInt8(truncatingIfNeeded: padding ^ zeros), at: offset + width - 1)
      }
      if areTables { repairPrefix(&name, at: offset) }
      names.append(name)
    }
    if width == 0 { names = Array(repeating: [], count: node.count) }
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
