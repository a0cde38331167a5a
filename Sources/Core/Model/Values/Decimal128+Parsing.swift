package import RealmStorage

extension Decimal128 {
  /// Parses a decimal of up to 18 digits, with or without a minus sign and a point. Nearly all decimals have
  /// this form; the result is nil for any other string.
  package init?(digits text: ByteSlice) {
    var isNegative = false
    var (coefficient, exponent, count, point) = (UInt64(0), 0, 0, -1)
    // A sign, 18 digits and a point.
    guard text.count <= 20 else { return nil }
    for i in 0..<text.count {
      let digit = text[i] &- UInt8(ascii: "0")
      if digit < 10 {
        coefficient = coefficient &* 10 &+ UInt64(digit)
        count += 1
      } else if text[i] == UInt8(ascii: "."), point < 0 {
        point = count
      } else if text[i] == UInt8(ascii: "-"), i == 0 {
        isNegative = true
      } else {
        return nil
      }
    }
    guard (1...18).contains(count) else { return nil }
    if point >= 0 { exponent = point - count }
    self.init(
      low: coefficient,
      high: (isNegative ? 1 << 63 : 0) | UInt64(exponent + Decimal128.exponentBias) << 49)
  }

  /// Why a string cannot be parsed as a decimal128.
  package enum ParsingError: Error {
    case notANumber
    /// The number has more than 34 digits.
    case tooManyDigits
    /// The exponent is out of range, whatever the coefficient.
    case exponentOutOfRange
  }

  /// An exponent far out of range. Adding the number of digits of any string to it cannot overflow.
  private static let beyondAnyExponent = 1 << 40

  /// Parses a decimal and keeps its trailing zeros: `1.50`, `1E+3`, `NaN`, `-Infinity`.
  ///
  /// - Returns: nil if the string is not a number, or if no decimal128 has exactly this value.
  package init?(text: String) {
    do {
      try self.init(parsing: text)
    } catch {
      return nil
    }
  }

  /// Parses a decimal like ``init(text:)``.
  package init(parsing text: String) throws(ParsingError) {
    var isNegative = false
    var rest = Substring(text)
    if let sign = rest.first, sign == "-" || sign == "+" {
      isNegative = sign == "-"
      rest = rest.dropFirst()
    }
    let sign: UInt64 = isNegative ? 1 << 63 : 0
    switch rest {
    case "NaN" where text == "NaN":
      self.init(low: 0, high: 0x7C00_0000_0000_0000)
      return
    case "Infinity", "Inf":
      self.init(low: 0, high: sign | 0x7800_0000_0000_0000)
      return
    default: break
    }
    var (coefficient, exponent, digits): (UInt128, Int, Int) = (0, 0, 0)
    var (isFraction, hasDigits, zeros) = (false, false, 0)
    var position = rest.utf8.startIndex
    while position < rest.utf8.endIndex {
      let byte = rest.utf8[position]
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        hasDigits = true
        if isFraction { exponent -= 1 }
        if digits == Decimal128.digitLimit {
          // Trailing zeros beyond 34 digits raise the exponent instead.
          guard byte == UInt8(ascii: "0") else { throw .tooManyDigits }
          zeros += 1
        } else {
          coefficient = coefficient * 10 + UInt128(byte - UInt8(ascii: "0"))
          if coefficient > 0 { digits += 1 }
        }
      case UInt8(ascii: ".") where !isFraction: isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard hasDigits else { throw .notANumber }
        exponent += try Decimal128.exponent(rest[rest.utf8.index(after: position)...])
        position = rest.utf8.index(before: rest.utf8.endIndex)
      default: throw .notANumber
      }
      position = rest.utf8.index(after: position)
    }
    guard hasDigits else { throw .notANumber }
    exponent += zeros
    if coefficient == 0 {
      exponent = min(max(exponent, Decimal128.smallestExponent), Decimal128.largestExponent)
    }
    // Tries the same number with another exponent.
    while exponent > Decimal128.largestExponent, digits < Decimal128.digitLimit {
      (coefficient, exponent, digits) = (coefficient * 10, exponent - 1, digits + 1)
    }
    while exponent < Decimal128.smallestExponent, coefficient % 10 == 0, coefficient > 0 {
      (coefficient, exponent) = (coefficient / 10, exponent + 1)
    }
    guard (Decimal128.smallestExponent...Decimal128.largestExponent).contains(exponent) else {
      throw .exponentOutOfRange
    }
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: sign | UInt64(exponent + Decimal128.exponentBias) << 49
        | UInt64(truncatingIfNeeded: coefficient >> 64))
  }

  /// The exponent after the `E`; ``beyondAnyExponent`` for one of more than 64 bits.
  private static func exponent(_ text: Substring) throws(ParsingError) -> Int {
    let isNegative = text.first == "-"
    let digits = isNegative || text.first == "+" ? text.dropFirst() : text
    guard !digits.isEmpty,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw .notANumber }
    let magnitude = min(Int(digits) ?? beyondAnyExponent, beyondAnyExponent)
    return isNegative ? -magnitude : magnitude
  }
}
