import RealmStorage

/// Floats (chapter 2, section 3.4): four bytes a row, one bit pattern of a NaN for null; every other
/// NaN is a value.
struct FloatLeaf {
  private static let null: UInt32 = 0x7FC0_00AA

  let node: Node

  init(_ node: Node) { self.node = node }

  /// - Throws: `damaged` with rule `leaf.rows`, or `leaf.width` for elements of another size.
  func values(rows: Int?) throws(RealmFileError) -> ([Float], NullMask) {
    try Leaf.check(node.count, rows: rows, at: node)
    let bits = try node.words32()
    return (
      bits.map { Float(bitPattern: $0) },
      NullMask(count: bits.count) { bits[$0] == FloatLeaf.null }
    )
  }
}

/// Doubles (chapter 2, section 3.4), as floats.
struct DoubleLeaf {
  private static let null: UInt64 = 0x7FF8_0000_0000_00AA

  let node: Node

  init(_ node: Node) { self.node = node }

  /// - Throws: as ``FloatLeaf/values(rows:)``.
  func values(rows: Int?) throws(RealmFileError) -> ([Double], NullMask) {
    try Leaf.check(node.count, rows: rows, at: node)
    let bits = try node.words64()
    return (
      bits.map { Double(bitPattern: $0) },
      NullMask(count: bits.count) { bits[$0] == DoubleLeaf.null }
    )
  }
}
