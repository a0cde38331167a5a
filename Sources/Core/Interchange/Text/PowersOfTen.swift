/// Powers of ten as 128-bit fractions, to format floating point numbers.
///
/// Entry `k` is `significand * 2^binaryExponent(k)`, rounded down, with the highest bit of the
/// significand set: it is at most 10^k, and lower by less than one unit in the last place.
///
/// Invariant 1: for `0...55` the entry is 10^k itself, since 5^55 < 2^128.
@safe
struct PowersOfTen: @unchecked Sendable {
  /// The exponents in the table. They suffice for 16 digits after the point of every double, from
  /// 4.9e-324, which is multiplied by 10^340, to 1.8e308, which is multiplied by 10^-292.
  static let exponents = -292...340
  /// The exponents whose entries are exact.
  static let exactExponents = 0...55

  /// The table has 10 KB; the first number computes it in about 50 µs.
  static let shared = PowersOfTen()

  /// High and low word of each significand. Never written after `init` and never released: there is
  /// one table per process.
  private let words: UnsafePointer<(high: UInt64, low: UInt64)>

  /// The exponent of two for the significand of 10^k.
  @inline(__always)
  static func binaryExponent(_ k: Int) -> Int {
    // floor(k * log2(10)) - 127: 217706 / 2^16 is close enough for |k| < 1650. No overflow.
    ((k &* 217_706) >> 16) &- 127
  }

  /// The significand of 10^k.
  @inline(__always)
  subscript(k: Int) -> (high: UInt64, low: UInt64) {
    assert(PowersOfTen.exponents.contains(k))
    return unsafe words[k &- PowersOfTen.exponents.lowerBound]
  }

  private init() {
    let table = UnsafeMutablePointer<(high: UInt64, low: UInt64)>
      .allocate(capacity: PowersOfTen.exponents.count)
    let zero = -PowersOfTen.exponents.lowerBound

    // 10^k and 5^k differ by a power of two, which is part of the exponent. Positive powers are
    // exact: 5^340 has 790 bits.
    var number: [UInt64] = [1]
    for k in 0...PowersOfTen.exponents.upperBound {
      unsafe (table + zero + k).initialize(to: PowersOfTen.highestBits(of: number))
      PowersOfTen.multiplyByFive(&number)
    }
    // Negative powers are floor(2^896 / 5^j). Dividing the floor again gives the floor of the
    // quotient, so the result is rounded down once, with 218 bits left at the end.
    number = Array(repeating: 0, count: 14) + [1]
    for k in (PowersOfTen.exponents.lowerBound..<0).reversed() {
      PowersOfTen.divideByFive(&number)
      unsafe (table + zero + k).initialize(to: PowersOfTen.highestBits(of: number))
    }
    unsafe words = UnsafePointer(table)
  }

  /// Multiplies a number given as 64-bit words, the lowest first, by five.
  private static func multiplyByFive(_ number: inout [UInt64]) {
    var carry: UInt64 = 0
    for index in number.indices {
      let product = number[index].multipliedFullWidth(by: 5)
      let (low, overflow) = product.low.addingReportingOverflow(carry)
      number[index] = low
      carry = product.high + (overflow ? 1 : 0)
    }
    if carry != 0 { number.append(carry) }
  }

  /// Divides a number given as 64-bit words, the lowest first, by five, and rounds down.
  private static func divideByFive(_ number: inout [UInt64]) {
    var remainder: UInt64 = 0
    for index in number.indices.reversed() {
      // The remainder is below 5, so the quotient fits.
      let step = UInt64(5).dividingFullWidth((remainder, number[index]))
      number[index] = step.quotient
      remainder = step.remainder
    }
    if number.last == 0 { number.removeLast() }
  }

  /// The highest 128 bits of a number given as 64-bit words, starting with its highest set bit.
  private static func highestBits(of number: [UInt64]) -> (high: UInt64, low: UInt64) {
    /// The word `index` places below the highest one.
    func word(_ index: Int) -> UInt64 {
      index < number.count ? number[number.count - 1 - index] : 0
    }
    let shift = UInt64(word(0).leadingZeroBitCount)
    // Shifting by 64 gives 0, as required.
    return (
      word(0) << shift | word(1) >> (64 - shift), word(1) << shift | word(2) >> (64 - shift)
    )
  }
}
