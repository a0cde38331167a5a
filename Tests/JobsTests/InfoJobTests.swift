import RealmJobs
import RealmStorage
import RealmSync
import TestSupport
import Testing

@Suite("Info job")
struct InfoJobTests {
  /// The counts come from the reference's export of the same file.
  @Test("reports format, schema version, history and the objects of each class")
  func people() throws {
    let report = try InfoJob(path: Golden.path("people.realm"), key: nil).run()
    #expect(report.fileFormat == 24)
    #expect(report.schemaVersion == 7)
    #expect(report.historyKind == .inRealm)
    #expect(!report.isEncrypted)
    #expect(report.classes.map(\.name) == ["Company", "Counter", "Person"])
    #expect(report.classes.map(\.objectCount) == [30, 5, 2851])
    #expect(report.auxiliaryFiles.isEmpty)
  }

  @Test("reports the same for an encrypted realm, with its key")
  func encrypted() throws {
    let key = try Golden.key("people-encrypted")
    let report = try InfoJob(path: Golden.path("people-encrypted.realm"), key: key).run()
    #expect(report.isEncrypted)
    #expect(report.classes.map(\.name) == ["Company", "Counter", "Person"])
  }
}
