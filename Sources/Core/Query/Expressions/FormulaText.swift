/// The strings of expressions. Other than in queries, their escapes are translated.
enum FormulaText {
  /// The bytes that the text between quotes stands for; the lexer has checked its escapes. A surrogate
  /// without its other half becomes U+FFFD.
  static func translated(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        result.append(text[index])
        index += 1
        continue
      }
      if text[index + 1] == UInt8(ascii: "u") {
        var units: [UInt16] = []
        while let unit = unit(in: text, at: index) {
          units.append(unit)
          index += 6
        }
        result += String(decoding: units, as: UTF16.self).utf8
        // The lexer accepts no other `\u`.
        if units.isEmpty { index += 2 }
        continue
      }
      result.append(character(text[index + 1]))
      index += 2
    }
    return result
  }

  /// The code unit of the escape `\uXXXX` at `index`; nil if there is another text.
  private static func unit(in text: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    return UInt16(String(decoding: text[index + 2..<index + 6], as: UTF8.self), radix: 16)
  }

  /// The character that a backslash and `byte` stand for.
  private static func character(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "0"): 0
    default: byte
    }
  }
}
