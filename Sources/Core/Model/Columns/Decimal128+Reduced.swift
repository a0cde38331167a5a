extension Decimal128 {
  /// The same value without zeros at the end of its digits: equal values have equal bits. All NaNs become
  /// one, and all zeros.
  package var reduced: Decimal128 {
    guard !isNaN else { return .nan }
    guard isFinite else { return self }
    guard coefficient != 0 else { return .zero }
    var (coefficient, exponent) = (coefficient, exponent)
    while coefficient % 10 == 0, exponent < Decimal128.largestExponent {
      (coefficient, exponent) = (coefficient / 10, exponent + 1)
    }
    return Decimal128(
      isNegative: isNegative, exponent: exponent, coefficient: coefficient, hasMore: false)
  }
}
