import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite("Checks of sound files")
struct SoundFilesTests {
  @Test("the reference's own files break no rule", arguments: Golden.names)
  func golden(name: String) throws {
    let key =
      name == "people-encrypted"
      ? try RealmKey(bytes: [UInt8](Data(contentsOf: Golden.url("people-encrypted.key")))) : nil
    let findings = try modelFindings(path: Golden.path("\(name).realm"), key: key)
    #expect(findings.list.filter { $0.severity != .warning }.map(line) == [])
  }

  @Test(
    "public realms break no rule",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder)
    var checked = 0
    for repository in ["realm-core", "realm-js", "realm-swift"] {
      let path = folder.appending(path: repository).path
      // Files with `_4_` in their name are from a test build with other sizes of nodes.
      for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      where name.contains(".realm") && !name.contains("_4_") {
        do {
          let errors = try modelFindings(path: path + "/" + name).list
            .filter { $0.severity == .error }
          #expect(errors.map(line) == [], "\(name)")
          checked += 1
        } catch let error as RealmFileError {
          // Of an old format, encrypted, or no realm.
          switch error.kind {
          case .keyMissing, .oldFormat, .notARealm, .empty, .truncated: continue
          default: Issue.record("\(name): \(error)")
          }
        }
      }
    }
    #expect(checked > 50)
  }
}
