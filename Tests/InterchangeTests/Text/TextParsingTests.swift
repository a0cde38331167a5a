import RealmModel
import TestSupport
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

  @Test("a decimal that would be rounded, or is not one, is refused")
  func noDecimals() {
    let digits = String(repeating: "7", count: 34)
    #expect(Decimal128(text: digits) != nil)
    #expect(Decimal128(text: digits + "0") != nil)
    #expect(Decimal128(text: digits + "1") == nil)
    for text in ["", "-", ".", "1e", "e1", "1..2", "1E+7000", "1E-7000", "0x1", "1 ", "nan"] {
      #expect(Decimal128(text: text) == nil, "\(text)")
    }
  }

  @Test("the error of a decimal distinguishes digits from exponents of any size")
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

  @Test("dates have their seconds and nanoseconds, in any zone")
  func dates() {
    for (text, seconds, nanoseconds) in [
      ("1970-01-01T00:00:00Z", 0, 0), ("2023-11-14T22:13:20Z", 1_700_000_000, 0),
      ("2023-11-14 22:13:20.5Z", 1_700_000_000, 500_000_000),
      ("2023-11-14T22:13:20.000000001Z", 1_700_000_000, 1),
      ("2023-11-14T22:13:20.123456789+00:00", 1_700_000_000, 123_456_789),
      ("2023-11-15T00:43:20+02:30", 1_700_000_000, 0),
      ("2023-11-14T21:13:20-01:00", 1_700_000_000, 0),
      ("0001-01-01T00:00:00Z", -62_135_596_800, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
      ("2024-02-29T00:00:00Z", 1_709_164_800, 0), ("1969-12-31T23:59:59.25Z", 0, -750_000_000),
    ] as [(String, Int64, Int64)] {
      let found = DateText.parse(lastingSlice(Array(text.utf8)))
      #expect(found?.seconds == seconds && found?.nanoseconds == nanoseconds, "\(text)")
    }
  }

  @Test("an invalid date is refused")
  func noDates() {
    for text in [
      "", "2023", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14T22:13:20.Z",
      "2023-11-14T22:13:20ZZ",
      "2023-11-14T22:13:20.1234567890Z", "2023-11-14T22:13:20+0200", "2023-11-14T22:13:20+24:00",
      "2023-11-14T22:13:20+02:60", "2023-02-29T00:00:00Z", "2023-13-01T00:00:00Z",
      "2023-00-01T00:00:00Z",
      "2023-04-31T00:00:00Z", "2023-01-00T00:00:00Z", "2023-11-14T24:00:00Z",
      "2023-11-14T22:60:00Z",
      "2023-11-14T22:13:60Z", "0000-01-01T00:00:00Z", "02023-11-14T22:13:20Z",
      "2023-11-14T22:13:20z",
    ] {
      #expect(DateText.parse(lastingSlice(Array(text.utf8))) == nil, "\(text)")
    }
  }

  @Test("each byte of a date counts")
  func bytesOfDates() {
    let valid = Array("2011-11-11T11:11:11.1Z".utf8)
    for position in valid.indices {
      for byte in UInt8.min ... .max where byte != valid[position] {
        var bytes = valid
        bytes[position] = byte
        // Each digit may become any other unless the result is not a month, day or time of day.
        let isDigit = UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9")
        let limit: UInt8? =
          switch position {
          case 0...3, 6, 12, 15, 18, 20: UInt8(ascii: "9")
          case 5: UInt8(ascii: "1")
          case 8: UInt8(ascii: "2")
          case 9: UInt8(ascii: "9")
          case 11: UInt8(ascii: "2")
          case 14, 17: UInt8(ascii: "5")
          default: nil
          }
        var isRight = limit.map { isDigit && byte <= $0 } ?? false
        // November has the months 01 to 12 around it.
        if position == 6 { isRight = isDigit && byte <= UInt8(ascii: "2") }
        if position == 8, byte == UInt8(ascii: "3") { isRight = false }
        if position == 10 { isRight = byte == UInt8(ascii: " ") }
        // A missing point makes the seconds too long; a zone is one letter.
        #expect(
          (DateText.parse(lastingSlice(bytes)) != nil) == isRight,
          "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }
}
