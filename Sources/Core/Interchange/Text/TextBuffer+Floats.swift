extension TextBuffer {
  /// Appends `value` in the format of realm-core: 17 significant digits, like `printf("%.16e")`
  /// (chapter 6, section 1.3 "Floating point").
  ///
  /// Special values are `inf`, `-inf`, `nan` and, for a NaN with its sign bit set, `-nan` as in glibc.
  package mutating func append(coreDouble value: Double) {
    append(scientific: value, fractionDigits: 16)
  }

  /// Appends `value` in the format of realm-core: 8 significant digits, like `printf("%.7e")`
  /// (chapter 6, section 1.3 "Floating point").
  ///
  /// These digits do not restore every float; the reference has the same loss.
  package mutating func append(coreFloat value: Float) {
    // The conversion is exact except for the payload of a NaN, which is not written.
    append(scientific: Double(value), fractionDigits: 7)
  }

  /// Appends the shortest number that restores `value`, with a fraction or an exponent, so that it is a JSON
  /// number and not an integer: `1.0`, `5e-324` (chapter 6, section 3.1).
  ///
  /// - Parameter value: finite; JSON has no other numbers.
  package mutating func append(shortest value: Double) {
    precondition(value.isFinite)
    // 2^53: integers up to this limit have at most 16 digits, so their shortest form has all digits.
    guard abs(value) < 0x1p53, value == Double(Int64(value)) else {
      // Larger numbers could have more than 15 digits with 7 after the point.
      let isShort = append(
        shortFraction: value, below: 1e8, fractionDigits: 7, roundingError: 0x1p-50
      ) { $0 == $1 }
      if !isShort { append(description: value) }
      return
    }
    append(wholeNumber: Int64(value), isNegative: value.sign == .minus)
  }

  /// Appends a number with few digits after the point, like most prices and coordinates, without the search
  /// for its shortest form.
  ///
  /// Different numbers of up to 15 digits have different nearest doubles, and of up to 6 digits different
  /// nearest floats, so the number found is the shortest. The quotient of two integers that doubles store
  /// exactly rounds to the nearest double. That double also rounds to the nearest float: a number N / 10^k with
  /// k up to 8 is either halfway between two floats, or further from halfway than the double is from the
  /// number.
  ///
  /// - Parameters:
  ///   - value: not an integer.
  ///   - limit: numbers from here have too many digits.
  ///   - fractionDigits: the largest number of digits after the point.
  ///   - roundingError: the largest difference between `value` and the number, relative to it.
  ///   - isNearest: whether the number restores the magnitude of `value`.
  /// - Returns: false if the number is of another kind; then nothing is appended.
  @inline(__always)
  private mutating func append(
    shortFraction value: Double, below limit: Double, fractionDigits: Int, roundingError: Double,
    isNearest: (_ number: Double, _ magnitude: Double) -> Bool
  ) -> Bool {
    let magnitude = abs(value)
    // Some smaller numbers are written with an exponent.
    guard magnitude >= 1e-3, magnitude < limit else { return false }
    var (power, divisor): (Double, UInt64) = (1, 1)
    for width in 1...fractionDigits {
      power *= 10
      divisor *= 10
      let scaled = magnitude * power
      // Rounds to an integer: larger doubles have no digits after the point.
      let number = (scaled + 0x1p52) - 0x1p52
      // Most other numbers need no division.
      guard abs(scaled - number) <= scaled * roundingError, isNearest(number / power, magnitude)
      else { continue }
      let (whole, fraction) = UInt64(number).quotientAndRemainder(dividingBy: divisor)
      if value < 0 { append(0x2D) }
      append(decimal: whole)
      append(UInt8(ascii: "."))
      append(zeroPadded: fraction, width: width)
      return true
    }
    return false
  }

  /// Appends the shortest number that restores the same *float*, with a fraction or an exponent.
  ///
  /// - Parameter value: finite.
  package mutating func append(shortest value: Float) {
    precondition(value.isFinite)
    guard abs(value) < 0x1p24, value == value.rounded(.towardZero) else {
      // Larger numbers could have more than 6 digits with 3 after the point.
      let isShort = append(
        shortFraction: Double(value), below: 1e3, fractionDigits: 3, roundingError: 0x1p-23
      ) { Float($0) == Float($1) }
      if !isShort { append(description: value) }
      return
    }
    append(wholeNumber: Int64(value), isNegative: value.sign == .minus)
  }

  /// Appends the description of a number: the shortest form that restores it.
  private mutating func append(description number: some TextOutputStreamable) {
    // No description has more than 24 bytes.
    var text = unsafe DescriptionText(place: room(for: DescriptionText.capacity))
    number.write(to: &text)
    unsafe didWrite(text.count)
  }

  /// Appends a floating point number that is an integer, without the cost of a `String`.
  private mutating func append(wholeNumber value: Int64, isNegative: Bool) {
    // The sign is written separately because of -0.
    if isNegative { append(0x2D) }
    append(decimal: value.magnitude)
    append(".0")
  }

  /// Appends `value` like `printf("%.*e")`.
  ///
  /// - Parameters:
  ///   - value: for 16 digits any double; for 7 digits the value of a float.
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
    // At most 24 bytes: sign, digit, point, 16 digits, `e`, sign, 3 digits.
    let start = unsafe room(for: 24)
    var end = unsafe start
    if isNegative {
      unsafe end.storeBytes(of: 0x2D, as: UInt8.self)
      unsafe end += 1
    }
    // Writes all digits one place to the right, then moves the first one and writes the point after
    // it.
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

/// Receives the description of a number.
@safe
private struct DescriptionText: TextOutputStream {
  static let capacity = 32

  /// Room for ``capacity`` bytes.
  private let place: UnsafeMutableRawPointer
  private(set) var count = 0

  @unsafe
  init(place: UnsafeMutableRawPointer) { unsafe self.place = place }

  mutating func write(_ string: String) {
    var string = string
    string.withUTF8 { unsafe _writeASCII($0) }
  }

  /// Called by the standard library instead of ``write(_:)``, so that no string is made.
  mutating func _writeASCII(_ bytes: UnsafeBufferPointer<UInt8>) {
    precondition(bytes.count <= DescriptionText.capacity - count)
    guard let start = bytes.baseAddress else { return }
    unsafe (place + count).copyMemory(from: start, byteCount: bytes.count)
    count += bytes.count
  }
}

/// A positive number as decimal digits and an exponent, rounded like C's `%e`.
struct ScientificNumber {
  /// The significant digits as one number; the point is after the first one.
  var digits: UInt64
  /// The exponent of ten.
  var exponent: Int

  /// Rounds `value` to `fractionDigits + 1` significant digits, half to even.
  ///
  /// The value is `m * 2^e` with the highest bit of the 64-bit `m` set. It is multiplied by the
  /// power 10^k, `p * 2^q` with a 128-bit `p`, that puts the wanted digits before the point. The
  /// product `m * p` has 192 bits: the highest ones are the digits, the rest is the fraction.
  ///
  /// Rounding depends on whether the fraction is below, at or above one half. For k from 0 to 55, p
  /// is exact, and so is the comparison. For other k, p is rounded down, and m * p is too small by
  /// less than m < 2^64. At least 134 bits of the product are the fraction (6 of the highest word,
  /// which is at least 2^62 and holds no more than 10^17 before the point), so the fraction is too
  /// small by less than 2^-70. But no double is that close to one half: a search by the Euclidean
  /// algorithm over all exponents finds none within 2^-68 at 17 digits, 8887055249355788 * 2^665
  /// being the closest, and no float within 2^-36 at 8 digits. So the exact and the computed
  /// fraction are on the same side.
  ///
  /// - Parameters:
  ///   - value: positive and finite; for 7 digits the value of a float.
  ///   - fractionDigits: 16 or 7.
  @inline(__always)
  init(_ value: Double, fractionDigits: Int) {
    let fraction = value.significandBitPattern
    let field = Int(value.exponentBitPattern)
    // A subnormal has no hidden bit, and the exponent of field 1.
    let significand = field == 0 ? fraction : fraction | 1 << 52
    let zeros = significand.leadingZeroBitCount
    let m = significand &<< UInt64(zeros)
    // All sums in this method have terms below 2000 in magnitude.
    let e = max(field, 1) &- 1075 &- zeros

    // log10(value) = (e + 63 + log2(m / 2^63)) * log10(2), and log2(1 + f) is at least f. This
    // estimate, in units of 2^-20, is too small by at most 0.03. The factor is rounded down:
    // 315652.83 is log10(2).
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
      // The position of the point in m * p, minus the two lower words: 6 to 41.
      let shift = UInt64(truncatingIfNeeded: -(e &+ PowersOfTen.binaryExponent(k)) &- 128)
      assert((1..<64).contains(shift))

      let whole = high &>> shift
      if whole >= limit {
        // The estimate was too small by one.
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
