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
    let defects = try modelDefects(path: Golden.path("\(name).realm"), key: key)
    #expect(defects.filter { severity($0) != .warning }.map(line) == [])
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
      guard !url.path.contains("_4_"), let defects = try? modelDefects(path: url.path) else {
        continue
      }
      checked += 1
      for defect in defects { print(url.lastPathComponent, line(defect)) }
      let errors = defects.filter { severity($0) == .error || severity($0) == nil }
      #expect(errors.map(line) == [], "\(url.lastPathComponent)")
    }
    #expect(checked > 50)
  }
}
