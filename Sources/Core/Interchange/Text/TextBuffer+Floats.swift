extension TextBuffer {
  /// Appends `value` as realm-core does: 17 significant digits, as `printf("%.16e")` (chapter 6,
  /// section 1.3 "Floating point").
  ///
  /// Also `inf`, `-inf`, `nan` and, as glibc prints a NaN with its sign bit set, `-nan`. (The files
  /// made by the reference library hold only positive ones, `nan`.)
  package mutating func append(coreDouble value: Double) {
    append(scientific: value, fractionDigits: 16)
  }

  /// Appends `value` as realm-core does: 8 significant digits, as `printf("%.7e")` (chapter 6,
  /// section 1.3 "Floating point").
  ///
  /// These do not restore every float, which is the reference's way.
  package mutating func append(coreFloat value: Float) {
    // The conversion is exact, but for the payload of a NaN, which is not printed.
    append(scientific: Double(value), fractionDigits: 7)
  }

  /// Appends the shortest text that reads back as `value`, with a fraction or an exponent, so that it
  /// is a JSON number and not an integer: `1.0`, `5e-324` (chapter 6, section 3.1).
  ///
  /// - Parameter value: finite; JSON has no text for the others.
  package mutating func append(shortest value: Double) {
    precondition(value.isFinite)
    // 2^53: integers up to there have at most 16 digits, which are all the shortest text has.
    guard abs(value) < 0x1p53, value == value.rounded(.towardZero) else {
      append(value.description)
      return
    }
    append(wholeNumber: Int64(value), isNegative: value.sign == .minus)
  }

  /// Appends the shortest text that reads back as the same *float*, with a fraction or an exponent.
  ///
  /// - Parameter value: finite.
  package mutating func append(shortest value: Float) {
    precondition(value.isFinite)
    guard abs(value) < 0x1p24, value == value.rounded(.towardZero) else {
      append(value.description)
      return
    }
    append(wholeNumber: Int64(value), isNegative: value.sign == .minus)
  }

  /// Appends a floating point number that is an integer, without the cost of a `String`.
  private mutating func append(wholeNumber value: Int64, isNegative: Bool) {
    // The sign apart, for the sake of -0.
    if isNegative { append(0x2D) }
    append(decimal: value.magnitude)
    append(".0")
  }

  /// Appends `value` as `printf("%.*e")` does.
  ///
  /// - Parameters:
  ///   - value: any double for 16 digits; for 7 digits one that is a float's value.
  ///   - fractionDigits: 16 or 7.
  @inline(__always)
  private mutating func append(scientific value: Double, fractionDigits: Int) {
    guard value.isFinite else {
      if value.sign == .minus { append(0x2D) }
      if value.isNaN { append("nan") } else { append("inf") }
      return
    }
    guard value != 0 else {
      append(
        digits: 0, exponent: 0, fractionDigits: fractionDigits, isNegative: value.sign == .minus)
      return
    }
    let number = ScientificNumber(value.magnitude, fractionDigits: fractionDigits)
    append(
      digits: number.digits, exponent: number.exponent, fractionDigits: fractionDigits,
      isNegative: value.sign == .minus)
  }

  /// Appends `d.ddd…e±xx`.
  ///
  /// - Parameter digits: all `fractionDigits + 1` digits as one number.
  @inline(__always)
  private mutating func append(
    digits: UInt64, exponent: Int, fractionDigits: Int, isNegative: Bool
  ) {
    // Sign, digit, point, 16 digits, `e`, sign, 3 digits: 24 bytes at most.
    let start = unsafe room(for: 24)
    var end = unsafe start
    if isNegative {
      unsafe end.storeBytes(of: 0x2D, as: UInt8.self)
      unsafe end += 1
    }
    // All digits one place to the right, then the first one over the gap and the point after it.
    unsafe writeDigits(digits, width: fractionDigits + 1, to: end + 1)
    unsafe end.storeBytes(of: end.load(fromByteOffset: 1, as: UInt8.self), as: UInt8.self)
    unsafe end.storeBytes(of: 0x2E, toByteOffset: 1, as: UInt8.self)
    unsafe end += fractionDigits + 2

    unsafe end.storeBytes(of: 0x65, as: UInt8.self)
    unsafe end.storeBytes(of: exponent < 0 ? 0x2D : 0x2B, toByteOffset: 1, as: UInt8.self)
    let width = exponent.magnitude < 100 ? 2 : 3
    unsafe writeDigits(UInt64(exponent.magnitude), width: width, to: end + 2)
    unsafe end += 2 + width
    unsafe didWrite(end - start)
  }
}

