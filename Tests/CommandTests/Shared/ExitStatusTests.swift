import Commands
import RealmStorage
import Testing

@Suite("Exit status")
struct ExitStatusTests {
  private static let error = SystemError(5, "read the file")

  @Test(
    "each kind of error has the code of the contract",
    arguments: [
      (.empty, "empty", 65), (.notARealm, "notARealm", 65),
      (.truncated(missingBytes: nil), "truncated", 65), (.damagedHeader("x"), "damagedHeader", 65),
      (.damaged(.nodeBounds), "damaged", 65), (.damagedPage(1), "damagedPage", 65),
      (.wrongKey, "wrongKey", 77), (.notEncrypted, "notEncrypted", 77),
      (.keyMissing, "keyMissing", 77), (.badKey("x"), "badKey", 77),
      (.oldFormat(9), "oldFormat", 69),
      (.newerFormat(25), "newerFormat", 69), (.unknownHistory(9), "unknownHistory", 69),
      (.noPreviousVersion, "noPreviousVersion", 69), (.unsupported("x"), "unsupported", 69),
      (.unreadable(error), "unreadable", 66), (.outputExists, "outputExists", 73),
      (.cannotCreate(error), "cannotCreate", 73), (.inputOutput(error), "inputOutput", 74),
      (.brokenPipe, "brokenPipe", 0), (.changedWhileReading, "changedWhileReading", 75),
      (.shrankWhileReading, "shrankWhileReading", 74), (.noSuchClass("x"), "noSuchClass", 64),
      (.noSuchProperty("x"), "noSuchProperty", 64), (.cannotDrop("x"), "cannotDrop", 69),
      (.inUse([]), "inUse", 75),
      (.wouldLose("x", option: "--y"), "wouldLose", 69),
      (.embeddedClass("x"), "embeddedClass", 64),
    ] as [(RealmFileError.Kind, String, Int32)])
  func table(kind: RealmFileError.Kind, name: String, code: Int32) {
    #expect(kind.row.name == name)
    #expect(kind.row.status.rawValue == code)
  }

  @Test("of many files the most serious status counts, in the order of the contract")
  func mostSerious() throws {
    let order: [Int32] = [70, 74, 65, 77, 69, 66, 73, 75, 1, 0]
    let statuses = try order.map { try #require(ExitStatus(rawValue: $0)) }
    for i in statuses.indices {
      #expect(ExitStatus.mostSerious(of: statuses[i...].reversed()) == statuses[i])
    }
    #expect(ExitStatus.mostSerious(of: []) == .done)
  }
}
