import Foundation
import TestSupport
import Testing

/// Imports files of other programs, and exports the realm.
struct ForeignImport {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes `text` into the file `name`.
  @discardableResult
  func write(_ text: String, to name: String) throws -> ForeignImport {
    try folder.write(Array(text.utf8), to: name)
    return self
  }

  /// Runs `import`, and exports the realm, which `runTool` verifies, as lines without the head and the counts.
  func objects(_ arguments: String...) throws -> [String] {
    let result = try runTool(
      ["import", "-o", "x.realm", "--force"] + arguments, folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    let text = try runTool("export", "--format", "ndjson", "x.realm", folder: folder.url).text
    return text.split(separator: "\n").dropFirst().dropLast().map(String.init)
  }

  /// The inferred schema: the members of the array of classes, without commas between them.
  func schema(_ arguments: String...) throws -> [String] {
    let result = try runTool(["import", "--infer-only"] + arguments, folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    return result.text.split(separator: "\n").dropFirst().dropLast()
      .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
  }

  /// The first line of the error of a failing `import`.
  func failure(_ arguments: String...) throws -> String {
    let before = try folder.contents()
    let result = try runTool(["import", "-o", "x.realm"] + arguments, folder: folder.url)
    #expect(result.status == 65, "\(result.stderr)")
    var after = try folder.contents()
    for name in after.keys where name.hasSuffix(".lock") { after[name] = nil }
    #expect(Set(after.keys) == Set(before.keys))
    return result.stderr.split(separator: "\n").first.map(String.init) ?? ""
  }
}
