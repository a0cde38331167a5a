package import RealmStorage

/// Strings of up to 63 bytes (chapter 2, section 3.5): a block of `width` bytes per row. The last byte of a block
/// is the number of padding zeros before it, or the width for null. At width 0 all rows are null.
package struct ShortStringLeaf {
  /// From this number of rows on, filling a new array is faster than appending one by one.
  private static let manyRows = 32

  package let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  @inline(__always)
  package init(_ node: Node) throws(RealmFileError) {
    guard !node.hasRefs, node.header.widthType == .multiply else {
      throw Leaf.kindError(node, expected: "strings of a common size")
    }
    self.node = node
  }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.short-string`.
  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    var values: [ByteSlice?] = []
    try append(rows: rows, to: &values)
    return SliceColumn(values)
  }

  /// Appends all rows.
  ///
  /// - Throws: same as ``values(rows:)``.
  func append(rows: Int?, to values: inout [ByteSlice?]) throws(RealmFileError) {
    let count = node.count
    try Leaf.check(count, rows: rows, at: node)
    let width = node.width
    guard width > 0, values.isEmpty, count >= ShortStringLeaf.manyRows else {
      // Only for the first leaf: reserving for each leaf would reallocate every time.
      if values.isEmpty { values.reserveCapacity(count) }
      let bytes = node.bytes
      for row in 0..<count { values.append(try value(in: bytes, width: width, row: row)) }
      return
    }
    let first = unsafe node.bytes.start
    var most = 0
    values = unsafe [ByteSlice?](unsafeUninitializedCapacity: count) { out, initialized in
      for row in 0..<count {
        // Inside the payload, because the payload has count * width bytes.
        let start = unsafe first + row &* width
        let padding = unsafe Int(start.load(fromByteOffset: width &- 1, as: UInt8.self))
        most = max(most, padding)
        unsafe (out.baseAddress.unsafelyUnwrapped + row).initialize(
          to: padding < width ? ByteSlice(start: start, count: width &- 1 &- padding) : nil)
      }
      initialized = count
    }
    guard most <= width else {
      for row in 0..<count { _ = try value(in: node.bytes, width: width, row: row) }
      return
    }
  }

  /// Nil for null.
  @inline(__always)
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: node.count, at: node)
    return try value(in: node.bytes, width: node.width, row: row)
  }

  /// The string in `row`, which must exist.
  @inline(__always)
  private func value(
    in bytes: ByteSlice, width: Int, row: Int
  ) throws(RealmFileError) -> ByteSlice? {
    guard width > 0 else { return nil }
    // Inside the payload, because the payload has count * width bytes.
    let start = row &* width
    let padding = Int(bytes[start &+ width &- 1])
    guard padding < width else {
      guard padding == width else { throw paddingError(row, padding) }
      return nil
    }
    return bytes.part(start..<(start &+ width &- 1 &- padding))
  }

  private func paddingError(_ row: Int, _ padding: Int) -> RealmFileError {
    .damaged(
      .leafShortString, at: node.ref,
      "row \(row) claims \(padding) bytes of padding, but has \(node.width) bytes")
  }

  /// Appends a leaf of the values in `rows`.
  ///
  /// - Parameter longest: byte count of the longest value, at most 63; -1 if all values are null.
  package static func encode(
    _ values: SliceColumn, _ rows: Range<Int>, longest: Int, into nodes: NodeBuffer
  ) -> Ref {
    // The width is a power of two, and at least one byte more than the longest value.
    var (code, width): (UInt8, Int) = (0, 0)
    while width < longest + 1 { (code, width) = (code + 1, width == 0 ? 1 : width * 2) }
    return unsafe nodes.append(
      flags: 0x08 | code, count: rows.count, payloadByteCount: rows.count * width
    ) { payload in
      guard width > 0 else { return }
      for (i, row) in rows.enumerated() {
        let start = i * width
        if let value = values[row] {
          unsafe value.copy(to: payload, at: start)
          unsafe payload[start + width - 1] = UInt8(width - 1 - value.count)
        } else {
          unsafe payload[start + width - 1] = UInt8(width)
        }
      }
    }
  }

  /// An encoded leaf.
  ///
  /// - Parameters:
  ///   - strings: each of at most 63 bytes.
  ///   - longest: see ``encode(_:_:longest:into:)``.
  private static func encoded(_ strings: [[UInt8]?], longest: Int) -> [UInt8] {
    let nodes = NodeBuffer()
    _ = encode(SliceColumn(copying: strings), strings.indices, longest: longest, into: nodes)
    return nodes.encoded
  }

  /// Encodes the node with empty strings in some rows and without some others. Rows that do not exist are
  /// ignored. The width stays the same; at width 0 an empty string becomes null.
  ///
  /// - Throws: `damaged` with rule `leaf.short-string`.
  func node(
    emptying empty: Set<Int> = [], removing removed: Set<Int> = []
  ) throws(RealmFileError) -> [UInt8] {
    var strings: [[UInt8]?] = []
    for row in 0..<node.count where !removed.contains(row) {
      strings.append(empty.contains(row) ? [] : try value(at: row)?.bytes)
    }
    return ShortStringLeaf.encoded(strings, longest: node.width - 1)
  }

  /// Encodes the node with other strings in some rows.
  ///
  /// - Parameter strings: by row, each of at most 63 bytes.
  /// - Throws: `damaged` with rule `leaf.short-string`.
  func node(replacing strings: [Int: [UInt8]]) throws(RealmFileError) -> [UInt8] {
    var all: [[UInt8]] = []
    for row in 0..<node.count {
      let old = try value(at: row)
      all.append(strings[row] ?? old?.bytes ?? [])
    }
    return ShortStringLeaf.encoded(all, longest: all.map(\.count).max() ?? 0)
  }
}
