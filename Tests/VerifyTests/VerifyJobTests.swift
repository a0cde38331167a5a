import Foundation
import RealmJobs
import RealmVerify
import TestJobs
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmStorage

@Suite("Verify job")
struct VerifyJobTests {
  /// Irregularities in golden files as the reference writes them.
  private func irregularities(of name: String) -> Set<Rule> {
    switch name {
    // Sets of NaNs, which the reference does not sort.
    case "all-types": [.setOrder]
    case "indexes": [.indexStaleLink, .indexExtraEntry, .indexRepeatedEntry, .indexCapitalX]
    // The server never had the classes without `_id`.
    case "people-synced", "people-synced-uploaded", "people-synced-uploaded-to-synced":
      [.schemaSyncedKey]
    default: []
    }
  }

  @Test("golden files have no errors", arguments: Golden.names)
  func golden(name: String) throws {
    let report = try RealmEditor(name + ".realm").verify()
    #expect(report.findings.filter { $0.severity == .error } == [])
    #expect(Set(report.findings.map(\.rule)) == irregularities(of: name))
    #expect(report.damage == [])
  }

  /// The rules that lost objects and nodes break elsewhere.
  private static let consequences: Set<Rule> = [
    .storageLeak, .linkBacklinkMismatch, .linkDangling, .linkEmbeddedShared, .linkEmbeddedOrphan,
    .linkNotCompared, .keyNotCompared, .indexMissingEntry, .indexExtraEntry, .indexNotCompared,
  ]

  @Test(
    "a broken rule is found, and nothing but its consequences",
    arguments: spaceDefects + schemaDefects + treeDefects + leafDefects + valueDefects + linkDefects
      + indexDefects
  )
  func defect(_ defect: SeededDefect) throws {
    let editor = try RealmEditor(defect.file)
    try defect.edit(editor)
    let report = try editor.verify()
    let usual = irregularities(of: defect.file.replacing(".realm", with: ""))
    #expect(Set(report.totals.map(\.rule)) == usual.union(defect.also).union([defect.rule]))
    // Links and indexes of lost objects are reported too, ten for each column and rule.
    #expect(report.findings.count <= 70)
  }

  @Test("a remaining footer of the streaming form is regular")
  func footer() throws {
    let editor = try RealmEditor("people.realm")
    let used = editor.top.logicalSize
    editor.bytes.removeSubrange(used...)
    editor.bytes += [UInt8](repeating: 0, count: 16)
    #expect(try editor.verify().findings == [])
    editor.bytes += [UInt8](repeating: 0, count: 8)
    #expect(try editor.verify().findings.map(\.rule) == [.fileSize])
  }

  @Test("the findings are the same for any number of threads")
  func threads() throws {
    let folder = try TemporaryFolder()
    let editor = try RealmEditor("people.realm")
    for cluster in try editor.clusters("Person") {
      editor.count(try editor.child(cluster, 3), 1)
    }
    let path = try folder.write(editor.bytes, to: "x.realm")
    let reports = try [1, 2, 7].map {
      try VerifyJob(VerifyJob.Request(path: path, maxFindings: 5, jobs: $0)).run()
    }
    #expect(reports[0].findings.count(where: { $0.severity == .error }) == 5)
    #expect(reports[0].count(.error) > 5)
    for report in reports {
      #expect(report.findings == reports[0].findings)
      #expect(report.damage == reports[0].damage)
    }
  }

