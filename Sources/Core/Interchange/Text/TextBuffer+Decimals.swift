/// The parts of a decimal128 (chapter 2, section 3.11), by the rules of IEEE 754: a non-canonical
/// coefficient counts as zero.
private enum Decimal128Parts {
  case notANumber
  case infinity
  /// `coefficient * 10^exponent` with at most 34 digits.
  case number(coefficient: UInt128, exponent: Int)

  /// - Parameters:
  ///   - low: the lower word of the binary integer coding.
  ///   - high: the upper word.
  init(low: UInt64, high: UInt64) {
    if high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 {
      self = .notANumber
    } else if high & 0x7800_0000_0000_0000 == 0x7800_0000_0000_0000 {
      self = .infinity
    } else if high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
      // The form for longer coefficients, which are never canonical in 128 bits. Its exponent is
      // two bits lower.
      self = .number(coefficient: 0, exponent: Int(high >> 47 & 0x3FFF) - 6176)
    } else {
      let coefficient = UInt128(high & 0x1_FFFF_FFFF_FFFF) << 64 | UInt128(low)
      // 10^34 - 1 is the maximum.
      let limit: UInt128 = 10_000_000_000_000_000_000_000_000_000_000_000
      self = .number(
        coefficient: coefficient < limit ? coefficient : 0,
        exponent: Int(high >> 49 & 0x3FFF) - 6176)
    }
  }
}

/// Number of decimal digits of `value`, which is below 10^34.
private func digitCount(_ value: UInt128) -> Int {
  guard let word = UInt64(exactly: value) else {
    // At least 1, since the value is above 10^17.
    return 17 + decimalDigitCount(UInt64(value / 100_000_000_000_000_000))
  }
  return decimalDigitCount(word)
}

extension TextBuffer {
  /// Appends a decimal128 in the format of realm-core (chapter 6, section 1.3 "Decimal128").
  ///
  /// There are two formats. If the upper part of the coefficient is 0, the point moves into the digits as far
  /// as the exponent allows, whether or not the number is canonical: `1.50`, `1.5E3`, `-0`, `Inf`, `-NaN`.
  /// Otherwise the format is that of Intel's library: `+1234…E-4`.
  ///
  /// - Parameters:
  ///   - low: the lower word; the two words must not be null.
  ///   - high: the upper word.
  package mutating func append(coreDecimal128Low low: UInt64, high: UInt64) {
    let isNegative = high >> 63 != 0
    guard high & 0x1_FFFF_FFFF_FFFF == 0 else {
      append(intelDecimal128Low: low, high: high)
      return
    }
    if isNegative { append(0x2D) }
    if high & 0x7C00_0000_0000_0000 == 0x7C00_0000_0000_0000 {
      append("NaN")
    } else if high & 0x7800_0000_0000_0000 == 0x7800_0000_0000_0000 {
      append("Inf")
    } else {
      let width = decimalDigitCount(low)
      let exponent = Int(high >> 49 & 0x3FFF) - 6176
      // With a positive exponent, the point moves too: each digit after the point raises the
      // exponent, and only a negative exponent can reach 0.
      let digitsBehind = exponent < 0 ? min(-exponent, width - 1) : exponent == 0 ? 0 : width - 1
      append(digits: UInt128(low), width: width, behindPoint: digitsBehind)
      if exponent + digitsBehind != 0 {
        append(0x45)
        append(decimal: exponent + digitsBehind)
      }
    }
  }

  /// Appends the canonical form of MongoDB's Decimal128 (chapter 6, section 3.3): `1.50`, `0.0015`, `1E+3`,
  /// `1.5E-7`, `-0`, `NaN`, `Infinity`, `-Infinity`.
  ///
  /// - Parameters:
  ///   - low: the lower word.
  ///   - high: the upper word.
  package mutating func append(canonicalDecimal128Low low: UInt64, high: UInt64) {
    let isNegative = high >> 63 != 0
    switch Decimal128Parts(low: low, high: high) {
    case .notANumber:
      // Sign and payload are not written.
      append("NaN")
    case .infinity:
      if isNegative { append(0x2D) }
      append("Infinity")
    case .number(let coefficient, let exponent):
      if isNegative { append(0x2D) }
      let width = digitCount(coefficient)
      let adjusted = exponent + width - 1
      if exponent > 0 || adjusted < -6 {
        append(digits: coefficient, width: width, behindPoint: width - 1)
        append(0x45)
        if adjusted >= 0 { append(0x2B) }
        append(decimal: adjusted)
      } else {
        // There is at least one digit before the point, if necessary a 0: at most 40 digits.
        append(digits: coefficient, width: max(width, 1 - exponent), behindPoint: -exponent)
      }
    }
  }

  /// Appends a decimal128 in the format of Intel's library: always a sign, all digits, `E`, the exponent with
  /// a sign.
  private mutating func append(intelDecimal128Low low: UInt64, high: UInt64) {
    append(high >> 63 != 0 ? 0x2D : 0x2B)
    switch Decimal128Parts(low: low, high: high) {
    case .notANumber:
      // A signalling NaN has its own bit.
      if high & 0x0200_0000_0000_0000 != 0 { append(0x53) }
      append("NaN")
    case .infinity:
      append("Inf")
    case .number(let coefficient, let exponent):
      append(digits: coefficient, width: digitCount(coefficient), behindPoint: 0)
      append(0x45)
      if exponent >= 0 { append(0x2B) }
      append(decimal: exponent)
    }
  }

  /// Appends `value` with leading zeros and a point before its last `behindPoint` digits.
  ///
  /// - Parameters:
  ///   - value: below 10^34.
  ///   - width: number of digits to write; at least as many as `value` has.
  ///   - behindPoint: less than `width`; 0 for no point.
  private mutating func append(digits value: UInt128, width: Int, behindPoint: Int) {
    let target = unsafe room(for: width + 1)
    if let word = UInt64(exactly: value) {
      unsafe writeDigits(word, width: width, to: target)
    } else {
      // Below 10^34: both parts have at most 17 digits.
      let (upper, lower) = value.quotientAndRemainder(dividingBy: 100_000_000_000_000_000)
      unsafe writeDigits(UInt64(upper), width: width - 17, to: target)
      unsafe writeDigits(UInt64(lower), width: 17, to: target + (width - 17))
    }
    guard behindPoint > 0 else {
      unsafe didWrite(width)
      return
    }
    let point = unsafe target + (width - behindPoint)
    unsafe (point + 1).copyMemory(from: point, byteCount: behindPoint)
    unsafe point.storeBytes(of: 0x2E, as: UInt8.self)
    unsafe didWrite(width + 1)
  }
}
