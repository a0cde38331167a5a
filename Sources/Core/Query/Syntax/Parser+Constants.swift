import RealmStorage

// Constants, their values, and lists of them (chapter 6, sections 4.1 and 4.4).

extension Parser {
  /// `{a, b, …}`; the brace is the next token.
  mutating func list(
    _ quantifier: Quantifier?, expected: Expectation
  ) throws(QueryError) -> ListSyntax {
    let start = token.range.lowerBound
    try expect(.leftBrace, expected)
    var elements: [ConstantSyntax] = []
    if token.kind != .rightBrace {
      repeat { elements.append(try element()) } while try consume(.comma)
    }
    try expect(.rightBrace, .element)
    return ListSyntax(quantifier: quantifier, elements: elements, range: range(from: start))
  }

  /// A constant in a list.
  private mutating func element() throws(QueryError) -> ConstantSyntax {
    let start = token.range.lowerBound
    if let quantifier = try quantifier() {
      guard token.kind == .argument else { throw unexpected(.argument) }
      var constant = try constant(.argument)
      (constant.quantifier, constant.range) = (quantifier, range(from: start))
      return constant
    }
    switch token.kind {
    case .objectWord: return try object()
    case .binaryWord:
      try advance()
      return try binary(from: start)
    default: return try constant(.constant)
    }
  }

  /// A constant of one token.
  mutating func constant(_ expected: Expectation) throws(QueryError) -> ConstantSyntax {
    let range = token.range
    let value: ConstantSyntax.Value =
      switch token.kind {
      case .null: .null
      case .trueWord: .bool(true)
      case .falseWord: .bool(false)
      case .natural, .number: .int(integer(at: range))
      case .float: .float(number(at: range), text: floatText(at: range))
      case .infinity: infinity(at: range)
      case .notANumber: .float(.nan, text: lexer.spelling(at: range))
      case .string: .string(string(at: range))
      case .base64: .base64(try base64(at: range))
      case .timestamp: try timestamp(at: range)
      case .calendarDate: try calendarDate(at: range)
      case .objectId: .objectId(hexDigits(in: range))
      case .uuid: .uuid(hexDigits(in: range))
      case .objectKey: .objectKey(decimal(range.lowerBound + 1..<range.upperBound))
      case .typedKey: try typedKey(at: range)
      case .argument: .argument(number(after: 1, in: range))
      default: throw unexpected(expected)
      }
    try advance()
    return ConstantSyntax(value: value, range: range)
  }

  /// `obj('Class', primaryKey)`; the word is the next token.
  mutating func object() throws(QueryError) -> ConstantSyntax {
    let start = token.range.lowerBound
    try advance()
    try expect(.leftParenthesis, .symbol("(", in: .object))
    let name = try expect(.string, .className)
    try expect(.comma, .symbol(",", in: .object))
    switch token.kind {
    case .string, .natural, .number, .uuid, .objectId, .argument: break
    default: throw unexpected(.primaryKey)
    }
    let key = try constant(.primaryKey)
    try expect(.rightParenthesis, .symbol(")", in: .object))
    return ConstantSyntax(
      value: .object(className: string(at: name), primaryKey: key), range: range(from: start))
  }

  /// `binary(…)`; the word, which starts at `start`, is consumed.
  mutating func binary(from start: Int) throws(QueryError) -> ConstantSyntax {
    try expect(.leftParenthesis, .symbol("(", in: .binary))
    let bytes: [UInt8]
    switch token.kind {
    case .string: bytes = string(at: token.range)
    case .base64: bytes = try base64(at: token.range)
    default: throw unexpected(.bytes)
    }
    try advance()
    try expect(.rightParenthesis, .symbol(")", in: .binary))
    return ConstantSyntax(value: .binary(bytes), range: range(from: start))
  }

  // MARK: Values of tokens

  /// The bytes between the quotes.
  func string(at range: TextRange) -> [UInt8] {
    Array(lexer.text[range.lowerBound + 1..<range.upperBound - 1])
  }

  private func base64(at range: TextRange) throws(QueryError) -> [UInt8] {
    var digits = Array(lexer.text[range.lowerBound + 4..<range.upperBound - 1])
    // The reference also accepts it without padding.
    if digits.last != UInt8(ascii: "="), digits.count % 4 != 1 {
      while digits.count % 4 != 0 { digits.append(UInt8(ascii: "=")) }
    }
    guard let bytes = Base64.bytes(digits) else {
      throw QueryError(
        .value, "found \(lexer.quoted(range)), expected base64 in groups of four characters",
        at: range, hint: "encode it again, for example with `base64 -w0`")
    }
    return bytes
  }

  /// The bytes of the hexadecimal digits in parentheses; the lexer has counted them.
  private func hexDigits(in range: TextRange) -> [UInt8] {
    let digits = lexer.text[range].drop { $0 != UInt8(ascii: "(") }.filter(Lexer.isHexDigit)
    return Hexadecimal.bytes(digits) ?? []
  }

  /// The number after the first `count` characters of an argument, clamped to Int.
  func number(after count: Int, in range: TextRange) -> Int {
    Int(clamping: decimal(range.lowerBound + count..<range.upperBound))
  }

  /// A float as written, without the suffix `f`.
  private func floatText(at range: TextRange) -> String {
    let text = lexer.spelling(at: range)
    return text.last == "f" ? String(text.dropLast()) : text
  }

  /// The value of a float; infinity if it is too large.
  func number(at range: TextRange) -> Double {
    // The standard library accepts every float that the lexer accepts.
    Double(floatText(at: range)) ?? .nan
  }

