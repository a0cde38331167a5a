import Foundation
import TestSupport
import Testing

/// A changed realm keeps its file format, so that its app still opens it.
@Suite("File formats of results")
struct FileFormatTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What `info` says.
  private struct Facts: Equatable {
    var format: Int?
    var version: Int?

    /// The same after a change that keeps the format, or gives another one.
    func next(format: Int? = nil) -> Facts {
      Facts(format: format ?? self.format, version: version.map { $0 + 1 })
    }
  }

  private func info(_ path: String) throws -> Facts {
    let report = try JSONParser.parse(runTool("info", "--json", path).stdout)
    return Facts(format: report["fileFormat"]?.int, version: report["version"]?.int)
  }

  private func hash(_ path: String) throws -> String? {
    let result = try runTool("hash", "--json", path)
    #expect(result.status == 0, "\(result.stderr)")
    return try JSONParser.parse(result.stdout)["hash"]?.string
  }

  /// A realm that the reference wrote in an older format, and a property of ints of it.
  private static let lived = [
    ("life-8001-format-20", "T0", "p34"), ("life-8001-format-22", "T2", "p7"),
    ("life-8001-format-23", "T2", "r50"),
  ]

  /// The format in the name of a realm.
  private func format(in name: String) throws -> Int {
    let last = try #require(name.split(separator: "-").last)
    return try #require(Int(last))
  }

  // MARK: Commands that keep it

  @Test(
    "update, delete, migrate and redact keep the format, and count the version on",
    arguments: lived)
  func keep(name: String, className: String, property: String) throws {
    let original = try Lived.bytes(name + ".realm")
    let format = try format(in: name)
    let plan = try folder.write(
      Array(
        """
        realm-migration: 1
        versions:
        - to: 7
          steps:
          - set-values: {class: \(className), values: {\(property): "\(property) / 2"}}
        """.utf8), to: "plan.yml")
    for arguments in [
      ["update", "a.realm", className, "--set", "\(property) = 3", "--in-place"],
      ["update", "a.realm", className, "--set", "\(property) = 3", "-o", "b.realm"],
      ["delete", "a.realm", className, "TRUEPREDICATE LIMIT(2)", "--in-place"],
      ["delete", "a.realm", className, "--all", "-o", "b.realm"],
      ["migrate", "a.realm", "--plan", plan, "--in-place"],
      ["migrate", "a.realm", "--plan", plan, "-o", "b.realm"],
      ["redact", "a.realm", "-o", "b.realm"],
    ] {
      let source = try folder.write(original, to: "a.realm")
      let before = try info(source)
      #expect(before.format == format)
      let result = try runTool(
        arguments + ["--json", "--force"].prefix(arguments.contains("-o") ? 2 : 1),
        folder: folder.url)
      #expect(result.status == 0, "\(arguments): \(result.stderr)")
      let after = try info(folder.path(arguments.contains("-o") ? "b.realm" : "a.realm"))
      #expect(after == before.next(), "\(arguments)")
      let report = try JSONParser.parse(result.stdout)
      #expect(report["formatBefore"]?.int == format && report["formatAfter"]?.int == format)
      #expect(report["opensWith"]?.isNull == true)
    }
  }

  @Test(
    "apply and import --into keep the format, and count the version on", arguments: [20, 22, 23])
  func keepOfMerges(format: Int) throws {
    let (source, changed) = (folder.path("a.realm"), folder.path("b.realm"))
    let written = try runTool(
      "convert", Golden.path("names-v0.realm"), "--file-format", "\(format)", "-o", source)
    #expect(written.status == 0, "\(written.stderr)")
    let result = try runTool("update", source, "Person", "--set", "age = age + 1", "-o", changed)
    #expect(result.status == 0 && !result.text.contains("file format"))
    let patch = folder.path("changes.patch")
    #expect(
      try runTool("diff", source, changed, "--format", "patch", "-o", patch).status == 1)
    let applied = try runTool("apply", patch, source, "--in-place", "--json")
    #expect(applied.status == 0, "\(applied.stderr)")
    #expect(try JSONParser.parse(applied.stdout)["formatAfter"]?.int == format)
    #expect(try info(source) == Facts(format: format, version: 5))
    #expect(try hash(source) == hash(changed))
    let added = try folder.write(
      Array(#"{"firstName":"Rosie","lastName":"Cotton","age":36}"#.utf8), to: "Person.ndjson")
    let imported = try runTool("import", added, "--into", source, "--json")
    #expect(imported.status == 0, "\(imported.stderr)")
    let report = try JSONParser.parse(imported.stdout)
    #expect(report["formatBefore"]?.int == format && report["formatAfter"]?.int == format)
    #expect(report["opensWith"]?.isNull == true)
    #expect(try info(source) == Facts(format: format, version: 6))
    #expect(try runTool("query", source, "Person", "--count").text == "4\n")
  }

  @Test("salvage keeps the format; --file-format chooses another", arguments: lived)
  func salvage(name: String, className: String, property: String) throws {
    let format = try format(in: name)
    let (source, saved) = (Lived.path(name + ".realm"), folder.path("saved.realm"))
    let result = try runTool("salvage", source, "-o", saved, "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["formatBefore"]?.int == format && report["formatAfter"]?.int == format)
    #expect(try info(saved).format == format)
    #expect(try hash(saved) == hash(source))
    let newer = try runTool("salvage", source, "-o", saved, "--force", "--file-format", "24")
    #expect(newer.status == 0, "\(newer.stderr)")
    #expect(newer.text.contains("\n  file format \(format) -> 24, opened by Swift from 10.49.0, "))
    #expect(try info(saved).format == 24)
  }

  // MARK: Realms that are not written

  /// Realms of formats that are not written. The layout of formats 10 and 21 is that of the realms whose header is changed.
  private func unwritten(_ format: Int) throws -> (bytes: [UInt8], className: String, value: String)
  {
    guard format > 9 else {
      return (HandBuiltLegacy.contacts(), "Contact", "name = 'x'")
    }
    let (name, className, property) =
      format > 11 ? Self.lived[0] : ("life-8001-format-11", "T2", "r21")
    var bytes = try Lived.bytes(name + ".realm")
    (bytes[20], bytes[21]) = (UInt8(format), UInt8(format))
    return (bytes, className, "\(property) = 3")
  }

  @Test(
    "in place, a realm of another format needs --upgrade; with -o the upgrade is told",
    arguments: [3, 10, 11, 21])
  func needsUpgrade(format: Int) throws {
    let (bytes, className, value) = try unwritten(format)
    let source = try folder.write(bytes, to: "a.realm")
    let before = try info(source)
    #expect(before.format == format)
    let output = folder.path("b.realm")
    let told = try runTool("update", source, className, "--set", value, "-o", output)
    #expect(told.status == 0, "\(told.stderr)")
    #expect(told.text.contains("\n  file format \(format) -> 24, opened by Swift from 10.49.0, "))
    let patch = folder.path("changes.patch")
    #expect(
      try runTool("diff", source, output, "--format", "patch", "-o", patch).status == 1)
    let empty = try folder.write(Array("{}".utf8), to: "empty.json")
    for arguments in [
      ["update", source, className, "--set", value, "--in-place"],
      ["delete", source, className, "TRUEPREDICATE LIMIT(1)", "--in-place"],
      ["apply", patch, source, "--in-place"], ["import", empty, "--into", source],
    ] {
      let refused = try runTool(arguments)
      #expect(refused.status == 69, "\(arguments): \(refused.stderr)")
      #expect(
        refused.stderr.contains("the realm has file format \(format); a change would upgrade it"))
      #expect(refused.stderr.contains("--upgrade"))
      #expect(try readFile(source) == bytes)
      let done = try runTool(arguments + ["--upgrade", "--json"])
      #expect(done.status == 0, "\(arguments): \(done.stderr)")
      let report = try JSONParser.parse(done.stdout)
      #expect(report["formatBefore"]?.int == format && report["formatAfter"]?.int == 24)
      let sdks = report["opensWith"]?.array ?? []
      #expect(
        sdks.compactMap { $0["sdk"]?.string } == [
          "swift", "java", "javascript", "dotnet", "kotlin", "flutter",
        ])
      #expect(sdks.first?["opens"]?.array?.first?["from"]?.string == "10.49.0")
      #expect(try info(source) == before.next(format: 24))
      _ = try folder.write(bytes, to: "a.realm")
    }
  }

  @Test("a migration of a realm of 2016 in place needs --upgrade; with -o the upgrade is told")
  func legacy() throws {
    let (bytes, _, _) = try unwritten(3)
    let source = try folder.write(bytes, to: "a.realm")
    let plan = try folder.write(
      Array(
        """
        realm-migration: 1
        versions:
        - to: 9
          steps:
          - add-property: {class: Contact, name: note, type: string?}
        """.utf8), to: "plan.yml")
    let told = try runTool("migrate", source, "--plan", plan, "-o", folder.path("b.realm"))
    #expect(told.status == 0, "\(told.stderr)")
    #expect(told.text.contains("\n  file format 3 -> 24, opened by "))
    let refused = try runTool("migrate", source, "--plan", plan, "--in-place")
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("a change would upgrade it to format 24"))
    #expect(try readFile(source) == bytes)
    #expect(
      try runTool("migrate", source, "--plan", plan, "--in-place", "--upgrade").status == 0)
    #expect(try info(source).format == 24)
    let older = try runTool(
      "migrate", Golden.path("names-v0.realm"), "--plan",
      try folder.write(
        Array(
          """
          realm-migration: 1
          versions:
          - to: 9
            steps:
            - add-index: {class: Person, name: firstName}
          """.utf8), to: "index.yml"), "--file-format", "22", "-o", folder.path("c.realm"))
    #expect(older.status == 0, "\(older.stderr)")
    #expect(try info(folder.path("c.realm")) == Facts(format: 22, version: 4))
  }

  // MARK: Conversions

  /// Realms of format 24 of the reference, with at least 25 that fit format 22.
  private static let current =
    (Golden.names.map { ($0, Golden.path($0 + ".realm")) }
    + Lived.names.filter { !$0.contains("-format-") }.map { ($0, Lived.path($0 + ".realm")) })
    .filter { !$0.0.contains("encrypted") }

  @Test("conversions to 23, 22 and back to 24 have the same content at each step")
  func roundTrip() throws {
    var fitting = 0
    for (name, path) in Self.current {
      let expected = try hash(path)
      var source = path
      for format in [23, 22, 24] {
        let output = folder.path("\(format).realm")
        let result = try runTool(
          "convert", source, "--file-format", "\(format)", "-o", output, "--force")
        if result.status == 69, result.stderr.contains("file format \(format) has no ") {
          #expect(format != 24)
          break
        }
        #expect(result.status == 0, "\(name) \(format): \(result.stderr)")
        guard result.status == 0 else { break }
        #expect(try hash(output) == expected, "\(name) \(format)")
        #expect(try info(output).format == format)
        source = output
        if format == 24 { fitting += 1 }
      }
    }
    #expect(fitting >= 25, "\(fitting)")
  }

  @Test("every place that the format cannot hold is named, and nothing is written")
  func limits() throws {
    let text = #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"Note","primaryKey":"_id","properties":{"_id":"int","any":"mixed","text":{"type":"string","fulltext":true},"tags":{"type":"string[]","indexed":true}}}],"objects":{"Note":[{"_id":1,"any":5,"text":"a b","tags":["x"]},{"_id":2,"any":[1,[2]],"text":"c","tags":[]}]}}
      """#
    let input = try folder.write(Array(text.utf8), to: "notes.json")
    let source = folder.path("notes.realm")
    #expect(try runTool("import", input, "-o", source).status == 0)
    let bytes = try readFile(source)
    for arguments in [["-o", folder.path("old.realm")], ["--in-place"], ["-o", "-"]] {
      let result = try runTool(
        ["convert", source, "--file-format", "22", "--json"] + arguments)
      #expect(result.status == 69)
      #expect(result.stdout.isEmpty)
      let error = try #require(try JSONParser.parse(result.stderr)["error"])
      let places = [error] + (error["others"]?.array ?? [])
      #expect(
        places.map { "\($0["class"]?.string ?? "").\($0["property"]?.string ?? "")" } == [
          "Note.text", "Note.tags", "Note.any",
        ])
      #expect(places.last?["objectKey"]?.int == 1)
      #expect(places.allSatisfy { $0["code"]?.string == "notInFormat" })
      #expect(
        try folder.names().filter { !$0.hasSuffix(".lock") } == ["notes.json", "notes.realm"])
      #expect(try readFile(source) == bytes)
    }
    // Format 23 has full-text indexes.
    let newer = try runTool("convert", source, "--file-format", "23", "-o", folder.path("o.realm"))
    #expect(newer.stderr.contains("Note.tags") && newer.stderr.contains("Note.any"))
    #expect(!newer.stderr.contains("Note.text"))
    let new = try runTool("import", input, "-o", folder.path("o.realm"), "--file-format", "22")
    #expect(new.status == 69, "\(new.stderr)")
    #expect(new.stderr.contains("file format 22 has no full-text indexes"))
  }

  @Test("a format that nobody writes is refused by every command", arguments: ["21", "25", "9"])
  func unknown(format: String) throws {
    let (source, output) = (Golden.path("names-v0.realm"), folder.path("o.realm"))
    let plan = try folder.write(
      Array(
        "realm-migration: 1\nversions:\n- to: 9\n  steps:\n  - remove-class: {name: Person}\n".utf8),
      to: "plan.yml")
    let input = try folder.write(Array("[]".utf8), to: "Person.json")
    for command in [
      ["convert", source], ["upgrade", source], ["migrate", source, "--plan", plan],
      ["salvage", source], ["import", input],
    ] {
      let result = try runTool(command + ["--file-format", format, "-o", output])
      #expect(result.status == 69, "\(command)")
      #expect(
        result.stderr.contains(
          "no realm of file format \(format) is written; expected 20, 22, 23 or 24"))
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }

  @Test("upgrade does not go back, and convert does")
  func back() throws {
    let (source, output) = (Lived.path("life-8001-format-23.realm"), folder.path("o.realm"))
    let refused = try runTool("upgrade", source, "--file-format", "22", "-o", output)
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("the realm has file format 23, and format 22 is older"))
    #expect(refused.stderr.contains("convert --file-format"))
    let result = try runTool("convert", source, "--file-format", "22", "-o", output)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      result.text.contains(
        "\n  file format 23 -> 22, opened by Swift 10.8.0 to 10.34.1, Java 10.6.0 to 10.13.1, "
          + "JavaScript 10.5.0 to 10.24.0 and 11.0.0 to 11.2.0, .NET 10.2.0 to 10.19.0, "
          + "Kotlin 0.6.0 to 1.5.2, Flutter 0.2.0-alpha to 0.8.0+rc\n"))
  }

  @Test("a synced realm does not become one of format 20, whose libraries do not know its history")
  func synced() throws {
    let output = folder.path("o.realm")
    let refused = try runTool(
      "convert", Golden.path("tasks-synced.realm"), "--file-format", "20", "-o", output)
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("no app with file format 20 knows"))
    #expect(try folder.names().isEmpty)
    let result = try runTool(
      "convert", Golden.path("tasks-synced.realm"), "--file-format", "22", "-o", output)
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(runTool("info", "--json", output).stdout)
    #expect(report["sync"]?["unsyncedChanges"]?.int == 2)
    #expect(report["fileFormat"]?.int == 22)
  }
}
