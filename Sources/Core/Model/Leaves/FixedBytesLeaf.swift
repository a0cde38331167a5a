package import RealmStorage

/// ObjectIds of 12 bytes or UUIDs of 16 bytes (chapter 2, section 3.12), in blocks of eight rows. A block is
/// a byte of null bits and eight values; the last block ends after its last value.
package struct FixedBytesLeaf {
  package static let objectIdSize = 12
  package static let uuidSize = 16

  package let node: Node
  /// Bytes of a value.
  package let size: Int
  /// Number of rows.
  package let count: Int

  /// - Throws: `damaged` with rule `leaf.fixed-bytes`.
  package init(_ node: Node, size: Int) throws(RealmFileError) {
    let blockSize = 8 * size + 1
    let total = node.count
    let blocks = (total + blockSize - 1) / blockSize
    guard node.header.widthType == .multiply, node.width == 1 || total == 0,
      (total - blocks) % size == 0
    else {
      throw .damaged(
        .leafFixedBytes, at: node.ref,
        "the leaf has \(node.form), expected values of \(size) bytes in blocks of \(blockSize)")
    }
    (self.node, self.size) = (node, size)
    count = (total - blocks) / size
  }

  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    try Leaf.check(count, rows: rows, at: node)
    let bytes = node.bytes
    return SliceColumn((0..<count).map { FixedBytesLeaf.value(in: bytes, size: size, row: $0) })
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: count, at: node)
    return FixedBytesLeaf.value(in: node.bytes, size: size, row: row)
  }

  /// The value in `row`, which must exist, of a leaf with these bytes; nil for null.
  @inline(__always)
  static func value(in bytes: ByteSlice, size: Int, row: Int) -> ByteSlice? {
    let block = row / 8 * (8 * size + 1)
    guard bytes[block] >> UInt8(row & 7) & 1 == 0 else { return nil }
    let start = block + 1 + (row & 7) * size
    return bytes.part(start..<(start + size))
  }

  /// Appends a leaf of the values in `rows`, of `size` bytes each. The bytes of a null are 0.
  static func encode(
    _ values: SliceColumn, _ rows: Range<Int>, size: Int, into nodes: NodeBuffer
  ) -> Ref {
    let byteCount = rows.count * size + (rows.count + 7) / 8
    let flags: UInt8 = rows.isEmpty ? 0x08 : 0x09
    return unsafe nodes.append(
      flags: flags, count: byteCount, payloadByteCount: byteCount
    ) { payload in
      for (i, row) in rows.enumerated() {
        let block = i / 8 * (8 * size + 1)
        if let value = values[row], value.count == size {
          unsafe value.copy(to: payload, at: block + 1 + (i & 7) * size)
        } else {
          unsafe payload[block] |= 1 << UInt8(i & 7)
        }
      }
    }
  }
}
