import RealmModel

/// The types that hold a number without rounding.
struct NumberFit {
  /// Largest number of digits of a written double. A fraction with more digits does not come from a double.
  private static let doubleDigits = 17

  let fitsDouble: Bool
  let fitsDecimal: Bool

  /// - Parameter text: a number by the grammar of JSON; no type holds another string.
  init(_ text: String) {
    fitsDecimal = Decimal128(text: text) != nil
    guard let number = Double(text), number.isFinite else {
      fitsDouble = false
      return
    }
    guard NumberFit.isFraction(text) else {
      fitsDouble = number.keeps(integer: text)
      return
    }
    let digits = text.significantDigits
    fitsDouble = digits.count <= NumberFit.doubleDigits && (number != 0 || digits.isEmpty)
  }

  /// Whether a number has a fraction or an exponent.
  static func isFraction(_ text: String) -> Bool {
    text.utf8.contains {
      $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
    }
  }

  /// The expectation in messages about a number that no type holds.
  static let expected = "a number that an int, a double or a decimal128 holds without rounding"
}
