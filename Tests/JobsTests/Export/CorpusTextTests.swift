import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// A realm from a public repository, with the reference's export of it if there is one.
struct CorpusRealm: CustomTestStringConvertible, Sendable {
  /// `repository/file`.
  var name: String
  var folder: URL

  var path: String { folder.appending(path: name).path }
  var testDescription: String { name }

  var truth: URL {
    let file = name.replacing("/", with: "__") + ".core-xjson-plus.json"
    return folder.appending(path: "truth-core14").appending(path: file)
  }
  var hasTruth: Bool { FileManager.default.fileExists(atPath: truth.path) }

  static let all: [CorpusRealm] = {
    guard let folder = corpusFolder else { return [] }
    return ["realm-core", "realm-js", "realm-swift"].flatMap { repository in
      let files = try? FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: repository).path)
      return (files ?? []).sorted().map {
        CorpusRealm(name: "\(repository)/\($0)", folder: folder)
      }
    }
  }()

  static let withTruth = all.filter(\.hasTruth)

  /// Why the reference has no export of a realm of format 10 or later.
  enum Why {
    /// The history of a sync server or of an old sync client, which the reference's tool refuses.
    case history
    /// Nothing was ever committed; the reference's tool would write to the realm.
    case withoutCommit
    /// Written by a build with clusters of four objects: its keys refer to other objects, so that
    /// links have no target (chapter 3, section 10.3).
    case smallClusters
  }

  static let withoutTruth: [String: Why] = [
    "realm-core/test__resources__history_migration__client_schema_version_010.realm@27bb50ba":
      .history,
    "realm-core/test__resources__history_migration__server_schema_version_020.realm@782ebe1f":
      .history,
    "realm-core/test__resources__history_migration__server_schema_version_020.realm@e5871a82":
      .history,
    "realm-core/test__resources__vacuum_no_history_type.realm@34a6e039": .withoutCommit,
    "realm-core/test__test_upgrade_database_4_10_to_11.realm@5b7b47be": .smallClusters,
    "realm-core/test__test_upgrade_database_4_10_to_11.realm@65082767": .smallClusters,
  ]
}

@Suite(
  "Realms from public repositories",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct CorpusTextTests {
  @Test("the reference exported most realms of formats 10 to 24")
  func count() {
    #expect(CorpusRealm.withTruth.count >= 70)
  }

  @Test("every export equals the reference's", arguments: CorpusRealm.withTruth)
  func text(realm: CorpusRealm) throws {
    let exported = try export(realm.path, as: .coreXJSONPlus)
    #expect(exported.bytes == [UInt8](try Data(contentsOf: realm.truth)))
  }

  @Test("every Realm JSON export is JSON with all objects", arguments: CorpusRealm.withTruth)
  func realmJSON(realm: CorpusRealm) throws {
    let exported = try export(realm.path, as: .json)
    let document = try JSONParser.parse(exported.bytes)
    let counts = document["objects"]?.members?.map { $0.value.array?.count }
    #expect(counts == exported.report.counts.map(\.objects))
  }

  @Test("a file without an export of the reference is on the list, encrypted, old or not a realm")
  func rest() {
    var opened: Set<String> = []
    for realm in CorpusRealm.all where !realm.hasTruth {
      do throws(RealmFileError) {
        // LegacyTests reads the older formats.
        guard try !Snapshot(path: realm.path).isLegacy else { continue }
        opened.insert(realm.name)
      } catch {
        switch error.kind {
        case .keyMissing, .oldFormat, .notARealm, .empty, .truncated: break
        default: Issue.record("\(realm.name): \(error)")
        }
      }
    }
    #expect(opened == Set(CorpusRealm.withoutTruth.keys))
  }

  @Test(
    "realms without an export of the reference are exported, or their damage is reported",
    arguments: CorpusRealm.withoutTruth.keys.sorted())
  func withoutTruth(name: String) throws {
    let folder = try #require(corpusFolder)
    let path = folder.appending(path: name).path
    switch CorpusRealm.withoutTruth[name] {
    case .history:
      let text = String(decoding: try export(path, as: .coreXJSONPlus).bytes, as: UTF8.self)
      #expect(text.hasPrefix("{\n\"") && text.hasSuffix("]\n}\n"))
    case .withoutCommit:
      #expect(try export(path, as: .coreXJSONPlus).bytes == Array("{\n}\n".utf8))
    case .smallClusters, nil:
      let error = #expect(throws: (any Error).self) {
        _ = try export(path, as: .coreXJSONPlus)
      }
      #expect(error?.fileKind == .damaged(.linkDangling))
    }
  }
}
