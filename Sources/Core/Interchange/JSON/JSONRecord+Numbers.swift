import RealmModel
import RealmStorage

/// Reads numbers, plain and wrapped.
extension JSONRecord {
  /// Whether the value is an integer, plain or wrapped.
  func isInt(_ i: Int) -> Bool {
    kind(i) == .integer || only(i, "$numberLong") != nil || only(i, "$numberInt") != nil
  }

  func int(_ i: Int) throws(ValueError) -> Int64 {
    switch kind(i) {
    case .integer: return integer(i)
    case .largeNumber: throw ValueError(.outOfRange(expected: "an int of 64 bits"), at: i)
    case .object:
      guard let number = try wrappedInt(i) else { fallthrough }
      return number
    default: throw ValueError(.wrongType(expected: "an int"), at: i)
    }
  }

  /// The value of `{"$numberLong":…}` or `{"$numberInt":…}`; nil for another object.
  private func wrappedInt(_ i: Int) throws(ValueError) -> Int64? {
    guard let inner = only(i, "$numberLong") ?? only(i, "$numberInt"), kind(inner) == .string else {
      return nil
    }
    guard let number = Int64(bytes(inner).text) else {
      throw ValueError(.invalidValue(expected: "an int of 64 bits"), at: inner)
    }
    return number
  }

  /// The key of an object of a class without a primary key.
  func objectKey(_ i: Int, isUnresolved: Bool = false) throws(ValueError) -> ObjectKey {
    guard isInt(i) else {
      throw ValueError(.wrongType(expected: "an object key, an int"), at: i)
    }
    let number = try int(i)
    guard number >= 0, number < .max - 1 else {
      throw ValueError(.outOfRange(expected: "an object key of 0 or more"), at: i)
    }
    let key = ObjectKey(number)
    return isUnresolved ? key.unresolved : key
  }

  func bool(_ i: Int) throws(ValueError) -> Bool {
    switch kind(i) {
    case .yes: return true
    case .no: return false
    default: throw ValueError(.wrongType(expected: "true or false"), at: i)
    }
  }

  func double(_ i: Int) throws(ValueError) -> Double {
    switch kind(i) {
    case .double: return try kept(number(i), "a double", at: i)
    case .integer:
      let number = integer(i)
      guard number != 0 || !hasMinus(i) else { return -0.0 }
      guard let exact = Double(exactly: number) else {
        return try unrounded(numberText(i), "a double", at: i)
      }
      return exact
    case .largeNumber: return try unrounded(numberText(i), "a double", at: i)
    case .object:
      if let (text, bits) = try wrappedDouble(i, digits: 16) {
        guard let bits else { return try named(text, "a double") }
        return try nan(Double(bitPattern: bits.pattern), at: bits.token)
      }
      guard let number = try wrappedInt(i) else { fallthrough }
      return try unrounded("\(number)", "a double", at: i)
    default: throw ValueError(.wrongType(expected: "a double"), at: i)
    }
  }

  /// Whether a double holds the number of a token of kind `double` without rounding.
  ///
  /// 17 bytes with a point or an exponent have at most 16 digits. Zero can be a number that is too small.
  func isWithinDouble(_ i: Int) -> Bool {
    numberLength(i) <= 17 && number(i) != 0 || NumberFit(numberText(i)).fitsDouble
  }

  func float(_ i: Int) throws(ValueError) -> Float {
    switch kind(i) {
    case .double:
      let wide = number(i)
      let number = Float(wide)
      guard number.isFinite else { throw ValueError(.outOfRange(expected: "a float"), at: i) }
      // The number was rounded twice, first to a double. Only a double exactly between two floats can give
      // another float than one rounding.
      guard JSONRecord.isMiddle(wide, number) else { return try kept(number, "a float", at: i) }
      return try kept(Float(numberText(i)) ?? number, "a float", at: i)
    case .integer, .largeNumber: return try unrounded(numberText(i), "a float", at: i)
    case .object:
      if let (text, bits) = try wrappedDouble(i, digits: 8) {
        guard let bits else { return try named(text, "a float") }
        let pattern = UInt32(truncatingIfNeeded: bits.pattern)
        return try nan(Float(bitPattern: pattern), at: bits.token)
      }
      guard let number = try wrappedInt(i) else { fallthrough }
      return try unrounded("\(number)", "a float", at: i)
    default: throw ValueError(.wrongType(expected: "a float"), at: i)
    }
  }

  /// Most bytes of a number that cannot be too small for a double: `1e-324` has more.
  private static let plainZeroLength = 5

  /// The float or double for a number with a fraction or an exponent.
  ///
  /// - Parameter expected: the name of the type in messages.
  /// - Throws: `outOfRange` if only rounding made the number 0.
  private func kept<Number: BinaryFloatingPoint>(
    _ number: Number, _ expected: String, at i: Int
  ) throws(ValueError) -> Number {
    guard
      number != 0 || self.number(i) == 0 && numberLength(i) <= JSONRecord.plainZeroLength
        || numberText(i).significantDigits.isEmpty
    else { throw ValueError(.outOfRange(expected: expected), at: i) }
    return number
  }

