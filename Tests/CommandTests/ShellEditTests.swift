import Foundation
import TestSupport
import Testing

@Suite("realm-cli shell --edit")
struct ShellEditTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try folder.copyGolden("people.realm")
  }

  private func shell(
    _ lines: String..., arguments: [String] = ["--edit"], path: String? = nil
  ) throws -> ToolResult {
    try runTool(
      ["shell", path ?? self.path] + arguments,
      stdin: Array((lines.joined(separator: "\n") + "\n").utf8), folder: folder.url)
  }

  /// What a realm says, whatever its bytes are.
  private func hash(_ path: String) throws -> String {
    let result = try runTool("hash", path, "--json")
    let object = try JSONSerialization.jsonObject(with: Data(result.stdout)) as? [String: Any]
    return try #require(object?["hash"] as? String, "\(result.stderr)")
  }

  /// What the realm says after other commands changed a copy of it.
  private func hash(after commands: [String]...) throws -> String {
    let copy = try folder.copyGolden("people.realm", as: "other.realm")
    for command in commands {
      let result = try runTool([command[0], copy] + command.dropFirst() + ["--in-place"])
      #expect(result.status == 0, "\(result.stderr)")
    }
    return try hash(copy)
  }

  @Test("statements change what `update` and `delete` change, once they are saved")
  func statements() throws {
    let result = try shell(
      "update Person where age > 60 set age = age - 1, lastName = upper(lastName)",
      "delete Company where ratings.@count == 0", "update Counter set n = n * 2", ".save")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.text.hasPrefix("\(path): patch applied"), "\(result.text)")
    let expected = try hash(
      after: [
        "update", "Person", "age > 60", "--set", "age = age - 1", "--set",
        "lastName = upper(lastName)",
      ], ["delete", "Company", "ratings.@count == 0"], ["update", "Counter", "--set", "n = n * 2"])
    #expect(try hash(path) == expected)
    #expect(try runTool("verify", path).status == 0)
  }

  @Test("an inserted object is the one that `import` adds, and what it leaves out gets its default")
  func insertion() throws {
    let object = """
      {"_id":"x y","uuid":{"$uuid":"01234567-89ab-cdef-0123-456789abcdef"},"ratings":{"a":1}}
      """
    let result = try shell(
      "insert Company \(object)", "insert Counter {}", "insert Counter {\"n\": 7}", ".save")
    #expect(result.status == 0, "\(result.stderr)")
    let query = try runTool("query", path, "Company", "_id == 'x y'")
    #expect(query.text == object.dropLast() + ",\"offices\":[]}\n")
    #expect(try runTool("query", path, "Counter", "n == 7", "--count").text == "1\n")
    #expect(try runTool("query", path, "Counter", "--count").text == "7\n")
  }

  @Test("queries and later statements see the changes, the file does not before they are saved")
  func shown() throws {
    let before = try readFile(path)
    let result = try shell(
      "update Counter where n == 3 set n = 100", ".count Counter where n == 100",
      "update Counter where n == 100 set n = n + 1", "Counter where n > 50", ".classes",
      "delete Counter where n == 101", ".count Counter", "insert Counter {\"n\": 5}",
      "update Counter where n == 5 set n = 6", ".count Counter where n == 6", ".undo", ".undo",
      ".undo", ".count Counter where n == 101", ".redo", ".count Counter where n == 101",
      ".discard", ".count Counter where n == 3")
    #expect(result.status == 0, "\(result.stderr)")
    let lines = result.text.split(separator: "\n").map(String.init)
      .filter { !$0.contains("\"kind\"") }
    #expect(lines == ["1", "{\"_key\":3,\"n\":101}", "4", "1", "1", "0", "1"], "\(result.text)")
    #expect(result.stderr.contains("1 object of Counter changed; not saved: 1 changed object\n"))
    #expect(try readFile(path) == before)
    #expect(try folder.names().filter { $0.hasSuffix(".realm") } == ["people.realm"])
  }

  @Test(".draft prints what `diff` prints after the changes are saved")
  func draft() throws {
    let statements = [
      "update Person where age > 70 set age = 70", "delete Company where _id == 'company-1'",
      "insert Counter {\"n\": 9}",
    ]
    try folder.copyGolden("people.realm", as: "before.realm")
    for (mode, format) in [("table", "text"), ("ndjson", "ndjson")] {
      try folder.copyGolden("people.realm")
      let lines = [".mode \(mode)"] + statements + [".draft", ".discard"]
      let shown = try shell(lines.joined(separator: "\n"))
      #expect(shown.status == 0, "\(shown.stderr)")
      let saved = try shell((statements + [".save"]).joined(separator: "\n"))
      #expect(saved.status == 0, "\(saved.stderr)")
      let diff = try runTool("diff", folder.path("before.realm"), path, "--format", format)
      #expect(diff.status == 1 && shown.text == diff.text)
    }
    #expect(try shell(".mode table", ".draft").text == "no changes\n")
  }

  @Test("the original is kept once a session, and not with --no-backup")
  func original() throws {
    let before = try readFile(path)
    let twice = ["update Counter set n = 1", ".save", "update Counter set n = 2", ".save"]
    #expect(try shell(twice.joined(separator: "\n")).status == 0)
    #expect(
      try folder.names().filter { $0.hasSuffix(".realm") }
        == ["people.before-shell.realm", "people.realm"])
    #expect(try readFile(folder.path("people.before-shell.realm")) == before)
    try folder.copyGolden("people.realm", as: "second.realm")
    let second = folder.path("second.realm")
    let result = try shell(
      twice.joined(separator: "\n"), arguments: ["--edit", "--no-backup"], path: second)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try !folder.names().contains { $0.contains("second.before") })
    #expect(try runTool("query", second, "Counter", "n == 2", "--count").text == "5\n")
  }

  @Test("changes can be saved in a new file, which must not exist; they stay in the shell")
  func copy() throws {
    let before = try readFile(path)
    let result = try shell("update Counter set n = 9", ".save 'a b.realm'", ".undo")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try readFile(path) == before)
    #expect(
      try runTool("query", folder.path("a b.realm"), "Counter", "n == 9", "--count").text == "5\n")
    #expect(try shell("update Counter set n = 9", ".save 'a b.realm'").status == 73)
  }

  @Test("changes that are not saved at the end are told, with exit code 1")
  func unsaved() throws {
    let before = try readFile(path)
    let result = try shell("update Counter set n = 9", ".count Counter")
    #expect(result.status == 1 && result.text == "5\n")
    #expect(result.stderr.contains("5 changed objects not saved"))
    #expect(try shell("update Counter set n = 1", ".quit").status == 1)
    #expect(try shell("update Counter set n = 1", ".undo").status == 0)
    // An error is more serious.
    #expect(try shell("update Counter set n = 1", "nonsense").status == 64)
    #expect(try readFile(path) == before)
  }

  @Test(
    "an error of a statement shows its place in the line, and changes nothing",
    arguments: [
      ("update Person where agee > 3 set age = 1", "agee", "^~~~"),
      ("update Persn set age = 1", "Persn", "^~~~~"),
      ("update Person set age = 1, agee = 2", "agee", "^~~~"),
      ("update Person set age = 1, age = nonsense", "nonsense", "^~~~~~~~"),
      ("update Person set age = 'a'", "'a'", "^~~"),
      ("update Person set age = 1, age = 2", "age = 2", "^"),
      ("update Person where age > 3", "", "^"), ("delete Person", "", "^"),
      ("delete Persn where age > 1", "Persn", "^~~~~"),
      ("insert Counter {\"n\": \"a\"}", "\"a\"}", "^"),
      ("insert Counter {\"m\": 1}", "\"m\"", "^"),
    ])
  func errors(line: String, place: String, marks: String) throws {
    let result = try shell(
      line, ".draft", arguments: ["--edit", "--keep-going", "--mode", "table"])
    #expect(result.status == 64, "\(result.stderr)")
    let start =
      place.isEmpty
      ? line.endIndex : try #require(line.range(of: place, options: .backwards)).lowerBound
    let indent = String(repeating: " ", count: line.distance(from: line.startIndex, to: start))
    #expect(result.stderr.contains("  \(line)\n  \(indent)\(marks)\n"), "\(result.stderr)")
    #expect(result.text == "no changes\n")
  }

  @Test("what does not fit the realm is refused, as `apply` refuses it")
  func refused() throws {
    for (line, status) in [
      ("update Person set age = null", 65), ("update Company set _id = 'a'", 69),
      ("insert Company {\"uuid\":{\"$uuid\":\"01234567-89ab-cdef-0123-456789abcdef\"}}", 65),
      ("insert Nobody {}", 64), (".undo", 64), (".redo", 64), (".save --nonsense", 64),
      (".save a.realm b.realm", 64),
    ] as [(String, Int32)] {
      let result = try shell(line)
      #expect(result.status == status, "\(line): \(result.stderr)")
      #expect(!result.stderr.contains("bug"))
    }
    let key = try runTool("query", path, "Company", "--limit", "1", "--format", "ids").text
    let again = try shell(
      "insert Company {\"_id\":\(key.dropLast()),\"uuid\":{\"$uuid\":\"01234567-89ab-cdef-0123-456789abcdef\"}}"
    )
    #expect(again.status == 65 && again.stderr.contains("primary key"))
  }

  @Test(
    "without --edit, statements and commands of drafts name it, and classes of other names stay")
  func withoutEdit() throws {
    for line in [
      "update Counter set n = 1", "delete Counter where n = 1", "insert Counter {}", ".save",
    ] {
      let result = try shell(line, arguments: [])
      #expect(result.status == 64 && result.stderr.contains("--edit"), "\(result.stderr)")
    }
    #expect(try !shell(".help", arguments: []).text.contains(".save"))
    #expect(try shell(".help").text.contains(".save"))
    let text = try folder.write(
      Array(
        """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
        "schema":[{"name":"update","properties":{"set":"int"}}],"objects":{"update":[{"_key":0,"set":1}]}}
        """.utf8), to: "a.json")
    #expect(try runTool("import", text, "-o", folder.path("a.realm")).status == 0)
    let result = try shell(
      "'update' where set = 1", "update update where set = 1 set set = 2", "'update' where set = 2",
      ".undo", path: folder.path("a.realm"))
    #expect(result.text == "{\"_key\":0,\"set\":1}\n{\"_key\":0,\"set\":2}\n", "\(result.stderr)")
  }

  @Test("options that do not go together are wrong usage")
  func usage() throws {
    #expect(try shell("", arguments: ["--no-backup"]).status == 64)
    #expect(try shell("", arguments: ["--edit", "--previous"]).status == 64)
    let result = try shell(
      "update Counter set n = 1", ".previous", ".undo", ".refresh", ".undo",
      "delete Counter where n = 1",
      arguments: ["--edit", "--keep-going"], path: try folder.copyGolden("churned.realm"))
    #expect(result.stderr.contains("cannot be changed"), "\(result.stderr)")
  }

  @Test("a realm in use is not written, and the changes stay")
  func inUse() throws {
    let before = try readFile(path)
    let held = HeldLock(path + ".lock", LOCK_SH)
    let result = try shell(
      "update Counter set n = 9", ".save", ".count Counter where n == 9",
      arguments: ["--edit", "--keep-going"])
    withExtendedLifetime(held) {}
    #expect(result.status == 75 && result.text == "5\n", "\(result.stderr)")
    #expect(try readFile(path) == before)
  }

  @Test("values that others changed meanwhile are listed, and either side can be chosen")
  func conflicts() throws {
    for (choice, expected) in [("patch", "1"), ("realm", "50")] {
      try folder.copyGolden("people.realm")
      let tool = try RunningTool(
        "realm-cli", ["shell", path, "--edit", "--no-backup", "--keep-going"])
      tool.write("update Counter where n == 3 set n = 1\n.count Counter where n == 3\n")
      #expect(tool.read(2) == Array("0\n".utf8))
      let other = try runTool(
        "update", path, "Counter", "n == 3", "--set", "n = 50", "--in-place")
      #expect(other.status == 0, "\(other.stderr)")
      tool.write(".save\n.save --on-conflict \(choice)\n")
      let result = tool.end()
      #expect(
        result.text.contains("conflict  Counter 3 n: patch 3 -> 1, realm 50\n"),
        "\(result.text)\(result.stderr)")
      #expect(result.status == 1)
      let query = try runTool("query", path, "Counter", "n == \(expected)")
      #expect(query.text.contains("{\"_key\":3,\"n\":\(expected)}\n"), "\(query.text)")
    }
  }

  @Test("an encrypted realm stays encrypted, and a synced one has the changes to upload")
  func otherRealms() throws {
    let encrypted = try folder.copyGolden("people-encrypted.realm")
    let key = try folder.copyGolden("people-encrypted.key")
    let result = try shell(
      "update Counter set n = 9", ".count Counter where n == 9", ".save",
      arguments: ["--edit", "--key-file", key], path: encrypted)
    #expect(result.status == 0 && result.text.hasPrefix("5\n"), "\(result.stderr)")
    #expect(
      try runTool("query", encrypted, "Counter", "n == 9", "--count", "--key-file", key).text
        == "5\n")
    #expect(try runTool("info", encrypted).status == 77)

    let synced = try folder.copyGolden("tasks-synced.realm")
    let uploads = try shell("update QsTask set name = 'new'", ".save", path: synced)
    #expect(
      uploads.status == 0 && uploads.text.contains("to upload"), "\(uploads.text)\(uploads.stderr)")
  }

  @Test("a realm of a format that is only read says so at the start, and is saved as a copy")
  func oldFormat() throws {
    let fixture = packageFolder.appending(path: "Tests/Fixtures/lived/life-8007-format-11.realm")
    let bytes = try readFile(fixture.path)
    let old = try folder.write(bytes, to: "old.realm")
    let result = try shell(
      "delete T3 where TRUEPREDICATE", ".count T3", ".save", ".save new.realm",
      arguments: ["--edit", "--keep-going"], path: old)
    #expect(result.stderr.components(separatedBy: "upgrade").count > 2, "\(result.stderr)")
    #expect(result.text.hasPrefix("0\n"))
    #expect(result.status == 69)
    #expect(try readFile(old) == bytes)
    #expect(try runTool("query", folder.path("new.realm"), "T3", "--count").text == "0\n")
  }
}
