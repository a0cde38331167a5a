import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite("Table of rules")
struct RuleTableTests {
  /// The lists of seeded defects by file.
  private static let lists = [
    "SpaceDefects": spaceDefects, "SchemaDefects": schemaDefects, "TreeDefects": treeDefects,
    "LeafDefects": leafDefects, "ValueDefects": valueDefects, "LinkDefects": linkDefects,
    "IndexDefects": indexDefects,
  ]

  /// Tests of single checks, which expect the rules by name.
  private static let unitTests = [
    "Tests/VerifyTests/Defects/SeededDefectsTests", "Tests/VerifyTests/History/HistoryCheckTests",
    "Tests/VerifyTests/Formats/OlderFormatTests",
  ]

  /// The file with the defect that breaks `rule`; nil for none.
  private func test(of rule: Rule) throws -> String? {
    if let list = RuleTableTests.lists.first(where: { $0.value.contains { $0.rule == rule } }) {
      return list.key
    }
    return try RuleTableTests.unitTests.first { path in
      let url = packageFolder.appending(path: path + ".swift")
      return try String(contentsOf: url, encoding: .utf8).contains("\"\(rule.rawValue)\"")
    }?.split(separator: "/").last.map(String.init)
  }

  @Test("docs/verify.md has every rule, and says which test breaks it")
  func docs() throws {
    let url = packageFolder.appending(path: "docs/verify.md")
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    let documented = lines.filter { $0.hasPrefix("| `") && !$0.hasPrefix("| `--") }.map(String.init)
    let expected = try Rule.allCases.map { rule in
      let row = rule.row
      let name = try test(of: rule)
      let sentence = row.sentence + (row.exception.map { " (\($0))" } ?? "")
      return "| `\(rule.rawValue)` | \(row.severity.rawValue) | \(sentence) | \(row.source) | "
        + "\(try #require(name, "no test breaks \(rule.rawValue)")) |"
    }
    for (documented, expected) in zip(documented, expected) { #expect(documented == expected) }
    #expect(documented.count == expected.count)
  }

  @Test("every rule in the sources is in the table, as an error")
  func sources() throws {
    let folder = packageFolder.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    let pattern = /damaged\(\s*\.([a-z][A-Za-z0-9]+)\s*[,)]/
    var named: Set<String> = []
    for case let file as String in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      named.formUnion(text.matches(of: pattern).map { String($0.1) })
    }
    #expect(named.count > 40)
    // Unreadable data is never only a warning.
    for rule in Rule.allCases where named.remove("\(rule)") != nil {
      #expect(rule.row.severity == .error, "\(rule)")
    }
    #expect(named.isEmpty, "no rules: \(named)")
  }
}