  private func infinity(at range: TextRange) -> ConstantSyntax.Value {
    let isNegative = lexer.byte(range.lowerBound) == UInt8(ascii: "-")
    return .float(isNegative ? -.infinity : .infinity, text: lexer.spelling(at: range))
  }

  private func typedKey(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let colon = lexer.text[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
    let table = decimal(range.lowerBound + 1..<colon)
    guard let table = UInt32(exactly: table) else {
      throw QueryError(
        .value, "found the table key \(table), expected at most \(UInt32.max)", at: range,
        hint: "name the object with obj('Class', key) instead")
    }
    return .typedKey(
      table: table, key: decimal(min(colon + 1, range.upperBound)..<range.upperBound))
  }

  // MARK: Dates

  private static let nanosecondLimit: Int64 = 999_999_999

  /// `T<seconds>:<nanoseconds>`.
  func timestamp(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let colon = lexer.text[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
    let seconds = decimal(range.lowerBound + 1..<colon)
    let nanoseconds = decimal(min(colon + 1, range.upperBound)..<range.upperBound)
    guard seconds >= 0 && nanoseconds >= 0 || seconds <= 0 && nanoseconds <= 0 else {
      throw QueryError(
        .value,
        "found \(seconds) s and \(nanoseconds) ns, expected the same sign for both",
        at: range, hint: "before 1970, both are negative: T-1:-500000000")
    }
    try checkNanoseconds(nanoseconds, at: range)
    return .date(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// `<year>-<month>-<day>@<hour>:<minute>:<second>` in UTC, with or without nanoseconds.
  ///
  /// A part that is too large, such as month 13, carries over into the next larger part. The nanoseconds
  /// have the sign of the seconds, so before 1970 they count backward, as in the reference. The
  /// reference computes the seconds in 32 bits, which turns 2038 into 1902; this does not.
  func calendarDate(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let parts = dateParts(at: range)
    // Parts of at most 2³¹ keep all products below 2⁶³.
    guard parts.count >= 6, let largest = parts[..<6].max(), largest <= Int64(Int32.max) else {
      throw QueryError(
        .value, "found the date \(lexer.quoted(range)), expected parts of at most \(Int32.max)",
        at: range, hint: "write a date as 2025-12-31@23:59:59")
    }
    guard parts[0] >= 1900 else {
      throw QueryError(
        .value, "found a date in the year \(parts[0]), expected 1900 or later", at: range,
        hint: "write earlier dates as T<seconds since 1970>:<nanoseconds>, such as "
          + "T-2208988801:0")
    }
    let days = Parser.days(year: parts[0], month: parts[1]) + parts[2] - 1
    let seconds = days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
    let nanoseconds = parts.count > 6 ? parts[6] : 0
    try checkNanoseconds(nanoseconds, at: range)
    return .date(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }

  /// Year, month, day, hour, minute, second and, if present, nanoseconds.
  func dateParts(at range: TextRange) -> [Int64] {
    lexer.text[range].split { !Lexer.isDigit($0) }.map { decimal($0.startIndex..<$0.endIndex) }
  }

  /// Days from 1970-01-01 to the first day of a month of the Gregorian calendar; month 13 is the
  /// first month of the next year, and month 0 the last month of the year before.
  static func days(year: Int64, month: Int64) -> Int64 {
    // Years from March to February, so that the leap day is the last day.
    let months = year * 12 + month - 3
    let (year, month) = (months / 12, months % 12)
    let leapDays = year / 4 - year / 100 + year / 400
    // 719,468 days from 0000-03-01 to 1970-01-01.
    return year * 365 + leapDays + (month * 153 + 2) / 5 - 719_468
  }

  private func checkNanoseconds(_ nanoseconds: Int64, at range: TextRange) throws(QueryError) {
    guard nanoseconds.magnitude <= Parser.nanosecondLimit.magnitude else {
      throw QueryError(
        .value,
        "found \(nanoseconds) nanoseconds, expected at most \(Parser.nanosecondLimit)", at: range,
        hint: "carry whole seconds over to the seconds")
    }
  }

  // MARK: Integers, saturated at the limits of Int64

  /// The value of a number: octal after a leading zero, hexadecimal after `0x`.
  ///
  /// As with C's `strtoll` and base 0, an octal number ends before the first digit that is not octal.
  func integer(at range: TextRange) -> Int64 {
    var digits = lexer.text[range]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard digits.first == UInt8(ascii: "0") else {
      return Parser.integer(digits, radix: 10, isNegative: isNegative)
    }
    digits.removeFirst()
    if let sign = digits.first, sign | 0x20 == UInt8(ascii: "x") {
      return Parser.integer(digits.dropFirst(), radix: 16, isNegative: isNegative)
    }
    let octal = digits.prefix { $0 < UInt8(ascii: "8") }
    return Parser.integer(octal, radix: 8, isNegative: isNegative)
  }

  /// The value of decimal digits with or without a sign.
  func decimal(_ range: TextRange) -> Int64 {
    var digits = lexer.text[range]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    return Parser.integer(digits, radix: 10, isNegative: isNegative)
  }

  /// The value of `digits`; 0 if there are none.
  private static func integer(
    _ digits: ArraySlice<UInt8>, radix: Int64, isNegative: Bool
  ) -> Int64 {
    var value: Int64 = 0
    for digit in digits {
      let digit = Int64(Character(UnicodeScalar(digit)).hexDigitValue ?? 0)
      let (product, overflows) = value.multipliedReportingOverflow(by: radix)
      let (sum, exceeds) = product.addingReportingOverflow(isNegative ? -digit : digit)
      guard !overflows, !exceeds else { return isNegative ? .min : .max }
      value = sum
    }
    return value
  }
}
