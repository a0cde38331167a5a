import RealmStorage

/// Positions in the column's list of distinct strings (chapter 2, section 3.7).
package struct EnumeratedLeaf {
  let node: Node
  /// The distinct strings of the column.
  let strings: SliceColumn

  /// - Parameter node: of packed integers.
  init(_ node: Node, _ strings: SliceColumn) { (self.node, self.strings) = (node, strings) }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.enumeration`.
  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    try Leaf.check(node.count, rows: rows, at: node)
    var values: [ByteSlice?] = []
    values.reserveCapacity(node.count)
    for position in node.integers() { values.append(try string(position)) }
    return SliceColumn(values)
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: node.count, at: node)
    return try string(node.integer(at: row))
  }

  @inline(__always)
  private func string(_ position: Int64) throws(RealmFileError) -> ByteSlice? {
    guard position >= 0, position < strings.count else {
      throw .damaged(
        .leafEnumeration, at: node.ref,
        "found position \(position) in the list of distinct strings, expected less than \(strings.count)"
      )
    }
    return strings[Int(position)]
  }
}
