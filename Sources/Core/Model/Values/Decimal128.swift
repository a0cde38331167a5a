/// An IEEE 754-2008 decimal of 128 bits with binary integer encoding (chapter 2, section 3.11).
public struct Decimal128: Hashable, Sendable {
  /// Bits 0–63 of the coefficient.
  public let low: UInt64
  /// Sign, exponent (biased by 6176), and bits 64–112 of the coefficient.
  public let high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// - Parameter exponent: unbiased, within ±6000. All smaller forms are within this range.
  init(isNegative: Bool, exponent: Int, coefficient: UInt64) {
    low = coefficient
    high =
      (isNegative ? 1 << 63 : 0) | UInt64(exponent + Decimal128.exponentBias) << 49
  }

  init(_ number: Int64) {
    self.init(isNegative: number < 0, exponent: 0, coefficient: number.magnitude)
  }

  /// Maximum number of digits of a coefficient, and the smallest coefficient with more digits.
  static let digitLimit = 34
  static let coefficientLimit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
  private static let coefficientBits: UInt64 = (1 << 49) - 1
  static let (smallestExponent, largestExponent) = (-6176, 6111)
  static let exponentBias = 6176

  /// The NaN that represents null.
  public static let null = Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000)
  public static let zero = Decimal128(isNegative: false, exponent: 0, coefficient: 0)
  static let nan = Decimal128(low: 0, high: 0x7C00_0000_0000_0000)

  static func infinity(isNegative: Bool) -> Decimal128 {
    Decimal128(low: 0, high: isNegative ? 0xF800_0000_0000_0000 : 0x7800_0000_0000_0000)
  }

  public var isNull: Bool { self == .null }

  package var isNegative: Bool { high >> 63 != 0 }
  package var isNaN: Bool { high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 }
  var isInfinite: Bool { high & 0x7C00_0000_0000_0000 == 0x7800_0000_0000_0000 }
  /// Whether this is neither an infinity nor a NaN.
  package var isFinite: Bool { !isNaN && !isInfinite }
  /// Whether this is the second encoding of large coefficients, all of whose values are non-canonical.
  private var isLongForm: Bool { high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 }
  /// Whether the coefficient has at most 64 bits, all in ``low``.
  var isSmall: Bool { !isLongForm && high & Decimal128.coefficientBits == 0 }

  /// Whether the value has no redundant bits: no coefficient of more than 34 digits, no payload of a NaN
  /// or an infinity.
  package var isCanonical: Bool {
    if isNaN || isInfinite {
      return low == 0 && high & 0x03FF_FFFF_FFFF_FFFF == 0 && !(isNaN && isNegative)
    }
    return !isLongForm && (low == 0 && high & Decimal128.coefficientBits == 0 || coefficient != 0)
  }

  /// The coefficient; 0 if it is too large (IEEE 754-2008, section 3.5.2).
  package var coefficient: UInt128 {
    guard !isLongForm else { return 0 }
    let value = UInt128(high & Decimal128.coefficientBits) << 64 | UInt128(low)
    return value < Decimal128.coefficientLimit ? value : 0
  }

  /// The unbiased exponent.
  package var exponent: Int {
    Int(high >> (isLongForm ? 47 : 49) & 0x3FFF) - Decimal128.exponentBias
  }

  /// The same value without zeros at the end of its digits, so that equal values have equal bits. All NaNs
  /// become one NaN, all zeros one zero.
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

  /// The integer with the same value; nil if there is none.
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

/// Numeric order (chapter 2, section 6.3).
extension Decimal128 {
  /// The decimal nearest to `number`, rounded to `digits` significant digits: 7 for a float, 15 for a double.
  /// The reference converts binary numbers in this way before it compares them with decimals.
  init(rounding number: Double, digits: Int) {
    guard number.isFinite else {
      self = number.isNaN ? .nan : .infinity(isNegative: number < 0)
      return
    }
    // The shortest string that converts back to the same number has at most 17 digits: "-1.234e-05".
    let parts = number.magnitude.description.split(separator: "e")
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    var coefficient: UInt64 = 0
    var isFraction = false
    for character in parts[0].utf8 {
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
      let (x, y) = ((a.high, a.low), (b.high, b.low))
      return x == y ? 0 : x < y ? -1 : 1
    }
    let (signA, signB) = (a.sign, b.sign)
    guard signA == signB else { return signA < signB ? -1 : 1 }
    guard signA != 0 else { return 0 }
    return signA * compareMagnitudes(a, b)
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
}
