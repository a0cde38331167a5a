import RealmStorage

/// Decimal128 in its four element sizes (chapter 2, section 3.11).
struct DecimalLeaf {
  private static let null32: UInt32 = 0x7C00_00AA
  private static let null64: UInt64 = 0x7C00_0000_0000_00AA
  /// Bias of the exponents of the two short forms.
  private static let (bias32, bias64) = (101, 398)
  /// The first format with elements of other sizes than 16 bytes.
  private static let firstShortFormat = 24

  let node: Node

  /// - Throws: `damaged` with rule `leaf.kind`.
  init(_ node: Node) throws(RealmFileError) {
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
        .leafWidth, at: node.ref, "decimals of \(node.width) bytes; they have 0, 4, 8 or 16")
    }
  }

  func check(format: Int, _ findings: inout Findings) {
    guard format < DecimalLeaf.firstShortFormat, node.count > 0, node.width != 16 else { return }
    findings.add(
      .leafDecimalWidth, at: node.ref,
      "decimals of \(node.width) bytes in format \(format), which has 16 bytes only")
  }
}
