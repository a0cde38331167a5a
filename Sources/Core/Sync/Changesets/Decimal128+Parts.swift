internal import RealmModel

/// The split of a decimal in changesets (chapter 4, section 3.3). NaN and infinities are split alike.
extension Decimal128 {
  private static let signBit: UInt64 = 1 << 63
  private static let exponentShift: UInt64 = 49
  private static let exponentMask: UInt64 = 0x3FFF
  private static let bias = 6176

  /// The decimal as a value in a changeset.
  var payload: Instruction.Payload {
    let exponent = high >> Decimal128.exponentShift & Decimal128.exponentMask
    let upper = high & (1 << Decimal128.exponentShift - 1)
    return .decimal(
      coefficient: UInt128(upper) << 64 | UInt128(low), exponent: Int(exponent) - Decimal128.bias,
      isNegative: high & Decimal128.signBit != 0)
  }

  /// - Parameter coefficient: up to 113 bits.
  /// - Returns: nil for an exponent that no decimal can have.
  init?(coefficient: UInt128, exponent: Int, isNegative: Bool) {
    let (biased, overflows) = exponent.addingReportingOverflow(Decimal128.bias)
    guard !overflows, (0...Int(Decimal128.exponentMask)).contains(biased) else { return nil }
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: UInt64(truncatingIfNeeded: coefficient >> 64) | UInt64(biased)
        << Decimal128.exponentShift | (isNegative ? Decimal128.signBit : 0))
  }
}
