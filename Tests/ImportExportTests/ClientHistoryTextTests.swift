import Foundation
import RealmInterchange
import RealmStorage
import TestSupport
import Testing

/// The output of `info --history` for every client file: another program worked out `Tests/Fixtures/histories` from
/// the bytes, with chapter 4 of the file format only.
@Suite("realm-cli info --history: all client files")
struct ClientHistoryTextTests {
  /// The expected output for a realm, named by repository and file: `realm-core__test__books.realm@ca401e28.txt`.
  struct Text: CustomTestStringConvertible, Sendable {
    private static let folder = packageFolder.appending(path: "Tests/Fixtures/histories")

    let testDescription: String

    static let all: [Text] = {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return files.sorted().filter { $0.hasSuffix(".txt") }.map {
        Text(testDescription: String($0.dropLast(".txt".count)))
      }
    }()
    static let golden = all.filter { $0.isGolden }
    static let published = all.filter { !$0.isGolden }

    var isGolden: Bool { testDescription.hasPrefix("golden__") }

    /// The facts for people, line by line, and those for scripts.
    func read() throws -> (lines: [String], members: JSONValue) {
      let url = Text.folder.appending(path: testDescription + ".txt")
      let parts = try String(contentsOf: url, encoding: .utf8).split(separator: "\n\n")
      try #require(parts.count == 2)
      return (
        parts[0].split(separator: "\n").map(String.init), try JSONParser.parse(Array(parts[1].utf8))
      )
    }

    /// The path of the realm.
    func realm() throws -> String {
      let name = try #require(testDescription.range(of: "__"))
      let (folder, file) = (
        testDescription[..<name.lowerBound], testDescription[name.upperBound...]
      )
      return isGolden
        ? Golden.path(String(file))
        : try #require(corpusFolder).appending(path: "\(folder)/\(file)").path
    }
  }

  private func check(_ text: Text) throws {
    let (path, expected) = (try text.realm(), try text.read())
    let lines = try runTool("info", "--history", path).text.split(separator: "\n").map(String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("  history ") })
    let end = try #require(lines.firstIndex { $0.hasPrefix("  in use ") })
    #expect(lines[first..<end].elementsEqual(expected.lines))
    let report = try JSONParser.parse(runTool("info", "--history", "--json", path).stdout)
    for member in ["history", "sync"] {
      let facts = try #require(expected.members[member])
      #expect(report[member]?.text == facts.text, "\(member)")
    }
  }

  @Test("golden realms", arguments: Text.golden)
  func golden(text: Text) throws { try check(text) }

  @Test(
    "public realms", .enabled(if: corpusFolder != nil, "the corpus is not beside the package"),
    arguments: Text.published)
  func published(text: Text) throws { try check(text) }

  @Test("each golden realm with the history of a client has an expected output")
  func allGolden() throws {
    let names = Golden.names.filter { $0 != "people-encrypted" }
    let clients = try names.filter {
      try Snapshot(path: Golden.path("\($0).realm")).top.historyType == 3
    }
    #expect(clients.map { "golden__\($0).realm" }.sorted() == Text.golden.map(\.testDescription))
    #expect(clients.count == 11)
    let lived = try Lived.names.filter {
      try Snapshot(path: Lived.path("\($0).realm")).top.historyType == 3
    }
    #expect(lived == [])
  }

  @Test(
    "each public realm with the history of a client has an expected output",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func allPublished() throws {
    let corpus = try #require(corpusFolder)
    var clients: [String] = []
    for folder in ["generated", "realm-core", "realm-js", "realm-swift"] {
      let path = corpus.appending(path: folder).path
      for file in try FileManager.default.contentsOfDirectory(atPath: path) {
        do throws(RealmFileError) {
          let snapshot = try Snapshot(path: "\(path)/\(file)")
          if snapshot.top.historyType == 3 { clients.append("\(folder)__\(file)") }
        } catch {
          // An encrypted realm without its key, or a file that is not a realm.
          switch error.kind {
          case .keyMissing, .oldFormat, .notARealm, .empty, .truncated: continue
          default: Issue.record("\(file): \(error)")
          }
        }
      }
    }
    #expect(clients.sorted() == Text.published.map(\.testDescription))
    #expect(clients.count == 17)
  }
}
