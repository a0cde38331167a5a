import Foundation
import TestSupport
import Testing

/// Numbers in a file that a type does not have, or only rounded.
@Suite("Numbers in imported files")
struct ImportNumberTests {
  static let exponents = ["-9223372036854775808", "-7000", "9223372036854775807", "7000"]

  @Test(
    "an exponent that no decimal has is refused, as text, number and field", arguments: exponents)
  func wrongExponent(_ exponent: String) throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"d":"decimal128"}}]"#, to: "s.json")
    let expected =
      "1E\(exponent)%Q does not fit, expected a decimal128, with digits from 1E-6176 to 1E+6144"
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

  /// A JSON value, the type of its property, and the message after the place.
  static let roundedValues: [(value: String, type: String, message: String)] = [
    (
      #"{"$numberLong":"9007199254740993"}"#, "double",
      "expected an int that a double holds without rounding to 9007199254740992.0"
    ),
    (
      "9007199254740993", "double",
      "9007199254740993 does not fit, expected an int that a double holds without rounding to "
        + "9007199254740992.0"
    ),
    (
      "16777217", "float",
      "16777217 does not fit, expected an int that a float holds without rounding to 16777216.0"
    ),
    (
      #"{"$numberInt":"16777217"}"#, "float",
      "expected an int that a float holds without rounding to 16777216.0"
    ),
    (
      "123456789012345678901234567890123456789012", "mixed",
      "123456789012345678901234567890123456789012 does not fit, expected a number that an int, a double or a "
        + "decimal128 holds without rounding"
    ),
    (
      "0.12345678901234567890123456789012345678901", "mixed",
      "expected a number that an int, a double or a decimal128 holds without rounding"
    ),
  ]

  /// The error of an import of `value` into a property of this type.
  private func failure(of value: String, type: String) throws -> String {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"a":"\#(type)"}}]"#, to: "s.json")
    try foreign.write("[{\"a\":\(value)}]", to: "T.json")
    return try foreign.failure("T.json", "--schema", "s.json")
  }

  @Test("an int that the type of its property would round is refused", arguments: roundedValues)
  func refusesRounding(example: (value: String, type: String, message: String)) throws {
    let line = try failure(of: example.value, type: example.type)
    #expect(line.hasPrefix("realm-cli: T.json: line 1, column 7, /0/a, class T.a: "), "\(line)")
    #expect(line.hasSuffix(example.message), "\(line)")
  }

  /// A JSON value, the type of its property, and the message after the name of the file.
  static let refusedNumbers: [(value: String, type: String, message: String)] = [
    (
      "1e-400", "double",
      "line 1, column 7, /0/a, class T.a: 1e-400 does not fit, expected a double"
    ),
    (
      "-2e-324", "double",
      "line 1, column 7, /0/a, class T.a: -2e-324 does not fit, expected a double"
    ),
    ("1e-46", "float", "line 1, column 7, /0/a, class T.a: 1e-46 does not fit, expected a float"),
    ("1e-400", "float", "line 1, column 7, /0/a, class T.a: 1e-400 does not fit, expected a float"),
    (
      #"{"$numberDouble":"1e-400"}"#, "double",
      "line 1, column 24, /0/a/$numberDouble, class T.a: \"1e-400\" does not fit, expected a double"
    ),
    (
      #"{"$numberDouble":"-1e-46"}"#, "float",
      "line 1, column 24, /0/a/$numberDouble, class T.a: \"-1e-46\" does not fit, expected a float"
    ),
    (
      #"{"$numberDouble":"1e999"}"#, "double",
      "line 1, column 24, /0/a/$numberDouble, class T.a: \"1e999\" does not fit, expected a double"
    ),
    (
      #"{"$numberDouble":"0x1p3"}"#, "double",
      "line 1, column 24, /0/a/$numberDouble, class T.a: found \"0x1p3\", expected a number, NaN, Infinity or "
        + "-Infinity"
    ),
    (
      #"{"$numberDouble":"NaN","$bits":"7f800000"}"#, "float",
      "line 1, column 38, /0/a/$bits, class T.a: found \"7f800000\", expected the bits of a NaN"
    ),
    (
      #"{"$numberDouble":"NaN","$bits":"3ff0000000000000"}"#, "double",
      "line 1, column 38, /0/a/$bits, class T.a: found \"3ff0000000000000\", expected the bits of a NaN"
    ),
  ]

  @Test("a number that would become 0 or another number is refused", arguments: refusedNumbers)
  func refusesOthers(example: (value: String, type: String, message: String)) throws {
    #expect(
      try failure(of: example.value, type: example.type) == "realm-cli: T.json: \(example.message)")
  }

  @Test("a field that would become 0 is refused")
  func refusesSmallField() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"a":"double"}}]"#, to: "s.json")
    try foreign.write("a\n0.000\n1e-400\n", to: "T.csv")
    #expect(
      try foreign.failure("T.csv", "--schema", "s.json")
        == "realm-cli: T.csv: line 3, column 1, /a, class T.a: 1e-400 does not fit, expected a double"
    )
  }

  @Test("zeros and the smallest numbers stay")
  func keepsSmallest() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"a":"double[]","f":"float[]"}}]"#, to: "s.json")
    try foreign.write(
      """
      {"a":[0.0,-0.0,0e-5000,0.000000000,5e-324,3e-324,{"$numberDouble":"-0.0"}],\
      "f":[-0.0,0e-5000,1e-45,{"$numberDouble":"0E+1"}]}
      """, to: "T.ndjson")
    #expect(
      try foreign.objects("T.ndjson", "--schema", "s.json") == [
        #"{"class":"T","object":{"_key":0,"a":[0.0,-0.0,0.0,0.0,5e-324,5e-324,-0.0],"#
          + #""f":[-0.0,0.0,1e-45,0.0]}}"#
      ])
  }

  @Test("ints that a float or double represents stay the same, also as other programs write them")
  func kept() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","properties":{"a":"double[]","f":"float[]","m":"mixed[]"}}]"#, to: "s.json")
    try foreign.write(
      """
      {"a":[9007199254740994,-9223372036854775808,1152921504606847000,\
      1361129467683753853853498429727072845824,{"$numberLong":"4611686018427387904"},-0],\
      "f":[16777218,170141183460469231731687303715884105728],\
      "m":[12345678901234567.89,0.30000000000000004,9223372036854775808]}
      """, to: "T.ndjson")
    #expect(
      try foreign.objects("T.ndjson", "--schema", "s.json") == [
        #"{"class":"T","object":{"_key":0,"a":[9.007199254740994e+15,-9.223372036854776e+18,"#
          + "1.152921504606847e+18,1.361129467683754e+39,4.611686018427388e+18,-0.0],"
          + #""f":[1.6777218e+07,1.7014118e+38],"m":[{"$numberDecimal":"12345678901234567.89"},"#
          + #"0.30000000000000004,{"$numberDecimal":"9223372036854775808"}]}}"#
      ])
  }

  @Test("a number that no type represents is refused with its place if the schema is inferred")
  func nothingHolds() throws {
    let foreign = try ForeignImport().write(
      "[{\"a\":1},\n{\"a\":12345678901234567890123456789012345}]", to: "T.json")
    let result = try runTool("import", "T.json", "-o", "x.realm", folder: foreign.folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr == """
        realm-cli: T.json: line 2, column 6, /1/a, class T: 12345678901234567890123456789012345 does \
        not fit, expected a number that an int, a double or a decimal128 holds without rounding
          hint: write the number in quotes, and make the property a string, or a decimal128 of up to \
        34 digits

        """)
  }

  @Test("the inferred type of long numbers keeps all digits")
  func keepsDigits() throws {
    let foreign = try ForeignImport().write(
      "a,b,c\n12345678901234567.89,9007199254740993,12345678901234567890123456789012345678\n"
        + "0.1,1.5,12345678901234567890123456789012345679\n", to: "T.csv")
    #expect(
      try foreign.objects("T.csv") == [
        #"{"class":"T","object":{"_key":0,"a":{"$numberDecimal":"12345678901234567.89"},"#
          + #""b":{"$numberDecimal":"9007199254740993"},"#
          + #""c":"12345678901234567890123456789012345678"}}"#,
        #"{"class":"T","object":{"_key":1,"a":{"$numberDecimal":"0.1"},"#
          + #""b":{"$numberDecimal":"1.5"},"c":"12345678901234567890123456789012345679"}}"#,
      ])
  }
}