/// A positive number as decimal digits and an exponent, rounded as C's `%e` is.
struct ScientificNumber {
  /// The significant digits as one number; the point stands after the first.
  var digits: UInt64
  /// The exponent of ten.
  var exponent: Int

  /// Rounds `value` to `fractionDigits + 1` significant digits, half to even.
  ///
  /// The value is `m * 2^e` with the highest bit of the 64-bit `m` set. It is multiplied by the power
  /// 10^k, `p * 2^q` with a `p` of 128 bits, that leaves the wanted digits in front of the point: 192
  /// bits `m * p`, of which the highest ones are the digits and the rest is the fraction.
  ///
  /// Whether the fraction is below, at or above one half decides. For k from 0 to 55 p is exact, and
  /// so is the decision. For the others p is rounded down, and m * p is too small by less than
  /// m < 2^64. At least 134 bits of it are the fraction (6 of the highest word, which is at least 2^62
  /// and holds no more than 10^17 in front of the point), so the fraction is too small by less than
  /// 2^-70. But no double is as close to one half as that: a search by the Euclidean algorithm
  /// over all exponents finds none within 2^-68 at 17 digits, 8887055249355788 * 2^665 being the
  /// closest, and no float within 2^-36 at 8 digits. So both lie on the same side.
  ///
  /// - Parameters:
  ///   - value: positive and finite; for 7 digits a float's value.
  ///   - fractionDigits: 16 or 7.
  @inline(__always)
  init(_ value: Double, fractionDigits: Int) {
    let fraction = value.significandBitPattern
    let field = Int(value.exponentBitPattern)
    // A subnormal has no hidden bit and the exponent of field 1.
    let significand = field == 0 ? fraction : fraction | 1 << 52
    let zeros = significand.leadingZeroBitCount
    let m = significand &<< UInt64(zeros)
    // All the sums of this method are of numbers below 2000 in magnitude.
    let e = max(field, 1) &- 1075 &- zeros

    // log10(value) = (e + 63 + log2(m / 2^63)) * log10(2), and log2(1 + f) is f or a little more: an
    // estimate, in units of 2^-20, that is too small by at most 0.03. Rounded to lie below: 315652.83
    // is log10(2).
    let log2 = (e &+ 63) << 20 &+ Int((m &<< 1) >> 44)
    var exponent = (log2 &* (log2 < 0 ? 315_653 : 315_652)) >> 40
    let limit: UInt64 = fractionDigits == 16 ? 100_000_000_000_000_000 : 100_000_000

    while true {
      let k = fractionDigits &- exponent
      let p = PowersOfTen.shared[k]
      let upper = m.multipliedFullWidth(by: p.high)
      let lower = m.multipliedFullWidth(by: p.low)
      let (middle, carry) = upper.low.addingReportingOverflow(lower.high)
      // The product of 64 and 128 bits has 192: no overflow.
      let high = upper.high &+ (carry ? 1 : 0)
      // The point of m * p is this many bits up; less the two lower words, 6 to 41.
      let shift = UInt64(truncatingIfNeeded: -(e &+ PowersOfTen.binaryExponent(k)) &- 128)
      assert((1..<64).contains(shift))

      let whole = high &>> shift
      if whole >= limit {
        // The estimate was one too small.
        exponent &+= 1
        continue
      }
      let half = 1 &<< (shift &- 1) as UInt64
      let rest = high & (half &<< 1 &- 1)
      let isTie =
        rest == half && middle == 0 && lower.low == 0 && PowersOfTen.exactExponents.contains(k)
      // At most 10^17: no overflow.
      var digits = whole
      if isTie ? whole & 1 == 1 : rest >= half { digits &+= 1 }
      if digits == limit {
        digits /= 10
        exponent &+= 1
      }
      self.digits = digits
      self.exponent = exponent
      return
    }
  }
}
