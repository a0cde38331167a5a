import Foundation
import RealmInterchange
import RealmStorage
import TestSupport
import Testing

@Suite("Runs that are killed")
struct KilledRunTests {
  let folder: TemporaryFolder
  /// For files outside the folder of the realm.
  let elsewhere: TemporaryFolder
  let path: String

  init() throws {
    (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
    path = folder.path("a.realm")
  }

  /// A command that is killed, and the file that it writes.
  struct Run: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    let output: String
    var testDescription: String { name }
  }

  /// `@` is the folder of the realm, `%` another one.
  static let runs = [
    Run(name: "compact", arguments: ["compact", "@/a.realm", "--in-place"], output: "a.realm"),
    Run(
      name: "encrypt",
      arguments: ["encrypt", "@/a.realm", "--in-place", "--new-key-file", "%/new.key"],
      output: "a.realm"),
    Run(
      name: "migrate", arguments: ["migrate", "@/a.realm", "--in-place", "--plan", "%/plan.yml"],
      output: "a.realm"),
    Run(
      name: "import", arguments: ["import", "%/people.json", "-o", "@/b.realm", "--force"],
      output: "b.realm"),
  ]

  private func prepare() throws {
    let key = try elsewhere.write([UInt8](0..<64), to: "new.key")
    #expect(unsafe chmod(key, 0o600) == 0)
    let plan = """
      realm-migration: 1
      versions:
      - to: 900
        steps:
        - add-property: {class: Person, name: shout, type: string, value: upper(lastName)}

      """
    try elsewhere.write(Array(plan.utf8), to: "plan.yml")
    let export = try runTool(
      "export", Golden.path("people.realm"), "-o", elsewhere.path("people.json"))
    #expect(export.status == 0)
  }

  private func start(_ run: Run) throws -> Process {
    let process = Process()
    process.executableURL = toolURL
    process.arguments =
      run.arguments.map {
        $0.replacing("@", with: folder.url.path).replacing("%", with: elsewhere.url.path)
      } + ["-q"]
    process.standardOutput = Pipe()
    try process.run()
    return process
  }

  /// The system cannot replace a file by one without a name. So a file that is complete has a temporary name between two
  /// system calls, which a kill hits perhaps once in a thousand runs.
  @Test(
    "after a kill at any moment, only the realm and its lock file are there, and the realm has no errors",
    arguments: runs)
  func killed(run: Run) throws {
    try prepare()
    let original = try Golden.bytes("people.realm")
    try folder.write(original, to: "a.realm")
    let begin = ContinuousClock.now
    let whole = try start(run)
    whole.waitUntilExit()
    #expect(whole.terminationStatus == 0)
    let duration = begin.duration(to: .now) / .microseconds(1)
    let known: Set = ["a.realm", "a.realm.lock", run.output, run.output + ".lock"]
    let isNew = run.output != "a.realm"
    let kills = ProcessInfo.processInfo.environment["REALM_KILLS"].flatMap(Int.init) ?? 10
    var random = SplitMix64(seed: 8)
    var hits = 0
    for kill in 0..<kills {
      try folder.write(original, to: "a.realm")
      // Every other time, the new file replaces one.
      if isNew, kill % 2 == 0 {
        try? FileManager.default.removeItem(atPath: folder.path(run.output))
      }
      let process = try start(run)
      usleep(UInt32(duration * (Double(kill) + .random(in: 0..<1, using: &random)) / Double(kills)))
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      for name in try folder.names() where !known.contains(name) {
        if isLinux { hits += 1 }
        #expect(name.wholeMatch(of: #/\.realm-cli-\d+-[0-9a-z]+-[ab]\.realm/#) != nil)
        try FileManager.default.removeItem(atPath: folder.path(name))
      }
      guard let bytes = try? readFile(folder.path(run.output)) else {
        #expect(isNew, "kill \(kill)")
        continue
      }
      if bytes == original { continue }
      let keys = run.name == "encrypt" ? ["--key-file", elsewhere.path("new.key")] : []
      let found = try runTool(["verify", folder.path(run.output)] + keys)
      #expect(found.status == 0, "kill \(kill)")
    }
    #expect(hits <= 1)
  }

  @Test("what is left of a killed run is removed by the next run that writes to the folder")
  func next() throws {
    try prepare()
    try folder.copyGolden("people.realm", as: "a.realm")
    try folder.write([1], to: ".realm-cli-12-abc-a.realm")
    let live = ".realm-cli-12-abd-a.realm"
    do {
      let held = HeldLock(folder.path(live), LOCK_EX)
      defer { withExtendedLifetime(held) {} }
      #expect(try runTool("compact", path, "--in-place").status == 0)
      #expect(try folder.names() == [live, "a.realm", "a.realm.lock"])
    }
    let dry = try runTool("delete-files", path, "--dry-run")
    #expect(
      dry.text.contains(
        "would be deleted  \(folder.path(live))  unfinished output of a run of realm-cli that was killed\n"
      ), "\(dry.text)")
    let json = try runTool("delete-files", path, "--json").text
    let reason = "unfinished output of a run of realm-cli that was killed"
    #expect(
      json.contains(
        #"{"action":"deleted","path":"\#(folder.path(live))","reason":"\#(reason)"}"#), "\(json)")
    #expect(try folder.names() == ["a.realm", "a.realm.lock"])
  }

  /// SQLite opens files by path, so an unfinished database has a temporary name.
  @Test("what is left of a killed export to a database is removed by the next export")
  func database() throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    let tool = try RunningTool(
      "realm-cli", ["export", path, "--format", "sqlite", "-o", folder.path("x.sqlite")])
    while tool.isRunning, try folder.names().count < 2 { usleep(100) }
    tool.send(SIGKILL)
    _ = tool.end()
    let left = try folder.names().filter { $0 != "a.realm" && $0 != "x.sqlite" }
    #expect(left.count <= 1 && left.allSatisfy { $0.hasPrefix(".realm-cli-") })
    let again = try runTool(
      "export", path, "--format", "sqlite", "-o", folder.path("x.sqlite"), "--force")
    #expect(again.status == 0)
    #expect(try folder.names() == ["a.realm", "x.sqlite"])
  }
}
