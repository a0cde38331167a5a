import TestSupport

/// One to four changes of JSON, which follow from the seed. Most of them aim at tokens: the parser
/// refuses most random changes at once.
struct TextMutation {
  private var bytes: [UInt8]
  private var random: SplitMix64

  init(of bytes: [UInt8], seed: UInt64) {
    self.bytes = bytes
    random = SplitMix64(seed: seed)
  }

  /// Tokens that are invalid in most places, or valid in unexpected ones.
  private static let tokens = [
    "null", "true", "{}", "[]", "[", "]", "{", "}", ",", ":", "\"", "\"\"", "\\", "\n", "\r\n", "0",
    "\"\\u0000\"", "\"\\uD800\"", "\"\\uDC00x\"", "\"\\q\"", "{\"$oid\":\"zz\"}",
    "{\"$date\":\"\"}",
    "{\"$date\":{\"$seconds\":\"9223372036854775807\",\"$ns\":-1}}",
    "{\"$numberDecimal\":\"1E+7000\"}",
    "{\"$binary\":{\"base64\":\"A===\",\"subType\":\"00\"}}", "{\"$uuid\":\"-\"}",
    "{\"$link\":{\"class\":\"Person\",\"id\":null,\"unresolved\":true}}", "{\"$link\":{}}",
    "{\"$dictionary\":[[\"a\",1],[\"a\",2]]}", "{\"$dictionary\":{}}",
    "{\"$string\":{\"base64\":\"/w==\"}}",
    "{\"$float\":1e39}", "{\"$numberDouble\":\"NaN\",\"$bits\":\"7ff0000000000000\"}", "/* */",
    "'a'",
  ]

  private static let numbers = [
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616",
    "1e308", "1e309", "-1e99999999999999999999", "1e-400", "4.9e-324", "-0", "-0.0", "01", "1.",
    ".5",
    "+1", "0x10", "NaN", "Infinity", "1e", "2147483648", "-1",
  ]

  private static let badCharacters: [[UInt8]] = [
    [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0],
    [0xEF, 0xBB, 0xBF], [0x1F], [0xF0, 0x9F, 0x98],
  ]

  /// A text does not become longer than about twice this.
  private static let byteLimit = 1 << 20

  /// The changed bytes.
  mutating func make() -> [UInt8] {
    for _ in 0..<(1 + below(4)) { change() }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int {
    limit <= 1 ? 0 : Int(random.next() % UInt64(limit))
  }

  private mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }

  private mutating func change() {
    guard bytes.count > 8 else { return }
    switch below(16) {
    case 0: for _ in 0...below(8) { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
    case 1: if below(3) == 0 { bytes.removeSubrange(below(bytes.count)...) }
    case 2: bytes.removeSubrange(piece(of: below(6) == 0 ? bytes.count : 100))
    case 3: repeatPiece()
    case 4: swapLines()
    case 5, 6: swapTokens()
    case 7, 8: replaceToken(with: Array(one(of: TextMutation.numbers).utf8))
    case 9: replaceToken(with: longNumber())
    case 10, 11: replaceToken(with: Array(one(of: TextMutation.tokens).utf8))
    case 12: insert(Array(one(of: TextMutation.tokens).utf8))
    case 13: insert(one(of: TextMutation.badCharacters))
    case 14: nest()
    default: replaceToken(with: Array(bytes[token(near: below(bytes.count))]))
    }
  }

  // MARK: Pieces

  private mutating func piece(of limit: Int) -> Range<Int> {
    let start = below(bytes.count)
    return start..<min(bytes.count, start + 1 + below(limit))
  }

  private mutating func insert(_ piece: [UInt8]) {
    bytes.insert(contentsOf: piece, at: below(bytes.count))
  }

  private mutating func repeatPiece() {
    let range = below(2) == 0 ? line(at: below(bytes.count)) : piece(of: 200)
    let piece = Array(bytes[range])
    // Repeated repetitions of a long line would be gigabytes.
    let most = TextMutation.byteLimit / max(1, bytes.count)
    for _ in 0...below(min(most, below(10) == 0 ? 100 : 2)) {
      bytes.insert(contentsOf: piece, at: range.upperBound)
    }
  }

  /// The line around a position, with its end.
  private func line(at position: Int) -> Range<Int> {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<position].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let end = bytes[position...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.count
    return min(start, end)..<end
  }

  private mutating func swapLines() {
    swap(line(at: below(bytes.count)), line(at: below(bytes.count)))
  }

  private mutating func swapTokens() {
    swap(token(near: below(bytes.count)), token(near: below(bytes.count)))
  }

  private mutating func swap(_ a: Range<Int>, _ b: Range<Int>) {
    let (first, second) = a.lowerBound <= b.lowerBound ? (a, b) : (b, a)
    guard first.upperBound <= second.lowerBound else { return }
    let (x, y) = (Array(bytes[first]), Array(bytes[second]))
    bytes.replaceSubrange(second, with: x)
    bytes.replaceSubrange(first, with: y)
  }

  // MARK: Tokens

  /// The bytes between the brackets, commas and colons around a position.
  private func token(near position: Int) -> Range<Int> {
    let limits = Set("[]{},:\n".utf8)
    let start = bytes[..<position].lastIndex(where: limits.contains).map { $0 + 1 } ?? 0
    let end = bytes[position...].firstIndex(where: limits.contains) ?? bytes.count
    return min(start, end)..<end
  }

  private mutating func replaceToken(with piece: [UInt8]) {
    bytes.replaceSubrange(token(near: below(bytes.count)), with: piece)
  }

  /// More digits than any type has.
  private mutating func longNumber() -> [UInt8] {
    let digit = UInt8(ascii: "0") + UInt8(below(10))
    var number = [UInt8](repeating: digit, count: one(of: [20, 40, 400, 5000, 100_000]))
    if below(2) == 0 { number.insert(UInt8(ascii: "."), at: 1 + below(number.count - 1)) }
    if below(3) == 0 { number.insert(UInt8(ascii: "-"), at: 0) }
    return number
  }

  /// Nested values, as deep as the stack or deeper.
  private mutating func nest() {
    let depth = one(of: [90, 101, 499, 501, 1023, 1025, 10_000, 300_000])
    let (open, close) = one(of: [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")])
    let isClosed = below(3) > 0
    replaceToken(
      with: Array(
        (String(repeating: open, count: depth) + "1"
          + (isClosed ? String(repeating: close, count: depth) : "")).utf8))
  }
}
