import Foundation
import TestSupport
import Testing

@Suite("realm-cli import")
struct ImportCommandTests {
  /// Realm JSON of one class with a property of each kind that a test makes invalid.
  private static let head =
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":3},"schema":["#
    + #"{"name":"A","primaryKey":"_id","properties":{"_id":"int","s":"string","f":"float","#
    + #""o":"objectId?","u":"uuid?","d":"date?","b":"data?","l":"A?","i":"int?","m":"mixed"}}]}"#

  /// A line with an object of class A.
  ///
  /// - Parameter change: members that differ from those of a valid object.
  private static func line(_ change: [String: String] = [:]) -> String {
    let members: [(name: String, value: String)] = [
      ("_id", "1"), ("s", #""x""#), ("f", "1.5"), ("o", "null"), ("u", "null"), ("d", "null"),
      ("b", "null"), ("l", "null"), ("i", "null"), ("m", "null"),
    ]
    let text = members.map { "\"\($0.name)\":\(change[$0.name] ?? $0.value)" }
    return #"{"class":"A","object":{"# + text.joined(separator: ",") + "}}"
  }

  private static func text(_ lines: [String]) -> String {
    (["\(head)"] + lines + [#"{"counts":{"A":\#(lines.count)}}"#]).joined(separator: "\n") + "\n"
  }

  /// Invalid files, and a part of the first line of the message.
  struct BadText: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let message: String

    init(_ name: String, _ text: String, _ message: String) {
      (self.name, bytes, self.message) = (name, Array(text.utf8), message)
    }

    init(_ name: String, bytes: [UInt8], _ message: String) {
      (self.name, self.bytes, self.message) = (name, bytes, message)
    }

    var testDescription: String { name }
  }

  static let badTexts: [BadText] = [
    BadText(
      "invalid JSON", text([line(), #"{"class":"A","object":{"_id":2,}}"#]),
      "line 3, column 32: this is not JSON: a value, comma, colon or bracket is wrong or missing"),
    BadText(
      "no last line", head + "\n" + line() + "\n",
      "the input is incomplete: the last line, with the counts, is missing"),
    BadText(
      "a line that is cut", String((head + "\n" + line()).dropLast(20)),
      "the input is incomplete: the last line, with the counts, is missing"),
    BadText(
      "wrong type", text([line(["s": "5"])]),
      "line 2, column 36, /object/s, class A.s: found 5, expected a string"),
    BadText(
      "an int beyond 64 bits", text([line(["i": "9223372036854775808"])]),
      "/object/i, class A.i: 9223372036854775808 does not fit, expected an int of 64 bits"),
    BadText(
      "a double beyond a float", text([line(["f": "1e39"])]),
      "/object/f, class A.f: 1e39 does not fit, expected a float"),
    BadText(
      "duplicate primary key", text([line(), line(["_id": "2"]), line()]),
      "line 4, column 1, class A._id: the primary key 1 occurs twice, first in line 2"),
    BadText(
      "missing link target", text([line(), line(["_id": "2", "l": "77"])]),
      "line 3, column 1, class A.l: the link refers to the A 77, which does not exist"),
    BadText(
      "missing target of a mixed link",
      text([line(["m": #"[{"$link":{"class":"A","id":5}}]"#])]),
      "line 2, column 1, class A.m: the link refers to the A 5, which does not exist"),
    BadText(
      "null in required", text([line(["s": "null"])]),
      "class A.s: found null, expected a string; the property is not optional"),
    BadText(
      "unknown class", text([#"{"class":"Z","object":{}}"#]),
      "line 2, column 10, /class: the schema has no class named Z"),
    BadText(
      "unknown property", text([line(["m": #"1,"z":2"#])]),
      "/object/z, class A: the class has no property named z"),
    BadText(
      "a required property without a value", text([#"{"class":"A","object":{"_id":1,"f":1.0}}"#]),
      "class A.s: the property has no value and is not optional"),
    BadText(
      "a member twice", text([line(["s": #""x","s":"y""#])]),
      "/object/s, class A: the object has two members named s"),
    BadText(
      "invalid base64", text([line(["b": #"{"$binary":{"base64":"a*==","subType":"00"}}"#])]),
      "/object/b/$binary/base64, class A.b: found \"a*==\", expected base64"),
    BadText(
      "invalid ObjectId", text([line(["o": #"{"$oid":"123"}"#])]),
      "class A.o: found \"123\", expected an ObjectId of 24 hexadecimal digits"),
    BadText(
      "invalid UUID", text([line(["u": #"{"$uuid":"123"}"#])]),
      "class A.u: found \"123\", expected a UUID as 8-4-4-4-12 hexadecimal digits"),
    BadText(
      "a day that does not exist", text([line(["d": #"{"$date":"2023-02-30T00:00:00Z"}"#])]),
      "class A.d: found \"2023-02-30T00:00:00Z\", expected a date such as 2023-11-14T22:13:20Z"),
    BadText(
      "an unknown wrapper", text([line(["m": #"{"$foo":1}"#])]),
      "/object/m, class A.m: found {\"$foo\":1}, expected a value"),
    BadText(
      "two roots", "[1] [2]",
      "line 1, column 5: this is not JSON: found more after the end of the document"),
    BadText("an empty file", "", "the input is empty"),
    BadText("only white space", " \n\t\n", "the input is empty"),
    BadText(
      "UTF-16",
      bytes: [0xFF, 0xFE] + text([line()]).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
      "the input is UTF-16, expected UTF-8"),
    BadText(
      "Latin-1", bytes: Array(text([line(["s": "\"~\""])]).utf8).map { $0 == 0x7E ? 0xE9 : $0 },
      "line 2, column 37: this is not JSON: the input is not UTF-8"),
    BadText(
      "nesting of 10,000 levels",
      text([
        line([
          "m": String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        ])
      ]), "this is not JSON: arrays and objects are nested deeper than 512 levels"),
    BadText(
      "wrong counts", text([line()]).replacing("{\"A\":1}", with: "{\"A\":2}"),
      "line 3, column 1, class A: the last line states 2 objects, but there are 1"),
    BadText(
      "counts that no sum holds",
      text([line()]).replacing(
        #""counts":{"A":1}"#,
        with: #""counts":{"A":9223372036854775807,"B":9223372036854775807}"#
      ).replacing(#"}]}"#, with: #"},{"name":"B","properties":{}}]}"#),
      "class A: the last line states 9223372036854775807 objects, but there are 1"),
    BadText(
      "a negative count", text([line()]).replacing("{\"A\":1}", with: "{\"A\":-1}"),
      "/counts/A: -1 does not fit, expected a number of objects, 0 or more"),
    BadText(
      "a schema with an unknown class", text([line()]).replacing("\"A?\"", with: "\"Q?\""),
      "/schema/0/properties/l, class A: the schema is wrong: no type or class is named Q"),
    BadText(
      "a newer version", text([line()]).replacing("\"version\":1", with: "\"version\":2"),
      "found version 2 of realm-json, expected version 1"),
    BadText(
      "a control character", text([line(["s": "\"\u{1}\""])]),
      "a string has a control character, which must be escaped"),
    BadText(
      "an escape of half a character", text([line(["s": #""\ud800""#])]),
      "the string has an invalid escape"),
    BadText("no JSON", "hello", "line 1, column 1: JSON begins with { or ["),
  ]

  @Test("an invalid file is refused with its place, and leaves no file", arguments: badTexts)
  func bad(_ text: BadText) throws {
    let folder = try TemporaryFolder()
    try Data(text.bytes).write(to: folder.url.appending(path: "x.json"))
    let result = try runTool("import", "x.json", "-o", "x.realm", folder: folder.url)
    #expect(result.status == 65)
    let first = result.stderr.split(separator: "\n").first.map(String.init) ?? ""
    #expect(first.hasPrefix("realm-cli: x.json: "))
    #expect(first.contains(text.message), "\(first)")
    let left = try folder.names()
    #expect(left.filter { $0 != "x.json" && !$0.hasSuffix(".lock") } == [])
  }

  @Test("with --json, an error has line, column and pointer")
  func errorAsJSON() throws {
    let folder = try TemporaryFolder()
    let text = Array(Self.text([Self.line(["s": "5"])]).utf8)
    let result = try runTool(
      "import", "--json", "-", "-o", "x.realm", stdin: text, folder: folder.url)
    #expect(result.status == 65)
    for member in [
      #""code":"wrongType""#, #""line":2"#, #""column":36"#, #""pointer":"/object/s""#,
      #""class":"A""#, #""property":"s""#,
    ] {
      #expect(result.stderr.replacing("\\/", with: "/").contains(member))
    }
  }

  @Test("the target stays unchanged unless --force is given and the file is valid")
  func target() throws {
    let folder = try TemporaryFolder()
    let target = folder.url.appending(path: "x.realm")
    try Data("old".utf8).write(to: target)
    try Data(Self.text([Self.line()]).utf8).write(to: folder.url.appending(path: "x.json"))
    try Data(Self.head.utf8).write(to: folder.url.appending(path: "bad.json"))
    let refused = try runTool("import", "x.json", "-o", "x.realm", folder: folder.url)
    #expect(refused.status == 73)
    let bad = try runTool("import", "bad.json", "-o", "x.realm", "--force", folder: folder.url)
    #expect(bad.status == 65)
    let dry = try runTool(
      "import", "x.json", "-o", "x.realm", "--force", "--dry-run", folder: folder.url)
    #expect(dry.status == 0)
    #expect(dry.text.hasPrefix("x.realm: would get 1 object of 1 class, "))
    #expect(try Data(contentsOf: target) == Data("old".utf8))
    let done = try runTool("import", "x.json", "-o", "x.realm", "--force", folder: folder.url)
    #expect(done.status == 0)
    let text = try runTool("export", "--format", "ndjson", "x.realm", folder: folder.url)
    #expect(text.text == Self.text([Self.line()]))
  }

  @Test("members that the schema does not have are left out with --ignore-unknown, and reported")
  func ignoreUnknown() throws {
    let folder = try TemporaryFolder()
    let text = Self.text([Self.line(["m": #"1,"z":{"a":[2]}"#])])
    let result = try runTool(
      "import", "-", "-o", "x.realm", "--ignore-unknown", stdin: Array(text.utf8),
      folder: folder.url)
    #expect(result.status == 0)
    #expect(result.stderr.contains("left out 1 member that the schema does not have"))
  }

  @Test("a realm imported with --new-key-file is encrypted")
  func encrypted() throws {
    let folder = try TemporaryFolder()
    _ = try runTool("keygen", "-o", "key", folder: folder.url)
    let text = Self.text([Self.line()])
    let result = try runTool(
      "import", "-", "-o", "x.realm", "--new-key-file", "key", stdin: Array(text.utf8),
      environment: ["REALM_CLI_KEY_FILE": folder.url.appending(path: "key").path],
      folder: folder.url)
    #expect(result.status == 0)
    let plain = try runTool("export", "x.realm", folder: folder.url)
    #expect(plain.status == 77)
    let export = try runTool(
      "export", "--format", "ndjson", "--key-file", "key", "x.realm", folder: folder.url)
    #expect(export.text == text)
  }
}
