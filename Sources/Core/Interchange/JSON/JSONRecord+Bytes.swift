import RealmStorage

/// Reads strings, binaries, identifiers and dates. Base64 and hexadecimal digits are decoded in place, so a
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
  /// - Parameter context: counts the subtypes unknown to realms.
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

  /// The subtypes of ordinary bytes and of UUIDs.
  private static let (usualSubtype, uuidSubtype): (UInt8, UInt8) = (0, 4)

  /// The positions of the parts of `{"$binary":{"base64":…,"subType":…}}`.
  private func binaryParts(_ i: Int) -> (base64: Int, subType: Int)? {
    guard let inner = only(i, "$binary"), let text = member(inner, "base64"),
      let subType = member(inner, "subType"), count(inner) == 2, kind(text) == .string,
      kind(subType) == .string
    else { return nil }
    return (text, subType)
  }

  /// Whether a binary is a UUID.
  func isBinaryUUID(_ i: Int) -> Bool {
    binaryParts(i).map { isText($0.subType, "04") || isText($0.subType, "4") } ?? false
  }

  func objectId(_ i: Int) throws(ValueError) -> ByteSlice {
    let text = only(i, "$oid") ?? i
    guard kind(text) == .string else {
      throw ValueError(.wrongType(expected: "an ObjectId as {\"$oid\":…}"), at: i)
    }
    guard let bytes = objectIdBytes(text) else {
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
    guard let bytes = uuidBytes(text) else {
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

  /// The key in the name of a member, with the escapes of ``DocumentKey`` undone.
  func documentKey(_ i: Int) -> ByteSlice {
    bytes(i).part(0..<(unsafe DocumentKey.unescape(place(i))))
  }

  // MARK: Digits

  /// The bytes of an ObjectId, decoded in place.
  private func objectIdBytes(_ i: Int) -> ByteSlice? {
    let place = unsafe UnsafeMutableRawBufferPointer(place(i))
    guard place.count == 24 else { return nil }
    for k in 0..<3 {
      let digits = unsafe place.loadUnaligned(fromByteOffset: 8 * k, as: UInt64.self)
      guard let bytes = HexDigits.bytes(UInt64(littleEndian: digits)) else { return nil }
      // The write position is never ahead of the read position.
      unsafe place.storeBytes(of: bytes.littleEndian, toByteOffset: 4 * k, as: UInt32.self)
    }
    return bytes(i).part(0..<12)
  }

  /// The bytes of a UUID, decoded in place.
  private func uuidBytes(_ i: Int) -> ByteSlice? {
    let place = unsafe UnsafeMutableRawBufferPointer(place(i))
    guard place.count == 36,
      [8, 13, 18, 23].allSatisfy({ unsafe place[$0] == UInt8(ascii: "-") })
    else { return nil }
    /// The four digits at two positions each.
    func digits(_ first: Int, _ second: Int) -> UInt64 {
      let low = unsafe place.loadUnaligned(fromByteOffset: first, as: UInt32.self)
      let high = unsafe place.loadUnaligned(fromByteOffset: second, as: UInt32.self)
      return UInt64(UInt32(littleEndian: low)) | UInt64(UInt32(littleEndian: high)) << 32
    }
    guard let first = HexDigits.bytes(digits(0, 4)), let second = HexDigits.bytes(digits(9, 14)),
      let third = HexDigits.bytes(digits(19, 24)), let fourth = HexDigits.bytes(digits(28, 32))
    else { return nil }
    for (k, bytes) in [first, second, third, fourth].enumerated() {
      unsafe place.storeBytes(of: bytes.littleEndian, toByteOffset: 4 * k, as: UInt32.self)
    }
    return bytes(i).part(0..<16)
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

/// Eight hexadecimal digits in one number, the first in its lowest byte.
private enum HexDigits {
  /// The four bytes of the digits, in the same order; nil if a byte is not a digit.
  static func bytes(_ digits: UInt64) -> UInt32? {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // The highest bit of each byte of `low` is 0, so no sum carries into the next byte.
    let low = digits & ~high
    func isIn(_ range: ClosedRange<UInt64>, _ bytes: UInt64) -> UInt64 {
      (bytes &+ (0x80 - range.lowerBound) &* ones) & ~(bytes &+ (0x7F - range.upperBound) &* ones)
    }
    let valid = isIn(0x30...0x39, low) | isIn(0x61...0x66, low | 0x20 * ones)
    guard valid & ~digits & high == high else { return nil }
    // Only letters have bit 6; the four lowest bits of A and a are 1.
    let values = (digits & (0x0F * ones)) + (digits >> 6 & ones) * 9
    // Two values become a byte, then the bytes move together.
    var bytes = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
    bytes = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: bytes | bytes >> 16)
  }
}

extension Int64 {
  /// The number, or the nearest number with a magnitude that fits into 64 bits.
  fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
