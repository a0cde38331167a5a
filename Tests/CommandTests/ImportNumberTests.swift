import Foundation
import TestSupport
import Testing

/// Numbers of a text that a type cannot hold, or holds only rounded.
@Suite("Numbers of imported texts")
struct ImportNumberTests {
  static let exponents = ["-9223372036854775808", "-7000", "9223372036854775807", "7000"]

  @Test("an exponent that no decimal has is refused, as text, number and field", arguments: exponents)
  func exponent(_ exponent: String) throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"d":"decimal128"}}]"#, to: "s.json")
    let expected =
      "1E\(exponent)%Q does not fit: a decimal128, with digits from 1E-6176 to 1E+6144, is expected"
    try foreign.write(#"[{"d":{"$numberDecimal":"1E\#(exponent)"}}]"#, to: "T.json")
    #expect(
      try foreign.failure("T.json", "--schema", "s.json")
        == "realm-cli: T.json: line 1, column 25, /0/d/$numberDecimal, class T.d: \""
        + expected.replacing("%Q", with: "\""))
    try foreign.write("{\"d\":1E\(exponent)}\n", to: "T.ndjson")
    #expect(
      try foreign.failure("T.ndjson", "--schema", "s.json")
        == "realm-cli: T.ndjson: line 1, column 6, /d, class T.d: "
        + expected.replacing("%Q", with: ""))
    try foreign.write("d\n1E\(exponent)\n", to: "T.csv")
    #expect(
      try foreign.failure("T.csv", "--schema", "s.json")
        == "realm-cli: T.csv: line 2, column 1, /d, class T.d: "
        + expected.replacing("%Q", with: ""))
  }
}
