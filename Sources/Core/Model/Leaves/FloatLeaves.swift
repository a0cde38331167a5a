import RealmStorage

/// Floats (chapter 2, section 3.4): four bytes per row. One NaN means null; every other NaN is a value.
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

  /// Appends a leaf of the values in `rows`. A NaN with the bits of null becomes the standard NaN.
  static func encode(
    _ values: [Float], _ nulls: NullMask, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    nodes.append(
      values: rows.map { row in
        if nulls[row] { return null }
        let bits = values[row].bitPattern
        return bits == null ? Float.nan.bitPattern : bits
      })
  }
}

/// Doubles (chapter 2, section 3.4), stored like floats.
struct DoubleLeaf {
  private static let null: UInt64 = 0x7FF8_0000_0000_00AA

  let node: Node

  init(_ node: Node) { self.node = node }

  /// - Throws: same as ``FloatLeaf/values(rows:)``.
  func values(rows: Int?) throws(RealmFileError) -> ([Double], NullMask) {
    try Leaf.check(node.count, rows: rows, at: node)
    let bits = try node.words64()
    return (
      bits.map { Double(bitPattern: $0) },
      NullMask(count: bits.count) { bits[$0] == DoubleLeaf.null }
    )
  }

  /// Like ``FloatLeaf/encode(_:_:_:into:)``.
  static func encode(
    _ values: [Double], _ nulls: NullMask, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    nodes.append(
      values: rows.map { row in
        if nulls[row] { return null }
        let bits = values[row].bitPattern
        return bits == null ? Double.nan.bitPattern : bits
      })
  }
}
