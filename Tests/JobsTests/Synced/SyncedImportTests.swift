import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

@Suite("Objects added to synced realms")
struct SyncedImportTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Imports JSON into the realm at `path`, and verifies the result.
  @discardableResult
  func add(
    _ text: String, to path: String, mode: ImportJob.Mode = .insert, name: String = "new.json",
    request: ImportJob.Request = ImportJob.Request()
  ) throws -> ImportJob.Report {
    let source = try folder.write(Array(text.utf8), to: name)
    let target = ImportJob.Target(path: path, key: nil, mode: mode)
    let report = try ImportJob(path: source, to: .existing(target), request: request).run()
    try expectNoErrors(path)
    return report
  }

  private static let id: [UInt8] = [0x64, 0xF0, 0xC0, 0xDE, 0, 0, 0, 9, 0xAB, 0xCD, 0xEF, 9]
  private static let task =
    #"{"_id":{"$oid":"64f0c0de00000009abcdef09"},"name":"Feed Bill","owner":"Sam"}"#

  private static func place(
    _ field: String, of id: [UInt8] = SyncedImportTests.id
  ) -> Instruction.Place {
    Instruction.Place(
      table: Instruction.InternedName(Array("QsTask".utf8)), key: .objectId(id),
      field: Instruction.InternedName(Array(field.utf8)))
  }

  private static func text(_ text: String) -> Instruction.Payload { .string(Array(text.utf8)) }

  // MARK: The history

  @Test("a new object is one more changeset, written by hand here, and waits to be uploaded")
  func insert() throws {
    let path = try folder.copyGolden("tasks-synced.realm")
    let before = try #require(try ClientHistory(try Snapshot(path: path)))
    let old = try instructions(of: path)
    let report = try add("[\(Self.task)]", to: path, name: "QsTask.json")
    #expect(report.changesets == 1)
    #expect(report.counts.map(\.inserted) == [1])
    let added: [Instruction] = [
      .createObject(table: Self.place("name").table, key: .objectId(Self.id)),
      .update(Self.place("name"), Self.text("Feed Bill"), .value(isDefault: false)),
      .update(Self.place("owner"), Self.text("Sam"), .value(isDefault: false)),
      .update(Self.place("status"), .null, .value(isDefault: false)),
    ]
    #expect(try instructions(of: path) == old + [added])
    let after = try #require(try ClientHistory(try Snapshot(path: path)))
    #expect(after.version == before.version + 1)
    #expect(after.baseVersion == before.baseVersion)
    #expect(after.pending.map(\.version) == before.pending.map(\.version) + [4])
    let size = ChangesetEncoder.encode(added).count
    #expect(after.pending.last?.byteCount == size)
    #expect(after.uploadableByteCount == before.uploadableByteCount + size)
    let changes = try UnsyncedChanges(after, of: try Snapshot(path: path))
    #expect(changes.classes == [UnsyncedChanges.ClassChanges(className: "QsTask", created: 4)])
  }

  @Test(
    "on an uploaded realm, only the new objects wait, and the position in the server's history stays"
  )
  func uploaded() throws {
    let path = try folder.copyGolden("tasks-synced-uploaded.realm")
    let before = try Snapshot(path: path)
    let integers = try StoredHistory(before).integers
    try add("[\(Self.task)]", to: path, name: "QsTask.json")
    let after = try Snapshot(path: path)
    let history = try #require(try ClientHistory(after))
    #expect(after.top.fileIdent == before.top.fileIdent)
    #expect(history.pending.map(\.version) == [before.top.version + 1])
    typealias Slot = ClientHistoryLayout.Slot
    var expected = integers
    expected[Slot.uploadableBytes, default: 0] += history.pending.compactMap(\.byteCount)
      .reduce(0, +)
    #expect(try StoredHistory(after).integers == expected)
    let root = try StoredHistory(after).root
    var remote = HistoryColumn(
      root: try root.ref(at: Slot.remoteVersions), nodes: try after.makeReader())
    #expect(try remote.rest(limit: 100).last == Int64(history.downloadServerVersion))
  }

  @Test("upsert sends the properties in the file, replace all properties")
  func modes() throws {
    let id = "{\"$oid\":\"64f0c0de00000000abcdef00\"}"
    let bytes: [UInt8] = [0x64, 0xF0, 0xC0, 0xDE, 0, 0, 0, 0, 0xAB, 0xCD, 0xEF, 0]
    func update(_ field: String, _ payload: Instruction.Payload) -> Instruction {
      .update(Self.place(field, of: bytes), payload, .value(isDefault: false))
    }
    for (mode, expected) in [
      (.upsert, [update("status", Self.text("done"))]),
      (
        .replace,
        [
          update("name", Self.text("")), update("owner", Self.text("")),
          update("status", Self.text("done")),
        ]
      ),
    ] as [(ImportJob.Mode, [Instruction])] {
      let path = try folder.copyGolden("tasks-synced.realm", as: "\(mode).realm")
      try add("[{\"_id\":\(id),\"status\":\"done\"}]", to: path, mode: mode, name: "QsTask.json")
      #expect(try instructions(of: path).last == expected)
    }
  }

  @Test("a file without objects adds no changeset, and a dry run adds none")
  func nothing() throws {
    let path = try folder.copyGolden("tasks-synced.realm")
    let before = try instructions(of: path)
    #expect(try add("[]", to: path, name: "QsTask.json").changesets == 0)
    #expect(try instructions(of: path) == before)
    #expect(try Snapshot(path: path).top.version == 3)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let source = try folder.write(Array("[\(Self.task)]".utf8), to: "QsTask.json")
    let target = ImportJob.Target(path: path, key: nil)
    let report = try ImportJob(path: source, to: .existing(target), isDryRun: true).run()
    #expect(report.changesets == 1)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test("tables, objects and links to missing objects keep their keys")
  func keys() throws {
    let path = try folder.copyGolden("unresolved.realm")
    let before = try Realm(path: path)
    let text = try #require(String(bytes: try objects(of: path), encoding: .utf8))
    try add(#"{"A":[{"_id":77,"b":3,"bs":[3,4]}]}"#, to: path)
    let after = try Realm(path: path)
    #expect(after.schema.tables.map(\.key) == before.schema.tables.map(\.key))
    #expect(after.schema.tables.map { $0.tombstones == 0 } == [true, true, false])
    #expect(before.schema.tables.map { $0.tombstones == 0 } == [true, true, false])
    let added = try #require(String(bytes: try objects(of: path), encoding: .utf8))
    let lines = Set(added.split(separator: "\n").map { $0.hasSuffix(",") ? $0.dropLast() : $0 })
    for line in text.split(separator: "\n") where line.hasPrefix("{\"_id\"") {
      #expect(lines.contains(line.hasSuffix(",") ? line.dropLast() : line))
    }
  }

  @Test("a link to an object that was deleted is sent as a link, so that both sides agree")
  func unresolved() throws {
    let path = try folder.copyGolden("unresolved.realm")
    let link = #"{"$link":{"class":"B","id":2,"unresolved":true}}"#
    try add("{\"A\":[{\"_id\":3,\"b\":\(link),\"bs\":[3,\(link)]}]}", to: path, mode: .upsert)
    func name(_ text: String) -> Instruction.InternedName {
      Instruction.InternedName(Array(text.utf8))
    }
    func element(_ index: Int) -> Instruction.Place {
      Instruction.Place(
        table: name("A"), key: .int(3), field: name("bs"), path: [.index(index)])
    }
    func place(_ field: String) -> Instruction.Place {
      Instruction.Place(table: name("A"), key: .int(3), field: name(field))
    }
    func target(_ key: Int64) -> Instruction.Payload { .link(table: name("B"), key: .int(key)) }
    #expect(
      try instructions(of: path).last == [
        .update(place("b"), target(2), .value(isDefault: false)),
        .clear(place("bs"), 1),
        .arrayInsert(element(0), target(3), priorSize: 0),
        .arrayInsert(element(1), target(2), priorSize: 1),
      ])
  }

  // MARK: Replay

  @Test(
    "all changesets together create the objects of the realm",
    arguments: ConvertToSyncedJobTests.sources, [ImportJob.Mode.replace, .upsert])
  func replayed(source: String, mode: ImportJob.Mode) throws {
    let path = folder.path("synced.realm")
    try makeSynced(source, to: path)
    let document = try JSONParser.parse(try export(path, as: .json).bytes)
    try add(turned(document, dropping: mode == .upsert).text, to: path, mode: mode)
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }

  /// The objects of a realm, each with the values of the next object of its class.
  ///
  /// - Parameter dropping: whether every other value is left out.
  private func turned(_ document: JSONValue, dropping: Bool) -> JSONValue {
    var keys: [String: String] = [:]
    for content in document["schema"]?.array ?? [] {
      keys[content["name"]?.string ?? ""] = content["primaryKey"]?.string
    }
    let classes = (document["objects"]?.members ?? []).map { content in
      let objects = content.value.array ?? []
      let turned = objects.indices.map { i -> JSONValue in
        let next = objects[(i + 1) % objects.count].members ?? []
        let members = zip(objects[i].members ?? [], next).enumerated().compactMap {
          (number, pair) -> JSONValue.Member? in
          let (own, other) = pair
          if own.name == keys[content.name] { return own }
          return dropping && (number + i) % 2 == 0 ? nil : JSONValue.Member(own.name, other.value)
        }
        return .object(members)
      }
      return JSONValue.Member(content.name, .array(turned))
    }
    return .object(classes)
  }

  @Test("collections are emptied first, so that a server that has other elements agrees")
  func collections() throws {
    let local = try folder.importRealm(
      #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"C","primaryKey":"_id","properties":{"_id":"int","s":"int<>","d":"string{}","l":"int[]","m":"mixed","n":"mixed"}}],
      "objects":{"C":[{"_id":1,"s":[1,2],"d":{"a":"x"},"l":[1],"m":[1,[2]],"n":{"k":1}}]}}
      """#)
    let path = folder.path("synced.realm")
    try makeSynced(local, to: path)
    try add(
      #"{"C":[{"_id":1,"s":[3],"d":{"b":"y"},"l":[],"m":[7],"n":{"j":{"i":2}}}]}"#, to: path,
      mode: .upsert)
    func place(_ field: String, _ path: Instruction.Step...) -> Instruction.Place {
      Instruction.Place(table: name("C"), key: .int(1), field: name(field), path: path)
    }
    func name(_ text: String) -> Instruction.InternedName {
      Instruction.InternedName(Array(text.utf8))
    }
    #expect(
      try instructions(of: path).last == [
        .clear(place("s"), 3), .setInsert(place("s"), .int(3)),
        .clear(place("d"), 2),
        .update(place("d", .name(name("b"))), Self.text("y"), .value(isDefault: false)),
        .clear(place("l"), 1),
        .update(place("m"), .newList, .value(isDefault: false)), .clear(place("m"), 1),
        .arrayInsert(place("m", .index(0)), .int(7), priorSize: 0),
        .update(place("n"), .newDictionary, .value(isDefault: false)), .clear(place("n"), 2),
        .update(place("n", .name(name("j"))), .newDictionary, .value(isDefault: false)),
        .update(place("n", .name(name("j")), .name(name("i"))), .int(2), .value(isDefault: false)),
      ])
  }

  @Test("many objects are several changesets")
  func many() throws {
    let path = try folder.copyGolden("tasks-synced.realm")
    let ids = (0..<2500).map { "{\"_id\":{\"$oid\":\"\(String($0 + 1_000_000).paddedTo24)\"}" }
    let lines = ids.map { $0 + ",\"name\":\"n\",\"owner\":\"o\"}\n" }.joined()
    #expect(try add(lines, to: path, name: "QsTask.ndjson").changesets == 3)
    #expect(try Snapshot(path: path).top.version == 6)
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }
}

extension String {
  /// Padded with leading zeros.
  fileprivate var paddedTo24: String { String(repeating: "0", count: 24 - utf8.count) + self }
}
