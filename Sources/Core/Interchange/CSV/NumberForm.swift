import RealmStorage

/// The form of a number by the grammar of JSON.
enum NumberForm {
  /// Digits with an optional minus sign.
  case integer
  /// A number with a fraction or an exponent.
  case fraction

  /// Returns nil if `text` is not a number.
  init?(_ text: ByteSlice) {
    var i = 0
    /// Skips digits.
    func digits() -> Int {
      let start = i
      while i < text.count, (0x30...0x39).contains(text[i]) { i += 1 }
      return i - start
    }
    func take(_ bytes: Unicode.Scalar...) -> Bool {
      guard i < text.count, bytes.contains(where: { UInt8(ascii: $0) == text[i] }) else {
        return false
      }
      i += 1
      return true
    }
    _ = take("-")
    let first = i
    let whole = digits()
    guard whole > 0, whole == 1 || text[first] != 0x30 else { return nil }
    self = .integer
    if take(".") {
      self = .fraction
      guard digits() > 0 else { return nil }
    }
    if take("e", "E") {
      self = .fraction
      _ = take("+", "-")
      guard digits() > 0 else { return nil }
    }
    guard i == text.count else { return nil }
  }
}
