import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmMaintenance
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
    _ path: String, sizeLimit: Int = UploadHistory.sizeLimit
  ) throws -> ConvertToSyncedJob.Report {
    let report = try ConvertToSyncedJob(
      path: path, key: nil, destination: .file(out, replacing: true), sizeLimit: sizeLimit,
      now: now
    ).runVerified()
    return report
  }

  /// The instructions of all local changesets of a realm, changeset by changeset.
  private func instructions(_ path: String) throws -> [[Instruction]] {
    let snapshot = try Snapshot(path: path)
    var all: [[Instruction]] = []
    try ClientHistory(snapshot)?.forEachLocalChangeset(of: snapshot) {
      (changeset) throws(RealmFileError) in
      let bytes = try changeset.bytes()
      do throws(ChangesetError) {
        all.append(try Changeset.instructions(bytes))
      } catch {
        Issue.record("\(path): \(error)")
      }
    }
    return all
  }

  /// Replays the changesets of a realm into a new one.
  private func replay(_ path: String, to target: String) throws {
    let snapshot = try Snapshot(path: path)
    let history = try #require(try ClientHistory(snapshot))
    let replay = ChangesetReplay()
    var changesets: [[UInt8]] = []
    try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
      changesets.append(try changeset.bytes())
    }
    for changeset in changesets { try replay.apply(changeset) }
    let file = try OutputFile(path: target, replacing: true)
    let builder = RealmBuilder(into: try RealmOutput(.file(file), key: nil))
    _ = try ObjectRoad(from: ReplayedObjects(replay), to: builder).run()
    try file.publish()
  }

  /// The objects as the reference writes them.
  private func coreObjects(_ path: String) throws -> [UInt8] {
    try export(path, as: .coreXJSONPlus).bytes
  }

  /// The objects of each class by primary key, with their properties by name.
  private func objects(_ path: String) throws -> [String: [String: [String: JSONValue]]] {
    let text = try export(path, as: .json).bytes
    let document = try JSONParser.parse(text)
    var keys: [String: String] = [:]
    // Elements of these are null if their target does not exist; links in others are left out.
    var mixed: Set<String> = []
    for content in document["schema"]?.array ?? [] {
      let name = content["name"]?.string ?? ""
      keys[name] = content["primaryKey"]?.string
      for property in content["properties"]?.members ?? [] {
        let type = property.value.string ?? ""
        if type.hasPrefix("mixed") || type.hasSuffix("{}") {
          mixed.insert("\(name).\(property.name)")
        }
      }
    }
    var classes: [String: [String: [String: JSONValue]]] = [:]
    for content in document["objects"]?.members ?? [] {
      var objects: [String: [String: JSONValue]] = [:]
      for object in content.value.array ?? [] {
        let members = Dictionary(
          uniqueKeysWithValues: (object.members ?? []).map { member in
            let isMixed = mixed.contains("\(content.name).\(member.name)")
            return (member.name, seen(member.value, isMixed: isMixed))
          })
        objects["\(String(describing: members[keys[content.name] ?? ""]))"] = members
      }
      #expect(objects.count == content.value.array?.count)
      classes[content.name] = objects
    }
    return classes
  }

  /// The value as another client sees it: without links to objects that do not exist. Members are in the
  /// order of their names, as the replay puts primary keys first.
  private func seen(_ value: JSONValue, isMixed: Bool) -> JSONValue {
    switch value {
    case .array(let elements):
      return .array(
        elements.filter { isMixed || $0["$link"]?["unresolved"] == nil }.map {
          seen($0, isMixed: isMixed)
        })
    case .object(let members):
      guard value["$link"]?["unresolved"] == nil else { return .null }
      return .object(
        members.map { JSONValue.Member($0.name, seen($0.value, isMixed: isMixed)) }
          .sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) })
    default: return value
    }
  }

  @Test("has the instructions of the reference's own conversion, and its version")
  func asTheReference() throws {
    let report = try convert(Golden.path("tasks-local.realm"))
    #expect(report.objectCount == 3)
    #expect(report.changesetCount == 2)
    let reference = Golden.path("tasks-local-to-synced.realm")
    #expect(try instructions(out) == instructions(reference))
    let (made, expected) = (try Snapshot(path: out).top, try Snapshot(path: reference).top)
    #expect(made.version == expected.version)
    #expect(made.historyType == 3)
    #expect(made.historySchemaVersion == 12)
    #expect(made.fileIdent == 0)
    #expect(try coreObjects(out) == coreObjects(reference))
  }

  /// Chapter 4, sections 2.8 and 4.5: the history of a file that no server has seen.
  @Test("the history is a fresh client's")
  func freshHistory() throws {
    let report = try convert(Golden.path("all-types.realm"))
    let snapshot = try Snapshot(path: out)
    let history = try #require(try ClientHistory(snapshot))
    #expect(history.uploadClientVersion == 0)
    #expect(history.downloadServerVersion == 0)
    #expect(history.latestServerVersion == 0)
    #expect(history.uploadableByteCount == report.changesetByteCount)
    #expect(
      history.pending.map(\.byteCount).reduce(0, +) == report.changesetByteCount)
    #expect(history.pending.map(\.version) == Array((history.baseVersion + 1)...history.version))
    let before = try Snapshot(path: Golden.path("all-types.realm"))
    #expect(history.baseVersion == before.top.version)
    #expect(
      try Realm(snapshot).schemaVersion() == Realm(before).schemaVersion())
    let source = Golden.path("all-types.realm")
    #expect(try coreObjects(out) == coreObjects(source))
  }

  /// Realms of format 24 whose classes all have primary keys, whatever their names.
  static let sources: [String] =
    ["all-types", "churned", "empty", "indexes", "nested-mixed", "primary-keys", "strings"].map {
      Golden.path("\($0).realm")
    }
    + [5011, 5015, 5018, 5027, 5032, 5036, 5041, 5042, 6002, 7018, 7111].map {
      Lived.path("life-\($0).realm")
    }

  @Test("what the changesets create is what the realm has", arguments: sources)
  func replayed(path: String) throws {
    let realm = try Realm(path: path)
    let history = UploadHistory(realm, now: now)
    let file = try OutputFile(path: out, replacing: true)
    _ = try FileBuilder(
      realm.snapshot, top: FileBuilder.Top(of: realm.snapshot), edits: NodeEdits(),
      history: { (writer) throws(RealmFileError) in try history.append(to: writer) },
      into: try RealmOutput(.file(file), key: nil)
    ).write { _ in }
    try file.publish()
    try expectSound(out)
    let again = folder.path("again.realm")
    try replay(out, to: again)
    try expectSound(again)
    let (a, b) = (try objects(path), try objects(again))
    #expect(a.keys.sorted() == b.keys.sorted())
    for (name, objects) in a {
      for (key, object) in objects {
        #expect(b[name]?[key] == object, "\(name) \(key)")
      }
      #expect(b[name]?.count == objects.count)
    }
  }

  @Test("a changeset has up to 1000 objects")
  func cut() throws {
    let text = "{\"_id\":1}\n"
    let lines = (0..<2500).map { text.replacing("1", with: "\($0)") }.joined()
    let path = try folder.write(Array(lines.utf8), to: "A.ndjson")
    let realm = folder.path("many.realm")
    _ = try runTool("import", path, "-o", realm, "--primary-key", "_id", "-q")
    _ = try convert(realm)
    let sizes = try instructions(out).map { changeset in
      changeset.count { if case .createObject = $0 { true } else { false } }
    }
    #expect(sizes == [0, 1000, 1000, 500])
  }

  @Test("all obstacles are told, and nothing is written")
  func obstacles() throws {
    for name in ["people", "names-v0", "links"] {
      let path = Golden.path("\(name).realm")
      let schema = try Realm(path: path).schema.objects
      let error = #expect(throws: JobError.self) { _ = try convert(path) }
      guard case .request(let first)? = error else {
        Issue.record("\(name): no request error")
        continue
      }
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

  @Test("objects that are too large are all told, and nothing is written")
  func tooLarge() throws {
    let error = #expect(throws: JobError.self) {
      _ = try convert(Golden.path("tasks-local.realm"), sizeLimit: 60)
    }
    guard case .request(let first)? = error else { throw error ?? CancellationError() }
    #expect(first.others.count == 2)
    guard case .cannotSync(let obstacle) = first.kind, case .tooLarge(_, 60) = obstacle.kind else {
      Issue.record("\(first)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("an object that would make a changeset too large begins the next one")
  func sizes() throws {
    let whole = try instructions(Golden.path("tasks-local-to-synced.realm"))
    _ = try convert(Golden.path("tasks-local.realm"), sizeLimit: 200)
    let made = try instructions(out)
    #expect(made.count > 2)
    #expect(made.flatMap { $0 } == whole.flatMap { $0 })
  }

  @Test("realms that are synced already, or of an old format, are refused")
  func refused() throws {
    for (path, kind) in [
      (Golden.path("tasks-synced.realm"), .alreadySynced),
      (Lived.path("life-8004-format-22.realm"), .oldFormatToSync(22)),
    ] as [(String, RequestError.Kind)] {
      #expect(throws: JobError.request(RequestError(kind, path: path))) { _ = try convert(path) }
    }
  }

  /// "Copy a Non-Synced Realm to a Synced Realm": the result is what the realm was, and uploads.
  @Test("three tasks of Frodo's become changes to upload, and the source stays as it was")
  func seed() throws {
    let source = try Golden.bytes("tasks-local.realm")
    _ = try convert(Golden.path("tasks-local.realm"))
    #expect(try Golden.bytes("tasks-local.realm") == source)
    let owners = try instructions(out).flatMap { $0 }.filter {
      guard case .update(let place, .string(let text), _) = $0 else { return false }
      return place.field.text == "owner" && text == Array("Frodo".utf8)
    }
    #expect(owners.count == 3)
    let again = folder.path("again.realm")
    try replay(out, to: again)
    #expect(try objects(again) == objects(Golden.path("tasks-local.realm")))
  }
}
