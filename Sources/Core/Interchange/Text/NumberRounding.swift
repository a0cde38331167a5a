/// Tests whether a float or double keeps a written number.
extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// Whether this number, the nearest one to `integer`, equals it or is written with the same digits:
  /// JavaScript writes the double 2^60 as 1152921504606847000.
  ///
  /// - Parameter integer: digits with an optional minus sign.
  func keeps(integer: String) -> Bool {
    guard isFinite else { return false }
    let bits = Int(ulp.exponent)
    return bits <= 0 || integer.isMultiple(ofTwoToThe: bits)
      || description.significantDigits.elementsEqual(integer.significantDigits)
  }
}

extension String {
  /// The digits of a decimal number, without leading and trailing zeros, point and exponent.
  var significantDigits: [UInt8] {
    var digits: [UInt8] = []
    for byte in utf8 {
      guard byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") else { break }
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      if isDigit, !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return digits
  }

  /// Whether the integer is a multiple of a power of two. If the power is the distance between the floating
  /// point numbers around it, a multiple is one of these numbers.
  ///
  /// - Parameter exponent: 1 to 1023.
  fileprivate func isMultiple(ofTwoToThe exponent: Int) -> Bool {
    // The lowest bits of the integer; higher ones do not matter.
    var words = [UInt64](repeating: 0, count: (exponent + 63) / 64)
    for byte in utf8 where byte != UInt8(ascii: "-") {
      var carry = UInt64(byte &- UInt8(ascii: "0"))
      for i in words.indices {
        let (high, low) = words[i].multipliedFullWidth(by: 10)
        let (sum, isCarried) = low.addingReportingOverflow(carry)
        (words[i], carry) = (sum, high + (isCarried ? 1 : 0))
      }
    }
    for i in words.indices {
      let bits = min(exponent - i * 64, 64)
      guard words[i].trailingZeroBitCount >= bits else { return false }
    }
    return true
  }
}
