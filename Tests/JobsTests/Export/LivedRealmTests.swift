import RealmInterchange
import RealmJobs
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

/// Realms after some hundred operations. Dictionaries that were emptied entry by entry broke readers
/// in a way that the golden realms, written once, did not show.
@Suite("Realms after many operations")
struct LivedRealmTests {
  @Test("there are 106 realms")
  func count() {
    #expect(Lived.names.count == 106)
  }

  @Test("an export equals the reference's for any number of threads", arguments: Lived.names)
  func text(name: String) throws {
    let expected = try Lived.bytes("\(name).core-xjson-plus.json")
    for jobs in [1, 8] {
      let exported = try export(Lived.path("\(name).realm"), as: .coreXJSONPlus, jobs: jobs)
      #expect(exported.bytes == expected, "with \(jobs) threads")
    }
  }

  @Test("the schema equals the reference's export", arguments: Lived.names)
  func schema(name: String) throws {
    let result = try SchemaTextJob(
      path: Lived.path("\(name).realm"), key: nil, format: .coreJSON
    ).run()
    #expect(result.text == (try Lived.bytes("\(name).core-schema.json")))
  }

  @Test("verify finds no errors for any number of threads", arguments: Lived.names)
  func verify(name: String) throws {
    let reports = try [1, 8].map { jobs in
      try VerifyJob(VerifyJob.Request(path: Lived.path("\(name).realm"), jobs: jobs)).run()
    }
    #expect(reports[0].findings.filter { $0.severity == .error } == [])
    #expect(reports[0].damage == [])
    #expect(reports[1].findings == reports[0].findings)
  }

  /// An object left an entry in the index when its list of strings was emptied, and another object two entries of
  /// one word. Both were errors, and two rules reported the second.
  @Test("an entry that the reference leaves in the index of an emptied list is one warning")
  func staleListIndex() throws {
    let report = try VerifyJob(
      VerifyJob.Request(path: Lived.path("stale-list-index.realm"), jobs: 1)
    ).run()
    #expect(report.findings.map(\.rule) == [.indexExtraEntry, .indexExtraEntry])
    #expect(report.findings.map(\.severity) == [.warning, .warning])
    #expect(report.findings.map(\.objectKey) == [65556, 65611])
  }

  @Test("the words of a string that is not UTF-8 are the reference's")
  func brokenUTF8Words() throws {
    let report = try VerifyJob(
      VerifyJob.Request(path: Lived.path("broken-utf8-words.realm"), jobs: 1)
    ).run()
    #expect(report.findings.map(\.rule) == [.leafUtf8])
  }
}
