import TestSupport

/// Random values of the scalar types, as Realm JSON writes them.
struct RandomValues {
  private static let words = [
    "", "a", "Ada", "über", "naïve", "日本語", "😀👩‍👩‍👧", "line\nbreak", "quote\"", "\\", "\u{7F}", "\u{0}",
    "a\u{0}b", "e\u{301}", "the quick brown fox", "Search for words, in this text.", "$dollar",
    "null",
  ]
  private static let integers: [Int64] = [
    0, 1, -1, 127, 128, -128, 255, 32767, -32769, 65536, 2_147_483_647, -2_147_483_649, .max, .min,
    .max - 1, .min + 1, 9_007_199_254_740_993,
  ]
  private static let doubles: [Double] = [
    0, -0.0, 1, -1.5, 0.1, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    .leastNormalMagnitude,
    123_456_789_012_345_680,
  ]
  private static let decimals = [
    "0", "-0", "1.50", "0.000001", "NaN", "Infinity", "-Infinity", "1E+3",
    "9.999999999999999999999999999999999E+6144", "1E-6176",
    "1234567890123456789012345678901234",
  ]

  static func value(of type: String, _ chance: inout Chance) -> JSONValue {
    switch type {
    case "int": .number("\(integer(&chance))")
    case "bool": .bool(chance.once(in: 2))
    case "string": .string(string(&chance))
    case "data": wrapped("$binary", base64(data(&chance)))
    case "date": wrapped("$date", date(&chance))
    case "float": float(&chance)
    case "double": double(&chance)
    case "decimal128": wrapped("$numberDecimal", .string(decimal(&chance)))
    case "objectId": wrapped("$oid", .string(hexadecimal(chance.bytes(12))))
    default: wrapped("$uuid", .string(uuid(chance.bytes(16))))
    }
  }

  private static func wrapped(_ name: String, _ value: JSONValue) -> JSONValue {
    .object([JSONValue.Member(name, value)])
  }

  // MARK: Numbers

  private static func integer(_ chance: inout Chance) -> Int64 {
    switch chance.number(0...3) {
    case 0: chance.one(of: integers)
    case 1: Int64(bitPattern: chance.bits())
    default: Int64(chance.number(-100...1000))
    }
  }

  private static func double(_ chance: inout Chance) -> JSONValue {
    let number =
      switch chance.number(0...3) {
      case 0: chance.one(of: doubles)
      case 1: Double(bitPattern: chance.bits())
      default: Double(chance.number(-100_000...100_000)) / 64
      }
    return number.isFinite ? .number("\(number)") : special(&chance)
  }

  private static func float(_ chance: inout Chance) -> JSONValue {
    let number =
      chance.once(in: 2)
      ? Float(bitPattern: UInt32(truncatingIfNeeded: chance.bits()))
      : Float(chance.number(-1000...1000)) / 8
    return number.isFinite ? .number("\(number)") : special(&chance)
  }

  private static func special(_ chance: inout Chance) -> JSONValue {
    wrapped("$numberDouble", .string(chance.one(of: ["NaN", "Infinity", "-Infinity"])))
  }

  private static func decimal(_ chance: inout Chance) -> String {
    guard !chance.once(in: 3) else { return chance.one(of: decimals) }
    let digits = (0..<chance.number(0...15)).map { _ in "\(chance.number(0...9))" }.joined()
    let whole = chance.number(1...99999)
    return (chance.once(in: 2) ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
  }

  // MARK: Text and bytes

  private static func string(_ chance: inout Chance) -> String {
    switch chance.number(0...5) {
    case 0, 1: chance.one(of: words)
    // The limits of the forms of strings: 15, 63 and more bytes.
    case 2:
      String(repeating: "s", count: chance.one(of: [14, 15, 16, 62, 63, 64, 65, 255, 256, 5000]))
    case 3: chance.one(of: words) + " " + chance.one(of: words) + " \(chance.number(0...20))"
    default: "text \(chance.number(0...1_000_000))"
    }
  }

  private static func data(_ chance: inout Chance) -> [UInt8] {
    chance.bytes(chance.one(of: [0, 1, 2, 3, 16, 63, 64, 300]))
  }

  private static func base64(_ bytes: [UInt8]) -> JSONValue {
    .object([
      JSONValue.Member("base64", .string(base64Text(bytes))),
      JSONValue.Member("subType", .string("00")),
    ])
  }

  static func base64Text(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(digits[word >> (18 - 6 * place) & 63]) }
      text += String(repeating: "=", count: 3 - group.count)
    }
    return text
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    var text = ""
    for (i, digit) in hexadecimal(bytes).enumerated() {
      if [8, 12, 16, 20].contains(i) { text += "-" }
      text.append(digit)
    }
    return text
  }

  // MARK: Dates

  private static func date(_ chance: inout Chance) -> JSONValue {
    guard !chance.once(in: 10) else {
      let seconds = chance.one(of: ["9223372036854775807", "-9223372036854775808", "253402300800"])
      let sign = seconds.hasPrefix("-") ? -1 : 1
      return .object([
        JSONValue.Member("$seconds", .string(seconds)),
        JSONValue.Member("$ns", .number("\(sign * chance.number(0...999_999_999))")),
      ])
    }
    let year = chance.once(in: 4) ? chance.number(1...9999) : chance.number(1950...2040)
    let month = chance.number(1...12)
    let fraction =
      switch chance.number(0...2) {
      case 0: ""
      case 1: ".\(chance.number(0...99))\(chance.number(1...9))"
      default: "." + padded(chance.number(0...99_999_999), 8) + "\(chance.number(1...9))"
      }
    let day = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(chance.number(1...28), 2)
    let time = [chance.number(0...23), chance.number(0...59), chance.number(0...59)]
    return .string(day + "T" + time.map { padded($0, 2) }.joined(separator: ":") + fraction + "Z")
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
  }
}
