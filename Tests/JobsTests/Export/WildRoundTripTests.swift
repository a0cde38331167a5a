import Foundation
import RealmInterchange
import TestJobs
import TestSupport
import Testing

@Suite(
  "Round trips of strangers' realms",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct WildRoundTripTests {
  /// Its 14 MB of JSON have white space between two elements at an edge of a block.
  @Test("a large document is imported, and exported again byte for byte")
  func document() throws {
    let realm = try #require(corpusFolder).appending(path: "wild/pokedex-format2.realm").path
    guard FileManager.default.fileExists(atPath: realm) else { return }
    let folder = try TemporaryFolder()
    let text = try export(realm, as: .json, jobs: 2).bytes
    #expect(text.count > 14_000_000)
    let imported = try folder.importRealm(String(decoding: text, as: UTF8.self))
    #expect(try export(imported, as: .json, jobs: 2).bytes == text)
  }
}
