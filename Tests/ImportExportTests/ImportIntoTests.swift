import Foundation
import TestSupport
import Testing

/// Objects of a file that are added to a realm. `runTool` verifies the realm afterwards.
@Suite("realm-cli import --into")
struct ImportIntoTests {
  private static let base = #"""
    {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[
    {"name":"Town","primaryKey":"name","properties":{"name":"string","size":"int","mayor":"Person?","tags":"string[]"}},
    {"name":"Person","properties":{"name":"string","home":"Town?","seen":"Town[]"},"keyMember":"_key"}],
    "objects":{
    "Town":[{"name":"Bree","size":3,"mayor":0,"tags":["a"]},{"name":"Archet","size":1,"mayor":null,"tags":[]}],
    "Person":[{"_key":0,"name":"Ann","home":"Bree","seen":[]},{"_key":5,"name":"Bob","home":"Archet","seen":["Bree"]}]}}
    """#

  /// A folder with `base.realm`, and a file to add.
  private func folder(_ text: String, as name: String = "Town.json") throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.write(Array(Self.base.utf8), to: "base.json")
    let made = try runTool("import", "base.json", "-o", "base.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    _ = try folder.write(Array(text.utf8), to: name)
    return folder
  }

  /// The lines of the objects of the realm, without the `{"class":…` around them.
  private func objects(_ folder: TemporaryFolder) throws -> [String] {
    let text = try runTool("export", "--format", "ndjson", "-q", "base.realm", folder: folder.url)
    let lines = String(decoding: text.stdout, as: UTF8.self).split(separator: "\n").map(String.init)
    return lines.dropFirst().dropLast().map { line in
      String(line.dropLast().drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst())
    }
  }

  private func add(
    _ options: String..., file: String = "Town.json", in folder: TemporaryFolder
  ) throws -> (status: Int32, stdout: String, stderr: String) {
    let result = try runTool(
      ["import", file, "--into", "base.realm"] + options, folder: folder.url)
    return (result.status, String(decoding: result.stdout, as: UTF8.self), result.stderr)
  }

  private static let ann = #"{"_key":0,"name":"Ann","home":"Bree","seen":[]}"#
  private static let bob = #"{"_key":5,"name":"Bob","home":"Archet","seen":["Bree"]}"#

  @Test("insert adds objects with links to old and new ones")
  func insert() throws {
    let folder = try folder(
      #"{"Person":[{"name":"Cid","home":"Combe","seen":["Bree","Combe"]}],"#
        + #""Town":[{"name":"Combe","size":7,"mayor":5,"tags":["x"]}]}"#)
    let result = try add("--json", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.contains(#"{"inserted":1,"name":"Town","objects":3,"updated":0}"#))
    #expect(
      try objects(folder) == [
        #"{"name":"Bree","size":3,"mayor":0,"tags":["a"]}"#,
        #"{"name":"Archet","size":1,"mayor":null,"tags":[]}"#,
        #"{"name":"Combe","size":7,"mayor":5,"tags":["x"]}"#, Self.ann, Self.bob,
        #"{"_key":6,"name":"Cid","home":"Combe","seen":["Bree","Combe"]}"#,
      ])
  }

  @Test(
    "in insert mode, an existing object is an error with its place, and the realm stays unchanged")
  func exists() throws {
    let folder = try folder("[{\"name\":\"Combe\",\"size\":7},\n {\"name\":\"Bree\",\"size\":9}]")
    let before = try Data(contentsOf: folder.url.appending(path: "base.realm"))
    let result = try add(in: folder)
    #expect(result.status == 65)
    #expect(
      result.stderr
        == "realm-cli: Town.json: line 2, column 2, class Town.name: the realm already has this object: "
        + "\"Bree\"\n  hint: --mode upsert changes it, --mode replace replaces it\n")
    #expect(try Data(contentsOf: folder.url.appending(path: "base.realm")) == before)
  }

  @Test(
    "upsert changes the given properties, replace changes all", arguments: ["upsert", "replace"])
  func modes(mode: String) throws {
    let folder = try folder(
      #"[{"name":"Combe","size":7},{"name":"Bree","size":9},{"name":"Archet","mayor":5}]"#)
    let result = try add("--mode", mode, "--backup", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      result.stdout == """
        base.realm: 5 objects of 2 classes, 4.0 kB
          3  Town (1 new, 2 changed)
          2  Person
          original kept as base.before-import.realm

