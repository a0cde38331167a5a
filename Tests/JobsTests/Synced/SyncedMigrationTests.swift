import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmQuery
@testable import RealmSync

@Suite("Migration of synced realms")
struct SyncedMigrationTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  private func migrate(_ path: String, _ steps: String) throws -> MigrateJob.Report {
    let plan = try folder.write(
      Array(migrationPlan(steps, to: 900).utf8), to: "plan.yml")
    return try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).runVerified()
  }

  private func migrate(_ path: String, schema: String, to: UInt64) throws -> MigrateJob.Report {
    let file = try folder.write(Array(schema.utf8), to: "schema.json")
    return try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .schema(path: file, to: to, allowsDataLoss: false)
    ).runVerified()
  }

  private static func name(_ text: String) -> Instruction.InternedName {
    Instruction.InternedName(Array(text.utf8))
  }

  @Test("added classes and properties are one more changeset, written by hand here")
  func additive() throws {
    let path = Golden.path("tasks-synced.realm")
    let before = try instructions(of: path)
    let report = try migrate(
      path,
      """
      add-class: {name: Place, embedded: true, properties: {x: double}}
      add-class: {name: User, primary-key: _id, properties: {_id: uuid, tags: 'string{}', task: 'QsTask?'}}
      add-property: {class: QsTask, name: urgent, type: bool}
      add-property: {class: QsTask, name: where, type: 'Place?'}
      add-property: {class: QsTask, name: users, type: 'User[]'}
      add-property: {class: QsTask, name: any, type: mixed}
      add-index: {class: QsTask, name: owner}
      """)
    #expect(report.changesets == 1)
    func column(
      _ table: String, _ field: String, _ type: Instruction.ValueType, _ isNullable: Bool,
      _ collection: Instruction.Collection = .none, target: String? = nil,
      keyType: Instruction.ValueType? = nil
    ) -> Instruction {
      .addColumn(
        Instruction.NewColumn(
          table: Self.name(table), name: Self.name(field), type: type, isNullable: isNullable,
          collection: collection, target: target.map(Self.name), keyType: keyType))
    }
    let id = Instruction.PrimaryKeyColumn(name: Self.name("_id"), type: .uuid, isNullable: false)
    #expect(
      try instructions(of: out) == before + [
        [
          .addTable(name: Self.name("Place"), kind: .embedded, primaryKey: nil),
          .addTable(name: Self.name("User"), kind: .topLevel, primaryKey: id),
          column("QsTask", "urgent", .bool, false),
          column("QsTask", "where", .link, true, target: "Place"),
          column("QsTask", "users", .link, false, .list, target: "User"),
          column("QsTask", "any", .null, true),
          column("Place", "x", .double, false),
          column("User", "tags", .string, false, .dictionary, keyType: .string),
          column("User", "task", .link, true, target: "QsTask"),
        ]
      ])
    let (old, new) = (try Realm(path: path), try Realm(path: out))
    #expect(new.snapshot.top.version == old.snapshot.top.version + 1)
    #expect(try new.schemaVersion() == 900)
    let keys = old.schema.tables.map(\.key)
    #expect(Array(new.schema.tables.map(\.key).prefix(keys.count)) == keys)
    #expect(new.schema.table(named: "class_Place")?.key.slot == keys.count)
    let history = try #require(try ClientHistory(new.snapshot))
    #expect(history.pending.map(\.version) == [2, 3, 4])
    let again = folder.path("again.realm")
    try replay(out, to: again)
    try expectEqualObjects(out, again)
  }

  @Test("a new index is local: the version has an empty changeset")
  func index() throws {
    let path = Golden.path("tasks-synced-uploaded.realm")
    let report = try migrate(path, "add-index: {class: QsTask, name: owner}")
    #expect(report.changesets == 0)
    let (before, after) = (
      try #require(try ClientHistory(try Snapshot(path: path))),
      try #require(try ClientHistory(try Snapshot(path: out)))
    )
    #expect(after.version == before.version + 1)
    #expect(after.entryCount == before.entryCount + 1)
    #expect(after.pending.isEmpty)
  }

  @Test(
    "tombstones, keys and the identity of the file stay",
    arguments: ["unresolved", "unresolved-uploaded", "people-synced", "people-synced-uploaded"])
  func keeps(name: String) throws {
    let path = Golden.path("\(name).realm")
    let first = try #require(try Realm(path: path).schema.objects.appClasses.first)
    let owner = try Realm(path: path).schema.objects.classes[first].name.text
    _ = try migrate(path, "add-property: {class: \(owner), name: more, type: 'int?'}")
    let (old, new) = (try Realm(path: path), try Realm(path: out))
    #expect(new.schema.tables.map(\.key) == old.schema.tables.map(\.key))
    #expect(
      new.schema.tables.map { $0.tombstones == 0 } == old.schema.tables.map { $0.tombstones == 0 })
    #expect(new.schema.tables.map(\.objectCount) == old.schema.tables.map(\.objectCount))
    #expect(new.snapshot.top.fileIdent == old.snapshot.top.fileIdent)
    let (a, b) = (try objectsByKey(of: path), try objectsByKey(of: out))
    for (name, objects) in a {
      for (key, object) in objects {
        var kept = b[name]?[key]
        if name == owner { #expect(kept?.removeValue(forKey: "more") == .null) }
        #expect(kept == object)
      }
    }
  }

  @Test("with a schema, missing classes and properties are left alone, and the version may stay")
  func schema() throws {
    let path = Golden.path("tasks-synced.realm")
    let report = try migrate(
      path,
      schema: #"""
        [{"name":"QsTask","primaryKey":"_id","properties":{"_id":"objectId","name":"string","note":"string?"}},
        {"name":"Pet","primaryKey":"_id","properties":{"_id":"int"}}]
        """#, to: 0)
    #expect(report.steps.map(\.subject) == ["Pet", "QsTask.note"])
    #expect(report.versionAfter == 0)
    let schema = try Realm(path: out).schema.objects
    #expect(
      schema.objectClass(named: "QsTask")?.properties.map(\.name.text)
        == ["_id", "name", "owner", "status", "note"])
    #expect(schema.objectClass(named: "Pet") != nil)
    let again = try migrate(
      out, schema: #"[{"name":"Pet","primaryKey":"_id","properties":{"_id":"int"}}]"#, to: 0)
    #expect(again.isCurrent && again.rewrite != nil)
    #expect(
      try Realm(path: out).schema.objects.classes.map(\.name.text)
        == schema.classes.map(\.name.text))
  }

  @Test(
    "steps that change or remove something are refused, and nothing is written",
    arguments: [
      ("remove-property: {class: QsTask, name: name}", "remove-property QsTask.name"),
      ("rename-property: {class: QsTask, from: name, to: n}", "rename-property QsTask.name -> n"),
      ("change-type: {class: QsTask, name: name, type: int}", "change-type QsTask.name"),
      ("set-optional: {class: QsTask, name: name}", "set-optional QsTask.name"),
      ("set-required: {class: QsTask, name: status, value: \"'x'\"}", "set-required QsTask.status"),
      ("remove-class: {name: Nobody}", "remove-class Nobody"),
      ("rename-class: {from: QsTask, to: Task}", "rename-class QsTask -> Task"),
      ("set-values: {class: QsTask, values: {name: \"'x'\"}}", "set-values QsTask.name"),
      ("delete-objects: {class: QsTask, where: \"true\"}", "delete-objects QsTask"),
      (
        "add-property: {class: QsTask, name: n, type: string, value: name}",
        "compute values for QsTask.n"
      ),
    ])
  func refused(step: String, expected: String) throws {
    let path = Golden.path("tasks-synced.realm")
    #expect(throws: RequestError(.syncedMigration([expected]), path: path)) {
      _ = try migrate(path, "add-index: {class: QsTask, name: owner}\n" + step)
    }
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("a schema that changes something is refused with all changes")
  func refusedSchema() throws {
    let path = Golden.path("tasks-synced.realm")
    let schema =
      #"[{"name":"QsTask","primaryKey":"name","properties":{"_id":"objectId","name":"string?","status":"int?"}}]"#
    #expect(
      throws: RequestError(
        .syncedMigration([
          "change the primary key of QsTask", "make QsTask.name optional",
          "change the type of QsTask.status",
        ]), path: path)
    ) { _ = try migrate(path, schema: schema, to: 1) }
  }

  @Test("a new class needs a primary key named _id")
  func primaryKey() throws {
    let path = Golden.path("tasks-synced.realm")
    for (step, kind) in [
      ("add-class: {name: N, primary-key: id, properties: {id: int}}", .primaryKeyName),
      ("add-class: {name: N, properties: {_id: int}}", .noPrimaryKey),
    ] as [(String, SyncObstacle.Kind)] {
      let obstacle = SyncObstacle(
        kind: kind, className: "N", property: kind == .primaryKeyName ? "id" : nil)
      #expect(
        throws: RequestError(
          .cannotSync(obstacle), path: path, className: "N", property: obstacle.property)
      ) { _ = try migrate(path, step) }
    }
  }

  @Test("an old format and an old history are refused")
  func old() throws {
    var realm = try EditedRealm(golden: "tasks-synced.realm")
    (realm.bytes[20], realm.bytes[21]) = (20, 20)
    let path = try folder.write(realm.bytes, to: "old.realm")
    #expect(throws: RequestError(.oldSyncedFormat(20), path: path)) {
      _ = try migrate(path, "add-index: {class: QsTask, name: owner}")
    }
  }
}
