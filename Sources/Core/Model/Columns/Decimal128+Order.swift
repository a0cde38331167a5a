/// Numeric order of decimals (chapter 2, section 6.3).
extension Decimal128 {
  private static let coefficientBits: UInt64 = (1 << 49) - 1
  /// Largest canonical coefficient plus one; larger ones count as zero (IEEE 754-2008, 3.5.2).
  private static let coefficientLimit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000

  var isNegative: Bool { high >> 63 != 0 }
  package var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }
  var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }
  /// True for the second encoding of large coefficients. All its values are non-canonical.
  private var isLongForm: Bool { high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 }

  /// True if the value has no redundant bits: no coefficient of more than 34 digits, no payload of a NaN
  /// or an infinity.
  package var isCanonical: Bool {
    if isNaN || isInfinite {
      return low == 0 && high & 0x03FF_FFFF_FFFF_FFFF == 0 && !(isNaN && isNegative)
    }
    return !isLongForm && (low == 0 && high & Decimal128.coefficientBits == 0 || coefficient != 0)
  }

  var coefficient: UInt128 {
    guard !isLongForm else { return 0 }
    let value = UInt128(high & Decimal128.coefficientBits) << 64 | UInt128(low)
    return value < Decimal128.coefficientLimit ? value : 0
  }

  /// True if the coefficient has at most 64 bits, all in ``low``.
  var isSmall: Bool { !isLongForm && high & Decimal128.coefficientBits == 0 }

  /// The unbiased exponent.
  package var exponent: Int { Int(high >> 49 & 0x3FFF) - Decimal128.exponentBias }

  /// The decimal nearest to `number`, rounded to `digits` significant digits, like the reference converts
  /// binary numbers for comparison: 7 digits for a float, 15 for a double.
  init(rounding number: Double, digits: Int) {
    guard number.isFinite else {
      self =
        number.isNaN
        ? Decimal128(low: 0, high: 0x7C00_0000_0000_0000)
        : Decimal128(low: 0, high: number < 0 ? 0xF800_0000_0000_0000 : 0x7800_0000_0000_0000)
      return
    }
    // The shortest text that converts back to the same number has at most 17 digits: "-1.234e-05".
    let text = number.magnitude.description.split(separator: "e")
    var exponent = text.count > 1 ? Int(text[1]) ?? 0 : 0
    var coefficient: UInt64 = 0
    var isFraction = false
    for character in text[0].utf8 {
      guard character != UInt8(ascii: ".") else {
        isFraction = true
        continue
      }
      // Below 10¹⁸, because `description` writes larger numbers with an exponent.
      coefficient = coefficient &* 10 &+ UInt64(character - UInt8(ascii: "0"))
      if isFraction { exponent -= 1 }
    }
    var limit: UInt64 = 1
    for _ in 0..<digits { limit *= 10 }
    var unit: UInt64 = 1
    while coefficient / unit >= limit {
      unit *= 10
      exponent += 1
    }
    // Rounds once. Rounding digit by digit would turn …449 into …45, and then into …5.
    let rest = coefficient % unit
    coefficient = coefficient / unit + (rest * 2 >= unit && rest > 0 ? 1 : 0)
    self.init(isNegative: number.sign == .minus, exponent: exponent, coefficient: coefficient)
  }

  init(_ number: Int64) {
    self.init(isNegative: number < 0, exponent: 0, coefficient: number.magnitude)
  }

  /// -1, 0 or 1. NaNs come first, ordered by their bits; then numbers in numeric order, with 1.0 equal to
  /// 1.00.
  static func compare(_ a: Decimal128, _ b: Decimal128) -> Int {
    // The common case: both have the same exponent and at most 19 digits.
    if a.isSmall, b.isSmall, (a.high ^ b.high) << 1 == 0 {
      guard a.low != 0 || b.low != 0 else { return 0 }
      guard a.isNegative == b.isNegative else { return a.isNegative ? -1 : 1 }
      return a.low == b.low ? 0 : (a.low < b.low) != a.isNegative ? -1 : 1
    }
    if a.isNaN || b.isNaN {
      guard a.isNaN && b.isNaN else { return a.isNaN ? -1 : 1 }
      return order((a.high, a.low), (b.high, b.low))
    }
    let (signA, signB) = (a.sign, b.sign)
    guard signA == signB else { return signA < signB ? -1 : 1 }
    guard signA != 0 else { return 0 }
    return signA * compareMagnitudes(a, b)
  }

  private static func order(_ a: (UInt64, UInt64), _ b: (UInt64, UInt64)) -> Int {
    a == b ? 0 : a < b ? -1 : 1
  }

  private var sign: Int {
    if !isInfinite && coefficient == 0 { return 0 }
    return isNegative ? -1 : 1
  }

  /// Compares two numbers by magnitude. Neither is zero or a NaN.
  private static func compareMagnitudes(_ a: Decimal128, _ b: Decimal128) -> Int {
    if a.isInfinite || b.isInfinite {
      return a.isInfinite == b.isInfinite ? 0 : a.isInfinite ? 1 : -1
    }
    let (digitsA, digitsB) = (digitCount(a.coefficient), digitCount(b.coefficient))
    let (orderA, orderB) = (digitsA + a.exponent, digitsB + b.exponent)
    guard orderA == orderB else { return orderA < orderB ? -1 : 1 }
    // Scaled to the same number of digits, at most 34, which fits into 128 bits.
    var (x, y) = (a.coefficient, b.coefficient)
    for _ in 0..<max(0, digitsB - digitsA) { x *= 10 }
    for _ in 0..<max(0, digitsA - digitsB) { y *= 10 }
    return x == y ? 0 : x < y ? -1 : 1
  }

  static func digitCount(_ value: UInt128) -> Int {
    var count = 0
    // Divisions of 128 bits are slow, and most numbers need none.
    if var rest = UInt64(exactly: value) {
      while rest > 0 {
        rest /= 10
        count += 1
      }
      return count
    }
    var rest = value
    while rest > 0 {
      rest /= 10
      count += 1
    }
    return count
  }
}
