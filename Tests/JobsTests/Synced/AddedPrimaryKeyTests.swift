import Foundation
import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

@Suite("Conversion to a synced realm, with primary keys for the classes that lack them")
struct AddedPrimaryKeyTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  /// 2027-01-01, 0x6b36ec80 seconds after 1970.
  private let now = 1_798_761_600

  @discardableResult
  private func convert(
    _ path: String, key: RealmKey? = nil, sizeLimit: Int = ChangesetRun.sizeLimit,
    isDryRun: Bool = false, firstNumber: UInt64 = 0x0102_0304_0506_07FE
  ) throws -> ConvertToSyncedJob.Report {
    try ConvertToSyncedJob(
      path: path, key: key, destination: .file(out, replacing: true), addsPrimaryKeys: true,
      isDryRun: isDryRun, sizeLimit: sizeLimit, now: now,
      clock: MigrationClock(seconds: now, firstNumber: firstNumber)
    ).runVerified(key: key)
  }

  /// Realm JSON with these classes and objects.
  private func document(_ schema: String, _ objects: String) -> String {
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":5},"schema":["#
      + schema + #"],"objects":{"# + objects + "}}"
  }

  /// A class of each kind: without a primary key, with one of another name, with a property `_id` that is no key, with
  /// the right key, and embedded; and links of every kind between them.
  private var world: String {
    document(
      #"""
      {"name":"Person","keyMember":"_key","properties":{"name":{"type":"string","indexed":true},"dog":"Dog?",
      "dogs":"Dog[]","friends":"Person<>","best":"Person?{}","any":"mixed","anys":"mixed[]","home":"Address?"}},
      {"name":"Dog","primaryKey":"dogId","properties":{"dogId":"string","owner":"Person?","cat":"Cat?"}},
      {"name":"Cat","keyMember":"_key","properties":{"_id":{"type":"int","indexed":true},"name":"string"}},
      {"name":"House","primaryKey":"_id","properties":{"_id":"objectId","people":"Person[]"}},
      {"name":"Address","embedded":true,"properties":{"street":"string","neighbor":"Person?"}}
      """#,
      #"""
      "Person":[
      {"_key":3,"name":"Ann","dog":"rex","dogs":["rex","ace","rex"],"friends":[3,40],"best":{"a":40,"b":null},
      "any":{"$link":{"class":"Person","id":40}},"anys":[1,{"$link":{"class":"Dog","id":"ace"}}],
      "home":{"street":"Elm","neighbor":40}},
      {"_key":40,"name":"Bob","dog":null,"dogs":[],"friends":[],"best":{},"any":{"$link":{"class":"Cat","id":9}},
      "anys":[],"home":null}],
      "Dog":[{"dogId":"rex","owner":3,"cat":9},{"dogId":"ace","owner":null,"cat":null}],
      "Cat":[{"_key":7,"_id":-5,"name":"Tom"},{"_key":9,"_id":8,"name":"Kit"}],
      "House":[{"_id":{"$oid":"64f0c0de00000001abcdef01"},"people":[40,3]}]
      """#)
  }

  // MARK: Changes

  @Test("every class gets its key, and everything else stays")
  func changes() throws {
    let source = try folder.importRealm(world, as: "world")
    let before = try readFile(source)
    let report = try convert(source)
    #expect(
      report.primaryKeys == [
        SyncedKeyChange(className: "Person", kind: .added),
        SyncedKeyChange(className: "Dog", kind: .renamed(from: "dogId")),
        SyncedKeyChange(className: "Cat", kind: .chosen),
      ])
    #expect(report.objectCount == 7)
    #expect(try readFile(source) == before)
    let schema = try Realm(path: out).schema.objects
    for name in ["Person", "Dog", "Cat", "House"] {
      let owner = try #require(schema.objectClass(named: name))
      #expect(owner.primaryKey.map { owner.properties[$0].name.text } == "_id", "\(name)")
    }
    #expect(schema.objectClass(named: "Address")?.primaryKey == nil)
    let person = try #require(schema.objectClass(named: "Person"))
    #expect(person.property(named: "name")?.index == .search)
    #expect(person.property(named: "_id")?.type == .objectId)
    #expect(person.property(named: "_id")?.isOptional == false)
    #expect(try Realm(path: out).schemaVersion() == 5)
    try expectSameObjects(source, withKeys: out)
  }

  @Test("new ObjectIds have the time and numbers that follow each other, and every run has others")
  func identifiers() throws {
    let source = try folder.importRealm(world, as: "world")
    try convert(source)
    // The number after 0x01020304050607fe, and the next one.
    #expect(
      try identities(of: out) == ["6b36ec8001020304050607ff", "6b36ec800102030405060800"])
    var runs: [[String]] = []
    for _ in 0..<2 {
      _ = try ConvertToSyncedJob(
        path: source, key: nil, destination: .file(out, replacing: true), addsPrimaryKeys: true
      ).runVerified()
      runs.append(try identities(of: out))
    }
    #expect(Set(runs.joined()).count == 4)
  }

  /// The ObjectIds of the persons.
  private func identities(of path: String) throws -> [String] {
    let persons = try realmJSON(of: path)["objects"]?["Person"]?.array
    return try #require(persons).compactMap { $0["_id"]?["$oid"]?.string }
  }

  @Test("object keys stay, so links by object key have the same targets")
  func objectKeys() throws {
    let source = try folder.importRealm(world, as: "world")
    try convert(source)
    for name in ["class_Person", "class_Dog", "class_Cat"] {
      #expect(try keys(of: name, in: out) == keys(of: name, in: source))
    }
    #expect(try keys(of: "class_Person", in: out) == [3, 40])
  }

  private func keys(of table: String, in path: String) throws -> [Int64] {
    let realm = try Realm(path: path)
    let position = try #require(realm.schema.tables.firstIndex { $0.name.text == table })
    let source = RealmSource(realm, ObjectRequest(), classes: [position])
    let cursor = try source.makeCursor()
    var keys: [Int64] = []
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() { keys += batch.keys.map(\.raw) }
      _ = cursor.close()
    }
    return keys
  }

  @Test("null counts as one value of a property that becomes the key")
  func nullKey() throws {
    let source = try folder.importRealm(
      document(
        #"{"name":"A","keyMember":"_key","properties":{"_id":"string?"}}"#,
        #""A":[{"_key":0,"_id":null},{"_key":1,"_id":"x"}]"#))
    #expect(try convert(source).primaryKeys.map(\.kind) == [.chosen])
    try expectSameObjects(source, withKeys: out)
  }

  @Test("a realm with all keys is converted as without the option")
  func nothingToAdd() throws {
    let source = Golden.path("tasks-local.realm")
    let report = try convert(source)
    #expect(report.primaryKeys.isEmpty)
    let bytes = try readFile(out)
    _ = try ConvertToSyncedJob(
      path: source, key: nil, destination: .file(out, replacing: true),
      sizeLimit: ChangesetRun.sizeLimit, now: now
    ).runVerified()
    #expect(try readFile(out) == bytes)
  }

  // MARK: Sync

  /// Realms of the reference in which classes lack the key, or have one named `id`.
  static let sources: [String] =
    ["links", "names-v0", "people"].map { Golden.path("\($0).realm") }
    + [5011, 5015, 5018, 5027, 5032, 5036, 5042, 6002, 7018].map {
      Lived.path("life-\($0).realm")
    }

  @Test("the objects are those of the source, and the changesets create them", arguments: sources)
  func replayed(path: String) throws {
    let report = try convert(path)
    #expect(!report.primaryKeys.isEmpty)
    #expect(report.changesetCount > 1)
    try expectSameObjects(path, withKeys: out)
    let again = folder.path("again.realm")
    try replay(out, to: again)
    try expectNoErrors(again)
    try expectEqualObjects(out, again)
    let (made, source) = (try Snapshot(path: out).top, try Snapshot(path: path).top)
    #expect(made.version == source.version + (try instructions(of: out).count))
    #expect(made.historyType == 3)
    #expect(made.fileIdent == 0)
  }

  @Test("the result converts to a local realm and back to the same uploads")
  func roundTrip() throws {
    let source = try folder.importRealm(world, as: "world")
    try convert(source)
    let first = try instructions(of: out)
    let local = folder.path("local.realm")
    _ = try ConvertJob(path: out, key: nil, destination: .file(local, replacing: false))
      .runVerified()
    let report = try convert(local)
    #expect(report.primaryKeys.isEmpty)
    #expect(try instructions(of: out) == first)
    #expect(try objects(of: out) == objects(of: local))
  }

  @Test("the first changeset announces the new keys")
  func announced() throws {
    let source = try folder.importRealm(world, as: "world")
    try convert(source)
    var announced: [String: String] = [:]
    for case .addTable(let table, _, let key?) in try instructions(of: out)[0] {
      announced[table.text] = key.name.text
    }
    #expect(announced == ["Person": "_id", "Dog": "_id", "Cat": "_id", "House": "_id"])
  }

  @Test("an encrypted realm stays encrypted")
  func encrypted() throws {
    let key = try RealmKey(bytes: Array(0..<64))
    let source = try folder.importRealm(world, as: "world", key: key)
    try convert(source, key: key)
    #expect(throws: (any Error).self) { _ = try Snapshot(path: out) }
    #expect(try Realm(Snapshot(path: out, key: key)).schema.classes.count == 5)
  }

  @Test("a dry run and a stream say and write the same")
  func destinations() throws {
    let source = try folder.importRealm(world, as: "world")
    let dry = try convert(source, isDryRun: true)
    #expect(dry.primaryKeys.count == 3)
    #expect(dry.objectCount == 7)
    #expect(!FileManager.default.fileExists(atPath: out))
    let stream = MemorySink()
    let report = try ConvertToSyncedJob(
      path: source, key: nil, destination: .stream(stream), addsPrimaryKeys: true
    ).run()
    #expect(report.primaryKeys == dry.primaryKeys)
    let path = try folder.write(stream.bytes, to: "stream.realm")
    try expectNoErrors(path)
    try expectSameObjects(source, withKeys: path)
  }

  @Test("embedded objects without an owner are left out and counted")
  func unowned() throws {
    let report = try convert(Lived.path("life-7018.realm"))
    let (before, after) = (
      try Realm(path: Lived.path("life-7018.realm")).schema, try Realm(path: out).schema
    )
    func count(_ schema: Schema) -> Int {
      schema.classes.filter { $0.kind == .embedded }.reduce(0) { $0 + $1.objectCount }
    }
    #expect(report.unownedObjects == count(before) - count(after))
    #expect(try errors(of: out).isEmpty)
  }

  // MARK: Obstacles

  /// A class, its objects, and why its property `_id` or its key cannot become the key.
  static let refused: [(schema: String, objects: String, property: String, SyncObstacle.Kind)] = [
    (
      #"{"name":"A","keyMember":"_key","properties":{"_id":"string"}}"#,
      #"{"_key":0,"_id":"x"},{"_key":1,"_id":"y"},{"_key":2,"_id":"x"}"#, "_id",
      .equalKeys([#""x" (objects 0, 2)"#])
    ),
    (
      #"{"name":"A","keyMember":"_key","properties":{"_id":"int?"}}"#,
      #"{"_key":5,"_id":null},{"_key":6,"_id":1},{"_key":8,"_id":null}"#, "_id",
      .equalKeys(["null (objects 5, 8)"])
    ),
    (
      #"{"name":"A","keyMember":"_key","properties":{"_id":"double"}}"#, #"{"_key":0,"_id":1.5}"#,
      "_id", .keyType("double")
    ),
    (
      #"{"name":"A","keyMember":"_key","properties":{"_id":"string[]"}}"#, #"{"_key":0,"_id":[]}"#,
      "_id", .keyType("string[]")
    ),
    (
      #"{"name":"A","keyMember":"_key","properties":{"_id":{"type":"string","fulltext":true}}}"#,
      #"{"_key":0,"_id":"x"}"#, "_id", .keyWithWords
    ),
    (
      #"{"name":"A","primaryKey":"id","properties":{"id":"int","_id":"int"}}"#,
      #"{"id":1,"_id":2}"#, "id", .keyNameTaken
    ),
  ]

  @Test("a property that cannot become the key is an obstacle", arguments: refused.indices)
  func refusal(index: Int) throws {
    let (schema, objects, property, kind) = AddedPrimaryKeyTests.refused[index]
    let source = try folder.importRealm(document(schema, "\"A\":[\(objects)]"))
    let obstacle = SyncObstacle(kind: kind, className: "A", property: property)
    let expected = RequestError(
      .cannotSync(obstacle), path: source, className: "A", property: property)
    #expect(throws: expected) { try convert(source) }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("all obstacles are listed, of keys and of others")
  func obstacles() throws {
    let source = try folder.importRealm(
      document(
        #"""
        {"name":"A","keyMember":"_key","properties":{"_id":"bool"}},
        {"name":"B","primaryKey":"id","properties":{"id":"int","_id":"int",
        "d":{"type":"int","collection":"dictionary","keyType":"int"}}},
        {"name":"C","keyMember":"_key","properties":{"n":"int"}}
        """#, #""A":[],"B":[],"C":[]"#))
    let first = try #require(throws: RequestError.self) { try convert(source) }
    let kinds = ([first] + first.others).map { error -> SyncObstacle.Kind? in
      guard case .cannotSync(let obstacle) = error.kind else { return nil }
      return obstacle.kind
    }
    #expect(kinds == [.keyType("bool"), .keyNameTaken, .integerKeys])
  }

  @Test("objects that are too large are reported, and nothing is written")
  func tooLarge() throws {
    let source = try folder.importRealm(world, as: "world")
    let first = try #require(throws: RequestError.self) { try convert(source, sizeLimit: 60) }
    guard case .cannotSync(let obstacle) = first.kind,
      case .schemaTooLarge(_, 60) = obstacle.kind
    else {
      Issue.record("\(first)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }
}
