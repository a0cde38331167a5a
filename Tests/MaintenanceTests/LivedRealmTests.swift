import RealmInterchange
import RealmMaintenance
import RealmStorage
import TestSupport
import Testing

/// Realms after some hundred operations. Dictionaries that were emptied entry by entry made readers fail
/// that the golden realms, written once, had not tried.
@Suite("Realms that have lived")
struct LivedRealmTests {
  @Test("there are 102 realms")
  func count() {
    #expect(Lived.names.count == 102)
  }

  @Test("an export is the reference's text whatever the number of threads", arguments: Lived.names)
  func text(name: String) throws {
    let expected = try Lived.bytes("\(name).core-xjson-plus.json")
    for jobs in [1, 8] {
      let exported = try export(Lived.path("\(name).realm"), as: .coreXJSONPlus, jobs: jobs)
      #expect(exported.bytes == expected, "with \(jobs) threads")
    }
  }

  @Test("the schema is the reference's text", arguments: Lived.names)
  func schema(name: String) throws {
    let result = try SchemaTextJob(
      path: Lived.path("\(name).realm"), key: nil, format: .coreJSON
    ).run()
    #expect(result.text == (try Lived.bytes("\(name).core-schema.json")))
  }

  @Test("the realm breaks no rule, whatever the number of threads", arguments: Lived.names)
  func verify(name: String) throws {
    let reports = try [1, 8].map { jobs in
      try VerifyJob(VerifyJob.Request(path: Lived.path("\(name).realm"), jobs: jobs)).run()
    }
    #expect(reports[0].findings.filter { $0.severity == .error } == [])
    #expect(reports[0].damage == [])
    #expect(reports[1].findings == reports[0].findings)
  }
}
