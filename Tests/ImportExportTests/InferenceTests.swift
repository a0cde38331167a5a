import Foundation
import TestSupport
import Testing

/// Schemas that are inferred, against schemas written by hand.
@Suite("Inferred schemas")
struct InferenceTests {
  /// Values of a property `a` in consecutive objects, and the inferred type; `-` for an object
  /// without it.
  static let types: [(values: [String], type: String)] = [
    (["1", "2"], #""int""#),
    (["1", "-"], #""int?""#),
    (["1", "null"], #""int?""#),
    (["1", "2.5"], #""double""#),
    (["9223372036854775807"], #""int""#),
    (["9223372036854775808", "1"], #""decimal128""#),
    (["9223372036854775808", "1.5"], #""double""#),
    (["9007199254740992", "1.5"], #""double""#),
    (["9007199254740993", "1.5"], #""decimal128""#),
    (["9007199254740993", #"{"$numberDouble":"1.5"}"#], #""mixed""#),
    ([#"{"$numberLong":"9007199254740993"}"#, "1.5"], #""decimal128""#),
    // 2^60 as JavaScript writes it, and 2^130.
    (["1152921504606847000", "1.5"], #""double""#),
    (["1361129467683753853853498429727072845824"], #""double""#),
    (["1361129467683753853853498429727072845824", "1e400"], #""mixed""#),
    (["-1234567890123456789012345678901234"], #""decimal128""#),
    (["10000000000000000000000000000000000000000"], #""decimal128""#),
    (["9223372036854775809", "1.5"], #""decimal128""#),
    (["0.1", "0.30000000000000004"], #""double""#),
    (["0.12345678901234567890"], #""decimal128""#),
    (["0.1000000000000000000000000000000000000"], #""double""#),
    (["1e-400"], #""decimal128""#),
    (["0.0", "0e-999"], #""double""#),
    (["1e400"], #""decimal128""#),
    (["1e400", "1.5"], #""decimal128""#),
    (["1e300"], #""double""#),
    (["true", "false"], #""bool""#),
    (["true", "1"], #""mixed""#),
    ([#""x""#, "1"], #""mixed""#),
    ([#""x""#], #""string""#),
    ([#""64f0c0de00000001abcdef01""#], #""string""#),
    (["null"], #""mixed""#),
    (["[1,2]", "[]"], #""int[]""#),
    (["[1,2.5]"], #""double[]""#),
    (["[1,null]"], #""int?[]""#),
    ([#"[1,"x"]"#], #""mixed[]""#),
    (["[]"], #""mixed[]""#),
    (["[[1],[2]]"], #""mixed[]""#),
    (["[1]", "-"], #""int[]""#),
    (["[1]", "null"], #""int[]""#),
    (["[1]", "1"], #""mixed""#),
    (["{}"], #""mixed{}""#),
    ([#"{"b":1}"#], #""T_a?""#),
    ([#"{"b":1}"#, "5"], #""mixed""#),
    ([#"[{"b":1}]"#], #""T_a[]""#),
    ([#"[{"b":1},null]"#], #""mixed[]""#),
    ([#"{"":1}"#, #"{"x":2}"#], #""int{}""#),
    ([#"{"$x":1}"#], #""int{}""#),
    ([#"{"$oid":"64f0c0de00000001abcdef01"}"#], #""objectId""#),
    ([#"{"$date":"2023-11-14T22:13:20Z"}"#, "null"], #""date?""#),
    ([#"{"$date":{"$numberLong":"0"}}"#], #""date""#),
    ([#"{"$uuid":"3b241101-e2bb-4255-8caf-000000000001"}"#], #""uuid""#),
    ([#"{"$binary":{"base64":"AAAAAAAAAAAAAAAAAAAAAA==","subType":"04"}}"#], #""uuid""#),
    ([#"{"$binary":{"base64":"AA==","subType":"00"}}"#], #""data""#),
    ([#"{"$numberDecimal":"1.50"}"#, "1"], #""decimal128""#),
    ([#"{"$numberDecimal":"1.50"}"#, "1.5"], #""mixed""#),
    ([#"{"$numberLong":"1"}"#, #"{"$numberInt":"2"}"#], #""int""#),
    ([#"{"$numberLong":"1"}"#, #"{"$numberDouble":"NaN"}"#], #""double""#),
    ([#"{"$oid":"64f0c0de00000001abcdef01"}"#, #""x""#], #""mixed""#),
  ]

  /// The name of the class for an example: all examples are imported at once, a file and a class for each.
  private func name(_ i: Int) -> String { "T\(100 + i)" }

  @Test("the type of a property fits all of its values")
  func type() throws {
    let foreign = try ForeignImport()
    for (i, example) in Self.types.enumerated() {
      let lines = example.values.map { $0 == "-" ? "{\"z\":1}" : "{\"a\":\($0),\"z\":1}" }
      try foreign.write("[" + lines.joined(separator: ",") + "]", to: "all/\(name(i)).json")
    }
    let classes = try foreign.schema("all")
    for (i, example) in Self.types.enumerated() {
      let type = example.type.replacingOccurrences(of: "T_a", with: name(i) + "_a")
      let expected = #"{"name":"\#(name(i))","properties":{"a":\#(type),"z":"int"}}"#
      #expect(classes.contains(expected), "\(example)")
    }
    // The inferred schema accepts the values.
    _ = try foreign.objects("all")
  }

  @Test("properties are in the order of their first occurrence")
  func order() throws {
    let foreign = try ForeignImport().write(
      "{\"b\":1}\n{\"a\":1,\"b\":2}\n{\"c\":1}\n", to: "T.ndjson")
    #expect(
      try foreign.schema("T.ndjson")
        == [#"{"name":"T","properties":{"b":"int?","a":"int?","c":"int?"}}"#])
  }

  @Test("objects become embedded classes, named after their place")
  func embedded() throws {
    let foreign = try ForeignImport().write(
      """
      {"T":[{"a":{"n":1,"b":{"x":true}}},{"a":{"n":null}}],"T_a":[{"s":"y"}]}
      """, to: "x.json")
    #expect(
      try foreign.schema("x.json") == [
        #"{"name":"T","properties":{"a":"T_a_2?"}}"#,
        #"{"name":"T_a_2","embedded":true,"properties":{"n":"int?","b":"T_a_2_b?"}}"#,
        #"{"name":"T_a_2_b","embedded":true,"properties":{"x":"bool"}}"#,
        #"{"name":"T_a","properties":{"s":"string"}}"#,
      ])
    #expect(
      try foreign.objects("x.json") == [
        #"{"class":"T","object":{"_key":0,"a":{"n":1,"b":{"x":true}}}}"#,
        #"{"class":"T","object":{"_key":1,"a":{"n":null,"b":null}}}"#,
        #"{"class":"T_a","object":{"_key":0,"s":"y"}}"#,
      ])
  }

  @Test("names of embedded classes are cut to the limit of class names")
  func longNames() throws {
    let long = String(repeating: "é", count: 30)
    let foreign = try ForeignImport().write(
      "[{\"\(long)\":{\"x\":1},\"\(long)2\":{\"y\":1}}]", to: "Classy.json")
    let names = try foreign.schema("Classy.json").compactMap {
      try JSONParser.parse($0)["name"]?.string
    }
    // At most 57 bytes, and no partial characters.
    #expect(
      names == [
        "Classy", "Classy_" + String(repeating: "é", count: 25),
        "Classy_" + String(repeating: "é", count: 24) + "_2",
      ])
  }

  @Test("many embedded classes of one name get numbers quickly")
  func manyNames() throws {
    // The name of each class is cut to the same 57 bytes.
    let long = String(repeating: "x", count: 57)
    let members = (0..<1000).map { "\"\(long)\($0)\":{\"a\":1}" }.joined(separator: ",")
    let names = (0..<12).map { "\"\(long.dropLast())\(String(UnicodeScalar(97 + UInt8($0))))\"" }
    let text = "{" + names.map { "\($0):[{\(members)}]" }.joined(separator: ",") + "}"
    let foreign = try ForeignImport().write(text, to: "T.json")
    let schema = try foreign.schema("T.json")
    #expect(schema.count == 12 + 12_000)
    let classes = try schema.compactMap { try JSONParser.parse($0)["name"]?.string }
    #expect(Set(classes).count == schema.count)
    #expect(classes.allSatisfy { $0.utf8.count <= 57 })
  }

  @Test("objects with more than 256 different names are dictionaries")
  func dictionaries() throws {
    let members = (0..<257).map { "\"k\($0)\":\($0)" }
    func types(_ count: Int) throws -> String {
      let first = members.prefix(count / 2).joined(separator: ",")
      let second = members.prefix(count).dropFirst(count / 2).joined(separator: ",")
      let foreign = try ForeignImport().write(
        "{\"a\":{\(first)}}\n{\"a\":{\(second)}}\n", to: "T.ndjson")
      return try foreign.schema("T.ndjson")[0]
    }
    #expect(try types(257) == #"{"name":"T","properties":{"a":"int{}"}}"#)
    #expect(try types(256) == #"{"name":"T","properties":{"a":"T_a?"}}"#)
  }

  @Test("a class with more than 1000 properties is refused")
  func tooManyProperties() throws {
    let members = (0..<1001).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let foreign = try ForeignImport().write("[{\(members)}]", to: "T.json")
    #expect(
      try foreign.failure("T.json").contains(
        "/0/k1000, class T: the objects of the class have more than 1000 properties"))
  }

  @Test("a CSV file with more than 1000 columns is refused, also without rows")
  func tooManyColumns() throws {
    let header = (0..<1001).map { "k\($0)" }.joined(separator: ",")
    for rows in ["", String(repeating: ",", count: 1000) + "\n"] {
      let foreign = try ForeignImport().write(header + "\n" + rows, to: "T.csv")
      // 10 names of 2 bytes, 90 of 3 and 900 of 4, with a comma each, are before the last one.
      #expect(
        try foreign.failure("T.csv")
          == "realm-cli: T.csv: line 1, column 4891, class T: the objects of the class have more than "
          + "1000 properties")
    }
  }

  @Test("objects below 16 levels are mixed values")
  func depth() throws {
    let text =
      String(repeating: "{\"a\":", count: 18) + "1" + String(repeating: "}", count: 18)
    let foreign = try ForeignImport().write("[\(text)]", to: "T.json")
    let schema = try foreign.schema("T.json")
    #expect(schema.count == 17)
    #expect(schema.last?.hasSuffix(#""properties":{"a":"mixed"}}"#) == true)
    #expect(try foreign.objects("T.json").count == 1)
  }

  @Test("strings become dates and identifiers only with --infer-strings")
  func strings() throws {
    let foreign = try ForeignImport().write(
      """
      {"o":"64f0c0de00000001abcdef01","u":"3b241101-e2bb-4255-8caf-000000000001","d":"2023-11-14T22:13:20Z","n":"5","s":"2023-11-14T22:13:20Z"}
      {"o":null,"u":"3b241101-e2bb-4255-8caf-000000000002","d":{"$date":"2024-01-01T00:00:00Z"},"n":"6","s":"x"}
      """, to: "T.ndjson")
    #expect(
      try foreign.schema("T.ndjson")[0]
        == #"{"name":"T","properties":{"o":"string?","u":"string","d":"mixed","n":"string","s":"string"}}"#
    )
    #expect(
      try foreign.schema("T.ndjson", "--infer-strings")[0]
        == #"{"name":"T","properties":{"o":"objectId?","u":"uuid","d":"date","n":"string","s":"string"}}"#
    )
    #expect(
      try foreign.objects("T.ndjson", "--infer-strings")[0].contains(
        #""o":{"$oid":"64f0c0de00000001abcdef01"}"#))
  }

  /// Fields of a column of CSV, and the inferred type.
  static let columns: [(fields: [String], type: String)] = [
    (["1", "2"], "int"), (["1", ""], "int?"), (["1", "\"\""], "int?"), (["1", "1.5"], "double"),
    (["007", "1"], "string"), (["+1"], "string"), (["1", "x"], "string"), ([" 1"], "string"),
    (["9223372036854775808", "1"], "decimal128"), (["9223372036854775808", "1.5"], "double"),
    (
      ["12345678901234567890123456789012345678", "12345678901234567890123456789012345679"], "string"
    ),
    (["9007199254740993", "1.5"], "decimal128"), (["12345678901234567.89"], "decimal128"),
    (["-1234567890123456789012345678901234"], "decimal128"), (["1e-400", "1.5"], "decimal128"),
    (["0.1234567890123456789012345678901234567"], "string"), (["12e4567", "98e12"], "string"),
    (["1.5", "0.1", "-2.25e-7"], "double"),
    (["true", "FALSE", "True"], "bool"), (["true", "1"], "string"), (["\"1\""], "int"),
    (["x", ""], "string?"), (["x", "\"\""], "string"), (["\"\""], "string"), (["", ""], "mixed"),
    (["2023-11-14T22:13:20Z"], "string"), (["[1]"], "string"), (["-0"], "int"), (["1e3"], "double"),
  ]

  @Test("the type of a column fits all of its fields")
  func column() throws {
    let foreign = try ForeignImport()
    for (i, example) in Self.columns.enumerated() {
      let lines = example.fields.map { $0 + ",1\n" }.joined()
      try foreign.write("a,z\n" + lines, to: "all/\(name(i)).csv")
    }
    let classes = try foreign.schema("all")
    #expect(
      classes
        == Self.columns.enumerated().map { i, example in
          #"{"name":"\#(name(i))","properties":{"a":"\#(example.type)","z":"int"}}"#
        })
    _ = try foreign.objects("all")
  }

  @Test("--infer-strings finds dates and identifiers in CSV")
  func csvStrings() throws {
    let foreign = try ForeignImport().write(
      "o,u,d,s\n64f0c0de00000001abcdef01,3b241101-e2bb-4255-8caf-000000000001,"
        + "2023-11-14 22:13:20Z,x\n", to: "T.csv")
    #expect(
      try foreign.schema("T.csv", "--infer-strings")[0]
        == #"{"name":"T","properties":{"o":"objectId","u":"uuid","d":"date","s":"string"}}"#)
  }

  @Test("_id is the primary key of JSON if it can be one, and of CSV only on request")
  func identity() throws {
    func first(_ text: String, _ name: String, _ arguments: String...) throws -> String {
      let foreign = try ForeignImport().write(text, to: name)
      return switch arguments.count {
      case 0: try foreign.schema(name)[0]
      case 2: try foreign.schema(name, arguments[0], arguments[1])[0]
      default: try foreign.schema(name, arguments[0], arguments[1], arguments[2], arguments[3])[0]
      }
    }
    #expect(
      try first(#"[{"_id":1},{"_id":2}]"#, "T.json")
        == #"{"name":"T","primaryKey":"_id","properties":{"_id":"int"}}"#)
    #expect(
      try first(#"[{"_id":1},{"a":2}]"#, "T.json")
        == #"{"name":"T","properties":{"_id":"int?","a":"int?"}}"#)
    #expect(
      try first(#"[{"_id":1.5}]"#, "T.json") == #"{"name":"T","properties":{"_id":"double"}}"#)
    #expect(try first("_id\n1\n", "T.csv") == #"{"name":"T","properties":{"_id":"int"}}"#)
    #expect(
      try first("_id,n\n1,x\n", "T.csv", "--primary-key", "T._id", "--index", "n")
        == #"{"name":"T","primaryKey":"_id","properties":{"_id":"int","n":{"type":"string","indexed":true}}}"#
    )
  }

  @Test("the properties of --primary-key and --index must exist and have a suitable type")
  func wishes() throws {
    let foreign = try ForeignImport().write(#"[{"a":1.5,"b":[1]}]"#, to: "T.json")
    func refused(_ arguments: String...) throws -> String {
      let result = try runTool(
        ["import", "T.json", "-o", "x.realm"] + arguments, folder: foreign.folder.url)
      #expect(result.status == 64)
      return result.stderr
    }
    #expect(
      try refused("--primary-key", "q").contains("T.json: no class has a property named q"))
    #expect(
      try refused("--primary-key", "T.a").contains(
        "the property T.a is of type double; a primary key is an int, string, objectId or uuid")
    )
    #expect(
      try refused("--index", "b").contains(
        "the property b is of type int[], which cannot have an index"))
    #expect(
      try refused("--schema", "s.json", "--index", "b").contains("--schema is the whole schema"))
  }

  @Test("the inferred schema is reported, and the result is the same for any number of threads")
  func threads() throws {
    // More than two parts of 4 MB, with properties that only later parts have.
    var text = ""
    let filler = String(repeating: "x", count: 1000)
    for i in 0..<12_000 { text += "{\"p\(i / 3000)\":\(i),\"f\":\"\(filler)\"}\n" }
    let foreign = try ForeignImport().write(text, to: "T.ndjson")
    let expected =
      #"{"name":"T","properties":{"p0":"int?","f":"string","p1":"int?","p2":"int?","p3":"int?"}}"#
    for jobs in ["1", "3"] {
      #expect(try foreign.schema("T.ndjson", "--jobs", jobs) == [expected])
    }
    let result = try runTool("import", "T.ndjson", "-o", "y.realm", folder: foreign.folder.url)
    #expect(result.stderr.contains("this schema was inferred"))
    #expect(result.stderr.contains(expected))
    #expect(result.text.contains("12000  T"))
  }
}
