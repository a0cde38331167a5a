extension Decimal128: CustomStringConvertible {
  /// The canonical form of MongoDB's Decimal128 (chapter 6, section 3.3): `1.50`, `0.0015`, `1E+3`, `1.5E-7`, `-0`,
  /// `NaN`, `Infinity`, `-Infinity`.
  public var description: String {
    guard !isNaN else { return "NaN" }
    let sign = isNegative ? "-" : ""
    guard !isInfinite else { return sign + "Infinity" }
    var digits = String(coefficient)
    let adjusted = exponent + digits.utf8.count - 1
    guard exponent <= 0, adjusted >= -6 else {
      if digits.utf8.count > 1 { digits.insert(".", at: digits.index(after: digits.startIndex)) }
      return sign + digits + (adjusted < 0 ? "E" : "E+") + String(adjusted)
    }
    guard exponent < 0 else { return sign + digits }
    digits = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count)) + digits
    digits.insert(".", at: digits.index(digits.endIndex, offsetBy: exponent))
    return sign + digits
  }
}

extension Decimal128 {
  /// The parts that `Decimal` of Foundation decodes; nil for an infinity and for a number outside of its range. Foundation
  /// itself is not needed for that.
  var foundationParts: [String: RealmValue]? {
    guard !isInfinite else { return nil }
    var (number, power): (UInt128, Int) = (0, 0)
    if isFinite, coefficient != 0 {
      (number, power) = (reduced.coefficient, reduced.exponent)
      // The exponent has 8 bits, the number 128.
      while power > Int(Int8.max), number < .max / 10 { (number, power) = (number * 10, power - 1) }
    }
    guard let exponent = Int8(exactly: power) else { return nil }
    let words = (0..<8).map { RealmValue.int(Int64(number >> (16 * UInt128($0)) & 0xFFFF)) }
    let length = words.lastIndex { $0 != .int(0) }.map { $0 + 1 } ?? 0
    return [
      "exponent": .int(Int64(exponent)), "length": .int(Int64(length)),
      // A negative number without digits is NaN.
      "isNegative": .bool(isNaN || isNegative && length > 0), "isCompact": .bool(true),
      "mantissa": .list(words),
    ]
  }
}
