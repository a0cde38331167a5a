import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

@Suite("Objects updated and deleted in synced realms")
struct SyncedEditTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func name(_ text: String) -> Instruction.InternedName {
    Instruction.InternedName(Array(text.utf8))
  }

  private func place(_ field: String, _ path: Instruction.Step...) -> Instruction.Place {
    Instruction.Place(table: name("P"), key: .int(1), field: name(field), path: path)
  }

  /// A synced realm in which object 1 of class P links to object 2 in every way.
  private func linkedRealm() throws -> String {
    let any = #"{"$link":{"class":"P","id":2}}"#
    let local = try folder.importRealm(
      #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":7},
      "schema":[
      {"name":"P","primaryKey":"_id","properties":{"_id":"int","n":"int?","link":"P?","list":"P[]","set":"P<>","dict":"P?{}","any":"mixed","anys":"mixed[]","e":"E?"}},
      {"name":"E","embedded":true,"properties":{"to":"P?","list":"P[]"}}],
      "objects":{"P":[
      {"_id":1,"n":5,"link":2,"list":[3,2,3,2],"set":[2,3],"dict":{"a":2,"b":3},"any":ANY,"anys":[1,ANY,[ANY,2],{"k":ANY}],"e":{"to":2,"list":[2,1]}},
      {"_id":2,"n":6,"link":2,"list":[],"set":[],"dict":{},"any":null,"anys":[],"e":{"to":3,"list":[]}},
      {"_id":3,"n":null,"link":1,"list":[],"set":[],"dict":{},"any":null,"anys":[],"e":null}]}}
      """#.replacing("ANY", with: any))
    let path = folder.path("linked.realm")
    try makeSynced(local, to: path)
    return path
  }

  private func update(
    _ path: String, _ className: String, _ query: String, _ assignments: String...
  ) throws -> EditReport {
    var request = EditRequest(className: className)
    request.query = query
    return try UpdateJob(
      path: path, key: nil, destination: .inPlace(backup: false), request: request,
      assignments: assignments
    ).runVerified()
  }

  private func delete(
    _ path: String, _ className: String, _ query: String
  ) throws -> EditReport {
    var request = EditRequest(className: className)
    request.query = query
    return try DeleteJob(
      path: path, key: nil, destination: .inPlace(backup: false), request: request
    ).runVerified()
  }

  // MARK: The history

  @Test("an update sends the set properties of the objects that changed, written by hand here")
  func update() throws {
    let path = try linkedRealm()
    let old = try instructions(of: path)
    let report = try update(path, "P", "_id < 3", "n = 5", "link = e.to", "e = null")
    #expect(report.found == 2 && report.changed == 2 && report.changesets == 1)
    func set(_ id: Int64, _ field: String, _ value: Instruction.Payload) -> Instruction {
      .update(
        Instruction.Place(table: name("P"), key: .int(id), field: name(field)), value,
        .value(isDefault: false))
    }
    func link(_ id: Int64) -> Instruction.Payload { .link(table: name("P"), key: .int(id)) }
    #expect(
      try instructions(of: path) == old + [
        [
          set(1, "n", .int(5)), set(1, "link", link(2)), set(1, "e", .null),
          set(2, "n", .int(5)), set(2, "link", link(3)), set(2, "e", .null),
        ]
      ])
    #expect(try update(path, "P", "", "n = 5").changed == 1)
    #expect(try instructions(of: path).last == [set(3, "n", .int(5))])
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }

  @Test("a deletion first removes the links to the object, as the reference does")
  func deletion() throws {
    let path = try linkedRealm()
    let old = try instructions(of: path)
    let version = try Snapshot(path: path).top.version
    let report = try delete(path, "P", "_id == 2")
    #expect(report.changed == 1 && report.embedded == 1 && report.changesets == 1)
    let null = { (place: Instruction.Place) -> Instruction in
      .update(place, .null, .value(isDefault: false))
    }
    let target = Instruction.Payload.link(table: name("P"), key: .int(2))
    #expect(
      try instructions(of: path) == old + [
        [
          null(place("link")),
          .arrayErase(place("list", .index(1)), priorSize: 4),
          .arrayErase(place("list", .index(2)), priorSize: 3),
          .setErase(place("set"), target),
          null(place("dict", .name(name("a")))),
          null(place("any")),
          .arrayErase(place("anys", .index(1)), priorSize: 4),
          .arrayErase(place("anys", .index(1), .index(0)), priorSize: 2),
          null(place("anys", .index(2), .name(name("k")))),
          null(place("e", .name(name("to")))),
          .arrayErase(place("e", .name(name("list")), .index(0)), priorSize: 2),
          .eraseObject(table: name("P"), key: .int(2)),
        ]
      ])
    #expect(try Snapshot(path: path).top.version == version + 1)
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }

  @Test("the position in the history of the server, the file identifier and all keys stay")
  func identity() throws {
    let path = try folder.copyGolden("tasks-synced-uploaded.realm")
    let before = try Snapshot(path: path)
    let tables = try Realm(before).schema.tables.map { ($0.key, $0.sequenceNumber) }
    let integers = try StoredHistory(before).integers
    let keys = try objectKeys(of: path)
    #expect(try update(path, "QsTask", "", "status = 'done'").changesets == 1)
    let after = try Snapshot(path: path)
    #expect(after.top.fileIdent == before.top.fileIdent)
    #expect(try objectKeys(of: path) == keys)
    let now = try Realm(after).schema.tables.map { ($0.key, $0.sequenceNumber) }
    #expect(now.elementsEqual(tables, by: ==))
    let history = try #require(try ClientHistory(after))
    #expect(history.pending.map(\.version) == [before.top.version + 1])
    var expected = integers
    expected[ClientHistoryLayout.Slot.uploadableBytes, default: 0] +=
      history.pending.compactMap(\.byteCount).reduce(0, +)
    #expect(try StoredHistory(after).integers == expected)
  }

  private func objectKeys(of path: String) throws -> [ObjectKey] {
    let objects = try #require(try Realm(path: path).objects(ofClass: "QsTask"))
    var keys: [ObjectKey] = []
    while let object = try objects.next() { keys.append(object.key) }
    return keys
  }

  // MARK: Replay

  @Test(
    "all changesets together create the objects of the realm",
    arguments: ConvertToSyncedJobTests.sources)
  func replayed(source: String) throws {
    let path = folder.path("synced.realm")
    try makeSynced(source, to: path)
    let schema = try Realm(path: path).schema.objects
    for position in schema.topLevelClasses where schema.classes[position].kind == .topLevel {
      let objectClass = schema.classes[position]
      let name = objectClass.name.text
      for (i, property) in objectClass.properties.enumerated() {
        guard i != objectClass.primaryKey, property.collection == nil,
          let value = Self.value(for: property)
        else { continue }
        _ = try update(
          path, name, "TRUEPREDICATE LIMIT(\(i + 3))", "\(property.name.text) = \(value)")
      }
      let count = try delete(path, name, "TRUEPREDICATE LIMIT(5)").changed
      #expect(count <= 5)
    }
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }

  /// An expression for a property; nil for a required link.
  private static func value(for property: Property) -> String? {
    if property.isOptional, property.type != .string { return "null" }
    switch property.type {
    case .int: return "41 + 1"
    case .bool: return "true"
    case .float, .double, .decimal: return "1.5"
    case .string: return "'a' + 'b'"
    case .mixed: return "'mixed'"
    case .timestamp: return "now()"
    case .objectId: return "newObjectId()"
    case .uuid: return "newUUID()"
    case .binary, .link, .typedLink: return nil
    }
  }

  // MARK: Refusals

  @Test("what no changeset can describe is refused")
  func refusals() throws {
    let path = try linkedRealm()
    let bytes = try readFile(path)
    func refused(_ work: () throws -> EditReport) throws -> SyncedTargetObstacle? {
      let error = #expect(throws: RequestError.self) { try work() }
      guard case .syncedTarget(let obstacle) = error?.kind else { return nil }
      return obstacle
    }
    #expect(try refused { try update(path, "P", "", "_id = _id + 10") } == .primaryKey)
    #expect(try refused { try update(path, "E", "", "to = null") } == .embedded)
    #expect(try refused { try delete(path, "E", "to == null") } == .embedded)
    #expect(try readFile(path) == bytes)
  }

  @Test("nothing is written where nothing changes")
  func unchanged() throws {
    let path = try linkedRealm()
    let bytes = try readFile(path)
    let same = try update(path, "P", "", "n = n")
    #expect(same.found == 3 && same.changed == 0 && same.rewrite == nil && same.changesets == nil)
    #expect(try delete(path, "P", "_id == 9").rewrite == nil)
    #expect(try readFile(path) == bytes)
  }
}
