import RealmCompare
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@testable import RealmJobs
@testable import RealmSync

@Suite("Patches applied to synced realms")
struct SyncedApplyTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func name(_ text: String) -> Instruction.InternedName {
    Instruction.InternedName(Array(text.utf8))
  }

  private static func document(_ schema: String, _ people: String...) -> String {
    """
    {"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":[\(schema)],
    "objects":{"P":[\(people.joined(separator: ","))]}}
    """
  }

  /// Writes the changes between two documents as a patch.
  private func patch(_ old: String, _ new: String) throws -> Patch {
    let path = folder.path("changes.patch")
    let diff = RealmDiff(
      from: try Realm(path: try folder.importRealm(old, as: "old")),
      to: try Realm(path: try folder.importRealm(new, as: "new")))
    let file = try OutputFile(path: path, replacing: true)
    var lines = try PatchLines(to: file, of: diff)
    _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
    try lines.finish()
    try file.publish()
    return try Patch(path: path)
  }

  @Test("the changesets add to the schema, delete, add and change, written by hand here")
  func instructions() throws {
    let schema = #"{"name":"P","primaryKey":"_id","properties":{"_id":"int","n":"int?","to":"P?"}}"#
    let old = Self.document(
      schema, #"{"_id":1,"n":1,"to":2}"#, #"{"_id":2,"n":2,"to":null}"#, #"{"_id":3,"n":3,"to":2}"#)
    let wider =
      #"{"name":"P","primaryKey":"_id","properties":{"_id":"int","n":"int?","to":"P?","s":"string?"}}"#
    let new = Self.document(
      wider, #"{"_id":1,"n":5,"to":4,"s":null}"#, #"{"_id":3,"n":3,"to":null,"s":"x"}"#,
      #"{"_id":4,"n":4,"to":1,"s":null}"#)
    let path = folder.path("synced.realm")
    try makeSynced(try folder.importRealm(old, as: "local"), to: path)
    let before = try JobsTests.instructions(of: path)
    let report = try ApplyJob(
      try patch(old, new), to: path, key: nil, destination: .inPlace(backup: false)
    ).run()
    try expectNoErrors(path)
    #expect(report.changesets == 3)
    func place(_ id: Int64, _ field: String) -> Instruction.Place {
      Instruction.Place(table: name("P"), key: .int(id), field: name(field))
    }
    func set(_ id: Int64, _ field: String, _ value: Instruction.Payload) -> Instruction {
      .update(place(id, field), value, .value(isDefault: false))
    }
    let all = try JobsTests.instructions(of: path)
    #expect(all.prefix(before.count).elementsEqual(before))
    #expect(
      all.dropFirst(before.count + 1).first == [
        set(1, "to", .null), set(3, "to", .null), .eraseObject(table: name("P"), key: .int(2)),
      ])
    let last = try #require(all.last)
    #expect(last.contains(set(1, "n", .int(5))))
    #expect(last.contains(set(1, "to", .link(table: name("P"), key: .int(4)))))
    // What has not changed is not sent.
    #expect(!last.contains(set(3, "n", .int(3))))
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
    let diff = RealmDiff(
      from: try Realm(path: path), to: try Realm(path: folder.path("new.realm")))
    #expect(try diff.run { _ in }.isEqual)
  }

  @Test(
    "all changesets together create the objects of the realm",
    arguments: ConvertToSyncedJobTests.sources)
  func replayed(source: String) throws {
    // The copy has other values of some properties, and fewer objects.
    let path = folder.path("synced.realm")
    try makeSynced(source, to: path)
    let copy = folder.path("copy.realm")
    try makeSynced(source, to: copy)
    let schema = try Realm(path: copy).schema.objects
    for position in schema.topLevelClasses where schema.classes[position].kind == .topLevel {
      let objectClass = schema.classes[position]
      var request = EditRequest(className: objectClass.name.text)
      for (i, property) in objectClass.properties.enumerated()
      where property.isOptional && property.collection == nil && i != objectClass.primaryKey {
        request.query = "TRUEPREDICATE LIMIT(\(i + 3))"
        _ = try UpdateJob(
          path: copy, key: nil, destination: .inPlace(backup: false), request: request,
          assignments: ["\(property.name.text) = null"]
        ).run()
      }
      request.query = "TRUEPREDICATE LIMIT(5)"
      _ = try DeleteJob(
        path: copy, key: nil, destination: .inPlace(backup: false), request: request
      ).run()
    }
    let diff = RealmDiff(from: try Realm(path: path), to: try Realm(path: copy))
    let file = try OutputFile(path: folder.path("p"), replacing: true)
    var lines = try PatchLines(to: file, of: diff)
    _ = try diff.run { (event) throws(RealmFileError) in try lines.write(event, of: diff) }
    try lines.finish()
    try file.publish()
    _ = try ApplyJob(
      try Patch(path: folder.path("p")), to: path, key: nil, destination: .inPlace(backup: false)
    ).run()
    try expectNoErrors(path)
    let rest = RealmDiff(from: try Realm(path: path), to: try Realm(path: copy))
    #expect(try rest.run { _ in }.isEqual)
    let again = folder.path("again.realm")
    try replay(path, to: again)
    try expectEqualObjects(path, again)
  }

  @Test("classes without a primary key are refused")
  func refusal() throws {
    let schema = #"{"name":"P","keyMember":"_key","properties":{"n":"int"}}"#
    let patch = try patch(
      Self.document(schema, #"{"_key":0,"n":1}"#), Self.document(schema, #"{"_key":0,"n":2}"#))
    let path = folder.path("synced.realm")
    let local = try folder.importRealm(
      Self.document(schema, #"{"_key":0,"n":1}"#), as: "local")
    try makeSynced(local, to: path)
    let bytes = try readFile(path)
    let error = #expect(throws: RequestError.self) {
      try ApplyJob(patch, to: path, key: nil, destination: .inPlace(backup: false)).run()
    }
    #expect(error?.className == "P")
    #expect(try readFile(path) == bytes)
  }
}
