import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

@Suite("Conversion to a synced realm")
struct ConvertToSyncedJobTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  /// 2027-01-01.
  private let now = 1_798_761_600

  private func convert(
    _ path: String, sizeLimit: Int = ChangesetRun.sizeLimit
  ) throws -> ConvertToSyncedJob.Report {
    let report = try ConvertToSyncedJob(
      path: path, key: nil, destination: .file(out, replacing: true), sizeLimit: sizeLimit,
      now: now
    ).runVerified()
    return report
  }

  @Test("has the instructions of the reference's own conversion, and its version")
  func asTheReference() throws {
    let report = try convert(Golden.path("tasks-local.realm"))
    #expect(report.objectCount == 3)
    #expect(report.changesetCount == 2)
    let reference = Golden.path("tasks-local-to-synced.realm")
    #expect(try instructions(of: out) == instructions(of: reference))
    let (made, expected) = (try Snapshot(path: out).top, try Snapshot(path: reference).top)
    #expect(made.version == expected.version)
    #expect(made.historyType == 3)
    #expect(made.historySchemaVersion == 12)
    #expect(made.fileIdent == 0)
    #expect(try objects(of: out) == objects(of: reference))
  }

  /// Chapter 4, sections 2.8 and 4.5: the history of a file that no server has seen.
  @Test("the history is that of a fresh client")
  func freshHistory() throws {
    let report = try convert(Golden.path("all-types.realm"))
    let snapshot = try Snapshot(path: out)
    let history = try #require(try ClientHistory(snapshot))
    #expect(history.uploadClientVersion == 0)
    #expect(history.downloadServerVersion == 0)
    #expect(history.latestServerVersion == 0)
    #expect(history.uploadableByteCount == report.changesetByteCount)
    #expect(
      history.pending.compactMap(\.byteCount).reduce(0, +) == report.changesetByteCount)
    #expect(history.pending.map(\.version) == Array((history.baseVersion + 1)...history.version))
    let before = try Snapshot(path: Golden.path("all-types.realm"))
    #expect(history.baseVersion == before.top.version)
    #expect(
      try Realm(snapshot).schemaVersion() == Realm(before).schemaVersion())
    let source = Golden.path("all-types.realm")
    #expect(try objects(of: out) == objects(of: source))
  }

  /// Realms of format 24 whose classes all have primary keys of any name.
  static let sources: [String] =
    ["all-types", "churned", "empty", "indexes", "nested-mixed", "primary-keys", "strings"].map {
      Golden.path("\($0).realm")
    }
    + [5011, 5015, 5018, 5027, 5032, 5036, 5041, 5042, 6002, 7018, 7111].map {
      Lived.path("life-\($0).realm")
    }

  @Test("the changesets create the objects of the realm", arguments: sources)
  func replayed(path: String) throws {
    try makeSynced(path, to: out)
    try expectNoErrors(out)
    let again = folder.path("again.realm")
    try replay(out, to: again)
    try expectNoErrors(again)
    try expectEqualObjects(path, again)
  }

  @Test("the changesets create the objects of random realms")
  func random() throws {
    let made = folder.path("made")
    let seeds = 0..<15
    let result = try runTool(
      ["--seeds", "\(seeds.count)", "--synced", "--keep", made], named: "random-realms",
      timeout: 300)
    #expect(result.status == 0, "\(result.text)")
    var convertedCount = 0
    for seed in seeds {
      let path = "\(made)/\(seed).made.realm"
      do {
        _ = try convert(path)
      } catch let error as RequestError {
        // Properties of typed links, dictionaries with integer keys, …
        guard case .cannotSync = error.kind else { throw error }
        continue
      }
      convertedCount += 1
      let again = folder.path("again.realm")
      try replay(out, to: again)
      try expectEqualObjects(path, again)
    }
    #expect(convertedCount > 5)
  }

  @Test("a changeset has up to 1000 objects")
  func cut() throws {
    let text = "{\"_id\":1}\n"
    let lines = (0..<2500).map { text.replacing("1", with: "\($0)") }.joined()
    let path = try folder.write(Array(lines.utf8), to: "A.ndjson")
    let realm = folder.path("many.realm")
    _ = try runTool("import", path, "-o", realm, "--primary-key", "_id", "-q")
    _ = try convert(realm)
    let sizes = try instructions(of: out).map { changeset in
      changeset.count { if case .createObject = $0 { true } else { false } }
    }
    #expect(sizes == [0, 1000, 1000, 500])
  }

  @Test("all obstacles are reported, and nothing is written")
  func obstacles() throws {
    for name in ["people", "names-v0", "links"] {
      let path = Golden.path("\(name).realm")
      let schema = try Realm(path: path).schema.objects
      let first = try #require(throws: RequestError.self, "\(name)") { _ = try convert(path) }
      let missing = ([first] + first.others).map { $0.className ?? "" }.sorted()
      let bad = schema.appClasses.map { schema.classes[$0] }.filter { content in
        content.kind != .embedded
          && content.primaryKey.map { content.properties[$0].name.text } != "_id"
      }
      #expect(missing == bad.map(\.name.text).sorted())
      #expect(!missing.isEmpty)
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("all objects that are too large are reported, and nothing is written")
  func tooLarge() throws {
    let first = try #require(throws: RequestError.self) {
      _ = try convert(Golden.path("tasks-local.realm"), sizeLimit: 60)
    }
    // The reference has 66 bytes, 3 of them for an empty name that nothing uses. Three objects follow.
    #expect(first.others.count == 3)
    #expect(first.className == nil)
    guard case .cannotSync(let schema) = first.kind,
      case .cannotSync(let obstacle)? = first.others.first?.kind
    else {
      Issue.record("\(first)")
      return
    }
    #expect(schema.kind == .schemaTooLarge(byteCount: 63, limit: 60))
    guard case .tooLarge(_, 60) = obstacle.kind else {
      Issue.record("\(obstacle)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  /// realm-core 14.14: `Dictionary::insert` refuses these keys, and a server that gets one ends.
  @Test("keys of dictionaries that the reference refuses are reported with their objects")
  func dictionaryKeys() throws {
    let schema =
      #"[{"name":"T","primaryKey":"_id","properties":{"_id":"int","d":"int{}","m":"mixed","e":"E?"}},"#
      + #"{"name":"E","embedded":true,"properties":{"d":"string{}"}}]"#
    let objects = [
      #"{"_id":1,"d":{"a-b":1,"b$":2,"":3},"m":{"x y":{"z":1}},"e":{"d":{"c":"."}}}"#,
      #"{"_id":2,"d":{"fine":1,"a.b":1},"m":null,"e":null}"#,
      #"{"_id":3,"d":{},"m":[{"$dictionary":{"$set":1}}],"e":null}"#,
      #"{"_id":4,"d":{},"m":null,"e":{"d":{"$":"x"}}}"#,
    ]
    let text =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":\#(schema),"objects":{"T":["#
      + objects.joined(separator: ",") + "]}}"
    let local = try folder.importRealm(text)
    let error = try #require(throws: RequestError.self) { _ = try convert(local) }
    func obstacle(_ entry: String, _ key: String, _ property: String) -> RequestError.Kind {
      .cannotSync(
        SyncObstacle(kind: .dictionaryKey(entry, key: key), className: "T", property: property))
    }
    #expect(
      [error.kind] + error.others.map(\.kind) == [
        obstacle("a.b", "2", "d"), obstacle("$set", "3", "m"), obstacle("$", "4", "e"),
      ])
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  /// 130 objects, all too large: 100 are named. Once, part of the result was written first.
  @Test(
    "nothing is written to a stream if an object is too large, and all such objects are counted")
  func stream() throws {
    let lines = (0..<130).map { "{\"_id\":\($0),\"text\":\"0123456789\"}\n" }.joined()
    let path = try folder.write(Array(lines.utf8), to: "A.ndjson")
    let realm = folder.path("many.realm")
    _ = try runTool("import", path, "-o", realm, "--primary-key", "_id", "-q")
    let stream = MemorySink()
    let first = try #require(throws: RequestError.self) {
      _ = try ConvertToSyncedJob(
        path: realm, key: nil, destination: .stream(stream), sizeLimit: 31, now: now
      ).run()
    }
    #expect(stream.bytes.isEmpty)
    let more = SyncObstacle(kind: .more(count: 30), className: "", property: nil)
    #expect(first.others.last?.kind == .cannotSync(more))
  }

  /// The highest version that a slot can have: one more trapped.
  @Test("a realm with an impossible version is refused")
  func version() throws {
    var realm = try EditedRealm(golden: "tasks-local.realm")
    realm.replaceTop { $0[6] = -1 }
    let path = try folder.write(realm.bytes, to: "version.realm")
    let error = #expect(throws: (any Error).self) { _ = try convert(path) }
    guard case .damagedHeader(let why)? = error?.fileKind else {
      throw error ?? CancellationError()
    }
    #expect(why.contains("the version is 9223372036854775807"))
    #expect(try folder.contents().keys.sorted() == ["version.realm"])
  }

  @Test("an object that would make a changeset too large begins the next one")
  func sizes() throws {
    let whole = try instructions(of: Golden.path("tasks-local-to-synced.realm"))
    _ = try convert(Golden.path("tasks-local.realm"), sizeLimit: 200)
    let made = try instructions(of: out)
    #expect(made.count > 2)
    #expect(made.flatMap { $0 } == whole.flatMap { $0 })
  }

  /// A collection that comes in runs was read for the changeset that it did not fit in, and the next changeset got the
  /// rest.
  @Test("a large collection in an object that begins the next changeset is complete")
  func largeCollection() throws {
    let numbers = (0..<70_000).map { "\($0)" }.joined(separator: ",")
    let large = "{\"_id\":2,\"xs\":[\(numbers)]}"
    func realm(_ objects: String, _ name: String) throws -> String {
      try folder.importRealm(
        #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"#
          + #""schema":[{"name":"L","primaryKey":"_id","properties":{"_id":"int","xs":"int[]"}}],"#
          + "\"objects\":{\"L\":[\(objects)]}}", as: name)
    }
    _ = try convert(try realm(large, "alone"))
    let size = try #require(try ClientHistory(try Snapshot(path: out))?.pending.last?.byteCount)
    _ = try convert(try realm("{\"_id\":1,\"xs\":[]}," + large, "both"), sizeLimit: size)
    let elements = try instructions(of: out).flatMap { $0 }.compactMap { instruction -> Int64? in
      guard case .arrayInsert(_, .int(let number), _) = instruction else { return nil }
      return number
    }
    #expect(elements == Array(0..<70_000))
  }

  @Test("links to objects that do not exist are uploaded, so that lists have the same elements")
  func unresolved() throws {
    let missing = #"{"$link":{"class":"L","id":7,"unresolved":true}}"#
    let path = try folder.importRealm(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"L","#
        + #""primaryKey":"_id","properties":{"_id":"int","one":"L?","many":"L[]"}}],"#
        + "\"objects\":{\"L\":[{\"_id\":1,\"one\":\(missing),"
        + "\"many\":[{\"$link\":{\"class\":\"L\",\"id\":1}},\(missing)]}]}}",
      as: "unresolved")
    _ = try convert(path)
    let made = try instructions(of: out).flatMap { $0 }
    let one = made.contains {
      if case .update(_, .link(_, .int(7)), _) = $0 { true } else { false }
    }
    #expect(one)
    let many = made.compactMap { (instruction) -> Int64? in
      guard case .arrayInsert(_, .link(_, .int(let key)), _) = instruction else { return nil }
      return key
    }
    #expect(many == [1, 7])
  }

  @Test("realms that are synced already, or of an old format, are refused")
  func refused() throws {
    for (path, kind) in [
      (Golden.path("tasks-synced.realm"), .alreadySynced),
      (Lived.path("life-8004-format-20.realm"), .oldFormatToSync(20)),
    ] as [(String, RequestError.Kind)] {
      #expect(throws: RequestError(kind, path: path)) { _ = try convert(path) }
    }
  }

  /// "Copy a Non-Synced Realm to a Synced Realm": the result has the objects of the realm, and uploads them.
  @Test("Frodo's three tasks become changes to upload, and the source stays unchanged")
  func seed() throws {
    let source = try Golden.bytes("tasks-local.realm")
    _ = try convert(Golden.path("tasks-local.realm"))
    #expect(try Golden.bytes("tasks-local.realm") == source)
    let owners = try instructions(of: out).flatMap { $0 }.filter {
      guard case .update(let place, .string(let text), _) = $0 else { return false }
      return place.field.text == "owner" && text == Array("Frodo".utf8)
    }
    #expect(owners.count == 3)
    let again = folder.path("again.realm")
    try replay(out, to: again)
    #expect(try objectsByKey(of: again) == objectsByKey(of: Golden.path("tasks-local.realm")))
  }
}
