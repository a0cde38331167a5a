import RealmStorage

/// Bits that decoding does not need, and that show damage where nothing else does: a string without its zero byte
/// (chapter 2, section 3.6), and bits of a decimal that no library writes (section 3.11).
extension Leaf {
  /// - Parameters:
  ///   - values: all rows of the leaf `node`, which are no links and no collections.
  /// - Throws: `damaged` with rule `leaf.terminator` or `leaf.kind`, for the first such value.
  static func checkBits(
    of values: LeafValues, in node: Node, _ nodes: NodeReader
  ) throws(RealmFileError) {
    guard case .scalar(let scalars) = values else { return }
    switch scalars {
    // Positions in a list of distinct strings are integers.
    case .string(let strings) where !node.isIntegers:
      let leaf = try StringLeaf(strings: node, nodes, isLookUp: true)
      for row in strings.indices where strings[row] != nil { try leaf.checkTerminator(of: row) }
    case .decimal(let numbers):
      let leaf = try DecimalLeaf(node)
      for row in numbers.indices { try leaf.checkBits(of: numbers[row], inRow: row) }
    default: return
    }
  }
}

extension StringLeaf {
  /// - Parameter row: one whose value is not null.
  /// - Throws: `damaged` with rule `leaf.terminator`.
  func checkTerminator(of row: Int) throws(RealmFileError) {
    switch self {
    case .short, .enumerated: return
    case .small(let leaf): try leaf.checkTerminator(of: row)
    case .big(let leaf): try leaf.checkTerminator(of: row)
    }
  }

  fileprivate static func check(_ last: UInt8, ofRow row: Int, at ref: Ref) throws(RealmFileError) {
    guard last != 0 else { return }
    throw .damaged(
      .leafTerminator, at: ref, "string \(row) ends with the byte \(last), expected 0")
  }
}

extension SmallBlobsLeaf {
  /// - Precondition: the leaf is one of strings, and ``value(at:)`` returned a value.
  fileprivate func checkTerminator(of row: Int) throws(RealmFileError) {
    try StringLeaf.check(blob.bytes[Int(ends.integer(at: row)) - 1], ofRow: row, at: blob.ref)
  }
}

extension BigBlobsLeaf {
  /// Strings in pieces are not looked at.
  ///
  /// - Precondition: the leaf is one of strings, and ``value(at:)`` returned a value.
  fileprivate func checkTerminator(of row: Int) throws(RealmFileError) {
    let value = try nodes.lookUp(try node.ref(at: row))
    guard !value.hasRefs else { return }
    try StringLeaf.check(value.bytes[value.count - 1], ofRow: row, at: value.ref)
  }
}

extension DecimalLeaf {
  /// - Parameter value: the one in a row of the leaf.
  /// - Throws: `damaged` with rule `leaf.kind`.
  func checkBits(of value: Decimal128, inRow row: Int) throws(RealmFileError) {
    guard !isPossible(value) else { return }
    throw .damaged(
      .leafKind, at: node.ref,
      "row \(row) has bits of no decimal, or of one that does not fit into \(node.width) bytes")
  }
}
