import RealmModel
import Testing

@testable import RealmInterchange

@Suite("Values read from text")
struct TextParsingTests {
  @Test("a decimal keeps its digits and its exponent")
  func decimals() {
    /// The words of `coefficient * 10^exponent`.
    func words(_ coefficient: UInt64, _ exponent: Int, isNegative: Bool = false) -> Decimal128 {
      Decimal128(
        low: coefficient, high: (isNegative ? 1 << 63 : 0) | UInt64(exponent + 6176) << 49)
    }
    #expect(Decimal128(text: "1.50") == words(150, -2))
    #expect(Decimal128(text: "-0") == words(0, 0, isNegative: true))
    #expect(Decimal128(text: "0E+3") == words(0, 3))
    #expect(Decimal128(text: "1E+3") == words(1, 3))
    #expect(Decimal128(text: "1E-6176") == words(1, -6176))
    #expect(Decimal128(text: "0.000001") == words(1, -6))
    #expect(Decimal128(text: "NaN") == Decimal128(low: 0, high: 0x7C00_0000_0000_0000))
    #expect(Decimal128(text: "-Infinity") == Decimal128(low: 0, high: 0xF800_0000_0000_0000))
  }

  @Test("a decimal that would be rounded or is none is refused")
  func noDecimals() {
    let digits = String(repeating: "7", count: 34)
    #expect(Decimal128(text: digits) != nil)
    #expect(Decimal128(text: digits + "0") != nil)
    #expect(Decimal128(text: digits + "1") == nil)
    for text in ["", "-", ".", "1e", "e1", "1..2", "1E+7000", "1E-7000", "0x1", "1 ", "nan"] {
      #expect(Decimal128(text: text) == nil, "\(text)")
    }
  }

  @Test("the error of a decimal tells digits from exponents, however large the exponent is")
  func decimalErrors() {
    for exponent in [
      "-7000", "7000", "-9223372036854775808", "+9223372036854775807", "99999999999999999999",
      "-6177",
    ] {
      #expect(throws: Decimal128.ParsingError.exponentOutOfRange, "\(exponent)") {
        try Decimal128(parsing: "1E\(exponent)")
      }
    }
    #expect(throws: Decimal128.ParsingError.tooManyDigits) {
      try Decimal128(parsing: String(repeating: "7", count: 35))
    }
    for text in ["1E", "1E--5", "1E+-5", "1E5x", "x"] {
      #expect(throws: Decimal128.ParsingError.notANumber) { try Decimal128(parsing: text) }
    }
    #expect(Decimal128(text: "0E-9223372036854775808") == Decimal128(low: 0, high: 0))
    #expect(Decimal128(text: "1E+6144") != nil)
  }
}