  /// The float or double for an integer.
  ///
  /// - Parameter expected: the name of the type in messages.
  /// - Throws: `outOfRange`; `rounded` if the type has no such number.
  private func unrounded<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String, _ expected: String, at i: Int
  ) throws(ValueError) -> Number {
    guard let number = Number(text), number.isFinite else {
      throw ValueError(.outOfRange(expected: expected), at: i)
    }
    guard number.keeps(integer: text) else {
      throw ValueError(
        .rounded(expected: "an int that \(expected) holds without rounding to \(number)"), at: i)
    }
    return number
  }

  private static func isMiddle(_ wide: Double, _ number: Float) -> Bool {
    // A float lacks 29 bits of a double. Halfway between two floats, only the highest of these bits is set;
    // subnormal floats have fewer bits.
    wide.bitPattern & 0x1FFF_FFFF == 0x1000_0000
      || number.magnitude < .leastNormalMagnitude && wide != 0
  }

  /// The bits of a NaN, and their token.
  private typealias NaNBits = (pattern: UInt64, token: Int)

  /// The token of the string of `{"$numberDouble":…}`, and the bits if there are any.
  private func wrappedDouble(
    _ i: Int, digits: Int
  ) throws(ValueError) -> (text: Int, bits: NaNBits?)? {
    guard let text = member(i, "$numberDouble"), kind(text) == .string else { return nil }
    guard count(i) > 1 else { return (text, nil) }
    guard count(i) == 2, let bits = member(i, "$bits"), kind(bits) == .string else { return nil }
    let digitsText = bytes(bits).text
    guard digitsText.utf8.count == digits, let number = UInt64(digitsText, radix: 16) else {
      throw ValueError(.invalidValue(expected: "\(digits) hexadecimal digits"), at: bits)
    }
    return (text, (number, bits))
  }

  /// The number with the bits of token `i`, which must be a NaN: no other number needs its bits.
  private func nan<Number: BinaryFloatingPoint>(
    _ number: Number, at i: Int
  ) throws(ValueError) -> Number {
    guard number.isNaN else {
      throw ValueError(.invalidValue(expected: "the bits of a NaN"), at: i)
    }
    return number
  }

  /// The number in a string: by the grammar of JSON, or not finite.
  ///
  /// - Parameter expected: the name of the type in messages.
  private func named<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ i: Int, _ expected: String
  ) throws(ValueError) -> Number {
    switch bytes(i).text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case let text:
      guard NumberForm(bytes(i)) != nil, let number = Number(text) else {
        throw ValueError(.invalidValue(expected: "a number, NaN, Infinity or -Infinity"), at: i)
      }
      guard number.isFinite, number != 0 || text.significantDigits.isEmpty else {
        throw ValueError(.outOfRange(expected: expected), at: i)
      }
      return number
    }
  }

  /// A decimal, as a number, a string, or wrapped.
  func decimal(_ i: Int) throws(ValueError) -> Decimal128 {
    switch kind(i) {
    case .integer, .double, .largeNumber: return try decimal(numberText(i), at: i)
    case .string: return try decimal(bytes(i), at: i)
    case .object:
      if let text = only(i, "$numberDecimal"), kind(text) == .string {
        return try decimal(bytes(text), at: text)
      }
      if let number = try wrappedInt(i) { return try decimal("\(number)", at: i) }
      guard let text = member(i, "$numberDecimal"), kind(text) == .string, count(i) == 2,
        let bits = member(i, "$bits"), kind(bits) == .string
      else { break }
      let digits = bytes(bits).text
      guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
        let low = UInt64(digits.suffix(16), radix: 16)
      else { throw ValueError(.invalidValue(expected: "32 hexadecimal digits"), at: bits) }
      return Decimal128(low: low, high: high)
    default: break
    }
    throw ValueError(.wrongType(expected: "a decimal128"), at: i)
  }

  private func decimal(_ text: ByteSlice, at i: Int) throws(ValueError) -> Decimal128 {
    if let number = Decimal128(digits: text) { return number }
    return try decimal(text.text, at: i)
  }

  private func decimal(_ text: String, at i: Int) throws(ValueError) -> Decimal128 {
    do throws(Decimal128.ParsingError) {
      return try Decimal128(parsing: text)
    } catch .exponentOutOfRange {
      throw ValueError(
        .outOfRange(expected: "a decimal128, with digits from 1E-6176 to 1E+6144"), at: i)
    } catch {
      throw ValueError(
        .invalidValue(expected: "a decimal of up to 34 digits, NaN, Infinity or -Infinity"), at: i)
    }
  }
}
