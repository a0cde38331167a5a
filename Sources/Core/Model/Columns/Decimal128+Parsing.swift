package import RealmStorage

extension Decimal128 {
  /// The decimal that `text` represents if it consists of a minus sign at most, up to 18 digits and a point
  /// at most, as nearly all decimals do; nil for other texts.
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
      high: (isNegative ? 1 << 63 : 0) | UInt64(exponent - Decimal128.smallest) << 49)
  }

  /// Why a text is not the text of a decimal128.
  package enum ParsingError: Error {
    /// The text is not a number.
    case notANumber
    /// The number has more than 34 digits.
    case tooManyDigits
    /// A digit is beyond the range of exponents.
    case exponentOutOfRange
  }

  /// The most digits of a coefficient, and the range of exponents.
  private static let (digitLimit, smallest, largest) = (34, -6176, 6111)

  /// An exponent far beyond the range, so that adding the digits of a text to it cannot overflow.
  private static let beyondAnyExponent = 1 << 40

  /// The decimal that `text` represents, with its trailing zeros: `1.50`, `1E+3`, `NaN`, `-Infinity`.
  ///
  /// - Returns: nil if the text is not a number, or if no decimal128 has exactly this value.
  package init?(text: String) {
    do throws(ParsingError) {
      try self.init(parsing: text)
    } catch {
      return nil
    }
  }

  /// The decimal that `text` represents, like ``init(text:)``.
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
      exponent = min(max(exponent, Decimal128.smallest), Decimal128.largest)
    }
    // Tries the same number with another exponent.
    while exponent > Decimal128.largest, digits < Decimal128.digitLimit {
      (coefficient, exponent, digits) = (coefficient * 10, exponent - 1, digits + 1)
    }
    while exponent < Decimal128.smallest, coefficient % 10 == 0, coefficient > 0 {
      (coefficient, exponent) = (coefficient / 10, exponent + 1)
    }
    guard (Decimal128.smallest...Decimal128.largest).contains(exponent) else {
      throw .exponentOutOfRange
    }
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: sign | UInt64(exponent - Decimal128.smallest) << 49
        | UInt64(truncatingIfNeeded: coefficient >> 64))
  }

  /// The number after the `E`; one of more than 64 bits becomes ``beyondAnyExponent``.
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
