import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Indexes of properties that a migration leaves alone are copied. Each result is verified, which compares
/// the entries of each index with the values of the objects.
@Suite("Indexes during migrations")
struct KeptIndexTests {
  static let text = #"""
    {
    "realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[
    {"name":"A","primaryKey":"_id","properties":{"x":"int","_id":"int","name":{"type":"string?","indexed":true},"age":{"type":"int?","indexed":true},"bio":{"type":"string","fulltext":true},"at":{"type":"date","indexed":true},"uid":{"type":"uuid?","indexed":true},"any":{"type":"mixed","indexed":true}}},
    {"name":"B","keyMember":"_key","properties":{"name":{"type":"string","indexed":true},"home":"C?"}},
    {"name":"C","embedded":true,"properties":{"street":{"type":"string","indexed":true},"n":"int"}}
    ],
    "objects":{
    "A":[
    {"x":1,"_id":5,"name":"Ann","age":30,"bio":"golf and tennis","at":{"$date":"2000-01-02T03:04:05Z"},"uid":{"$uuid":"3b241101-e2bb-4255-8caf-000000000000"},"any":{"$link":{"class":"B","id":0}}},
    {"x":2,"_id":-7,"name":null,"age":null,"bio":"","at":{"$date":"1999-01-02T03:04:05Z"},"uid":null,"any":"Ann"},
    {"x":3,"_id":9,"name":"Ann","age":30,"bio":"tennis","at":{"$date":"2000-01-02T03:04:05Z"},"uid":null,"any":null}
    ],
    "B":[
    {"_key":3,"name":"Rex","home":{"street":"Elm","n":1}},
    {"_key":8,"name":"","home":null}
    ]
    }
    }
    """#.replacing("\"id\":0", with: "\"id\":3")

  @Test(
    "the indexes of the result have the entries of its objects",
    arguments: [
      "add-property: {class: A, name: n, type: 'int?', value: age}",
      "add-property: {class: A, name: n, type: 'string?', value: name, indexed: true}",
      "rename-property: {class: A, from: name, to: title}",
      "remove-property: {class: A, name: x}",
      "remove-property: {class: A, name: age}",
      "set-values: {class: A, values: {name: bio}}",
      "set-values: {class: A, where: age > 1, values: {age: 7, bio: name}}",
      "delete-objects: {class: A, where: x == 2}",
      "delete-objects: {class: B, where: name == 'Rex'}",
      "change-type: {class: A, name: age, type: 'string?'}",
      "set-required: {class: A, name: name, value: '\"none\"'}",
      "set-optional: {class: A, name: at}",
      "rename-class: {from: A, to: Z}",
      "set-primary-key: {class: A, name: x}",
      "remove-index: {class: A, name: bio}\nadd-index: {class: A, name: bio}",
      "remove-property: {class: A, name: x}\nrename-property: {class: A, from: bio, to: x}",
      "remove-index: {class: A, name: age}\nchange-type: {class: A, name: age, type: 'double?'}\n"
        + "change-type: {class: A, name: age, type: 'int?'}\nadd-index: {class: A, name: age}",
    ])
  func entries(steps: String) throws {
    let world = try MigrationWorld(text: Self.text)
    for jobs in [1, 3] { _ = try world.migrate(steps, jobs: jobs) }
  }

  @Test("an unchanged index keeps its nodes")
  func nodes() throws {
    let world = try MigrationWorld(text: Self.text)
    let before = try Self.byteCounts(in: world.path)
    _ = try world.migrate("set-values: {class: A, values: {age: '8'}}")
    let after = try Self.byteCounts(in: world.folder.path("out.realm"))
    #expect(before.keys.sorted() == after.keys.sorted())
    for name in before.keys where name != "age" {
      #expect(before[name] == after[name], "\(name)")
    }
    // All values are equal now.
    #expect(before["age"] != after["age"])
  }

  @Test(
    "an index that does not fit the objects, or cannot be read, is rebuilt with the objects",
    arguments: [true, false])
  func wrongIndex(isReadable: Bool) throws {
    let world = try Self.worldWithWrongIndex(isReadable: isReadable)
    _ = try world.migrate("add-property: {class: A, name: n, type: 'int?', value: age}")
  }

  @Test("an index that does not fit the objects is copied where only other values change")
  func copiedWrongIndex() throws {
    let world = try Self.worldWithWrongIndex(isReadable: true)
    let out = try Self.setAges(in: world)
    #expect(try errors(of: out).map(\.rule) == errors(of: world.path).map(\.rule))
  }

  @Test("an index that cannot be read stops a change of other values")
  func unreadableIndex() throws {
    let world = try Self.worldWithWrongIndex(isReadable: false)
    let error = #expect(throws: RealmFileError.self) { _ = try Self.setAges(in: world) }
    guard case .damaged = error?.kind else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: world.folder.path("out.realm")))
  }

  /// Sets the ages of class A.
  ///
  /// - Returns: the new realm, which nobody verified.
  private static func setAges(in world: MigrationWorld) throws -> String {
    let plan = try world.folder.write(
      Array(migrationPlan("set-values: {class: A, values: {age: '8'}}").utf8), to: "plan.yml")
    let out = world.folder.path("out.realm")
    _ = try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil), sampleCount: 0, jobs: 2
    ).run()
    return out
  }

  /// A realm in which the index of `at` has a wrong chunk, or says that it has more of them than the file has bytes.
  private static func worldWithWrongIndex(isReadable: Bool) throws -> MigrationWorld {
    let world = try MigrationWorld(text: Self.text)
    let realm = try Realm(path: world.path)
    let table = try #require(realm.schema.table(named: "class_A"))
    let index = try #require(table.columns.first { $0.name.text == "at" }?.index)
    var bytes = try readFile(world.path)
    // The first element is the ref of the chunks.
    let chunks = EditedRealm(bytes).element(0, of: index)
    if isReadable { bytes[chunks + 8] ^= 1 } else { bytes[chunks + 5] = 0xFF }
    let path = try world.folder.write(bytes, to: "world.realm")
    #expect(try !errors(of: path).isEmpty)
    return world
  }

  /// The bytes of the root of each index of class A.
  private static func byteCounts(in path: String) throws -> [String: Int] {
    let realm = try Realm(path: path)
    let table = try #require(realm.schema.table(named: "class_A"))
    let bytes = try readFile(path)
    var counts: [String: Int] = [:]
    for column in table.columns where column.index != 0 {
      counts[column.name.text] = Int(bytes[column.index + 7])
    }
    return counts
  }
}
