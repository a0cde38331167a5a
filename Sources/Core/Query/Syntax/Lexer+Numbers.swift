// Numbers, and dates that start like one.

extension Lexer {
  /// The end of one or more digits at `start`; nil if there are none.
  func digits(at start: Int) -> Int? {
    var end = start
    while Lexer.isDigit(byte(end)) { end += 1 }
    return end > start ? end : nil
  }

  /// The end of one or more digits, with or without a sign.
  func signedDigits(at start: Int) -> Int? {
    digits(at: isSign(start) ? start + 1 : start)
  }

  private func isSign(_ index: Int) -> Bool {
    byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: "-")
  }

  /// The longest number or date at `start`, which has a digit, a sign or a point.
  func number(at start: Int) -> (TokenKind, Int)? {
    if let date = calendarDate(at: start) { return (.calendarDate, date) }
    if let hexadecimal = hexadecimal(at: start) { return (.number, hexadecimal) }
    if let float = float(at: start) { return (.float, float) }
    return signedDigits(at: start).map { (isSign(start) ? .number : .natural, $0) }
  }

  /// A hexadecimal number, without a sign.
  private func hexadecimal(at start: Int) -> Int? {
    guard byte(start) == UInt8(ascii: "0"), byte(start + 1) | 0x20 == UInt8(ascii: "x") else {
      return nil
    }
    var end = start + 2
    while Lexer.isHexDigit(byte(end)) { end += 1 }
    return end > start + 2 ? end : nil
  }

  /// A number with at least one of: a point, an exponent, the suffix `f`.
  private func float(at start: Int) -> Int? {
    let first = isSign(start) ? start + 1 : start
    let whole = digits(at: first)
    var end = whole ?? first
    if byte(end) == UInt8(ascii: "."), let fraction = digits(at: end + 1) ?? whole.map({ $0 + 1 }) {
      end = fraction
    } else if whole == nil {
      return nil
    }
    if byte(end) | 0x20 == UInt8(ascii: "e"), let exponent = signedDigits(at: end + 1) {
      end = exponent
    }
    if byte(end) == UInt8(ascii: "f") { end += 1 }
    return end == whole ? nil : end
  }

  /// `2001-09-09@01:46:40`, with `@` or `T`; nanoseconds are optional.
  private func calendarDate(at start: Int) -> Int? {
    var end = start
    for separator in ["-", "-", "@", ":", ":"] as [Unicode.Scalar] {
      guard let part = digits(at: end) else { return nil }
      let found = byte(part)
      guard
        found == UInt8(ascii: separator) || separator == "@" && found == UInt8(ascii: "T")
      else { return nil }
      end = part + 1
    }
    guard let seconds = digits(at: end) else { return nil }
    guard byte(seconds) == UInt8(ascii: ":") else { return seconds }
    return digits(at: seconds + 1) ?? seconds
  }

  /// Infinity or NaN with a sign.
  func signedWord(at start: Int) -> (TokenKind, Int)? {
    var end = start + 1
    while UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte(end) | 0x20, end - start <= 8 { end += 1 }
    let word = String(decoding: text[(start + 1)..<end], as: UTF8.self).lowercased()
    let words: [(text: String, kind: TokenKind)] = [
      ("infinity", .infinity), ("inf", .infinity), ("nan", .notANumber),
    ]
    return words.first { word.hasPrefix($0.text) }.map { ($0.kind, start + 1 + $0.text.utf8.count) }
  }
}
