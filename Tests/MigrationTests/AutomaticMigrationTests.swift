import RealmInterchange
import RealmJobs
import RealmMigration
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Migrations by a schema, and plans made from the differences of two schemas (chapter 3, section 9.3).
@Suite("Migrations by a schema")
struct AutomaticMigrationTests {
  private static let schema = """
    [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","fullName":"string","age":"double",
    "score":"double","nick":"string?","active":"bool?","born":"date?","tags":"string?[]","marks":"int?{}",
    "any":"mixed","friend":"Person?","pets":"Dog[]","home":"Address?","notes":"Note[]","main":"Note?",
    "cat":"Cat?"}},
    {"name":"Dog","properties":{"name":{"type":"string","indexed":true},"owner":"Person?"}},
    {"name":"Address","properties":{"street":"string","geo":"Geo?"}},
    {"name":"Geo","embedded":true,"properties":{"lat":"double"}},
    {"name":"Cat","primaryKey":"_id","properties":{"_id":"objectId","mate":"Cat?","dogs":"Dog[]"}},
    {"name":"Note","embedded":true,"properties":{"text":"string","place":"Geo?"}}]
    """

  private func migrate(
    _ world: MigrationWorld, _ schema: String = schema, to: UInt64 = 4, allowsDataLoss: Bool = true
  ) throws -> JSONValue {
    let path = try world.folder.write(Array(schema.utf8), to: "schema.json")
    let out = world.folder.path("out.realm")
    try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: true),
      source: .schema(path: path, to: to, allowsDataLoss: allowsDataLoss)
    ).runVerified()
    return try realmJSON(of: out)
  }

  @Test("values that an SDK keeps stay, and the others become defaults")
  func values() throws {
    let json = try migrate(MigrationWorld())
    #expect(json["realm"]?["schemaVersion"]?.int == 4)
    // Another type, and no longer optional: all values are lost, including those that are not null.
    #expect(json.values(of: "Person", "age") == Array(repeating: .number("0.0"), count: 3))
    #expect(json.values(of: "Person", "score") == Array(repeating: .number("0.0"), count: 3))
    #expect(json.values(of: "Person", "fullName") == Array(repeating: .string(""), count: 3))
    #expect(json.values(of: "Person", "active") == [.bool(true), .bool(false), .bool(true)])
    #expect(
      JSONValue.array(json.values(of: "Person", "tags").compactMap(\.self))
        == (try JSONValue(#"[["x","y"],[],["z"]]"#)))
    #expect(json.properties(of: "Person")?["tags"]?.string == "string?[]")
    #expect(json.properties(of: "Dog")?.names == ["name", "owner"])
    #expect(json.values(of: "Person", "home")[0]?.int == 0)
    #expect(json.values(of: "Person", "main")[0]?["text"]?.string == "n0")
    #expect(json["objects"]?["Cat"]?.array == [])
  }

  @Test("the result has the schema that the app requires")
  func schema() throws {
    let world = try MigrationWorld()
    _ = try migrate(world)
    let (out, wanted) = (world.folder.path("out.realm"), world.folder.path("schema.json"))
    #expect(try schemaDifferences(from: out, to: wanted) == [])
  }

  @Test("values that would be lost are reported first, and nothing is written")
  func dataLoss() throws {
    let world = try MigrationWorld()
    #expect {
      _ = try migrate(world, allowsDataLoss: false)
    } throws: { error in
      guard let error = error as? PlanError, error.kind == .dataLoss else {
        return false
      }
      return error.message.contains(
        "Person.name (removed), Person.age (another type), Person.score (no longer optional), "
          + "Dog.price (removed)")
    }
    #expect(try world.folder.contents()["out.realm"] == nil)
  }

  @Test("a realm with that version is left alone, whatever its schema")
  func sameVersion() throws {
    let world = try MigrationWorld()
    let path = try world.folder.write(Array(Self.schema.utf8), to: "schema.json")
    let report = try MigrateJob(
      path: world.path, key: nil, destination: .inPlace(backup: false),
      source: .schema(path: path, to: 3, allowsDataLoss: false)
    ).run()
    #expect(report.rewrite == nil && report.steps.isEmpty && report.versionAfter == 3)
  }

  @Test("classes that the schema does not have stay")
  func otherClasses() throws {
    let json = try migrate(
      MigrationWorld(), #"[{"name":"New","properties":{"a":"int"}}]"#, allowsDataLoss: false)
    #expect(json["schema"]?.array?.count == 6)
    #expect(json["objects"]?["Dog"]?.array?.count == 2)
  }

  @Test("a required primary key without values fails with its duplicates")
  func primaryKey() throws {
    let world = try MigrationWorld()
    #expect {
      _ = try migrate(
        world,
        #"[{"name":"Note","primaryKey":"id","properties":{"id":"int","text":"string","place":"Geo?"}},{"name":"Geo","embedded":true,"properties":{"lat":"double"}}]"#
      )
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.kind == .duplicates(["0 (objects 0, 1, 2)"])
    }
  }

  @Test("the plan made from a difference turns the first schema into the second")
  func skeleton() throws {
    let world = try MigrationWorld()
    let path = try world.folder.write(Array(Self.schema.utf8), to: "schema.json")
    let plan = try SchemaDiffJob(from: world.path, to: path).run(keys: TestKeys(key: nil)).plan
    #expect(
      plan.contains("# perhaps rename-property: {class: Person, from: name, to: fullName} instead"))
    let planPath = try world.folder.write(Array(plan.utf8), to: "plan.yml")
    let out = world.folder.path("out.realm")
    try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: planPath, to: nil)
    ).runVerified()
    #expect(try schemaDifferences(from: out, to: path) == [])
    // A plan converts what an SDK loses.
    let json = try realmJSON(of: out)
    #expect(
      json.values(of: "Person", "age") == [.number("30.0"), .number("40.0"), .number("50.0")])
    #expect(json.values(of: "Person", "score") == [.number("1.5"), .number("0.0"), .number("2.0")])
  }

  @Test("plans between all golden realms with local schemas reach their schema")
  func allPairs() throws {
    let names = [
      "all-types", "links", "names-v0", "primary-keys", "indexes", "nested-mixed", "tasks-local",
    ]
    var reached = 0
    for from in names {
      for to in names where from != to {
        let folder = try TemporaryFolder()
        let target = Golden.path("\(to).realm")
        let diff = try SchemaDiffJob(from: Golden.path("\(from).realm"), to: target)
          .run(keys: TestKeys(key: nil))
        let plan = try folder.write(Array(diff.plan.utf8), to: "plan.yml")
        let out = folder.path("out.realm")
        do {
          try MigrateJob(
            path: Golden.path("\(from).realm"), key: nil,
            destination: .file(out, replacing: false), source: .plan(path: plan, to: nil)
          ).runVerified()
        } catch let error as MigrationError {
          // A new primary key has the same default value in all objects.
          guard case .duplicates = error.kind else { throw error }
          continue
        }
        reached += 1
        #expect(try schemaDifferences(from: out, to: target) == [], "\(from) -> \(to)")
      }
    }
    #expect(reached > 30)
  }
}
