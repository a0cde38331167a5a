import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Realms of public repositories, whole and damaged.
@Suite(
  "Salvaging realms of formats 2 to 9 from public repositories",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct LegacySalvageTests {
  /// Realms in which two objects have the same primary key, so that `upgrade` refuses them.
  private static let withDuplicates: Set<String> = [
    "generated/core5-format9-all-columns-2400rows.realm",
    "generated/core5-format9-no-mixed-no-nested-2400rows.realm",
  ]

  @Test("of an undamaged realm, the result equals the upgraded one", arguments: LegacyFile.all)
  func undamaged(file: LegacyFile) throws {
    let folder = try TemporaryFolder()
    let (salvaged, upgraded) = (folder.path("salvaged.realm"), folder.path("upgraded.realm"))
    var request = SalvageRequest(path: file.path)
    request.key = file.key
    let report = try SalvageJob(request).run(to: .realm(salvaged, replacing: false))
    #expect(
      report.losses.isEmpty
        == (file.name != "generated/core5-format9-no-mixed-no-nested-2400rows.realm"))
    guard !Self.withDuplicates.contains(file.name) else { return }
    #expect(report.isComplete)
    _ = try UpgradeJob(
      path: file.path, key: file.key, destination: .file(upgraded, replacing: false)
    ).run()
    #expect(
      try export(salvaged, as: .json, key: file.key).bytes
        == export(upgraded, as: .json, key: file.key).bytes)
  }

  /// Blocks of the leaves of its 43,582 places are equal, because they are full of `California` or another state.
  @Test("an undamaged realm that repeats the same strings loses nothing")
  func repeatedStrings() throws {
    let folder = try #require(corpusFolder).appending(path: "realm-swift")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let name = try #require(names.first { $0.hasSuffix("Places.realm@1d906e78") })
    let results = try TemporaryFolder()
    let report = try SalvageJob(SalvageRequest(path: folder.appending(path: name).path))
      .run(to: .realm(results.path("x.realm"), replacing: false))
    #expect(report.isComplete && report.objectCount == 43_582)
  }

  /// `upgrade` reports the rows with equal keys.
  @Test(
    "of objects with the same primary key, the first one keeps it",
    arguments: [("all-columns-2400rows", 2299, 1), ("no-mixed-no-nested-2400rows", 2297, 3)])
  func duplicates(name: String, objects: Int, others: Int) throws {
    let file = try #require(LegacyFile.all.first { $0.name.contains("format9-\(name)") })
    let folder = try TemporaryFolder()
    let report = try SalvageJob(SalvageRequest(path: file.path))
      .run(to: .realm(folder.path("x.realm"), replacing: false))
    let lost = try #require(report.classes.first { $0.name == "LostAndFound_A" })
    #expect(lost.objects == others && lost.lostKeysOf == "A")
    #expect(report.classes.first { $0.name == "A" }?.objects == objects)
    #expect(!report.isComplete && report.lostSchema.isEmpty)
  }

  /// The header refers to the roots at 4288 and 4160.
  @Test("the versions are listed, and the one before the newest can be read")
  func roots() throws {
    let file = try #require(LegacyFile.all.first { $0.name.contains("consistency_full_0") })
    var request = SalvageRequest(path: file.path)
    let list = try SalvageJob(request).listRoots()
    #expect(list.roots.prefix(2).map(\.offset) == [4288, 4160])
    #expect(list.roots.prefix(2).map(\.origin) == [.header, .otherSlot])
    let folder = try TemporaryFolder()
    request.version = .previous
    let report = try SalvageJob(request).run(to: .realm(folder.path("x.realm"), replacing: false))
    #expect(report.isComplete && report.roots.map(\.version) == [3] && report.objectCount == 10)
  }

  /// Properties whose values may be wrong, because nothing in the file shows it: a block within a long binary.
  private static let undetectable: Set<String> = ["binary", "iconImageData"]

  @Test(
    "of a damaged realm, no value is wrong, no object is invented, and the result has no errors",
    arguments: LegacyTrial.Damage.allCases, [1, 10, 100])
  func damaged(damage: LegacyTrial.Damage, blocks: Int) throws {
    var (runs, saved) = (0, 0)
    for (i, file) in LegacyFile.all.enumerated() {
      guard let trial = try LegacyTrial(file) else { continue }
      let seed = UInt64(i * 31 + blocks)
      guard let bytes = trial.damaged(damage, blocks: blocks, seed: seed) else { continue }
      let outcome = try trial.salvage(bytes)
      runs += 1
      saved += outcome.saved
      let wrong = outcome.wrong.filter { value in
        !Self.undetectable.contains { value.contains(".\($0):") }
      }
      // A block that was replaced by another one of the file has the form of values.
      if damage != .replaced { #expect(wrong.isEmpty, "\(file.name), seed \(seed)") }
      #expect(outcome.invented.isEmpty, "\(file.name), seed \(seed)")
      #expect(outcome.errors.isEmpty, "\(file.name), seed \(seed)")
    }
    #expect(runs > 0 && saved > 0)
  }

  /// In each state, the objects are still in the columns (chapter 5, section 13).
  @Test("an upgrade that copied no object yet", arguments: 1...5)
  func unfinished(state: Int) throws {
    let folder = try #require(corpusFolder).appending(path: "realm-core")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
        $0.contains("test_upgrade_progress_\(state).realm@")
      })
    let results = try TemporaryFolder()
    let target = results.path("x.realm")
    let report = try SalvageJob(SalvageRequest(path: folder.appending(path: name).path))
      .run(to: .realm(target, replacing: false))
    #expect(report.isComplete)
    let text = String(decoding: try export(target, as: .ndjson).bytes, as: UTF8.self)
    #expect(
      text.split(separator: "\n").dropFirst() == [
        #"{"class":"link origin","object":{"pk":5,"object":null,"array":[],"list":["foo","bar"]}}"#,
        #"{"class":"link origin","object":{"pk":6,"object":"hello","array":[],"list":["only",null]}}"#,
        #"{"class":"link origin","object":{"pk":7,"object":null,"array":["world","goodbye"],"list":[]}}"#,
        #"{"class":"object","object":{"pk":"hello","value":7,"enum":"red","optional":null}}"#,
        #"{"class":"object","object":{"pk":"world","value":35,"enum":"blue","optional":null}}"#,
        #"{"class":"object","object":{"pk":"goodbye","value":800,"enum":"red","optional":-87}}"#,
        #"{"counts":{"dog":0,"link origin":3,"object":3}}"#,
      ])
  }

  @Test(
    "changed bytes of an upgrade that copied no object yet end in a result or an error",
    arguments: [1, 4])
  func changedUnfinished(state: Int) throws {
    let folder = try #require(corpusFolder).appending(path: "realm-core")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
        $0.contains("test_upgrade_progress_\(state).realm@")
      })
    let bytes = try readFile(folder.appending(path: name).path)
    let results = try TemporaryFolder()
    let target = results.path("x.realm")
    var (saved, refused) = (0, 0)
    for place in stride(from: 24, to: bytes.count, by: 37) {
      var changed = bytes
      changed[place] = ~changed[place]
      let path = try results.write(changed, to: "changed.realm")
      do {
        _ = try SalvageJob(SalvageRequest(path: path)).run(to: .realm(target, replacing: true))
        try expectNoErrors(target)
        saved += 1
      } catch is RealmFileError {
        refused += 1
      }
    }
    #expect(saved > refused && saved > 0)
  }

  @Test("an upgrade that copied the objects, but not their links, is refused")
  func linksMissing() throws {
    let folder = try #require(corpusFolder).appending(path: "realm-core")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first {
        $0.contains("test_upgrade_progress_6.realm@")
      })
    let results = try TemporaryFolder()
    let error = #expect(throws: (any Error).self) {
      try SalvageJob(SalvageRequest(path: folder.appending(path: name).path))
        .run(to: .realm(results.path("x.realm"), replacing: false))
    }
    #expect(error?.fileKind == .halfUpgraded("2 columns of table 3 are not copied yet"))
  }
}
