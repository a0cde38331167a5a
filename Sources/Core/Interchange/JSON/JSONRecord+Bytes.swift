import RealmStorage

/// Reads text, bytes, identifiers and dates. Base64 and hexadecimal digits are decoded in place, so a
/// value can be read only once.
extension JSONRecord {
  func string(_ i: Int) throws(ValueError) -> ByteSlice {
    if kind(i) == .string { return bytes(i) }
    guard let inner = only(i, "$string"), let text = only(inner, "base64") else {
      throw ValueError(.wrongType(expected: "a string"), at: i)
    }
    return try base64(text)
  }

  /// A binary, as plain base64 or wrapped.
  ///
  /// - Parameter context: counts the subtypes that realms do not have.
  func binary(_ i: Int, _ context: FillContext) throws(ValueError) -> ByteSlice {
    if kind(i) == .string { return try base64(i) }
    guard let (text, subType) = binaryParts(i) else {
      throw ValueError(.wrongType(expected: "data as {\"$binary\":…} or base64"), at: i)
    }
    let digits = bytes(subType)
    guard (1...2).contains(digits.count), let number = UInt8(digits.text, radix: 16) else {
      throw ValueError(
        .invalidValue(expected: "a subtype of one or two hexadecimal digits"), at: subType)
    }
    if number != JSONRecord.usualSubtype, number != JSONRecord.uuidSubtype {
      context.noteLostSubtype()
    }
    return try base64(text)
  }

  /// The subtypes of bytes without a special meaning, and of UUIDs.
  private static let (usualSubtype, uuidSubtype): (UInt8, UInt8) = (0, 4)

  /// The positions of the parts of `{"$binary":{"base64":…,"subType":…}}`.
  private func binaryParts(_ i: Int) -> (base64: Int, subType: Int)? {
    guard let inner = only(i, "$binary"), let text = member(inner, "base64"),
      let subType = member(inner, "subType"), count(inner) == 2, kind(text) == .string,
      kind(subType) == .string
    else { return nil }
    return (text, subType)
  }

  /// True for a binary that is a UUID.
  func isBinaryUUID(_ i: Int) -> Bool {
    binaryParts(i).map { isText($0.subType, "04") || isText($0.subType, "4") } ?? false
  }

  func objectId(_ i: Int) throws(ValueError) -> ByteSlice {
    let text = only(i, "$oid") ?? i
    guard kind(text) == .string else {
      throw ValueError(.wrongType(expected: "an ObjectId as {\"$oid\":…}"), at: i)
    }
    guard let bytes = hex(text, byteCount: 12, hyphens: 0) else {
      throw ValueError(.invalidValue(expected: "an ObjectId of 24 hexadecimal digits"), at: text)
    }
    return bytes
  }

  func uuid(_ i: Int) throws(ValueError) -> ByteSlice {
    if isBinaryUUID(i), let (text, _) = binaryParts(i) {
      let bytes = try base64(text)
      guard bytes.count == 16 else {
        throw ValueError(.invalidValue(expected: "a UUID of 16 bytes"), at: text)
      }
      return bytes
    }
    let text = only(i, "$uuid") ?? i
    guard kind(text) == .string else {
      throw ValueError(.wrongType(expected: "a UUID as {\"$uuid\":…}"), at: i)
    }
    guard let bytes = hex(text, byteCount: 16, hyphens: JSONRecord.uuidHyphens) else {
      throw ValueError(
        .invalidValue(expected: "a UUID as 8-4-4-4-12 hexadecimal digits"), at: text)
    }
    return bytes
  }

  /// A date, in RFC 3339 form or wrapped.
  func date(_ i: Int) throws(ValueError) -> (seconds: Int64, nanoseconds: Int64) {
    let inner = only(i, "$date") ?? i
    switch kind(inner) {
    case .string:
      guard let pair = DateText.parse(bytes(inner)) else {
        throw ValueError(.invalidValue(expected: "a date such as 2023-11-14T22:13:20Z"), at: inner)
      }
      return pair
    case .integer where inner != i: return DateText.pair(milliseconds: integer(inner))
    case .object where inner != i:
      if only(inner, "$numberLong") != nil {
        return DateText.pair(milliseconds: try int(inner))
      }
      guard let seconds = member(inner, "$seconds"), let nanoseconds = member(inner, "$ns"),
        count(inner) == 2, kind(seconds) == .string, kind(nanoseconds) == .integer
      else { break }
      guard let number = Int64(bytes(seconds).text) else {
        throw ValueError(.invalidValue(expected: "seconds as an int of 64 bits"), at: seconds)
      }
      let fraction = integer(nanoseconds)
      guard abs(fraction.clamped) < 1_000_000_000,
        number == 0 || fraction == 0 || (number < 0) == (fraction < 0)
      else {
        throw ValueError(
          .invalidValue(expected: "nanoseconds below 10⁹ with the sign of the seconds"),
          at: nanoseconds)
      }
      return (number, fraction)
    default: break
    }
    throw ValueError(.wrongType(expected: "a date as {\"$date\":…}"), at: i)
  }

  /// The key in the name of a member, without the escapes of ``DocumentKey``.
  func documentKey(_ i: Int) -> ByteSlice {
    bytes(i).part(0..<(unsafe DocumentKey.unescape(place(i))))
  }

  // MARK: Digits

  /// The positions of the hyphens of a UUID, as bits.
  private static let uuidHyphens: UInt64 = 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23

  /// Decodes hexadecimal digits in place.
  ///
  /// - Parameter hyphens: has a bit for the position of each hyphen, which is between two bytes.
  private func hex(_ i: Int, byteCount: Int, hyphens: UInt64) -> ByteSlice? {
    let place = unsafe place(i)
    guard place.count == 2 * byteCount + hyphens.nonzeroBitCount else { return nil }
    var position = 0
    for k in 0..<byteCount {
      if hyphens >> UInt64(position) & 1 != 0 {
        guard unsafe place[position] == UInt8(ascii: "-") else { return nil }
        position += 1
      }
      let high = unsafe JSONRecord.digit(place[position])
      let low = unsafe JSONRecord.digit(place[position + 1])
      guard high | low < 16 else { return nil }
      // The write position is never ahead of the read position.
      unsafe place[k] = high << 4 | low
      position += 2
    }
    return bytes(i).part(0..<byteCount)
  }

  /// The value of a hexadecimal digit; 16 or more for another character.
  @inline(__always)
  private static func digit(_ byte: UInt8) -> UInt8 {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 0x10
  }

  /// Decodes base64 in place.
  ///
  /// - Throws: `invalidValue`.
  func base64(_ i: Int) throws(ValueError) -> ByteSlice {
    guard kind(i) == .string, let count = unsafe Base64.decode(place(i)) else {
      throw ValueError(.invalidValue(expected: "base64"), at: i)
    }
    return bytes(i).part(0..<count)
  }
}

extension Int64 {
  /// The number, or the nearest number with a magnitude that fits into 64 bits.
  fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
