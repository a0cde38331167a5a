import RealmStorage

/// Decimal128 in its four element sizes (chapter 2, section 3.11).
extension Leaf {
  private static let null32: UInt32 = 0x7C00_00AA
  private static let null64: UInt64 = 0x7C00_0000_0000_00AA
  /// Bias of the exponents of the two short forms.
  private static let (bias32, bias64) = (101, 398)

  static func decimals(_ node: Node, rows: Int?) throws(RealmFileError) -> [Decimal128] {
    guard node.header.widthType == .multiply else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count, rows: rows, at: node)
    switch node.width {
    case 0:
      return Array(repeating: node.hasContext ? .zero : .null, count: node.count)
    case 4:
      return try node.values(of: UInt32.self).map { bits in
        bits == null32
          ? .null
          : Decimal128(
            isNegative: bits >> 31 != 0, exponent: Int(bits >> 23 & 0xFF) - bias32,
            coefficient: UInt64(bits & 0x7F_FFFF))
      }
    case 8:
      return try node.values(of: UInt64.self).map { bits in
        bits == null64
          ? .null
          : Decimal128(
            isNegative: bits >> 63 != 0, exponent: Int(bits >> 53 & 0x3FF) - bias64,
            coefficient: bits & 0x1F_FFFF_FFFF_FFFF)
      }
    case 16:
      let bytes = node.bytes
      return (0..<node.count).map { row in
        Decimal128(
          low: bytes.littleEndian(at: row * 16), high: bytes.littleEndian(at: row * 16 + 8))
      }
    default:
      throw .damaged(.leafWidth, at: node.ref)
    }
  }
}
