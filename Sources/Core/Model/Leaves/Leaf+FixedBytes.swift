import RealmStorage

/// ObjectIds and UUIDs (chapter 2, section 3.12).
extension Leaf {
  /// Rows in blocks of eight: a byte of null bits, then eight values of `size` bytes; the last block
  /// is cut off after its last value.
  static func fixedBytes(
    _ node: Node, size: Int, rows: Int?
  ) throws(RealmFileError) -> SliceColumn {
    let count = try fixedBytesRows(node, size: size)
    try check(count, rows: rows, at: node)
    return SliceColumn(fixedBytes: node.bytes, size: size, count: count)
  }

  /// Number of rows of the leaf.
  static func fixedBytesRows(_ node: Node, size: Int) throws(RealmFileError) -> Int {
    let blockSize = 8 * size + 1
    let total = node.count
    let blocks = (total + blockSize - 1) / blockSize
    guard node.header.widthType == .multiply, node.width == 1 || total == 0,
      (total - blocks) % size == 0
    else { throw .damaged(.leafFixedBytes, at: node.ref) }
    return (total - blocks) / size
  }

  /// The value in `row`, which must exist; nil for null.
  @inline(__always)
  static func fixedBytes(_ bytes: ByteSlice, size: Int, row: Int) -> ByteSlice? {
    let block = row / 8 * (8 * size + 1)
    guard bytes[block] >> UInt8(row & 7) & 1 == 0 else { return nil }
    let start = block + 1 + (row & 7) * size
    return bytes.part(start..<(start + size))
  }
}
