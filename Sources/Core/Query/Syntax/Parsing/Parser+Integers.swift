// Integers, which are saturated at the limits of Int64.

extension Parser {
  /// The value of a number: octal after a leading zero, hexadecimal after `0x`.
  ///
  /// As for C's `strtoll` with base 0, digits from the first one on that is not octal do not count.
  func integer(at range: TextRange) -> Int64 {
    var digits = lexer.text[range]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard digits.first == UInt8(ascii: "0") else {
      return Parser.integer(digits, radix: 10, isNegative: isNegative)
    }
    digits.removeFirst()
    if let sign = digits.first, sign | 0x20 == UInt8(ascii: "x") {
      return Parser.integer(digits.dropFirst(), radix: 16, isNegative: isNegative)
    }
    let octal = digits.prefix { $0 < UInt8(ascii: "8") }
    return Parser.integer(octal, radix: 8, isNegative: isNegative)
  }

  /// The value of decimal digits with or without a sign.
  func decimal(_ range: TextRange) -> Int64 {
    var digits = lexer.text[range]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    return Parser.integer(digits, radix: 10, isNegative: isNegative)
  }

  /// The value of `digits`; 0 if there are none.
  private static func integer(
    _ digits: ArraySlice<UInt8>, radix: Int64, isNegative: Bool
  ) -> Int64 {
    var value: Int64 = 0
    for digit in digits {
      let digit = Int64(Character(UnicodeScalar(digit)).hexDigitValue ?? 0)
      let (product, overflows) = value.multipliedReportingOverflow(by: radix)
      let (sum, exceeds) = product.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflows, !exceeds else { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }
}
