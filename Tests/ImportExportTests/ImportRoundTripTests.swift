import Foundation
import TestSupport
import Testing

/// An export of a realm and the export of its import are the same.
@Suite("Export, import, export")
struct ImportRoundTripTests {
  /// Exports, imports and exports again. `runTool` verifies the realm that the import writes.
  ///
  /// - Returns: the folder with the result, `x.realm`.
  @discardableResult
  private func roundTrip(
    _ path: String, format: String, keys: [String] = []
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let first = try runTool(["export", "-q", "--format", format] + keys + [path])
    #expect(first.status == 0, "\(path): \(first.stderr)")
    try Data(first.stdout).write(to: folder.url.appending(path: "text"))
    let made = try runTool("import", "text", "-o", "x.realm", folder: folder.url)
    #expect(made.status == 0, "\(path): \(made.stderr)")
    let second = try runTool(["export", "-q", "--format", format, "x.realm"], folder: folder.url)
    #expect(second.stdout == first.stdout, "\(path) as \(format)")
    return folder
  }

  @Test("every golden realm", arguments: Golden.names, ["json", "ndjson"])
  func golden(name: String, format: String) throws {
    let key = Golden.path(name + ".key")
    let keys = FileManager.default.fileExists(atPath: key) ? ["--key-file", key] : []
    try roundTrip(Golden.path(name + ".realm"), format: format, keys: keys)
  }

  /// The two formats differ only in how they arrange the objects, so realm after realm takes turns.
  private func turn(_ index: Int) -> String { index.isMultiple(of: 2) ? "json" : "ndjson" }

  @Test("every lived realm, in one of the formats")
  func lived() throws {
    for (i, name) in Lived.names.enumerated() {
      try roundTrip(Lived.path(name + ".realm"), format: turn(i))
    }
  }

  /// The largest realm of the corpus that the test takes, in bytes.
  private static let corpusByteLimit = 16_384

  /// The lines of the classes with objects in the reference's export of a realm, which has a line for each table.
  private func classes(_ path: String) throws -> [String] {
    let text = try runTool("export", "-q", "--format", "core-xjson-plus", path)
    let facts = try JSONSerialization.jsonObject(
      with: Data(try runTool("info", "--json", path).stdout))
    let classes = (facts as? [String: Any])?["classes"] as? [[String: Any]] ?? []
    let names = Set(classes.compactMap { $0["name"] as? String })
    return text.text.split(separator: "\n").compactMap { line in
      let member = line.hasPrefix(",") ? line.dropFirst() : line
      let name = member.dropFirst().prefix { $0 != "\"" }
      return names.contains(String(name)) ? String(member) : nil
    }
  }

  @Test(
    "every small realm of the corpus of format 10 or later without errors",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let root = try #require(corpusFolder)
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
      .filter { $0.contains(".realm@") }.map { root.appending(path: $0).path }
    var count = 0
    for path in files {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      guard (size ?? .max) <= Self.corpusByteLimit else { continue }
      // Some are encrypted, damaged or older.
      let info = try runTool("info", "--json", path)
      guard info.status == 0,
        let facts = try JSONSerialization.jsonObject(with: Data(info.stdout)) as? [String: Any],
        let format = facts["fileFormat"] as? Int, format >= 10,
        try runTool("verify", "-q", path).status == 0
      else { continue }
      let folder = try roundTrip(path, format: turn(count))
      count += 1
      #expect(try classes(folder.path("x.realm")) == classes(path), "\(path)")
    }
    #expect(count > 20)
  }

  @Test("the result is the same for any number of threads")
  func threads() throws {
    let folder = try TemporaryFolder()
    let text = try runTool(
      "export", "--format", "ndjson", Golden.path("people.realm")
    ).stdout
    let realms = try ["1", "3"].map { jobs in
      let result = try runTool(
        "import", "-", "-o", "\(jobs).realm", "--jobs", jobs, stdin: text, folder: folder.url)
      #expect(result.status == 0)
      return try Data(contentsOf: folder.url.appending(path: "\(jobs).realm"))
    }
    #expect(realms[0] == realms[1])
  }
}
