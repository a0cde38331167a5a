// Identifiers, and constants that start like one.

extension Lexer {
  /// The keyword or identifier that starts at `start`; there must be one.
  func word(at start: Int) -> (TokenKind, Int) {
    let end = identifierEnd(at: start)
    return (Keywords.kind(of: text[start..<end]) ?? .identifier, end)
  }

  /// The end of the identifier that starts at `start`.
  private func identifierEnd(at start: Int) -> Int {
    var end = start + 1
    while end < text.count {
      switch text[end] {
      case let byte where Lexer.isNameStart(byte) || Lexer.isDigit(byte): end += 1
      case UInt8(ascii: "-"): end += 1
      case UInt8(ascii: "\\") where Lexer.nameEscape(byte(end + 1)) != nil: end += 2
      default: return end
      }
    }
    return end
  }

  /// The character that a backslash and `byte` mean in an identifier.
  static func nameEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: " "): byte
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    default: nil
    }
  }

  /// The name at `range`, with its escapes translated.
  func name(at range: TextRange) -> [UInt8] {
    var name: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      if text[index] == UInt8(ascii: "\\"), let escaped = Lexer.nameEscape(byte(index + 1)) {
        name.append(escaped)
        index += 2
      } else {
        name.append(text[index])
        index += 1
      }
    }
    return name
  }

  /// A constant or an argument that starts like an identifier and is at least as long as one.
  func wordLikeConstant(at start: Int) -> (TokenKind, Int)? {
    let constant: (kind: TokenKind, end: Int)? =
      switch text[start] {
      case UInt8(ascii: "u"): uuid(at: start)
      case UInt8(ascii: "o"): objectId(at: start)
      case UInt8(ascii: "T"): timestamp(at: start)
      case UInt8(ascii: "O"): digits(at: start + 1).map { (.objectKey, $0) }
      case UInt8(ascii: "L"): typedKey(at: start)
      case UInt8(ascii: "B"): base64(at: start)
      case UInt8(ascii: "$"): argument(at: start)
      default: nil
      }
    guard let constant, constant.end >= identifierEnd(at: start) else { return nil }
    return constant
  }

  private func argument(at start: Int) -> (TokenKind, Int)? {
    if byte(start + 1) == UInt8(ascii: "K"), let end = digits(at: start + 2) {
      return (.keyPathArgument, end)
    }
    return digits(at: start + 1).map { (.argument, $0) }
  }

  private func typedKey(at start: Int) -> (TokenKind, Int)? {
    guard let table = digits(at: start + 1), byte(table) == UInt8(ascii: ":") else { return nil }
    return digits(at: table + 1).map { (.typedKey, $0) }
  }

  private func timestamp(at start: Int) -> (TokenKind, Int)? {
    guard let seconds = signedDigits(at: start + 1), byte(seconds) == UInt8(ascii: ":") else {
      return nil
    }
    return signedDigits(at: seconds + 1).map { (.timestamp, $0) }
  }

  private func uuid(at start: Int) -> (TokenKind, Int)? {
    guard starts(with: "uuid(", at: start) else { return nil }
    var index = start + 5
    for (part, count) in [8, 4, 4, 4, 12].enumerated() {
      if part > 0 {
        guard byte(index) == UInt8(ascii: "-") else { return nil }
        index += 1
      }
      guard let end = hexDigits(count, at: index) else { return nil }
      index = end
    }
    return byte(index) == UInt8(ascii: ")") ? (.uuid, index + 1) : nil
  }

  private func objectId(at start: Int) -> (TokenKind, Int)? {
    guard starts(with: "oid(", at: start), let end = hexDigits(24, at: start + 4),
      byte(end) == UInt8(ascii: ")")
    else { return nil }
    return (.objectId, end + 1)
  }

  private func base64(at start: Int) -> (TokenKind, Int)? {
    guard starts(with: "B64\"", at: start) else { return nil }
    var index = start + 4
    while Lexer.isBase64(byte(index)) { index += 1 }
    return byte(index) == UInt8(ascii: "\"") ? (.base64, index + 1) : nil
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
      || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
  }

  /// The end of `count` hexadecimal digits at `start`; nil if there are fewer.
  private func hexDigits(_ count: Int, at start: Int) -> Int? {
    (start..<start + count).allSatisfy { Lexer.isHexDigit(byte($0)) } ? start + count : nil
  }
}