        """)
    let isUpsert = mode == "upsert"
    #expect(
      try objects(folder) == [
        isUpsert
          ? #"{"name":"Bree","size":9,"mayor":0,"tags":["a"]}"#
          : #"{"name":"Bree","size":9,"mayor":null,"tags":[]}"#,
        #"{"name":"Archet","size":\#(isUpsert ? 1 : 0),"mayor":5,"tags":[]}"#,
        #"{"name":"Combe","size":7,"mayor":null,"tags":[]}"#, Self.ann, Self.bob,
      ])
    let kept = try runTool(
      "export", "--format", "json", "-q", "base.before-import.realm", folder: folder.url)
    let base = try runTool("import", "base.json", "-o", "again.realm", folder: folder.url)
    #expect(base.status == 0)
    let again = try runTool("export", "--format", "json", "-q", "again.realm", folder: folder.url)
    #expect(kept.stdout == again.stdout)
  }

  @Test("an empty field of CSV empties a list, with quotes and without", arguments: ["", "\"\""])
  func emptyList(field: String) throws {
    let folder = try folder("name,tags\nBree,\(field)\n", as: "Town.csv")
    let result = try add("--mode", "upsert", file: "Town.csv", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try objects(folder)[0] == #"{"name":"Bree","size":3,"mayor":0,"tags":[]}"#)
  }

  @Test("objects without primary key are found by their object keys")
  func keyed() throws {
    let text =
      #"{"_key":3,"name":"Dot","home":null,"seen":[]}"# + "\n"
      + #"{"_key":5,"name":"Bill","home":"Bree"}"# + "\n"
    let folder = try folder(text, as: "Person.ndjson")
    let refused = try add(file: "Person.ndjson", in: folder)
    #expect(refused.status == 65)
    #expect(
      refused.stderr.contains(
        "line 2, column 1, class Person: the realm already has this object: 5"))
    let result = try add("--mode", "upsert", file: "Person.ndjson", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      try objects(folder).dropFirst(2) == [
        Self.ann, #"{"_key":3,"name":"Dot","home":null,"seen":[]}"#,
        #"{"_key":5,"name":"Bill","home":"Bree","seen":["Bree"]}"#,
      ])
  }

  @Test("a missing target is an error with its place, or null on request")
  func missing() throws {
    let text = #"[{"name":"Cid","home":"Combe","seen":["Combe","Bree"]}]"#
    let folder = try folder(text, as: "Person.json")
    let refused = try add(file: "Person.json", in: folder)
    #expect(refused.status == 65)
    #expect(refused.stderr.contains("line 1, column 2, class Person."))
    #expect(refused.stderr.contains(#"the link refers to the Town "Combe", which does not exist"#))
    #expect(try objects(folder).count == 4)
    let result = try add("--null-missing-links", file: "Person.json", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try objects(folder).last == #"{"_key":6,"name":"Cid","home":null,"seen":["Bree"]}"#)
  }

  @Test("a new realm, too, can have null for missing targets")
  func missingInNew() throws {
    let folder = try TemporaryFolder()
    let text = Self.base.replacing(#"{"name":"Bree","size":3,"mayor":0,"tags":["a"]},"#, with: "")
    _ = try folder.write(Array(text.utf8), to: "base.json")
    let result = try runTool(
      "import", "base.json", "-o", "base.realm", "--null-missing-links", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    // There was no realm before, so all objects are new.
    #expect(result.text.hasSuffix("\n  1  Town\n  2  Person\n"), "\(result.text)")
    #expect(
      try objects(folder) == [
        #"{"name":"Archet","size":1,"mayor":null,"tags":[]}"#,
        #"{"_key":0,"name":"Ann","home":null,"seen":[]}"#,
        #"{"_key":5,"name":"Bob","home":"Archet","seen":[]}"#,
      ])
  }

  @Test("--max-errors reports several invalid objects in order")
  func severalErrors() throws {
    let folder = try folder(
      #"[{"name":"X","size":"a"},{"name":"Y","siz":9},{"size":4},{"name":"Z","size":1.5}]"#)
    let result = try add("--max-errors", "3", in: folder)
    #expect(result.status == 65)
    #expect(
      result.stderr == #"""
        realm-cli: Town.json: line 1, column 21, /0/size, class Town.size: found "a", expected an int
        realm-cli: Town.json: line 1, column 38, /1/siz, class Town: the class has no property named siz
        realm-cli: Town.json: line 1, column 47, /2, class Town.name: the property has no value and is not optional
          hint: correct the value there; docs/realm-json.md shows how values are written

