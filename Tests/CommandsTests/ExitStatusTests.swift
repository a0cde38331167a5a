import Commands
import RealmBackup
import RealmJobs
import RealmModel
import RealmStorage
import Testing

@Suite("Exit status")
struct ExitStatusTests {
  private static let error = SystemError(5, "read the file")

  @Test(
    "each kind of error has the code of the contract",
    arguments: [
      (RealmFileError(.empty), "empty", 65), (RealmFileError(.notARealm), "notARealm", 65),
      (RealmFileError(.neverCommitted), "neverCommitted", 65),
      (RealmFileError(.truncated(missingBytes: nil)), "truncated", 65),
      (RealmFileError(.damagedHeader("x")), "damagedHeader", 65),
      (RealmFileError(.damaged(.nodeBounds)), "damaged", 65),
      (RealmFileError(.damagedPage(1)), "damagedPage", 65),
      (RealmFileError(.wrongKey), "wrongKey", 77),
      (RealmFileError(.notEncrypted), "notEncrypted", 77),
      (RealmFileError(.keyMissing), "keyMissing", 77),
      (RealmFileError(.oldFormat(9)), "oldFormat", 69),
      (RealmFileError(.legacyFormat(9)), "legacyFormat", 69),
      (RealmFileError(.halfUpgraded("x")), "halfUpgraded", 69),
      (RealmFileError(.newerFormat(25)), "newerFormat", 69),
      (RealmFileError(.unknownHistory(9)), "unknownHistory", 69),
      (RealmFileError(.noPreviousVersion), "noPreviousVersion", 69),
      (RealmFileError(.unsupported("x")), "unsupported", 69),
      (RealmFileError(.unreadable(error)), "unreadable", 66),
      (RealmFileError(.outputExists), "outputExists", 73),
      (RealmFileError(.cannotCreate(error)), "cannotCreate", 73),
      (RealmFileError(.inputOutput(error)), "inputOutput", 74),
      (RealmFileError(.brokenPipe), "brokenPipe", 0),
      (RealmFileError(.changedWhileReading), "changedWhileReading", 75),
      (RealmFileError(.shrankWhileReading), "shrankWhileReading", 74),
      (RealmFileError(.inUse([])), "inUse", 75),
      (KeyError(.unusable("x")), "badKey", 77), (KeyError(.sourceFailed("x")), "badKey", 77),
      (KeyError(.unreadable(error)), "unreadable", 66),
      (KeyError(.noRandomNumbers), "unsupported", 69),
      (RequestError(.noSuchClass("x")), "noSuchClass", 64),
      (RequestError(.embeddedClass("x")), "embeddedClass", 64),
      (RequestError(.noSuchProperty("x")), "noSuchProperty", 64),
      (RequestError(.cannotDrop(.primaryKey)), "cannotDrop", 69),
      (RequestError(.wouldLose(changes: 1, asymmetricClasses: [])), "wouldLose", 69),
      (RequestError(.alreadyEncrypted), "unsupported", 69),
      (RequestError(.notEncrypted), "unsupported", 69),
      (RequestError(.alreadySynced), "alreadySynced", 69),
      (RequestError(.oldFormatToSync(22)), "oldFormat", 69),
      (RequestError(.flexibleConversion), "unsupported", 69),
      (RequestError(.oldSyncHistory(10)), "oldSyncHistory", 69),
      (RequestError(.unknownSyncHistory(13)), "unknownSyncHistory", 69),
      (RequestError(.serverRealm), "unsupported", 69),
      (ArchiveError(.notABackup("x")), "notABackup", 65),
      (ArchiveError(.damaged("x")), "damagedBackup", 65),
      (ArchiveError(.hostile("x")), "hostileBackup", 65),
      (ArchiveError(.newerFormat(2)), "unsupported", 69),
      (ArchiveError(.unsupported("x")), "unsupported", 69),
      (ArchiveError(.noRealms), "unreadable", 66),
      (ArchiveError(.noSuchRealm("x")), "noSuchRealm", 64),
      (ArchiveError(.linkInTarget), "linkInTarget", 73),
      (ArchiveError(.sameNames("x")), "sameNames", 64),
      (ArchiveError(.severalRealms(2)), "severalRealms", 64),
    ] as [(any ReportableError, String, Int32)])
  func table(error: any ReportableError, name: String, code: Int32) {
    let report = ErrorReport(error)
    #expect(report.code == name)
    #expect(report.status.rawValue == code)
  }

  @Test(
    "the error of each domain is reported with its name, sentence and path",
    arguments: [
      (RealmFileError(.wrongKey, path: "a"), "wrongKey"),
      (KeyError(.unusable("x"), path: "a"), "badKey"),
      (RequestError(.noSuchClass("x"), path: "a"), "noSuchClass"),
      (ArchiveError(.damaged("x"), path: "a"), "damagedBackup"),
    ] as [(any ReportableError, String)])
  func domains(error: any ReportableError, name: String) {
    let report = ErrorReport(error)
    #expect(report.code == name)
    #expect(report.message == error.description)
    // The type chooses the member of the report, not the one that all errors have.
    let path: String? = report.path
    #expect(path == "a")
  }

  @Test("the most serious status of many files counts, in the order of the contract")
  func mostSerious() throws {
    let order: [Int32] = [70, 74, 65, 77, 69, 66, 73, 75, 1, 0]
    let statuses = try order.map { try #require(ExitStatus(rawValue: $0)) }
    for i in statuses.indices {
      #expect(ExitStatus.mostSerious(of: statuses[i...].reversed()) == statuses[i])
    }
    #expect(ExitStatus.mostSerious(of: []) == .done)
  }
}
