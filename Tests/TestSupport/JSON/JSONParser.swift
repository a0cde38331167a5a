import Foundation

/// A strict JSON parser (RFC 8259) for tests: no duplicate members, no invalid UTF-8, nothing after
/// the value.
public struct JSONParser {
  /// The accepted JSON.
  public enum Dialect: Sendable {
    case strict
    /// What the reference writes: control characters in strings, bytes that are not UTF-8 in dates,
    /// `B64"…"` for dictionary keys, and `nan`, `inf` and `-inf` for numbers.
    case reference
  }

  /// The error and its byte.
  public struct Failure: Error, CustomStringConvertible {
    public var description: String
  }

  private let bytes: [UInt8]
  private let dialect: Dialect
  private var position = 0

  private init(_ bytes: [UInt8], _ dialect: Dialect) {
    (self.bytes, self.dialect) = (bytes, dialect)
  }

  /// Parses `bytes`, which have exactly one value.
  public static func parse(
    _ bytes: some Sequence<UInt8>, as dialect: Dialect = .strict
  ) throws(Failure) -> JSONValue {
    var parser = JSONParser(Array(bytes), dialect)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == parser.bytes.count else { throw parser.failure("more text") }
    return value
  }

  /// Parses `bytes`, which have exactly one value.
  public static func parse(_ text: String) throws(Failure) -> JSONValue {
    try parse(text.utf8)
  }

  /// Parses one value per line.
  public static func parseLines(_ bytes: [UInt8]) throws(Failure) -> [JSONValue] {
    guard bytes.last == UInt8(ascii: "\n") else {
      throw Failure(description: "the last line does not end")
    }
    var values: [JSONValue] = []
    for line in bytes.dropLast().split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    {
      values.append(try parse(line))
    }
    return values
  }

  private func failure(_ what: String) -> Failure {
    Failure(description: "byte \(position): \(what)")
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func skip(word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private mutating func value(depth: Int) throws(Failure) -> JSONValue {
    guard depth < 300 else { throw failure("too deep") }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    default: break
    }
    if skip(word: "null") { return .null }
    if skip(word: "true") { return .bool(true) }
    if skip(word: "false") { return .bool(false) }
    if dialect == .reference {
      for word in ["nan", "inf", "-inf"] where skip(word: word) { return .number(word) }
    }
    return .number(try number())
  }

  private mutating func object(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var members: [JSONValue.Member] = []
    var names: Set<[UInt8]> = []
    skipSpace()
    if skip("}") { return .object([]) }
    repeat {
      skipSpace()
      let name = try memberName()
      guard names.insert(Array(name.utf8)).inserted else {
        throw failure("the member \(name) is there twice")
      }
      skipSpace()
      guard skip(":") else { throw failure("no colon") }
      members.append(JSONValue.Member(name, try value(depth: depth)))
      skipSpace()
    } while skip(",")
    guard skip("}") else { throw failure("no end of object") }
    return .object(members)
  }

  private mutating func memberName() throws(Failure) -> String {
    if dialect == .reference, skip(word: "B64") {
      guard let data = Data(base64Encoded: try string()),
        let text = String(validating: data, as: UTF8.self)
      else { throw failure("no base64 of a text") }
      return text
    }
    guard next == UInt8(ascii: "\"") else { throw failure("no member name") }
    return try string()
  }

  private mutating func array(depth: Int) throws(Failure) -> JSONValue {
    position += 1
    var elements: [JSONValue] = []
    skipSpace()
    if skip("]") { return .array([]) }
    repeat {
      elements.append(try value(depth: depth))
      skipSpace()
    } while skip(",")
    guard skip("]") else { throw failure("no end of array") }
    return .array(elements)
  }

  private mutating func digits() throws(Failure) {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
    guard position > start else { throw failure("no digit") }
  }

  private mutating func number() throws(Failure) -> String {
    let start = position
    _ = skip("-")
    // A zero has no more digits.
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func string() throws(Failure) -> String {
    guard skip("\"") else { throw failure("no string") }
    var content: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += 1
      if byte == UInt8(ascii: "\\") {
        try escape(into: &content)
      } else {
        guard byte >= 0x20 || dialect == .reference else { throw failure("control character") }
        content.append(byte)
      }
    }
    guard skip("\"") else { throw failure("no end of string") }
    if let text = String(validating: content, as: UTF8.self) { return text }
    guard dialect == .reference else { throw failure("invalid UTF-8 in the string before") }
    return String(decoding: content, as: UTF8.self)
  }

  private mutating func escape(into content: inout [UInt8]) throws(Failure) {
    guard let byte = next else { throw failure("no end of string") }
    position += 1
    let plain: [UInt8: UInt8] = [
      0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D,
      0x74: 0x09,
    ]
    if let character = plain[byte] { return content.append(character) }
    guard byte == UInt8(ascii: "u") else { throw failure("unknown escape") }
    var unit = try hexadecimalUnit()
    if 0xD800..<0xDC00 ~= unit {
      guard skip(word: "\\u") else { throw failure("half a surrogate pair") }
      let low = try hexadecimalUnit()
      guard 0xDC00..<0xE000 ~= low else { throw failure("half a surrogate pair") }
      unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(unit) else { throw failure("half a surrogate pair") }
    content += Array(String(Character(scalar)).utf8)
  }

  private mutating func hexadecimalUnit() throws(Failure) -> UInt32 {
    let end = min(position + 4, bytes.count)
    let text = String(decoding: bytes[position..<end], as: UTF8.self)
    guard text.utf8.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt32(text, radix: 16)
    else { throw failure("no four hexadecimal digits") }
    position = end
    return unit
  }
}
