import Foundation
import RealmBackup
import Testing

@Suite("The manifest of a backup")
struct BackupManifestTests {
  private func read(_ text: String) throws -> [BackupManifest.Verification] {
    try JSONDecoder().decode([BackupManifest.Verification].self, from: Data(text.utf8))
  }

  @Test("the state of verification is true, false or a word")
  func verification() throws {
    #expect(try read(#"[true,false,"skipped"]"#) == [.done, .notPossible, .skipped])
  }

  @Test(
    "anything else is an error",
    arguments: [#"["true"]"#, "[1]", "[null]", "[[true]]", "[{}]"])
  func wrong(text: String) {
    #expect(throws: DecodingError.self) { try read(text) }
  }
}
