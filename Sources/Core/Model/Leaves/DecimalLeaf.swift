package import RealmStorage

/// Decimal128 values with one of four element sizes (chapter 2, section 3.11).
package struct DecimalLeaf {
  private static let null32: UInt32 = 0x7C00_00AA
  private static let null64: UInt64 = 0x7C00_0000_0000_00AA
  /// Exponent biases of the 32-bit and the 64-bit form.
  private static let (bias32, bias64) = (101, 398)

  package let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  package init(_ node: Node) throws(RealmFileError) {
    guard node.header.widthType == .multiply else {
      throw Leaf.kindError(node, expected: "decimals of 0, 4, 8 or 16 bytes")
    }
    self.node = node
  }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.width`.
  func values(rows: Int?) throws(RealmFileError) -> [Decimal128] {
    try Leaf.check(node.count, rows: rows, at: node)
    switch node.width {
    case 0:
      return Array(repeating: node.hasContext ? .zero : .null, count: node.count)
    case 4:
      return try node.words32().map { bits in
        bits == DecimalLeaf.null32
          ? .null
          : Decimal128(
            isNegative: bits >> 31 != 0, exponent: Int(bits >> 23 & 0xFF) - DecimalLeaf.bias32,
            coefficient: UInt64(bits & 0x7F_FFFF))
      }
    case 8:
      return try node.words64().map { bits in
        bits == DecimalLeaf.null64
          ? .null
          : Decimal128(
            isNegative: bits >> 63 != 0, exponent: Int(bits >> 53 & 0x3FF) - DecimalLeaf.bias64,
            coefficient: bits & 0x1F_FFFF_FFFF_FFFF)
      }
    case 16:
      let bytes = node.bytes
      return (0..<node.count).map { row in
        Decimal128(
          low: bytes.littleEndian(at: row * 16), high: bytes.littleEndian(at: row * 16 + 8))
      }
    default:
      throw .damaged(
        .leafWidth, at: node.ref,
        "the leaf has decimals of \(node.width) bytes, expected 0, 4, 8 or 16")
    }
  }

  /// Appends a leaf of the values in `rows`, with the smallest element size that can represent all of them. A
  /// leaf of positive zeros has the context flag and no elements; negative zeros need elements. Before format 24, all
  /// elements have 16 bytes.
  static func encode(
    _ values: [Decimal128], _ rows: Range<Int>, _ format: FileFormat, into nodes: NodeBuffer
  ) -> Ref {
    let flags = UInt8(0x08)
    func zeros(_ context: UInt8) -> Ref {
      unsafe nodes.append(flags: flags | context, count: rows.count, payloadByteCount: 0) { _ in }
    }
    if rows.isEmpty { return zeros(0) }
    if format.hasShortDecimals {
      if rows.allSatisfy({ values[$0].isNull }) { return zeros(0) }
      if rows.allSatisfy({ values[$0] == .zero }) { return zeros(0x20) }
    }
    switch rows.reduce(format.hasShortDecimals ? 4 : 16, { max($0, size(of: values[$1])) }) {
    case 4:
      return nodes.append(
        values: rows.map { row -> UInt32 in
          let value = values[row]
          guard !value.isNull else { return null32 }
          // `size(of:)` checked that exponent and coefficient fit.
          return (value.isNegative ? 1 << 31 : 0) | UInt32(value.exponent + bias32) << 23
            | UInt32(truncatingIfNeeded: value.low)
        })
    case 8:
      return nodes.append(
        values: rows.map { row -> UInt64 in
          let value = values[row]
          guard !value.isNull else { return null64 }
          return (value.isNegative ? 1 << 63 : 0) | UInt64(value.exponent + bias64) << 53
            | value.low
        })
    default:
      return unsafe nodes.append(
        flags: flags | 5, count: rows.count, payloadByteCount: 16 * rows.count
      ) { payload in
        for (i, row) in rows.enumerated() {
          unsafe payload.storeBytes(
            of: values[row].low.littleEndian, toByteOffset: i * 16, as: UInt64.self)
          unsafe payload.storeBytes(
            of: values[row].high.littleEndian, toByteOffset: i * 16 + 8, as: UInt64.self)
        }
      }
    }
  }

  /// The smallest element size that can represent `value`: 4, 8 or 16 bytes.
  private static func size(of value: Decimal128) -> Int {
    if value.isNull { return 4 }
    // A value whose coefficient is too large counts as zero, but keeps its 16 bytes.
    guard value.isSmall else { return 16 }
    let magnitude = abs(value.exponent)
    if value.low < 1 << 23, magnitude < 91 { return 4 }
    return value.low < 1 << 53 && magnitude < 370 ? 8 : 16
  }

  /// Checks bits of a value that decoding ignores.
  ///
  /// - Parameter value: the value in `row`.
  /// - Throws: `damaged` with rule `leaf.kind` for bits that no library writes.
  func checkBits(of value: Decimal128, inRow row: Int) throws(RealmFileError) {
    guard !isPossible(value) else { return }
    throw .damaged(
      .leafKind, at: node.ref,
      "the decimal in row \(row) has bits that no library writes in \(node.width) bytes")
  }

  /// Whether a library writes these bits: a number, an infinity or a NaN without redundant bits, which fits if the
  /// elements have 4 or 8 bytes. A NaN can have a payload of 64 bits, as null has.
  private func isPossible(_ value: Decimal128) -> Bool {
    if value.isNull { return true }
    if node.width < 16 { return DecimalLeaf.size(of: value) <= max(4, node.width) }
    return value.isCanonical || value.isNaN && value.high & 0x03FF_FFFF_FFFF_FFFF == 0
  }
}
