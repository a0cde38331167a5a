import Foundation
import TestSupport
import Testing

/// An export to a format of other programs and its import have the same objects if the
/// format loses nothing.
@Suite("Export, import, export of other formats")
struct ForeignRoundTripTests {
  /// Realms that lose values of required properties: numbers that are not finite, dates outside the
  /// range, links in lists to objects that do not exist.
  private static let lossy = ["all-types"]
  static let names = Golden.names.filter {
    !lossy.contains($0) && !$0.hasPrefix("unresolved")
  }

  private func keys(_ name: String) -> [String] {
    let key = Golden.path(name + ".key")
    return FileManager.default.fileExists(atPath: key) ? ["--key-file", key] : []
  }

  /// The files of a folder; empty if there is no folder.
  private func files(_ folder: URL) throws -> [String: Data] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [:] }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appending(path: $0))) })
  }

  @Test("folders of EJSON, with their schema", arguments: names)
  func ejson(name: String) throws {
    let folder = try TemporaryFolder()
    let path = Golden.path(name + ".realm")
    let first = try runTool(
      ["export", "--format", "ejson", "-o", "a", path] + keys(name), folder: folder.url)
    #expect(first.status == 0, "\(first.stderr)")
    let made = try runTool("import", "a", "-o", "x.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    let verified = try runTool("verify", "x.realm", folder: folder.url)
    #expect(verified.status == 0, "\(verified.text)")
    _ = try runTool("export", "--format", "ejson", "-o", "b", "x.realm", folder: folder.url)
    let files = try files(folder.url.appending(path: "a"))
    #expect(files["schema.json"] != nil)
    #expect(try self.files(folder.url.appending(path: "b")) == files)
  }

  @Test("folders of CSV, and plain JSON, with a schema", arguments: names, ["csv", "plain"])
  func withSchema(name: String, format: String) throws {
    // A realm without classes has no files.
    guard name != "empty" || format != "csv" else { return }
    let folder = try TemporaryFolder()
    let path = Golden.path(name + ".realm")
    let text = format == "csv" ? "a" : "a.json"
    let schema = try runTool(
      ["schema", "show", "--format", "json", "-o", "s.json", path] + keys(name), folder: folder.url)
    #expect(schema.status == 0)
    let first = try runTool(
      ["export", "--format", format, "-o", text, path] + keys(name), folder: folder.url)
    #expect(first.status == 0, "\(first.stderr)")
    let made = try runTool(
      "import", text, "--schema", "s.json", "-o", "x.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    let again = "b" + text.dropFirst()
    _ = try runTool("export", "--format", format, "-o", again, "x.realm", folder: folder.url)
    if format == "csv" {
      let files = try files(folder.url.appending(path: text))
      #expect(!files.isEmpty)
      #expect(try self.files(folder.url.appending(path: again)) == files)
    } else {
      #expect(
        try Data(contentsOf: folder.url.appending(path: again))
          == Data(contentsOf: folder.url.appending(path: text)))
    }
  }

  @Test("plain lines of one class, with a schema")
  func lines() throws {
    let foreign = try ForeignImport()
    let schema =
      #"[{"name":"P","primaryKey":"id","properties":{"id":"uuid","at":"date?","tags":"string[]"}}]"#
    let lines = [
      #"{"id":"3b241101-e2bb-4255-8caf-000000000001","at":"2023-11-14T22:13:20.123456789Z","tags":["a"]}"#,
      #"{"id":"3b241101-e2bb-4255-8caf-000000000002","at":null,"tags":[]}"#,
    ]
    try foreign.write(schema, to: "s.json").write(lines.joined(separator: "\n"), to: "P.ndjson")
    _ = try foreign.objects("P.ndjson", "--schema", "s.json")
    let plain = try runTool("export", "--format", "plain", "x.realm", folder: foreign.folder.url)
    #expect(plain.text == "{\n\"P\":[\n" + lines.joined(separator: ",\n") + "\n]\n}\n")
  }

  @Test("keys of dictionaries that look like escapes, or need them, stay different and come back")
  func keys() throws {
    let foreign = try ForeignImport()
    let schema = #"[{"name":"T","properties":{"d":"string{}","m":"mixed"}}]"#
    let entries =
      ##"{"a%2Eb":"2","a.b":"1","%24":"3","$":"4","%2524":"5","a$b":"6","100%":"7","%2e":"8"}"##
    // In a mixed value, a key with $ in front needs the wrapper.
    let text =
      #"{"d":{"$dictionary":\#(entries)},"m":{"$dictionary":\#(entries)}}"# + "\n"
    try foreign.write(schema, to: "s.json").write(text, to: "T.ndjson")
    let objects = try foreign.objects("T.ndjson", "--schema", "s.json")
    let export = try runTool(
      "export", "--format", "ejson", "-o", "a", "x.realm", folder: foreign.folder.url)
    #expect(export.stderr.contains("ejson cannot hold 10 keys as they are: %24, %25 and %2E are"))
    let line = try String(
      contentsOf: foreign.folder.url.appending(path: "a/T.ndjson"), encoding: .utf8)
    let escaped =
      #"{"a%252Eb":"2","a%2Eb":"1","%2524":"3","%24":"4","%252524":"5","a$b":"6","100%":"7","%2e":"8"}"#
    let document = try JSONParser.parse(line)
    let expected = try JSONParser.parse(escaped)
    for name in ["d", "m"] {
      #expect(document[name]?.names.sorted() == expected.names.sorted())
      for key in expected.names { #expect(document[name]?[key] == expected[key]) }
    }
    #expect(try foreign.objects("a") == objects)
    // A folder without schema.json has unescaped keys.
    try foreign.write(#"[{"d":{"a%2Eb":"2"},"m":null}]"#, to: "b/T.json")
    #expect(
      try foreign.objects("b", "--schema", "s.json")
        == [#"{"class":"T","object":{"_key":0,"d":{"a%2Eb":"2"},"m":null}}"#])
  }

  @Test("folders of EJSON are understood without their schema, too")
  func inferred() throws {
    let folder = try TemporaryFolder()
    _ = try runTool(
      "export", "--format", "ejson", "-o", "a", Golden.path("people.realm"), folder: folder.url)
    try FileManager.default.removeItem(at: folder.url.appending(path: "a/schema.json"))
    let made = try runTool("import", "a", "-o", "x.realm", "--json", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    let before = try JSONParser.parse(
      try runTool("info", "--json", Golden.path("people.realm")).stdout)
    let classes = try JSONParser.parse(made.stdout)["classes"]?.array ?? []
    #expect(!classes.isEmpty)
    #expect(before["path"] != nil)
    for entry in classes {
      let file = folder.url.appending(path: "a/\(entry["name"]?.string ?? "").ndjson")
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
      #expect(entry["objects"]?.int == lines)
    }
  }

  @Test("the only key of a dictionary can be $dictionary in plain JSON")
  func dictionaryKey() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","primaryKey":"i","properties":{"i":"int","d":"int{}"}}]"#, to: "s.json")
    try foreign.write(#"[{"i":1,"d":{"$dictionary":5}}]"#, to: "T.json")
    #expect(
      try foreign.objects("T.json", "--schema", "s.json")
        == [#"{"class":"T","object":{"i":1,"d":{"$dictionary":{"$dictionary":5}}}}"#])
  }

  /// docs/formats.md names this exception. A decimal that neither an int nor a double equals keeps its digits, as a string.
  @Test("decimals in mixed values of CSV come back as ints and doubles with the same value")
  func mixedDecimals() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"T","primaryKey":"i","properties":{"i":"int","m":"mixed"}}]"#, to: "s.json")
    let decimals = ["1.50", "1E+3", "-0", "100", "1.2345678901234567890"]
    try foreign.write(
      decimals.enumerated().map { #"{"i":\#($0),"m":{"$numberDecimal":"\#($1)"}}"# }
        .joined(separator: "\n"), to: "T.ndjson")
    _ = try foreign.objects("T.ndjson", "--schema", "s.json")
    let first = try runTool(
      "export", "--format", "csv", "x.realm", "--class", "T", folder: foreign.folder.url)
    #expect(
      first.text == "i,m\r\n0,1.50\r\n1,1E+3\r\n2,-0\r\n3,100\r\n4,1.2345678901234567890\r\n")
    try foreign.write(first.text, to: "T.csv")
    #expect(
      try foreign.objects("T.csv", "--schema", "s.json") == [
        #"{"class":"T","object":{"i":0,"m":1.5}}"#, #"{"class":"T","object":{"i":1,"m":1000.0}}"#,
        #"{"class":"T","object":{"i":2,"m":0}}"#, #"{"class":"T","object":{"i":3,"m":100}}"#,
        #"{"class":"T","object":{"i":4,"m":"1.2345678901234567890"}}"#,
      ])
  }
}
