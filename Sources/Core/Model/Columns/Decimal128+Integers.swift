extension Decimal128 {
  /// The integer of the same value; nil if there is none.
  package var exactInteger: Int64? {
    guard isFinite else { return nil }
    let number = reduced
    guard number.exponent >= 0 else { return nil }
    // An Int64 has at most 19 digits.
    guard number.exponent <= 18 else { return number.coefficient == 0 ? 0 : nil }
    var magnitude = number.coefficient
    for _ in 0..<number.exponent {
      let (product, overflows) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflows else { return nil }
      magnitude = product
    }
    if number.isNegative, magnitude == UInt128(Int64.min.magnitude) { return .min }
    return Int64(exactly: magnitude).map { number.isNegative ? -$0 : $0 }
  }

  /// True for an infinity or a NaN.
  package var isNotFinite: Bool { !isFinite }
}
