import CCipher

/// Reads a stored key: 64 raw bytes, 128 hexadecimal digits, or base64.
///
/// The content determines the form. Exactly 64 bytes are always a raw key. Digits may contain spaces, tabs and
/// line ends anywhere, because tools that write them break lines. Base64 may use either alphabet and may lack
/// padding.
public enum KeyText {
  /// The maximum size of a key file in bytes.
  static let maximumByteCount = 4096

  /// The key in `content`. Wipes `content` in any case.
  ///
  /// - Throws: `unusable`, which says what was found without quoting it.
  public static func parse(_ content: inout [UInt8]) throws(KeyError) -> RealmKey {
    defer {
      // The array is unique or a copy made here; both are wiped.
      unsafe ccipher_wipe(&content, content.count)
    }
    guard content.count <= maximumByteCount else { throw tooLong }
    return try parse(SecretBytes(copying: content))
  }

  static var tooLong: KeyError {
    KeyError(.unusable("more than \(maximumByteCount) bytes"))
  }

  static func parse(_ content: borrowing SecretBytes) throws(KeyError) -> RealmKey {
    guard content.count > 0 else { throw KeyError(.unusable("empty")) }
    if content.count == RealmKey.byteCount { return try RealmKey(content) }

    var digits = SecretBytes(capacity: content.count)
    for i in 0..<content.count where !isSpace(content[i]) { digits.append(content[i]) }
    guard digits.count > 0 else { throw KeyError(.unusable("only white space")) }
    if all(digits, hexadecimalDigit) { return try hexadecimal(digits) }

    let count = base64DigitCount(digits)
    guard count > 0 else {
      throw KeyError(
        .unusable("\(content.count) bytes that are neither a raw key nor hexadecimal nor base64"))
    }
    return try base64(digits, count: count)
  }

  /// The key written as hexadecimal digits.
  private static func hexadecimal(_ digits: borrowing SecretBytes) throws(KeyError) -> RealmKey {
    guard digits.count == 2 * RealmKey.byteCount else {
      throw KeyError(.unusable("\(digits.count) hexadecimal digits instead of 128"))
    }
    var bytes = SecretBytes(capacity: RealmKey.byteCount)
    for i in stride(from: 0, to: digits.count, by: 2) {
      guard let high = hexadecimalDigit(digits[i]), let low = hexadecimalDigit(digits[i + 1])
      else { throw KeyError(.unusable("not a hexadecimal digit")) }
      bytes.append(high << 4 | low)
    }
    return try RealmKey(bytes)
  }

  /// The key in the first `count` of `digits`, which are base64. Padding follows them.
  private static func base64(
    _ digits: borrowing SecretBytes, count: Int
  ) throws(KeyError) -> RealmKey {
    // Four digits encode three bytes; 86 digits encode 64 bytes and four zero bits.
    let byteCount = count * 3 / 4
    guard byteCount == RealmKey.byteCount, count % 4 != 1 else {
      throw KeyError(.unusable("base64 of \(byteCount) bytes instead of 64"))
    }
    var bytes = SecretBytes(capacity: RealmKey.byteCount)
    // At most 24 bits are in use: bits already emitted are masked away.
    var bits: UInt32 = 0
    var bitCount = 0
    for i in 0..<count {
      guard let value = base64Digit(digits[i]) else {
        throw KeyError(.unusable("not a base64 digit"))
      }
      bits = (bits << 6 | UInt32(value)) & 0xFF_FFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return try RealmKey(bytes)
  }

  /// The number of base64 digits before the padding; 0 if there are other bytes.
  private static func base64DigitCount(_ digits: borrowing SecretBytes) -> Int {
    var count = digits.count
    while count > 0, digits.count - count < 2, digits[count - 1] == UInt8(ascii: "=") { count -= 1 }
    for i in 0..<count where base64Digit(digits[i]) == nil { return 0 }
    return count
  }

  private static func all(_ bytes: borrowing SecretBytes, _ digit: (UInt8) -> UInt8?) -> Bool {
    for i in 0..<bytes.count where digit(bytes[i]) == nil { return false }
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func base64Digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
