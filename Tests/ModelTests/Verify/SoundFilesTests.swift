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

  @Test("public realms break no rule")
  func corpus() throws {
    guard let corpusFolder else {
      print("no corpus: skipped")
      return
    }
    let files = FileManager.default.enumerator(at: corpusFolder, includingPropertiesForKeys: nil)
    var checked = 0
    for case let url as URL in files ?? .init() where url.path.contains(".realm") {
      guard !url.path.contains("_4_"), let found = try? modelFindings(path: url.path) else {
        continue
      }
      checked += 1
      let errors = found.list.filter { $0.severity == .error }
      #expect(errors.map(line) == [], "\(url.lastPathComponent)")
    }
    #expect(checked > 50)
  }
}
