extension Sequence<UInt8> {
  /// Two lower-case hexadecimal digits for each byte.
  package var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    let string = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: string, as: UTF8.self)
  }
}

/// Hexadecimal digits as bytes.
package enum Hexadecimal {
  /// The bytes that pairs of digits spell, in either case; nil for other characters or an odd number of
  /// digits.
  package static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == digits.count, values.count % 2 == 0 else { return nil }
    // Each value is below 16.
    return stride(from: 0, to: values.count, by: 2).map {
      UInt8(values[$0] << 4 | values[$0 + 1])
    }
  }
}
