/// Arithmetic with 34 digits. Results are rounded to the nearest decimal, halves to the even one (IEEE
/// 754-2008, section 5.4.1).
extension Decimal128 {
  /// The negated number.
  private var negated: Decimal128 { Decimal128(low: low, high: high ^ 1 << 63) }

  /// The nearest decimal to a coefficient and an exponent of any size.
  ///
  /// - Parameter hasMore: whether the exact value has digits other than 0 after the coefficient.
  init(isNegative: Bool, exponent: Int, coefficient: UInt128, hasMore: Bool) {
    var (coefficient, exponent, hasMore) = (coefficient, exponent, hasMore)
    var last: UInt128 = 0
    func drop() {
      hasMore = hasMore || last != 0
      last = coefficient % 10
      coefficient /= 10
      exponent += 1
    }
    while coefficient >= Decimal128.coefficientLimit { drop() }
    while exponent < Decimal128.smallestExponent, coefficient > 0 || last > 0 { drop() }
    if last > 5 || (last == 5 && (hasMore || coefficient % 2 == 1)) { coefficient += 1 }
    if coefficient == Decimal128.coefficientLimit {
      coefficient /= 10
      exponent += 1
    }
    while exponent > Decimal128.largestExponent, coefficient > 0,
      coefficient * 10 < Decimal128.coefficientLimit
    {
      coefficient *= 10
      exponent -= 1
    }
    guard exponent <= Decimal128.largestExponent || coefficient == 0 else {
      self = .infinity(isNegative: isNegative)
      return
    }
    // A zero can have an exponent out of range.
    let bounded = min(
      max(exponent, Decimal128.smallestExponent), Decimal128.largestExponent)
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: (isNegative ? 1 << 63 : 0) | UInt64(bounded + Decimal128.exponentBias) << 49
        | UInt64(truncatingIfNeeded: coefficient >> 64))
  }

  private static func power(_ exponent: Int) -> UInt128 {
    var power: UInt128 = 1
    for _ in 0..<exponent { power *= 10 }
    return power
  }

  package static func + (a: Decimal128, b: Decimal128) -> Decimal128 {
    guard a.isFinite, b.isFinite else {
      if a.isNaN || b.isNaN { return nan }
      if a.isInfinite && b.isInfinite { return a.isNegative == b.isNegative ? a : nan }
      return a.isInfinite ? a : b
    }
    let (x, y) = a.exponent >= b.exponent ? (a, b) : (b, a)
    guard x.coefficient != 0 else {
      return y.coefficient != 0 || x.isNegative == y.isNegative ? y : .zero
    }
    // Scale the number with the larger exponent up to 37 digits, then the other one down.
    let distance = x.exponent - y.exponent
    let scale = min(distance, 37 - digitCount(x.coefficient))
    let first = x.coefficient * power(scale)
    var second = y.coefficient
    let rest = distance - scale
    var hasMore = false
    if rest > 0 {
      let divisor = rest < 38 ? power(rest) : UInt128.max
      hasMore = second % divisor != 0
      second /= divisor
    }
    let exponent = x.exponent - scale
    guard x.isNegative != y.isNegative else {
      return Decimal128(
        isNegative: x.isNegative, exponent: exponent, coefficient: first + second,
        hasMore: hasMore)
    }
    guard first != second || hasMore else {
      return Decimal128(isNegative: false, exponent: exponent, coefficient: 0, hasMore: false)
    }
    // If there are more digits, `first` has 37 digits and is larger than `second`.
    let isLarger = first > second || (first == second && !hasMore)
    let difference = isLarger ? first - second : second - first
    return Decimal128(
      isNegative: isLarger ? x.isNegative : y.isNegative, exponent: exponent,
      coefficient: hasMore && isLarger ? difference - 1 : difference, hasMore: hasMore)
  }

  package static func - (a: Decimal128, b: Decimal128) -> Decimal128 {
    b.isNaN ? nan : a + b.negated
  }

  package static func * (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard a.isFinite, b.isFinite else {
      let isZero = (a.isFinite && a.coefficient == 0) || (b.isFinite && b.coefficient == 0)
      return a.isNaN || b.isNaN || isZero ? nan : infinity(isNegative: isNegative)
    }
    var (high, low) = a.coefficient.multipliedFullWidth(by: b.coefficient)
    var exponent = a.exponent + b.exponent
    var hasMore = false
    while high > 0 {
      let rest: UInt128
      let remainder = high % 10
      high /= 10
      (low, rest) = UInt128(10).dividingFullWidth((remainder, low))
      // No digit dropped here decides the rounding: at least 38 digits remain, more than a decimal has.
      hasMore = hasMore || rest != 0
      exponent += 1
    }
    return Decimal128(
      isNegative: isNegative, exponent: exponent, coefficient: low, hasMore: hasMore)
  }

  package static func / (a: Decimal128, b: Decimal128) -> Decimal128 {
    let isNegative = a.isNegative != b.isNegative
    guard a.isFinite, b.isFinite else {
      if a.isNaN || b.isNaN || (a.isInfinite && b.isInfinite) { return nan }
      return a.isInfinite
        ? infinity(isNegative: isNegative)
        : Decimal128(isNegative: isNegative, exponent: 0, coefficient: 0)
    }
    guard b.coefficient != 0 else {
      return a.coefficient == 0 ? nan : infinity(isNegative: isNegative)
    }
    var (quotient, rest) = a.coefficient.quotientAndRemainder(dividingBy: b.coefficient)
    var exponent = a.exponent - b.exponent
    // The two digits beyond those of a decimal decide how it is rounded.
    while rest > 0, quotient < coefficientLimit * 10 {
      let (digit, remainder) = (rest * 10).quotientAndRemainder(dividingBy: b.coefficient)
      quotient = quotient * 10 + digit
      rest = remainder
      exponent -= 1
    }
    return Decimal128(
      isNegative: isNegative, exponent: exponent, coefficient: quotient, hasMore: rest > 0)
  }
}