        """#)
  }

  @Test("a dry run changes nothing, and a realm in use is refused")
  func untouched() throws {
    let folder = try folder(#"[{"name":"Combe","size":7}]"#)
    let before = try Data(contentsOf: folder.url.appending(path: "base.realm"))
    let dry = try add("--dry-run", in: folder)
    #expect(dry.status == 0 && dry.stdout.hasPrefix("base.realm: would get 5 objects"))
    let lock = HeldLock(folder.path("base.realm.lock"), LOCK_SH)
    #expect(try add(in: folder).status == 75)
    withExtendedLifetime(lock) {}
    #expect(try Data(contentsOf: folder.url.appending(path: "base.realm")) == before)
  }

  @Test("embedded objects are deleted with their owners, also next to owners without any")
  func embedded() throws {
    let folder = try TemporaryFolder()
    let head =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":["#
      + #"{"name":"A","primaryKey":"_id","properties":{"_id":"int","e":"E[]"}},"#
      + #"{"name":"E","embedded":true,"properties":{"d":"T?{}"}},"#
      + #"{"name":"T","primaryKey":"_id","properties":{"_id":"int"}}],"objects":{"#
    // Objects with and without unresolved links are read separately.
    let objects = [
      #"{"_id":1,"e":[]}"#, #"{"_id":2,"e":[{"d":{"x":{"$link":{"id":8,"unresolved":true}}}}]}"#,
      #"{"_id":3,"e":[]}"#, #"{"_id":4,"e":[{"d":{"x":5}}]}"#,
    ].joined(separator: ",")
    _ = try folder.write(Array((head + "}}").utf8), to: "empty.json")
    _ = try folder.write(
      Array((head + #""A":[\#(objects)],"T":[{"_id":5}]}}"#).utf8), to: "Town.json")
    #expect(
      try runTool("import", "empty.json", "-o", "base.realm", folder: folder.url).status == 0)
    let result = try add(in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      try self.objects(folder) == [
        #"{"_id":1,"e":[]}"#,
        #"{"_id":2,"e":[{"d":{"x":{"$link":{"class":"T","id":8,"unresolved":true}}}}]}"#,
        #"{"_id":3,"e":[]}"#, #"{"_id":4,"e":[{"d":{"x":5}}]}"#, #"{"_id":5}"#,
      ])
  }

  @Test("objects that are added to a synced realm wait to be uploaded")
  func synced() throws {
    let folder = try TemporaryFolder()
    _ = try folder.copyGolden("tasks-synced-uploaded.realm", as: "base.realm")
    _ = try folder.write(
      Array(
        #"[{"_id":{"$oid":"64f0c0de00000009abcdef09"},"name":"Feed Bill","owner":"Sam"}]"#.utf8),
      to: "QsTask.json")
    let result = try add(file: "QsTask.json", in: folder)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.contains("4  QsTask (1 new)\n  1 changeset to upload\n"))
    let info = try runTool("info", "--history", "base.realm", folder: folder.url)
    let text = String(decoding: info.stdout, as: UTF8.self)
    #expect(text.contains("QsTask: 1 created, 0 updated, 0 deleted"))
  }

  @Test("objects that a synced realm cannot have are refused with a hint")
  func notSyncable() throws {
    let folder = try TemporaryFolder()
    _ = try folder.copyGolden("people-synced.realm", as: "base.realm")
    _ = try folder.write(Array(#"[{"n":1}]"#.utf8), to: "Counter.json")
    let result = try add(file: "Counter.json", in: folder)
    #expect(result.status == 69)
    #expect(
      result.stderr.contains(
        "class Counter: the realm is synced, and without a primary key the class cannot be changed")
    )
    #expect(result.stderr.contains("hint: `realm-cli convert --to local` makes a local copy"))
  }

  @Test("an encrypted realm keeps its key")
  func encrypted() throws {
    let folder = try folder(#"[{"name":"Combe","size":7}]"#)
    for command in [
      ["keygen", "-o", "k"],
      ["encrypt", "base.realm", "--new-key-file", "k", "-o", "secret.realm"],
      ["import", "Town.json", "--into", "secret.realm", "--key-file", "k"],
    ] {
      let result = try runTool(command, folder: folder.url)
      #expect(result.status == 0, "\(result.stderr)")
    }
    let text = try runTool(
      "export", "--format", "ndjson", "-q", "secret.realm", "--key-file", "k", folder: folder.url)
    #expect(String(decoding: text.stdout, as: UTF8.self).contains(#""name":"Combe","size":7"#))
    #expect(try runTool("info", "secret.realm", folder: folder.url).status == 77)
  }

  @Test("options that do not go together are usage errors")
  func usage() throws {
    let folder = try folder("[]")
    for options in [
      ["-o", "x.realm"], ["--schema", "base.json"], ["--primary-key", "name"], ["--force"],
      ["--new-key-file", "k"],
    ] {
      let result = try runTool(
        ["import", "Town.json", "--into", "base.realm"] + options, folder: folder.url)
      #expect(result.status == 64, "\(options)")
    }
    let mode = try runTool(
      "import", "Town.json", "-o", "x.realm", "--mode", "upsert", folder: folder.url)
    #expect(mode.status == 64)
  }

  @Test("every golden realm takes its own objects: into itself, and into one without objects")
  func golden() throws {
    let folder = try TemporaryFolder()
    for name in Golden.names
    where !FileManager.default.fileExists(atPath: Golden.path(name + ".key")) {
      let text = try runTool("export", "-q", "--format", "json", Golden.path(name + ".realm"))
      guard text.status == 0 else { continue }
      _ = try folder.write(Array(text.stdout), to: "text.json")
      let document = String(decoding: text.stdout, as: UTF8.self)
      let head = try #require(document.range(of: #""objects":{"#))
      _ = try folder.write(
        Array((document[..<head.upperBound] + "}}").utf8), to: "empty.json")
      for (source, mode) in [("text", "upsert"), ("text", "replace"), ("empty", "insert")] {
        for command in [
          ["import", source + ".json", "-o", "base.realm", "--force"],
          ["import", "text.json", "--into", "base.realm", "--mode", mode],
        ] {
          let result = try runTool(command, folder: folder.url)
          #expect(result.status == 0, "\(name) \(mode): \(result.stderr)")
        }
        let again = try runTool(
          "export", "-q", "--format", "json", "base.realm", folder: folder.url)
        #expect(again.stdout == text.stdout, "\(name) \(mode)")
      }
    }
  }
}
