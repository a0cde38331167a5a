/// Consecutive characters with encodings of the same length.
struct MaskCharacters {
  let first: UInt32
  /// At most 2¹⁶.
  let count: UInt32
  /// Number of bytes.
  let length: Int

  static let printable = MaskCharacters(first: 0x21, count: 0x7E - 0x20, length: 1)
  static let bytes = MaskCharacters(first: 0, count: 256, length: 1)

  /// À to Ö, or à to ö, which a full-text index takes for parts of words.
  ///
  /// - Parameter second: the second byte of a character with the first byte 0xC3.
  static func accentedLetters(withCaseOf second: UInt8) -> MaskCharacters {
    MaskCharacters(first: second & 0x20 != 0 ? 0xE0 : 0xC0, count: 23, length: 2)
  }

  /// The encoding of a character, its last byte the lowest.
  @inline(__always)
  func encoding(_ i: UInt32) -> UInt32 {
    let character = first &+ i
    switch length {
    case 1: return character
    case 2: return 0xC080 | (character >> 6) << 8 | character & 0x3F
    case 3:
      return 0xE0_8080 | (character >> 12) << 16 | (character >> 6 & 0x3F) << 8 | character & 0x3F
    default:
      return 0xF080_8080 | (character >> 18) << 24 | (character >> 12 & 0x3F) << 16
        | (character >> 6 & 0x3F) << 8 | character & 0x3F
    }
  }
}
