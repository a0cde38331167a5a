import Foundation
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

/// Nothing is doubted in a realm in which `verify` finds no error, whatever its bytes look like.
@Suite("Salvaging realms without errors")
struct SoundRealmsTests {
  /// A realm of the fixtures or of the corpus.
  struct File: CustomTestStringConvertible, Sendable {
    let path: String
    /// The bytes of its key; nil if it is not encrypted.
    var keyBytes: [UInt8]?

    var testDescription: String { path.split(separator: "/").suffix(2).joined(separator: "/") }
  }

  private static let folders =
    ["golden", "lived", "loop", "query"].map {
      packageFolder.appending(path: "Tests/Fixtures/\($0)")
    }
    + ["realm-core", "realm-js", "realm-swift", "generated", "wild"].compactMap {
      corpusFolder?.appending(path: $0)
    }

  static let files: [File] = folders.flatMap { folder in
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name -> File? in
      guard name.contains(".realm"), !name.hasSuffix(".md") else { return nil }
      let path = folder.appending(path: name).path
      let besideIt = try? readFile(path.replacing(".realm", with: ".key"))
      return File(path: path, keyBytes: LegacyFile.key(ofFile: name) ?? besideIt)
    }
  }

  /// Salvages a realm, and expects that the result is equal if `verify` finds no error.
  private func expectWhole(
    _ file: File, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let key = try file.keyBytes.map { try RealmKey(bytes: $0) }
    var verifying = VerifyJob.Request(path: file.path)
    verifying.key = key
    guard let verified = try? VerifyJob(verifying).run(),
      !verified.findings.contains(where: { $0.severity == .error })
    else { return }
    let folder = try TemporaryFolder()
    let target = folder.path("saved.realm")
    var request = SalvageRequest(path: file.path)
    (request.key, request.jobs) = (key, 2)
    let report: SalvageReport
    do {
      report = try SalvageJob(request).run(to: .realm(target, replacing: false))
    } catch let error as RealmFileError {
      // Programs that use the storage engine without an SDK have tables that are no classes: the result would be empty.
      switch error.kind {
      case .neverCommitted: return
      case .nothingToSave(let reason) where reason.hasPrefix("there is no class"): return
      default: throw error
      }
    }
    #expect(report.isComplete, "\(report.losses.prefix(3))", sourceLocation: location)
    #expect(report.unreadable.isEmpty, sourceLocation: location)
    var options: [String] = []
    if let bytes = file.keyBytes {
      options = ["--key-file", try folder.write(bytes, to: "realm.key")]
    }
    let diff = try runTool(["diff", file.path, target] + options)
    #expect(diff.status == 0, "\(diff.text.prefix(500)) \(diff.stderr)", sourceLocation: location)
  }

  @Test("they are saved whole", arguments: files)
  func whole(file: File) throws { try expectWhole(file) }

  // MARK: Realms that look damaged

  /// Values that repeat, or follow from each other, as copied and overwritten bytes do.
  enum Look: String, CaseIterable, Sendable {
    case oneValue, words, dna, blobs, sortedKeys, thumbnails, zeros

    private static func base64(_ bytes: [UInt8]) -> String {
      #"{"$binary":{"base64":"\#(Data(bytes).base64EncodedString())","subType":"00"}}"#
    }

    /// The value of an object as JSON.
    func value(_ i: Int, _ random: inout SplitMix64) -> String {
      switch self {
      case .oneValue: return #""the same ordinary text for each of them""#
      case .words: return "\"\(["lorem", "ipsum", "dolor"][i % 3]) \(["sit", "amet"][i % 2])\""
      case .dna:
        return "\""
          + String((0..<(40 + i % 50)).map { _ in "ACGT".randomElement(using: &random) ?? "A" })
          + "\""
      // With its header, each takes two sectors.
      case .blobs:
        return Look.base64((0..<1016).map { UInt8(truncatingIfNeeded: $0 / 3 % (2 + i % 2)) })
      case .sortedKeys: return "\(4_000_000_000 + 8 * i)"
      case .thumbnails:
        var noise = SplitMix64(seed: 3)
        var bytes = (0..<2040).map { _ in UInt8.random(in: 0...255, using: &noise) }
        bytes[i % 2040] ^= 0x55
        return Look.base64(bytes)
      case .zeros: return "\(i % 97 == 0 ? 5_000_000_000 : 0)"
      }
    }

    var type: String {
      switch self {
      case .oneValue, .words, .dna: "string"
      case .blobs, .thumbnails: "data"
      case .sortedKeys, .zeros: "int"
      }
    }

    func fixture() throws -> DamagedFixture {
      var random = SplitMix64(seed: 7)
      return try DamagedFixture(
        importing: ImportedVersionTests.text(
          """
          {"name":"Item","keyMember":"_key","properties":{"a":"\(type)","b":"\(type)","n":"double"}}
          """,
          (0..<700).map { i in
            let (a, b) = (value(i, &random), value(i + 1, &random))
            return #"{"_key":\#(i),"a":\#(a),"b":\#(b),"n":\#(Double(i) / 7)}"#
          }))
    }
  }

  @Test("values that repeat are no damage", arguments: Look.allCases)
  func looksDamaged(look: Look) throws {
    let fixture = try look.fixture()
    try expectWhole(File(path: fixture.original))
  }

  // MARK: One sector of zeros

  @Test(
    "a sector of zeros costs only values whose nodes have bytes in it, or are below such a node",
    arguments: Look.allCases)
  func zeroedSector(look: Look) throws {
    let fixture = try look.fixture()
    try expectOthers(in: fixture, "Item", seeds: 6)
  }

  @Test(
    "a sector of zeros in a golden realm costs only values whose nodes have bytes in it",
    arguments: [
      ("people", "Person"), ("strings", "S"), ("all-types", "AllTypes"), ("churned", "C"),
    ])
  func zeroedGolden(name: String, className: String) throws {
    let fixture = try DamagedFixture("\(name).realm")
    let realm = try Realm(path: fixture.original)
    for table in realm.schema.tables where table.isClass && table.kind == .topLevel {
      try expectOthers(in: fixture, table.className.text, seeds: 3)
    }
  }

  /// Overwrites a sector that only has nodes of values with zeros, another for each seed, and expects all values that have no
  /// bytes there.
  private func expectOthers(in fixture: DamagedFixture, _ className: String, seeds: UInt64) throws {
    let (table, reader) = try fixture.table(className)
    let clusters = try fixture.clusters(of: className)
    let nodes = try reader.realm.snapshot.makeReader()
    func extents(_ ref: Int) throws -> [Range<Int>] {
      var (stack, found) = ([ref], [Range<Int>]())
      while let ref = stack.popLast() {
        let node = try nodes.lookUp(ref)
        found.append(ref..<ref + node.header.nodeByteCount)
        guard node.hasRefs, node.width > 0 else { continue }
        for i in 0..<node.count {
          if case .ref(let child) = node.element(at: i) { stack.append(child) }
        }
      }
      return found
    }
    let all = try extents(reader.realm.snapshot.top.ref)
    // By cluster and leaf, the nodes of the values.
    let leaves = try clusters.map { try $0.leaves.map { $0 == 0 ? [] : try extents($0) } }
    let ofValues = Set(leaves.joined().joined().map(\.lowerBound))
    // What each sector has: nodes of values, and others.
    let count = fixture.bytes.count / 512
    var (hasValues, hasOthers) = (
      [Bool](repeating: false, count: count), [Bool](repeating: false, count: count)
    )
    for extent in all {
      for sector in extent.lowerBound / 512...(extent.upperBound - 1) / 512 where sector < count {
        if ofValues.contains(extent.lowerBound) {
          hasValues[sector] = true
        } else {
          hasOthers[sector] = true
        }
      }
    }
    let sectors = (1..<count).filter { hasValues[$0] && !hasOthers[$0] }
    let original = try DamagedFixture.objects(of: className, in: fixture.original)
    let keys = try reader.clusters(of: table).map { cluster in
      try reader.cluster(cluster).allKeys.map(\.raw)
    }
    for seed in 0..<seeds {
      var random = SplitMix64(seed: seed)
      guard let place = sectors.randomElement(using: &random) else { return }
      let sector = place * 512..<(place + 1) * 512
      var damaged = fixture
      damaged.bytes.replaceSubrange(sector, with: repeatElement(0, count: 512))
      _ = try damaged.salvage()
      let saved = try DamagedFixture.objects(of: className, in: damaged.target)
      for (keys, leaves) in zip(keys, leaves) {
        for column in table.columns where column.key.leafIndex < leaves.count {
          guard !leaves[column.key.leafIndex].contains(where: { $0.overlaps(sector) }) else {
            continue
          }
          let name = column.name.text
          for key in keys where saved[key]?[name]?.text != original[key]?[name]?.text {
            Issue.record("\(className).\(name) of \(key) is lost by zeros at \(sector.lowerBound)")
            break
          }
        }
      }
    }
  }

  /// Example: 15 of 357 realms of public repositories.
  @Test("a realm without objects, and one without classes, is saved as it is")
  func empty() throws {
    let folder = try TemporaryFolder()
    let without = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":3},"schema":[{"name":"A","properties":{"n":"int"}}]}"#
        + "\n" + #"{"counts":{"A":0}}"# + "\n")
    try expectWhole(File(path: without))
    try expectWhole(File(path: Golden.path("empty.realm")))
    for tables in [[], [("class_A", true)]] as [[(String, Bool)]] {
      var file = HandBuiltLegacy()
      let built = tables.map { name, _ in
        (name, file.table([HandBuiltLegacy.Column(type: 0, name: "n", roots: [file.ints([])])]))
      }
      let path = try folder.write(file.file(built), to: "old-\(tables.count).realm")
      try expectWhole(File(path: path))
    }
  }
}
