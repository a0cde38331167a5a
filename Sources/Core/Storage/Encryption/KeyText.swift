internal import COpenSSL

/// The forms in which people keep a key: 64 raw bytes, 128 hexadecimal digits, or base64.
///
/// The form is told by the content. Exactly 64 bytes are a raw key, whatever they are. In the text
/// forms space, tabs and line ends are allowed anywhere, as tools that write them break the lines;
/// base64 may be of either alphabet and without padding.
public enum KeyText {
  /// Most bytes that the content of a key file can have.
  public static let maximumByteCount = 4096

  /// The key in `content`, which is wiped whatever comes of it.
  ///
  /// - Throws: `unusable`, which says what was found and never quotes it.
  public static func parse(_ content: inout [UInt8]) throws(KeyError) -> RealmKey {
    defer {
      // The array is the caller's only reference or a copy made here; either is wiped.
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
    guard content.count > 0 else { throw KeyError(.unusable("there are no bytes in it")) }
    if content.count == RealmKey.byteCount { return try RealmKey(content) }

    var text = SecretBytes(capacity: content.count)
    for i in 0..<content.count where !isSpace(content[i]) { text.append(content[i]) }
    guard text.count > 0 else { throw KeyError(.unusable("nothing but white space")) }
    if all(text, hexadecimalDigit) { return try hexadecimal(text) }

    let digits = base64DigitCount(text)
    guard digits > 0 else {
      throw KeyError(
        .unusable("\(content.count) bytes that are neither a raw key nor hexadecimal nor base64"))
    }
    return try base64(text, digits: digits)
  }

  /// The key in a text of nothing but hexadecimal digits.
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

  /// The key in a text of `digits` base64 digits and its padding.
  private static func base64(
    _ text: borrowing SecretBytes, digits: Int
  ) throws(KeyError) -> RealmKey {
    // Four digits are three bytes; 86 digits are 64 bytes and four bits that are zero.
    let count = digits * 3 / 4
    guard count == RealmKey.byteCount, digits % 4 != 1 else {
      throw KeyError(.unusable("base64 of \(count) bytes instead of 64"))
    }
    var bytes = SecretBytes(capacity: RealmKey.byteCount)
    // 24 bits at most are in use: what was handed out is masked away.
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

  /// Number of base64 digits in front of the padding, or 0 for a text that is not base64.
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
