internal import COpenSSL

/// The forms in which a key is stored: 64 raw bytes, 128 hexadecimal digits, or base64.
///
/// The content determines the form. Exactly 64 bytes are always a raw key. The text forms may
/// contain spaces, tabs and line ends anywhere, because tools that write them break lines. Base64
/// may use either alphabet and may lack padding.
public enum KeyText {
  /// Maximum size of a key file in bytes.
  public static let maximumByteCount = 4096

  /// Returns the key in `content`, and wipes `content` in any case.
  ///
  /// - Throws: `unusable`, with a text that says what was found and never quotes it.
  public static func parse(_ content: inout [UInt8]) throws(KeyError) -> RealmKey {
    defer {
      // The array is unique or a copy made here; both are wiped.
      unsafe content.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
    guard content.count <= maximumByteCount else { throw tooLong }
    var secret = SecretBytes(capacity: content.count)
    for byte in content { secret.append(byte) }
    return try parse(secret)
  }

  static var tooLong: KeyError {
    KeyError(.unusable("more than \(maximumByteCount) bytes"))
  }

  static func parse(_ content: borrowing SecretBytes) throws(KeyError) -> RealmKey {
    guard content.count > 0 else { throw KeyError(.unusable("empty")) }
    if content.count == RealmKey.byteCount { return try RealmKey(content) }

    var text = SecretBytes(capacity: content.count)
    for i in 0..<content.count where !isSpace(content[i]) { text.append(content[i]) }
    guard text.count > 0 else { throw KeyError(.unusable("only white space")) }
    if all(text, hexadecimalDigit) { return try hexadecimal(text) }

    let digits = base64DigitCount(text)
    guard digits > 0 else {
      throw KeyError(
        .unusable("\(content.count) bytes that are neither a raw key nor hexadecimal nor base64"))
    }
    return try base64(text, digits: digits)
  }

  /// The key in a text that consists of hexadecimal digits.
  private static func hexadecimal(_ text: borrowing SecretBytes) throws(KeyError) -> RealmKey {
    guard text.count == 2 * RealmKey.byteCount else {
      throw KeyError(.unusable("\(text.count) hexadecimal digits instead of 128"))
    }
    var bytes = SecretBytes(capacity: RealmKey.byteCount)
    for i in stride(from: 0, to: text.count, by: 2) {
      guard let high = hexadecimalDigit(text[i]), let low = hexadecimalDigit(text[i + 1]) else {
        throw KeyError(.unusable("not a hexadecimal digit"))
      }
      bytes.append(high << 4 | low)
    }
    return try RealmKey(bytes)
  }

  /// The key in a text of `digits` base64 digits, without padding.
  private static func base64(
    _ text: borrowing SecretBytes, digits: Int
  ) throws(KeyError) -> RealmKey {
    // Four digits encode three bytes; 86 digits encode 64 bytes and four zero bits.
    let count = digits * 3 / 4
    guard count == RealmKey.byteCount, digits % 4 != 1 else {
      throw KeyError(.unusable("base64 of \(count) bytes instead of 64"))
    }
    var bytes = SecretBytes(capacity: RealmKey.byteCount)
    // At most 24 bits are in use: bits already emitted are masked away.
    var bits: UInt32 = 0
    var bitCount = 0
    for i in 0..<digits {
      guard let value = base64Digit(text[i]) else {
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

  /// Number of base64 digits before the padding; 0 for a text that is not base64.
  private static func base64DigitCount(_ text: borrowing SecretBytes) -> Int {
    var digits = text.count
    while digits > 0, text.count - digits < 2, text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
    for i in 0..<digits where base64Digit(text[i]) == nil { return 0 }
    return digits
  }

  private static func all(_ text: borrowing SecretBytes, _ digit: (UInt8) -> UInt8?) -> Bool {
    for i in 0..<text.count where digit(text[i]) == nil { return false }
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
