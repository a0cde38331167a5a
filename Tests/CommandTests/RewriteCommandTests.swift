import Foundation
import RealmInterchange
import RealmStorage
import TestSupport
import Testing

@Suite("Commands that rewrite realms")
struct RewriteCommandTests {
  let folder: TemporaryFolder
  /// For files outside the folder of the realm.
  let elsewhere: TemporaryFolder
  let path: String

  init() throws {
    (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
    path = try folder.write(try Golden.bytes("people.realm"), to: "a.realm")
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.url.appending(path: name)))
  }

  private func export(_ path: String, _ arguments: String...) throws -> [UInt8] {
    try runTool(["export", path, "--format", "core-xjson-plus"] + arguments).stdout
  }

  private var names: [String] {
    (try? folder.names()) ?? []
  }

  @Test("compact reports the sizes, as text and as JSON")
  func compact() throws {
    let out = folder.path("out.realm")
    let text = try runTool("compact", path, "-o", out)
    #expect(text.status == 0)
    #expect(text.text.hasPrefix("\(path): compacted as \(out), "))
    let json = try runTool("compact", path, "-o", out, "--force", "--json")
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(json.stdout)) as? [String: Any])
    #expect(
      Set(report.keys) == [
        "path", "output", "bytesBefore", "bytesAfter", "backup", "dryRun", "size", "used",
        "skipped", "formatBefore", "formatAfter", "opensWith",
      ])
    #expect(try export(out) == Golden.bytes("people.core-xjson-plus.json"))
  }

  /// The other top ref becomes the live one by bit 0 of the flags, byte 23 of the header.
  @Test(
    "--previous makes a realm from the commit before the newest one",
    arguments: [["compact"], ["copy"], ["convert", "--to", "local"]],
    ["people.realm", "churned.realm"])
  func previous(command: [String], name: String) throws {
    var flipped = try Golden.bytes(name)
    flipped[23] ^= 1
    let before = try export(folder.write(flipped, to: "flipped.realm"))
    let out = folder.path("out.realm")
    let result = try runTool(command + [Golden.path(name), "--previous", "-o", out])
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try export(out) == before)
    #expect(try export(Golden.path(name)) != before)
    #expect(try runTool("verify", out, "--strict").status == 0)
  }

  @Test("--previous rescues a realm whose newest commit is damaged, also with another key")
  func rescue() throws {
    var damaged = try Golden.bytes("people.realm")
    // The ref in the live slot of the header.
    let live = Int(damaged[23] & 1) * 8
    damaged.replaceSubrange(live..<(live + 8), with: [8, 0, 0, 0, 0, 0, 0, 0])
    let path = try folder.write(damaged, to: "damaged.realm")
    #expect(try runTool("copy", path, "-o", folder.path("copy.realm")).status == 65)
    #expect(try runTool("keygen", "-o", folder.path("k")).status == 0)
    let (locked, plain) = (folder.path("locked.realm"), folder.path("plain.realm"))
    let encrypted = try runTool(
      "encrypt", path, "--previous", "--new-key-file", folder.path("k"), "-o", locked)
    #expect(encrypted.status == 0, "\(encrypted.stderr)")
    #expect(
      try runTool("decrypt", locked, "--key-file", folder.path("k"), "-o", plain).status == 0)
    var flipped = try Golden.bytes("people.realm")
    flipped[23] ^= 1
    #expect(try export(plain) == export(folder.write(flipped, to: "flipped.realm")))
    let refused = try runTool("compact", path, "--previous", "--in-place")
    #expect(refused.status == 64)
    #expect(refused.stderr.contains("--previous needs -o"))
    #expect(try bytes("damaged.realm") == damaged)
  }

  @Test("the output is never overwritten, never the source, never in use")
  func destinations() throws {
    try folder.write([1], to: "b.realm")
    #expect(try runTool("compact", path, "-o", folder.path("b.realm")).status == 73)
    #expect(try runTool("compact", path, "-o", path, "--force").status == 64)
    #expect(try runTool("compact", path).status == 64)
    #expect(try runTool("compact", path, "-o", "x", "--in-place").status == 64)
    let held = HeldLock(folder.path("b.realm.lock"), LOCK_SH)
    try withExtendedLifetime(held) {
      let result = try runTool("compact", path, "-o", folder.path("b.realm"), "--force")
      #expect(result.status == 75)
      #expect(result.stderr.contains("in use"))
    }
    #expect(try bytes("b.realm") == [1])
    #expect(try runTool("compact", path, "-o", folder.path("none/c.realm")).status == 73)
  }

  @Test("a rewrite in place keeps the permissions and the link, and the original on request")
  func inPlace() throws {
    #expect(unsafe chmod(path, 0o640) == 0)
    let link = folder.path("link.realm")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.realm")
    let result = try runTool("compact", link, "--in-place", "--backup")
    #expect(result.status == 0, "\(result.stderr)")
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a.realm")
    #expect(try bytes("link.before-compact.realm") == Golden.bytes("people.realm"))
    #expect(try export(path) == Golden.bytes("people.core-xjson-plus.json"))
  }

  @Test("several realms go to a folder; one bad file does not stop the others")
  func many() throws {
    try folder.write(try Golden.bytes("links.realm"), to: "in/b.realm")
    try folder.write(realmBytes(top: 8000), to: "in/c.realm")
    try folder.write(try Golden.bytes("people.realm"), to: "in/d.realm")
    try FileManager.default.createDirectory(
      atPath: folder.path("out"), withIntermediateDirectories: false)
    let result = try runTool(
      "compact", folder.path("in"), "-o", folder.path("out"), "--json", "--jobs", "2")
    #expect(result.status == 65)
    #expect(result.text.split(separator: "\n").count == 3)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() == [
        "b.realm", "d.realm",
      ])
    #expect(
      try runTool("compact", folder.path("in"), path, "-o", folder.path("out/x")).status == 64)
  }

  @Test("a condition that does not hold skips the realm, without an error")
  func skipped() throws {
    let result = try runTool(
      "compact", path, "--in-place", "--if-size-over", "1GB", "--if-used-below", "50%", "--json")
    #expect(result.status == 0)
    #expect(result.text.contains(#""skipped":true"#))
    #expect(names == ["a.realm"])
    #expect(try runTool("compact", path, "--in-place", "--if-size-over", "x").status == 64)
  }

  @Test("keys: made, used, changed, wrong")
  func keys() throws {
    let (first, second) = (folder.path("first"), folder.path("second"))
    #expect(try runTool("keygen", "-o", first).status == 0)
    #expect(try runTool("keygen", "-o", first).status == 73)
    #expect(try runTool("keygen", "-o", second).status == 0)
    #expect(try bytes("first").count == 64)
    #expect(try bytes("first") != bytes("second"))
    let attributes = try FileManager.default.attributesOfItem(atPath: first)
    #expect(attributes[.posixPermissions] as? Int == 0o600)

    #expect(try runTool("encrypt", path, "--new-key-file", first, "--in-place").status == 0)
    #expect(try runTool("decrypt", path, "--key-file", second, "--in-place").status == 77)
    #expect(
      try runTool("rekey", path, "--key-file", first, "--new-key-file", second, "--in-place")
        .status == 0)
    #expect(
      try export(path, "--key-file", second) == Golden.bytes("people.core-xjson-plus.json"))
    let plain = folder.path("plain.realm")
    #expect(try runTool("decrypt", path, "--key-file", second, "-o", plain).status == 0)
    #expect(try export(plain) == Golden.bytes("people.core-xjson-plus.json"))
    let encrypted = try runTool(
      "encrypt", path, "--key-file", second, "--new-key-file", first, "--in-place")
    #expect(encrypted.status == 69)
  }

  @Test("convert reports what an app must know")
  func convert() throws {
    let out = folder.path("out.realm")
    let result = try runTool(
      "convert", Golden.path("tasks-synced.realm"), "--to", "local", "-o", out)
    #expect(result.status == 0)
    #expect(result.stderr.contains("not uploaded"))
    #expect(
      try export(out) == Golden.bytes("tasks-synced-to-local.core-xjson-plus.json"))
  }

  @Test("copy reports the changes of a synced realm that are not uploaded")
  func copy() throws {
    let out = folder.path("out.realm")
    #expect(try runTool("copy", path, "-o", out).status == 0)
    #expect(try export(out) == Golden.bytes("people.core-xjson-plus.json"))
    let path = Golden.path("tasks-synced.realm")
    let refused = try runTool("copy", path, "-o", folder.path("s"))
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("2 changesets would never be uploaded from the copy"))
    #expect(refused.stderr.contains("(QsTask: 3 created, 0 updated, 0 deleted)"))
    let copied = try runTool("copy", path, "-o", folder.path("s"), "--discard-unsynced")
    #expect(copied.status == 0)
    #expect(copied.text.contains("    QsTask: 3 created, 0 updated, 0 deleted\n"))
    #expect(copied.text.contains("    4 changes of the schema\n"))
    let json = try runTool(
      "copy", path, "-o", folder.path("s"), "--discard-unsynced", "--force", "--json")
    #expect(try JSONParser.parse(json.stdout)["complete"]?.bool == true)
    #expect(try JSONParser.parse(json.stdout)["undecoded"]?.array?.isEmpty == true)
    #expect(try JSONParser.parse(json.stdout)["discarded"]?[0]?["created"]?.int == 3)
  }

  @Test("convert --to synced reports what will be uploaded, or all obstacles")
  func convertToSynced() throws {
    let (source, out) = (Golden.path("tasks-local.realm"), folder.path("out.realm"))
    let result = try runTool("convert", source, "--to", "synced", "-o", out)
    #expect(result.status == 0)
    #expect(result.text.contains("to be uploaded: 3 objects in 2 changesets"))
    #expect(result.stderr.contains("objects on the server with the same _id will be overwritten"))
    let json = try runTool(
      "convert", source, "--to", "synced", "-o", out, "--force", "--json", "-q")
    #expect(try JSONParser.parse(json.stdout)["objects"]?.int == 3)
    let obstacles = try runTool(
      "convert", Lived.path("life-5011.realm"), "--to", "synced", "-o", folder.path("x"))
    #expect(obstacles.status == 69)
    #expect(obstacles.stderr.contains("class T0.id: the primary key is named id"))
    #expect(obstacles.stderr.contains("class T1.id: the primary key is named id"))
    #expect(obstacles.stderr.contains("hint: `realm-cli convert --to synced --add-primary-keys`"))
    #expect(
      try runTool("convert", source, "--to", "synced", "--flexible", "-o", folder.path("x")).status
        == 69)
    #expect(
      try runTool("convert", source, "--to", "synced", "--schema-version", "1", "-o", out).status
        == 64)
  }

  @Test("convert --add-primary-keys reports the classes, and warns that the app must follow")
  func addPrimaryKeys() throws {
    let (source, out) = (Lived.path("life-5011.realm"), folder.path("out.realm"))
    func convert(_ arguments: String...) throws -> ToolResult {
      try runTool(["convert", source, "--to", "synced", "--add-primary-keys"] + arguments)
    }
    let dry = try convert("-o", out, "--dry-run")
    #expect(dry.status == 0)
    #expect(dry.text.contains("  T0: the primary key id renamed to _id\n"))
    #expect(!names.contains("out.realm"))
    let result = try convert("-o", out)
    #expect(result.status == 0)
    #expect(result.text.contains("  T0: the primary key id renamed to _id\n"))
    #expect(
      result.stderr.contains(
        "the app's classes must follow the new schema: declare _id as the primary key of T0"))
    let json = try convert("-o", out, "--force", "--json", "-q")
    let first = try JSONParser.parse(json.stdout)["primaryKeys"]?[0]
    #expect(first?["class"]?.string == "T0")
    #expect(first?["change"]?.string == "renamed")
    #expect(first?["from"]?.string == "id")
    let people = try runTool(
      "convert", Golden.path("people.realm"), "--to", "synced", "--add-primary-keys", "-o", out,
      "--force")
    #expect(people.text.contains("  Counter: got the primary key _id of new ObjectIds\n"))
    let local = try runTool(
      "convert", source, "--to", "local", "--add-primary-keys", "-o", folder.path("x"))
    #expect(local.status == 64)
    #expect(local.stderr.contains("--add-primary-keys needs --to synced"))
  }

  @Test("delete-files lists each file with its reason")
  func deleteFiles() throws {
    try folder.write([], to: "a.realm.note")
    let result = try runTool("delete-files", path, "--json")
    #expect(result.status == 0)
    #expect(result.text.contains(#""action":"deleted""#))
    #expect(names == ["a.realm", "a.realm.lock"])
    #expect(try runTool("delete-files", path, "--all").status == 0)
    #expect(names == [])
    #expect(try runTool("delete-files", path).status == 66)
    #expect(try runTool("delete-files", path, "--if-exists").status == 0)
    #expect(names == [])
  }

  /// For the process, the limit on the size of files acts like a full disk.
  @Test("a full disk is an error, and leaves everything unchanged")
  func full() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "ulimit -f 16; trap '' XFSZ; exec \"$0\" compact \"$1\" --in-place --backup",
      toolURL.path, path,
    ]
    let error = Pipe()
    process.standardError = error
    try process.run()
    let text = String(
      decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 74, "\(text)")
    #expect(names == ["a.realm", "a.realm.lock"])
    #expect(try bytes("a.realm") == Golden.bytes("people.realm"))
  }

  /// A command that replaces `a.realm`.
  struct InPlaceCommand: CustomTestStringConvertible, Sendable {
    let arguments: [String]
    /// Steps of a migration plan.
    var steps: [String] = []

    var testDescription: String { ([arguments[0]] + steps).joined(separator: " ") }
  }

  static let inPlaceCommands = [
    InPlaceCommand(arguments: ["compact"]),
    // Two passes over the objects; the first writes to an unlinked file.
    InPlaceCommand(
      arguments: ["migrate", "--backup"],
      steps: [
        "add-property: {class: Person, name: shout, type: string, value: upper(lastName)}",
        "add-property: {class: Person, name: boss, type: 'string?', value: manager.shout}",
      ]),
    // A copy of the nodes.
    InPlaceCommand(
      arguments: ["migrate"], steps: ["rename-property: {class: Person, from: bio, to: life}"]),
  ]

  /// What a kill leaves in the folder is tested by `KilledRunTests`.
  @Test(
    "after a kill at any moment, the realm is the original or the complete result",
    arguments: inPlaceCommands)
  func killed(command: InPlaceCommand) throws {
    let original = try Golden.bytes("people.realm")
    var arguments = command.arguments + [path, "--in-place", "-q"]
    if !command.steps.isEmpty {
      let plan =
        "realm-migration: 1\nversions:\n- to: 900\n  steps:\n"
        + command.steps.map { "  - \($0)\n" }.joined()
      arguments += ["--plan", try elsewhere.write(Array(plan.utf8), to: "plan.yml")]
    }
    func start() throws -> Process {
      try folder.write(original, to: "a.realm")
      let process = Process()
      process.executableURL = toolURL
      process.arguments = arguments
      process.standardOutput = Pipe()
      try process.run()
      return process
    }
    let begin = ContinuousClock.now
    let whole = try start()
    whole.waitUntilExit()
    #expect(whole.terminationStatus == 0)
    let duration = begin.duration(to: .now) / .microseconds(1)
    let expected = try bytes("a.realm")
    #expect(expected != original)
    let backup = "a.before-\(command.arguments[0]).realm"
    let runs = ProcessInfo.processInfo.environment["REALM_REWRITE_KILLS"].flatMap(Int.init) ?? 12
    var random = SplitMix64(seed: 4)
    for run in 0..<runs {
      let process = try start()
      usleep(UInt32(Double.random(in: 0..<1.1 * duration, using: &random)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let found = try bytes("a.realm")
      guard found != original else { continue }
      #expect(found == expected, "run \(run)")
      if arguments.contains("--backup") { #expect(try bytes(backup) == original, "run \(run)") }
    }
    try folder.write(expected, to: "a.realm")
    #expect(try runTool("verify", path).status == 0)
    try start().waitUntilExit()
    let others = names.filter { !$0.hasPrefix("a.before-") }
    #expect(others == ["a.realm", "a.realm.lock"])
  }
}
