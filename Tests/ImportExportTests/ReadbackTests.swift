import Foundation
import TestSupport
import Testing

/// Programs in Python read exported databases back, and compare each value with the same realm in Realm JSON. They share
/// no code with the exporter (`Tests/Readback`).
@Suite(
  "Databases read back by other programs",
  .enabled(if: Programs.isInstalled("python3"), "needs python3"))
struct ReadbackTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let programs = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Readback").path

  /// `REALM_READBACK=all` reads all realms in every form, not some of those of the lived ones.
  private static let readsAll = ProcessInfo.processInfo.environment["REALM_READBACK"] == "all"

  private static let hasSQLAlchemy =
    Programs.isInstalled("python3")
    && (try? Programs.run(
      "python3",
      ["-c", "import sys, sqlalchemy; sys.exit(not sqlalchemy.__version__.startswith('2'))"]
    ).status) == 0

  /// Two of old formats, in whose tables links are object keys.
  private static let legacy = [
    ("contacts.realm", HandBuiltLegacy.contacts()),
    ("linked-duplicates.realm", HandBuiltLegacy.linkedDuplicates()),
  ]

  private static let golden = Golden.names.filter { !$0.contains("encrypted") }
    .map { Golden.path("\($0).realm") }

  private static let lived = Lived.names.map { Lived.path("\($0).realm") }

  /// Each realm in Realm JSON, by its name: all tests compare with it.
  private static let documents = Result {
    let folder = try TemporaryFolder()
    let realms = try legacy.map { try folder.write($0.1, to: $0.0) } + golden + lived
    return try Dictionary(
      uniqueKeysWithValues: realms.map { realm in
        let result = try runTool("export", "--format", "ndjson", "-q", realm)
        try #require(result.status == 0, "\(realm): \(result.stderr)")
        return (name(realm), result.stdout)
      })
  }

  private static func name(_ realm: String) -> String {
    URL(filePath: realm).deletingPathExtension().lastPathComponent
  }

  /// Paths of golden and lived realms without a key, and of those of old formats.
  ///
  /// - Parameter stride: takes each lived realm whose position is a multiple of it.
  private func realms(stride: Int) throws -> [String] {
    let lived = ReadbackTests.lived.enumerated().filter {
      ReadbackTests.readsAll || $0.offset % stride == 0
    }
    return try ReadbackTests.legacy.map { try folder.write($0.1, to: $0.0) }
      + ReadbackTests.golden + lived.map(\.element)
  }

  /// Writes each realm as `NAME.ndjson`, and what `commands` say, into the folder.
  private func write(_ realms: [String], _ commands: [(ending: String, arguments: [String])]) throws
  {
    let documents = try ReadbackTests.documents.get()
    for realm in realms {
      let name = ReadbackTests.name(realm)
      _ = try folder.write(documents[name]!, to: "\(name).ndjson")
      for (ending, arguments) in commands {
        let result = try runTool(
          arguments + ["-q", realm, "-o", "\(name).\(ending)"], folder: folder.url)
        #expect(result.status == 0, "\(realm): \(result.stderr)")
      }
    }
  }

  private func readBack(_ arguments: [String], with wrapper: [String] = []) throws {
    let command =
      wrapper + ["python3", "\(ReadbackTests.programs)/readback.py"] + arguments
      + [folder.url.path]
    let (status, output) = try Programs.run(command[0], Array(command.dropFirst()))
    #expect(status == 0, "\(output)")
  }

  @Test(
    "SQLite has all values, in each form of dates and ids",
    arguments: [("iso", "text", 1), ("unix-ms", "blob", 8), ("unix", "text", 8)])
  func sqlite(dates: String, ids: String, stride: Int) throws {
    let options = ["--dates", dates, "--ids", ids]
    try write(realms(stride: stride), [("sqlite", ["export", "--format", "sqlite"] + options)])
    try readBack(["sqlite"] + options)
  }

  @Test(
    "SQLAlchemy reads all values through the printed classes",
    .enabled(if: ReadbackTests.hasSQLAlchemy, "needs SQLAlchemy 2"),
    arguments: [("iso", "text"), ("unix-ms", "blob"), ("unix", "text")])
  func sqlalchemy(dates: String, ids: String) throws {
    let options = ["--dates", dates, "--ids", ids]
    try write(
      realms(stride: 8),
      [
        ("sqlite", ["export", "--format", "sqlite"] + options),
        ("py", ["schema", "show", "--format", "sqlalchemy"] + options),
      ])
    try readBack(["sqlalchemy"] + options)
  }

  @Test(
    "Room finds the tables of its printed entities, with all values",
    arguments: [("iso", "blob", 1), ("unix-ms", "text", 8)])
  func room(dates: String, ids: String, stride: Int) throws {
    let options = ["--dates", dates, "--ids", ids, "--for", "room"]
    try write(
      realms(stride: stride),
      [
        ("sqlite", ["export", "--format", "sqlite"] + options),
        ("kt", ["schema", "show", "--format", "room"] + options),
      ])
    try readBack(["room"])
    try readBack(["sqlite"] + options)
  }

  @Test(
    "PostgreSQL loads the script, and has all values",
    .enabled(if: PostgresServer.isInstalled, "needs PostgreSQL: initdb and psql"))
  func postgres() throws {
    try write(
      realms(stride: 8), [("sql", ["export", "--format", "postgres", "--allow-data-loss"])])
    try readBack(["postgres"], with: ["\(ReadbackTests.programs)/with-postgres"])
  }
}