  /// Each piece of the work opens few clusters, but together they would open a small file hundreds of times.
  @Test("a tree whose clusters are all the same node is read until the bytes exceed the file")
  func repeatedCluster() throws {
    let folder = try TemporaryFolder()
    let editor = try RealmEditor("people.realm")
    try editor.repeatFirstCluster(of: "Person", times: 250)
    let path = try folder.write(editor.bytes, to: "x.realm")
    let reports = try [1, 2, 7].map {
      try VerifyJob(VerifyJob.Request(path: path, jobs: $0)).run()
    }
    let size = editor.edited.element(2, of: editor.edited.top) >> 1
    let finding = try #require(
      reports[0].findings.first { $0.message.hasSuffix("the rest was not checked") })
    #expect(finding.rule == .storageNodeOverlap)
    #expect(finding.className == "Person")
    #expect(finding.message.contains("the file has \(size);"))
    // The rest of the 64,000 objects was not checked.
    #expect(reports[0].objectCount < 16_000)
    #expect(try #require(reports[0].damage.first).unreadableObjects ?? 0 > 48_000)
    for report in reports {
      #expect(report.findings == reports[0].findings)
      #expect(report.damage == reports[0].damage)
      #expect(report.objectCount == reports[0].objectCount)
    }
  }

  @Test("a damaged leaf makes the objects of its cluster unreadable and no others")
  func damage() throws {
    let editor = try RealmEditor("people.realm")
    editor.flags(try editor.leaf("age", of: "Person") { $0.width == 8 }) { $0 | 0x10 }
    let report = try editor.verify()
    let person = try #require(report.damage.first)
    #expect(report.damage.count == 1)
    #expect(person.name == "Person")
    #expect(person.objectCount == 2851)
    #expect((1...256).contains(person.unreadableObjects ?? 0))
    let finding = try #require(report.findings.first { $0.rule == .leafKind })
    #expect(finding.className == "Person")
    #expect(finding.property == "age")
    #expect(finding.objectKey != nil)
  }

  @Test("a quick check reads no objects")
  func quick() throws {
    let editor = try RealmEditor("people.realm")
    let report = try editor.verify(isQuick: true)
    #expect(report.objectCount == 0)
    // Objects that are not checked are not unreadable.
    #expect(report.damage.isEmpty)
    #expect(report.nodeCount > 1000)
    let leaf = try editor.leaf("age", of: "Person")
    editor.flags(leaf) { $0 | 0x18 }
    #expect(try editor.verify(isQuick: true).findings.contains { $0.rule == .nodeFlags })
  }

  @Test("a quick check finds damaged pages of nodes")
  func quickPages() throws {
    for isNeverWritten in [false, true] {
      let editor = try RealmEditor("people-encrypted.realm")
      let page = try editor.leaf("age", of: "Person") / 4096
      if isNeverWritten {
        let entry = EncryptedLayout.entryOffset(ofPage: page)
        editor.bytes.replaceSubrange(entry..<entry + 64, with: [UInt8](repeating: 0, count: 64))
      } else {
        editor.bytes[EncryptedLayout.ciphertextOffset(ofPage: page) + 100] ^= 1
      }
      let report = try editor.verify(isQuick: true)
      #expect(report.findings.contains { $0.rule == .encryptionPage })
    }
  }

  /// Only the links of one class are compared here, and only the backlinks are damaged, which are in
  /// another one: no other check reads them.
  @Test("an error that only prevents a comparison counts as an error of the realm")
  func reason() throws {
    let editor = try RealmEditor("links.realm")
    editor.flags(try editor.backlinks(of: "Dog")) { $0 & ~0x40 }
    let report = try editor.verify(classes: ["Person"])
    #expect(report.findings.map(\.rule) == [.leafBacklinks, .storageLeak, .linkNotCompared])
    #expect(report.findings.first?.className == "Dog")
    #expect(report.count(.error) == 1)
  }

  /// A format byte of 25 made the reference replace the realm by its backup.
  @Test("a backup that would replace the realm is reported as an error")
  func formatBackup() throws {
    let editor = try RealmEditor("people.realm")
    (editor.bytes[20], editor.bytes[21]) = (25, 25)
    #expect(throws: (any Error).self) { _ = try editor.verify() }
    editor.companions = ["x.v23.backup.realm.part": [1]]
    #expect(throws: (any Error).self) { _ = try editor.verify() }
    editor.companions = ["x.v23.backup.realm": [1]]
    let report = try editor.verify()
    #expect(report.findings.map(\.rule) == [.fileFormatBackup])
    #expect(report.count(.error) == 1)
    #expect(report.findings.first?.message.contains("x.v23.backup.realm") == true)
  }

  /// A realm of format 22 with a dictionary in the order of hashes.
  private static let format22 = corpusFolder?.appending(
    path: "realm-core/test__test_upgrade_database_1000_22.realm@ee769d0d"
  ).path

  @Test(
    "dictionaries of format 22 are checked as cluster trees",
    .enabled(if: format22 != nil, "the corpus is not beside the package"))
  func hashedDictionary() throws {
    let editor = try RealmEditor(path: try #require(VerifyJobTests.format22))
    #expect(try editor.verify().count(.error) == 0)
    let table = try #require(editor.realm.schema.table(named: "table"))
    let column = try #require(table.column(named: "dict"))
    let cluster = try editor.node(table.clusters)
    let leaf = try editor.node(try cluster.ref(at: 1 + column.key.leafIndex))
    let root = try editor.node(try leaf.ref(at: 0))
    let keys = try editor.child(root.ref, 0)
    let original = editor.bytes
    try editor.swap(keys, 0, 1)
    #expect(try editor.verify().findings.contains { $0.rule == .clusterKeyOrder })
    editor.bytes = original
    editor.count(try editor.child(root.ref, 2), 1)
    let report = try editor.verify()
    let finding = try #require(report.findings.first { $0.property == "dict" })
    #expect(finding.rule == .leafKind)
    #expect(finding.objectKey == 0)
  }

  @Test(
    "undamaged files of public repositories have no errors",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder)
    var validCount = 0
    for repository in ["realm-core", "realm-js", "realm-swift"] {
      let path = folder.appending(path: repository).path
      for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
        // Files of a test build with other cluster sizes.
        guard !name.contains("_4_") else { continue }
        let report: VerifyReport
        do {
          report = try VerifyJob(VerifyJob.Request(path: path + "/" + name)).run()
        } catch {
          switch error.fileKind {
          case .keyMissing, .oldFormat, .halfUpgraded, .notARealm, .empty: continue
          default: throw error
          }
        }
        // A file that cannot be opened because it is truncated has a finding about that.
        guard report.fileFormat != nil else { continue }
        #expect(report.findings.filter { $0.severity == .error } == [], "\(name)")
        validCount += 1
      }
    }
    #expect(validCount > 60)
  }

  /// Slots 15 and 16 have two columns of zeros; slots 0 and 13 two trees of binaries.
  @Test("a root or a column of a history that is shared with another tree")
  func sharedHistory() throws {
    let folder = try TemporaryFolder()
    func rules(_ edit: (inout EditedRealm) -> Void) throws -> Set<Rule> {
      var realm = try EditedRealm(golden: "tasks-synced.realm")
      edit(&realm)
      let path = try folder.write(realm.bytes, to: "a.realm")
      let report = try VerifyJob(VerifyJob.Request(path: path)).run()
      return Set(report.findings.filter { $0.severity == .error }.map(\.rule))
    }
    for (slot, other) in [(16, 15), (0, 13)] {
      let found = try rules { realm in
        realm.setElement(slot, of: realm.history, to: realm.element(other, of: realm.history))
      }
      #expect(found == [.storageNodeOverlap], "\(slot)")
    }
    let tables = try rules { realm in
      realm.setElement(8, of: realm.top, to: realm.element(1, of: realm.top))
    }
    #expect(tables == [.storageNodeOverlap, .historyRoot])
  }

  @Test("keys and values of a dictionary are compared across the leaves of its trees")
  func largeDictionary() throws {
    let folder = try TemporaryFolder()
    let entries = (0..<2500).map { #""k\#(10_000 + $0)":\#($0)"# }.joined(separator: ",")
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"D","#
      + #""properties":{"map":"int{}"}}],"objects":{"D":[{"map":{"# + entries + "}}]}}"
    let original = try readFile(try folder.importRealm(text))
    func rules(replacing old: String, by new: String) throws -> Set<Rule> {
      var realm = EditedRealm(original)
      let place = try #require(realm.find(Array(old.utf8)))
      realm.bytes.replaceSubrange(place..<place + new.utf8.count, with: Array(new.utf8))
      let report = try VerifyJob(
        VerifyJob.Request(path: try folder.write(realm.bytes, to: "edited.realm"))
      ).run()
      return Set(report.findings.map(\.rule))
    }
    #expect(try rules(replacing: "k10000", by: "k10000") == [])
    // A leaf has up to 1000 keys: these are the first key of a leaf, and a later one.
    for key in ["k11000", "k12000", "k11500"] {
      let before = "k\((Int(key.dropFirst()) ?? 0) - 1)"
      #expect(try rules(replacing: key, by: before) == [.dictionaryUniqueKeys, .dictionaryOrder])
      #expect(try rules(replacing: key, by: "k00000") == [.dictionaryOrder])
    }
  }
}
