import Foundation
import RealmJobs
import RealmStorage
import Synchronization
import TestSupport
import Testing

/// Patches made by `diff --format patch` and by hand. `runTool` verifies the realms that `apply` wrote.
@Suite("realm-cli apply")
struct ApplyCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String..., stdin: [UInt8] = []) throws -> ToolResult {
    try runTool(arguments, stdin: stdin, folder: folder.url)
  }

  /// Writes a realm with the objects of a document.
  private func make(
    _ name: String, _ schema: String, _ objects: String, version: String = "null"
  ) throws {
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":\(version)},"schema":\(schema),
      "objects":\(objects)}
      """
    try folder.write(Array(text.utf8), to: "\(name).json")
    let made = try run("import", "\(name).json", "-o", "\(name).realm")
    #expect(made.status == 0, "\(made.stderr)")
  }

  /// The lines of the objects of a realm, sorted: their order follows the object keys.
  private func objects(_ name: String) throws -> [String] {
    let text = try run("export", name, "--format", "ndjson", "-q").text
    return text.split(separator: "\n").dropFirst().dropLast().map(String.init).sorted()
  }

  private func hash(_ path: String) throws -> String {
    let result = try run("hash", path)
    #expect(result.status == 0, "\(result.stderr)")
    return String(result.text.prefix(64))
  }

  // MARK: Positions of classes

  @Test("a patch with deletions changes the right objects where tables moved")
  func movedClasses() throws {
    let folder = Golden.path("people.realm").replacing("golden/people.realm", with: "patches")
    let (source, patch) = ("\(folder)/moved-classes.realm", "\(folder)/moved-classes.patch")
    let applied = try run("apply", patch, source, "-o", "made.realm")
    #expect(applied.status == 0, "\(applied.stderr)")
    let made = try objects("made.realm")
    // From the lines of the patch.
    let gone = made.filter { $0.contains(#""_id":"ordinary""#) || $0.hasPrefix(#"{"class":"T3""#) }
    #expect(gone == [])
    let changed = Set(made).subtracting(try objects(source))
    #expect(changed.count == 2)
    #expect(changed.contains { $0.hasPrefix(#"{"class":"T36""#) && $0.contains(#""g40":-1.25"#) })
    #expect(
      changed.contains {
        $0.hasPrefix(#"{"class":"T59","object":{"_id":"quick\u0000alpha","r60":[null]"#)
      })
    #expect(made.count == (try objects(source)).count - 2)
  }

  // MARK: Round trips

  private static let local =
    Lived.names.filter { !$0.contains("-format-") }.map { Lived.path("\($0).realm") }
    + ["people", "churned", "links", "all-types", "nested-mixed", "strings"].map {
      Golden.path("\($0).realm")
    }

  @Test("the changes of the last commit turn the version before it into the newest one")
  func previous() throws {
    var count = 0
    for path in Self.local {
      try? FileManager.default.removeItem(atPath: folder.path("a.realm"))
      // The first commit has no previous one.
      guard try run("copy", "--previous", path, "-o", "a.realm").status == 0 else { continue }
      let patch = try run("diff", "a.realm", path, "--format", "patch")
      // The commit removed a class or a property.
      guard patch.status != 69 else { continue }
      let result = try run("apply", "-", "a.realm", "-o", "c.realm", "--force", stdin: patch.stdout)
      #expect(result.status == 0, "\(path): \(result.text)\(result.stderr)")
      #expect(try hash("c.realm") == (try hash(path)), "\(path)")
      // All of it is there already.
      let bytes = try readFile(folder.path("c.realm"))
      let again = try run("apply", "-", "c.realm", "--in-place", stdin: patch.stdout)
      #expect(again.text == "c.realm: unchanged, it has all changes already\n", "\(path)")
      #expect(try readFile(folder.path("c.realm")) == bytes)
      count += 1
    }
    #expect(count > 40)
  }

  @Test(
    "a patch from nothing creates a realm, with all kinds of values",
    arguments: ["all-types", "links", "nested-mixed", "strings", "primary-keys", "people"])
  func fromNothing(name: String) throws {
    try make("empty", "[]", "{}")
    let path = Golden.path("\(name).realm")
    let patch = try run("diff", "empty.realm", path, "--format", "patch")
    let result = try run("apply", "-", "empty.realm", "-o", "c.realm", stdin: patch.stdout)
    #expect(result.status == 0, "\(result.text)\(result.stderr)")
    #expect(try hash("c.realm") == (try hash(path)))
  }

  @Test("a patch of an encrypted realm, applied to an encrypted realm")
  func encrypted() throws {
    let path = try folder.copyGolden("people-encrypted.realm")
    let key = Golden.path("people-encrypted.key")
    let changed = try run(
      "update", path, "Person", "age > 50", "--set", "age = age - 1", "-o", "b.realm",
      "--key-file", key)
    #expect(changed.status == 0, "\(changed.stderr)")
    let patch = try run(
      "diff", path, "b.realm", "--format", "patch", "--key-file", key, "-o", "p")
    #expect(patch.status == 1)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("p"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let applied = try run("apply", "p", path, "--in-place", "--backup", "--key-file", key)
    #expect(applied.status == 0, "\(applied.stderr)")
    #expect(try run("diff", path, "b.realm", "--key-file", key).status == 0)
    #expect(
      FileManager.default.fileExists(
        atPath: folder.path("people-encrypted.before-apply.realm")))
  }

  // MARK: Changes by others

  /// Makes a patch that sets the score of one person.
  private func makePatch() throws -> String {
    try folder.copyGolden("people.realm", as: "a.realm")
    let changed = try run(
      "update", "a.realm", "Person", "age > 30 LIMIT(1)", "--set", "score = -1", "-o", "b.realm")
    #expect(changed.status == 0, "\(changed.stderr)")
    #expect(
      try run("diff", "a.realm", "b.realm", "--format", "patch", "-o", "one.patch").status == 1)
    return folder.path("a.realm")
  }

  /// A process that takes no lock commits after the old values were checked: as soon as the job writes objects.
  @Test("a commit between the check of the old values and the end of a change in place ends it")
  func changedInPlace() throws {
    let path = try makePatch()
    let commits = Commits(path)
    let error = #expect(throws: RealmFileError.self) {
      try ApplyJob(
        try Patch(path: folder.path("one.patch")), to: path, key: nil,
        destination: .inPlace(backup: true)
      ).run { _, _ in commits.make() }
    }
    #expect(error?.kind == .changedWhileReading)
    #expect(try readFile(path) == (try #require(commits.bytes)))
    #expect(
      try folder.names().filter { $0.hasPrefix("a.") || $0.hasPrefix(".") }
        == ["a.realm", "a.realm.lock"])
  }

  /// The commit changes the score that the patch expects, so the second check finds a conflict.
  @Test("a result in another file is begun again with the newest version, whose old values count")
  func changedMeanwhile() throws {
    let path = try makePatch()
    let commits = Commits(path)
    let report = try ApplyJob(
      try Patch(path: folder.path("one.patch")), to: path, key: nil,
      destination: .file(folder.path("out.realm"), replacing: false)
    ).run { _, _ in commits.make() }
    #expect(report.isRefused && report.rewrite == nil && report.conflicts.count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.realm")))
    #expect(try readFile(path) == (try #require(commits.bytes)))
  }

  /// Some commits of another process to a realm, made once.
  private final class Commits: Sendable {
    private let path: String
    private let made = Mutex<[UInt8]?>(nil)

    init(_ path: String) { self.path = path }

    /// The bytes of the realm after the commits.
    var bytes: [UInt8]? { made.withLock { $0 } }

    func make() {
      made.withLock { made in
        guard made == nil else { return }
        do {
          let writer = try RunningTool("test-writer", [path, "Person", "score"])
          #expect(writer.read(6) == Array("ready\n".utf8))
          #expect(writer.end().status == 0)
          made = try readFile(path)
        } catch {
          Issue.record("\(error)")
        }
      }
    }
  }

  // MARK: Merges

  private static let schema = """
    [{"name":"E","embedded":true,"properties":{"n":"int"}},\
    {"name":"P","primaryKey":"_id","properties":{"_id":"int","a":"int","s":"string?","l":"int[]",\
    "to":"P?","e":"E?"}}]
    """

  private static func person(
    _ id: Int, a: Int = 1, s: String = "null", l: String = "[1,2]", to: String = "null",
    e: String = #"{"n":1}"#
  ) -> String {
    #"{"_id":\#(id),"a":\#(a),"s":\#(s),"l":\#(l),"to":\#(to),"e":\#(e)}"#
  }

  /// Makes `base`, `theirs` and `ours`.
  private func makeThree(_ base: [String], theirs: [String], ours: [String]) throws {
    for (name, objects) in [("base", base), ("theirs", theirs), ("ours", ours)] {
      try make(name, Self.schema, "{\"P\":[\(objects.joined(separator: ","))]}")
    }
  }

  private func merge(_ arguments: String...) throws -> ToolResult {
    let patch = try run("diff", "base.realm", "theirs.realm", "--format", "patch")
    return try runTool(
      ["apply", "-", "ours.realm"] + arguments, stdin: patch.stdout, folder: folder.url)
  }

  private func lines(_ people: [String]) -> [String] {
    people.map { #"{"class":"P","object":\#($0)}"# }.sorted()
  }

  @Test("changes of both sides are merged")
  func merged() throws {
    try makeThree(
      [Self.person(1), Self.person(2), Self.person(3), Self.person(4, to: "3")],
      theirs: [
        Self.person(1, a: 5, l: "[2]"), Self.person(2), Self.person(4, to: "null"),
        Self.person(7, to: "1", e: #"{"n":9}"#),
      ],
      ours: [
        Self.person(1, s: #""x""#), Self.person(2, a: 8, to: "3"), Self.person(3),
        Self.person(4, to: "3"), Self.person(5),
      ])
    let result = try merge("-o", "merged.realm")
    #expect(result.status == 0, "\(result.text)\(result.stderr)")
    #expect(result.text.hasSuffix("  P: 1 added, 1 removed, 2 changed\n"))
    #expect(
      try objects("merged.realm")
        == lines([
          Self.person(1, a: 5, s: #""x""#, l: "[2]"),
          // The target was deleted.
          Self.person(2, a: 8), Self.person(4), Self.person(5),
          Self.person(7, to: "1", e: #"{"n":9}"#),
        ]))
  }

  private func makeConflicts() throws {
    try makeThree(
      (1...6).map { Self.person($0) },
      theirs: [
        Self.person(1, a: 5, s: #""t""#), Self.person(2, e: "null"), Self.person(4, a: 6),
        Self.person(5, to: "6"), Self.person(6), Self.person(7, a: 7),
      ],
      ours: [
        Self.person(1, a: 9), Self.person(2, e: #"{"n":2}"#), Self.person(3, l: "[]"),
        Self.person(5), Self.person(7, a: 8),
      ])
  }

  private static let conflicts = """
    conflict  P 3 l: patch [1,2] -> no object, realm []
    conflict  P 1 a: patch 1 -> 5, realm 9
    conflict  P 2 e: patch {"n":1} -> null, realm {"n":2}
    conflict  P 4 a: patch 1 -> 6, realm no object
    conflict  P 5 to: patch null -> 6, realm null; the target of a link is missing
    conflict  P 7 a: patch no object -> 7, realm 8

    """

  @Test("conflicts are listed, and nothing is written")
  func refused() throws {
    try makeConflicts()
    let bytes = try readFile(folder.path("ours.realm"))
    for arguments in [["--in-place"], ["-o", "merged.realm"]] {
      let patch = try run("diff", "base.realm", "theirs.realm", "--format", "patch")
      let result = try runTool(
        ["apply", "-", "ours.realm"] + arguments, stdin: patch.stdout, folder: folder.url)
      #expect(result.status == 1, "\(result.stderr)")
      #expect(result.text == Self.conflicts + "ours.realm: unchanged, 6 conflicts\n")
    }
    #expect(try readFile(folder.path("ours.realm")) == bytes)
    #expect(!FileManager.default.fileExists(atPath: folder.path("merged.realm")))
    let json = try JSONParser.parse(try merge("--in-place", "--json").stdout)
    let first = try #require(json["conflicts"]?.array?.first)
    #expect(
      first.text
        == #"{"class":"P","id":"3","new":null,"old":"[1,2]","property":"l","realm":"[]","reason":"removed"}"#
    )
  }

  @Test("--on-conflict patch takes the values of the patch")
  func takesPatch() throws {
    try makeConflicts()
    let result = try merge("--in-place", "--on-conflict", "patch")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      try objects("ours.realm")
        == lines([
          Self.person(1, a: 5, s: #""t""#), Self.person(2, e: "null"), Self.person(5),
          Self.person(7, a: 7),
        ]))
  }

  @Test("--on-conflict realm keeps the values of the realm, and takes the others")
  func keepsRealm() throws {
    try makeConflicts()
    let result = try merge("--in-place", "--on-conflict", "realm")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      try objects("ours.realm")
        == lines([
          Self.person(1, a: 9, s: #""t""#), Self.person(2, e: #"{"n":2}"#),
          Self.person(3, l: "[]"), Self.person(5), Self.person(7, a: 8),
        ]))
  }

  @Test("--dry-run writes nothing and reports the same")
  func dryRun() throws {
    try makeConflicts()
    let bytes = try readFile(folder.path("ours.realm"))
    let dry = try merge("--in-place", "--on-conflict", "patch", "--dry-run")
    #expect(dry.status == 0 && dry.text.contains("ours.realm: patch would be applied"))
    #expect(try readFile(folder.path("ours.realm")) == bytes)
    #expect(try merge("--in-place", "--dry-run").status == 1)
  }

  @Test("a link to a changed object that the realm lacks is a link to a missing object")
  func linkToMissing() throws {
    try makeThree(
      [Self.person(1), Self.person(2)], theirs: [Self.person(1, to: "2"), Self.person(2, a: 5)],
      ours: [Self.person(1)])
    let result = try merge("-o", "merged.realm", "--on-conflict", "patch")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(
      result.text.hasPrefix(
        """
        conflict  P 1 to: patch null -> 2, realm null; the target of a link is missing; took the patch
        conflict  P 2 a: patch 1 -> 5, realm no object; left out

        """))
    #expect(try objects("merged.realm") == lines([Self.person(1)]))
  }

  @Test("an added object whose key is taken gets a new key, and the links to it follow")
  func takenKeys() throws {
    let schema =
      #"[{"name":"N","keyMember":"_key","properties":{"t":"string","to":"N?","all":"N<>","any":"mixed"}}]"#
    func note(
      _ key: Int, _ t: String, to: String = "null", all: String = "[]", any: String = "null"
    )
      -> String
    {
      #"{"_key":\#(key),"t":"\#(t)","to":\#(to),"all":\#(all),"any":\#(any)}"#
    }
    for (name, notes) in [
      ("base", [note(0, "a")]),
      (
        "theirs",
        [
          note(0, "a", to: "1", all: "[0,1,2]", any: #"[{"$link":{"class":"N","id":1}}]"#),
          note(1, "theirs", to: "2"), note(2, "both"),
        ]
      ),
      ("ours", [note(0, "a"), note(1, "ours", to: "0"), note(2, "both")]),
    ] {
      try make(name, schema, "{\"N\":[\(notes.joined(separator: ","))]}")
    }
    let result = try merge("-o", "merged.realm")
    #expect(result.status == 0, "\(result.text)\(result.stderr)")
    #expect(
      try objects("merged.realm")
        == [
          note(0, "a", to: "3", all: "[0,2,3]", any: #"[{"$link":{"class":"N","id":3}}]"#),
          note(1, "ours", to: "0"), note(2, "both"), note(3, "theirs", to: "2"),
        ].map { #"{"class":"N","object":\#($0)}"# })
  }

  // MARK: The schema

  @Test("classes, properties, optionals and indexes are added; embedded objects get defaults")
  func schemaAdditions() throws {
    let old = """
      [{"name":"E","embedded":true,"properties":{"n":"int"}},\
      {"name":"P","primaryKey":"_id","properties":{"_id":"int","a":"int","e":"E?"}}]
      """
    let new = """
      [{"name":"E","embedded":true,"properties":{"n":"int","m":"int"}},\
      {"name":"P","primaryKey":"_id","properties":{"_id":"int","e":"E?","a":\
      {"type":"int?","indexed":true},"q":"Q[]"}},\
      {"name":"Q","keyMember":"_key","properties":{"p":"P?"}}]
      """
    try make(
      "base", old, #"{"P":[{"_id":1,"a":1,"e":{"n":1}},{"_id":2,"a":2,"e":null}]}"#, version: "1")
    try make(
      "theirs", new,
      #"{"P":[{"_id":1,"a":null,"e":{"n":1,"m":5},"q":[3]},{"_id":2,"a":2,"e":null,"q":[]}],"#
        + #""Q":[{"_key":3,"p":2}]}"#, version: "4")
    try make(
      "ours", old,
      #"{"P":[{"_id":1,"a":1,"e":{"n":1}},{"_id":2,"a":7,"e":{"n":4}}]}"#, version: "1")
    let result = try merge("-o", "merged.realm")
    #expect(result.status == 0, "\(result.text)\(result.stderr)")
    #expect(
      try objects("merged.realm") == [
        #"{"class":"P","object":{"_id":1,"a":null,"e":{"n":1,"m":5},"q":[3]}}"#,
        #"{"class":"P","object":{"_id":2,"a":7,"e":{"n":4,"m":0},"q":[]}}"#,
        #"{"class":"Q","object":{"_key":3,"p":2}}"#,
      ])
    #expect(try run("schema", "diff", "merged.realm", "theirs.realm").status == 0)
    let version = try JSONParser.parse(try run("info", "--json", "merged.realm").stdout)
    #expect(version["schemaVersion"]?.int == 4)
    // Nothing changes in a realm that has all of it.
    #expect(try run("apply", "-", "theirs.realm", "--in-place", stdin: try patch()).status == 0)
  }

  private func patch() throws -> [UInt8] {
    try run("diff", "base.realm", "theirs.realm", "--format", "patch").stdout
  }

  @Test("what a patch cannot hold is refused, unless it is left out")
  func notInPatch() throws {
    try make(
      "base",
      #"[{"name":"P","primaryKey":"_id","properties":{"_id":"int","a":"int","b":"int?"}},"#
        + #"{"name":"Q","primaryKey":"_id","properties":{"_id":"int"}}]"#, #"{"P":[],"Q":[]}"#)
    try make(
      "theirs", #"[{"name":"P","primaryKey":"_id","properties":{"_id":"int","a":"string"}}]"#,
      #"{"P":[{"_id":1,"a":"x"}]}"#)
    let refused = try run("diff", "base.realm", "theirs.realm", "--format", "patch", "-o", "p")
    #expect(refused.status == 69)
    #expect(
      refused.stderr.hasPrefix(
        "realm-cli: base.realm: a patch adds to a schema, and cannot hold P.a: typeChanged, "
          + "P.b: propertyRemoved, Q: classRemoved\n  hint: "), "\(refused.stderr)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("p")))
    let some = try run(
      "diff", "base.realm", "theirs.realm", "--format", "patch", "--class", "P", "--ignore", "P.a",
      "--ignore", "P.b")
    #expect(some.status == 1)
    let applied = try run("apply", "-", "base.realm", "-o", "c.realm", stdin: some.stdout)
    #expect(applied.status == 0, "\(applied.stderr)")
    #expect(try objects("c.realm") == [#"{"class":"P","object":{"_id":1,"a":0,"b":null}}"#])
  }

  // MARK: Wrong patches

  /// Applies a changed patch, and expects that nothing is written.
  private func expectRefusal(
    _ patch: String, _ status: Int32, _ message: String
  ) throws {
    let bytes = try readFile(folder.path("ours.realm"))
    let result = try run("apply", "-", "ours.realm", "--in-place", stdin: Array(patch.utf8))
    #expect(result.status == status, "\(message): \(result.text)\(result.stderr)")
    #expect(result.stderr.contains(message), "\(result.stderr)")
    #expect(result.stderr.contains("\n  hint: ") || status == 65, "\(result.stderr)")
    #expect(try readFile(folder.path("ours.realm")) == bytes)
  }

  @Test("wrong, incomplete and foreign patches are refused")
  func wrong() throws {
    try makeThree(
      [Self.person(1), Self.person(2)], theirs: [Self.person(1, a: 2), Self.person(3)],
      ours: [Self.person(1), Self.person(2)])
    let text = String(decoding: try patch(), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 5)
    func joined(_ lines: some Sequence<String>) -> String { lines.joined(separator: "\n") + "\n" }
    try expectRefusal(joined(lines.dropLast()), 65, "the last line, with the counts, is missing")
    try expectRefusal(String(text.dropLast(20)), 65, "the last line, with the counts, is missing")
    try expectRefusal(joined(lines.prefix(1)), 65, "the last line, with the counts, is missing")
    try expectRefusal(
      joined(lines.enumerated().filter { $0.offset != 1 }.map(\.element)), 65, "states")
    try expectRefusal("x,y\n1,2\n", 65, "this is not a patch")
    try expectRefusal("{\"a\":1}\n{\"a\":2}\n", 65, "this is not a patch")
    try expectRefusal("", 65, "empty")
    try expectRefusal(text.replacing("\"a\":2", with: "\"b\":2"), 65, "the old object has a value")
    try expectRefusal(
      text.replacing("\"a\":", with: "\"zz\":"), 69, "the patch is for other classes")
    try expectRefusal(text.replacing("\"a\":2", with: "\"a\":\"2\""), 65, "expected an int")
    try expectRefusal(text.replacing("\"old\":", with: "\"odl\":"), 65, "the patch is wrong")
    try expectRefusal(
      text.replacing("\"version\":1", with: "\"version\":2"), 65, "found version 2 of realm-patch")
    try expectRefusal(
      text.replacing("\"old\":{\"_id\":1,", with: "\"old\":{\"_id\":9,"), 65,
      "the same identity before and after")
    try expectRefusal(
      text.replacing("\"s\":\"string?\"", with: "\"s\":\"int?\""), 69, "P.s: typeChanged")
    // A patch is not objects, and objects are not a patch.
    try folder.write(Array(text.utf8), to: "p.ndjson")
    let imported = try run("import", "p.ndjson", "-o", "x.realm")
    #expect(imported.status == 65 && imported.stderr.contains("found a patch, expected objects"))
    let exported = try run("export", "ours.realm", "--format", "ndjson").text
    try expectRefusal(exported, 65, "this is not a patch")
    let compared = try run("hash", "p.ndjson")
    #expect(compared.status == 65 && compared.stderr.contains("found a patch"))
  }

  @Test("a realm in use is not changed; one with other classes is refused with a hint")
  func refusedRealms() throws {
    try makeThree([Self.person(1)], theirs: [Self.person(1, a: 2)], ours: [Self.person(1)])
    let patch = try patch()
    do {
      let lock = HeldLock(folder.path("ours.realm.lock"), LOCK_SH)
      defer { withExtendedLifetime(lock) {} }
      #expect(try run("apply", "-", "ours.realm", "--in-place", stdin: patch).status == 75)
    }
    #expect(try run("apply", "-", "ours.realm", "--in-place", stdin: patch).status == 0)
    guard let corpusFolder else { return }
    let old = corpusFolder.appending(
      path: "realm-core/test__resources__client_file_migration_core6.realm@aa5e93f0"
    ).path
    let result = try run("apply", "-", old, "-o", "o.realm", stdin: patch)
    #expect(result.status == 69 && result.stderr.contains("  hint: "), "\(result.stderr)")
  }

  @Test("wrong arguments")
  func usage() throws {
    let path = Golden.path("people.realm")
    #expect(try run("apply", "-", path).status == 64)
    #expect(try run("apply", "-", path, "-o", "x", "--on-conflict", "ours").status == 64)
    #expect(
      try run("diff", path, path, "--format", "patch", "--match", "content").status == 64)
    #expect(try run("diff", path, path, "--format", "patch", "--json").status == 64)
  }

  @Test("a patch with an asymmetric class is refused by a local realm, which cannot have one")
  func asymmetric() throws {
    let path = Golden.path("asymmetric.realm")
    try make("empty", "[]", "{}")
    #expect(
      try run("diff", "empty.realm", path, "--format", "patch", "-o", "a.p").status == 1)
    let result = try run("apply", "a.p", "empty.realm", "-o", "x.realm")
    #expect(result.status == 69)
    #expect(result.stderr.contains("is asymmetric, which needs a synced realm"), "\(result.stderr)")
    #expect(result.stderr.contains("\n  hint: "))
  }

  // MARK: The JSON Schema

  /// A Python with the module jsonschema; nil if there is none. Debian's own has it, another one in front of it may not.
  private static let pythonWithSchemas = ["python3", "/usr/bin/python3"].first {
    (try? runScript("\($0) -c 'import jsonschema'").status) == 0
  }

  @Test(
    "the JSON Schema accepts the lines of patches, and no others",
    .enabled(if: pythonWithSchemas != nil, "needs the Python module jsonschema"))
  func jsonSchema() throws {
    let python = try #require(Self.pythonWithSchemas)
    try make("empty", "[]", "{}")
    for name in ["all-types", "links", "nested-mixed", "primary-keys"] {
      let patch = try run(
        "diff", "empty.realm", Golden.path("\(name).realm"), "--format", "patch", "-o", "\(name).p")
      #expect(patch.status == 1)
    }
    try makeConflicts()
    try folder.write(try patch(), to: "merge.p")
    let wrong = [
      #"{"class":"P"}"#, #"{"class":"P","new":{},"x":1}"#, #"{"counts":{"P":{"added":1}}}"#,
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":[]}"#,
      #"{"class":"P","new":[1]}"#,
    ]
    try folder.write(Array(wrong.joined(separator: "\n").utf8), to: "wrong.p")
    try folder.write(Array(Self.validator.utf8), to: "validate.py")
    let docs = packageFolder.appending(path: "docs").path
    let result = try runScript("\(python) -W ignore validate.py '\(docs)'", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first { $0.hasPrefix("wrong.p") } == "wrong.p 0 of 5")
    #expect(lines.count == 6)
    for line in lines where !line.hasPrefix("wrong.p") {
      let numbers = line.split(separator: " ")
      #expect(numbers[1] == numbers[3] && numbers[1] != "0", "\(line)")
    }
  }

  /// Prints how many lines of each patch are valid.
  private static let validator = """
    import glob, json, sys
    import jsonschema
    docs = sys.argv[1]
    schema = json.load(open(docs + '/patch.schema.json'))
    base = json.load(open(docs + '/realm-json.schema.json'))
    resolver = jsonschema.RefResolver('file://' + docs + '/patch.schema.json', schema)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    for path in sorted(glob.glob('*.p')):
        lines = [json.loads(line) for line in open(path, encoding='utf-8')]
        print(path, sum(validator.is_valid(line) for line in lines), 'of', len(lines))
    """
}
