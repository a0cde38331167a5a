import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// An export of a golden realm by the reference.
struct GoldenText: CustomTestStringConvertible, Sendable {
  var realm: String
  var format: ObjectTextFormat

  var fileName: String { "\(realm).\(format.rawValue).json" }
  var testDescription: String { fileName }

  static let all = Golden.names.flatMap { realm in
    ObjectTextFormat.allCases.filter(\.isCore).map { GoldenText(realm: realm, format: $0) }
  }.filter { FileManager.default.fileExists(atPath: Golden.path($0.fileName)) }
}

@Suite("Exports of the reference")
struct ReferenceTextTests {
  @Test("the reference exported every golden realm, and most of them in all three formats")
  func goldenTextsExist() {
    #expect(Set(GoldenText.all.map(\.realm)) == Set(Golden.names))
    #expect(GoldenText.all.count >= 60)
  }

  @Test("an export with one thread equals the reference's", arguments: GoldenText.all)
  func oneJob(text: GoldenText) throws {
    let exported = try exportGolden(text.realm, as: text.format)
    #expect(exported.bytes == (try Golden.bytes(text.fileName)))
  }

  @Test("an export with two threads equals the reference's", arguments: GoldenText.all)
  func twoJobs(text: GoldenText) throws {
    let exported = try exportGolden(text.realm, as: text.format, jobs: 2)
    #expect(exported.bytes == (try Golden.bytes(text.fileName)))
  }

  @Test(
    "an export of an encrypted realm equals the reference's, however few decrypted pages are kept",
    arguments: ["all-types", "links", "people"], [1, 4])
  func fewPages(realm: String, jobs: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("\(realm).realm")
    let key = try RealmKey.random()
    try ChangeKeyJob(
      path: Golden.path("\(realm).realm"), key: nil, change: .encrypt(key),
      destination: .file(path, replacing: false)
    ).runVerified(key: key)
    let exported = try export(path, as: .coreXJSONPlus, jobs: jobs, key: key, cacheByteCount: 0)
    #expect(exported.bytes == (try Golden.bytes("\(realm).core-xjson-plus.json")))
  }

  @Test("the schema equals the reference's export", arguments: Golden.names)
  func schema(realm: String) throws {
    let result = try SchemaTextJob(
      path: Golden.path("\(realm).realm"), key: try Golden.key(realm), format: .coreJSON
    ).run()
    #expect(result.text == (try Golden.bytes("\(realm).core-schema.json")))
  }

  @Test("the schema of an encrypted realm is marked as private")
  func encryptedSchema() throws {
    let result = try SchemaTextJob(
      path: Golden.path("people-encrypted.realm"), key: try Golden.key("people-encrypted"),
      format: .text
    ).run()
    #expect(result.isEncrypted)
  }

  @Test("a result is published once it is complete")
  func publishes() throws {
    #expect(try exportGolden("links", as: .coreJSON).isPublished)
  }
}
