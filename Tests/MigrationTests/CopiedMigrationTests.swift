import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Classes that no step touches are copied as they are. `runVerified` checks links and backlinks of each result.
@Suite("Classes that a migration does not touch")
struct CopiedMigrationTests {
  /// Steps, and how many objects a migration of the world reads. The world has 3 persons, 2 dogs, 2 addresses,
  /// 3 places and 3 notes.
  static let readings: [(steps: String, objects: Int)] = [
    ("add-property: {class: Dog, name: n, type: int}", 2),
    ("set-optional: {class: Dog, name: name}", 2),
    ("add-index: {class: Dog, name: name}", 2),
    ("rename-class: {from: Person, to: Human}\nset-optional: {class: Dog, name: name}", 2),
    (
      "rename-property: {class: Person, from: name, to: title}\nadd-index: {class: Dog, name: name}",
      2
    ),
    // An embedded class: its owners stay.
    ("add-property: {class: Address, name: n, type: int}", 2),
    // The computed property reads linked objects.
    ("add-property: {class: Dog, name: n, type: string, value: owner.name}", 2),
    // New and removed links change the backlinks of their targets.
    ("add-property: {class: Note, name: n, type: 'Dog?'}", 5),
    ("add-property: {class: Note, name: n, type: 'Note[]'}", 3),
    ("remove-property: {class: Person, name: pets}", 5),
    ("set-values: {class: Dog, values: {owner: 'null'}}", 5),
    // New values of a copied class: only its objects are read.
    ("set-values: {class: Dog, values: {name: \"name + '!'\"}}", 2),
    ("set-values: {class: Dog, where: \"name == 'Rex'\", values: {name: owner.name}}", 2),
    ("set-values: {class: Person, where: 'age > 30', values: {age: 'age + 1', name: \"'x'\"}}", 3),
    ("set-values: {class: Address, values: {street: \"'a street'\"}}", 2),
    (
      "rename-class: {from: Person, to: Human}\nset-values: {class: Human, values: {age: 'age * 2'}}",
      3
    ),
    ("add-class: {name: X, properties: {p: 'Person?', n: 'Note[]'}}", 6),
    // Links to deleted objects change.
    ("delete-objects: {class: Dog, where: \"name == 'Rex'\"}", 5),
    // A mixed property can get any link.
    ("add-property: {class: Dog, name: n, type: mixed, value: owner.main}", 13),
    // Its only target is the class itself.
    ("remove-property: {class: Person, name: friend}", 3),
  ]

  @Test("a migration reads what the steps touch", arguments: readings)
  func reads(example: (steps: String, objects: Int)) throws {
    let world = try MigrationWorld()
    let plan = try world.folder.write(
      Array(migrationPlan(example.steps).utf8), to: "plan.yml")
    let out = world.folder.path("out.realm")
    var total = 0
    _ = try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).run { total = $1 }
    #expect(total == example.objects)
    try expectNoErrors(out)
    #expect(try realmJSON(of: out) == (try built(world.path, example.steps, to: 4)))
  }

  /// The result of a migration whose steps touch all classes, so that all are built.
  private func built(_ path: String, _ steps: String, to version: Int) throws -> JSONValue {
    let folder = try TemporaryFolder()
    let out = folder.path("out.realm")
    let plan = try folder.write(
      Array(migrationPlan(steps, to: version).utf8), to: "plan.yml")
    try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    let names = try realmJSON(of: out)["schema"]?.array?.compactMap { $0["name"]?.string }
    let touching = (names ?? []).map {
      "add-property: {class: \"\($0)\", name: zzz, type: int}\n"
        + "remove-property: {class: \"\($0)\", name: zzz}"
    }
    let all = ([steps] + touching).joined(separator: "\n")
    _ = try folder.write(Array(migrationPlan(all, to: version).utf8), to: "plan.yml")
    try MigrateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    return try realmJSON(of: out)
  }

  /// A built leaf has the least width that its values need; a copied one keeps its own.
  @Test("the columns without new values are copied node by node")
  func keepsLeaves() throws {
    let world = try MigrationWorld()
    func leaf(in path: String) throws -> Ref {
      let realm = try Realm(path: path)
      let table = try #require(realm.schema.table(named: "class_Person"))
      let column = try #require(table.column(named: "active"))
      let reader = try RealmReader(realm)
      let place = try #require(try reader.clusters(of: table).first)
      return try reader.cluster(place).leaf(at: column.key.leafIndex)
    }
    var bytes = try readFile(world.path)
    let wide = try leaf(in: world.path)
    #expect(Array(bytes[(wide + 4)..<(wide + 9)]) == [1, 0, 0, 3, 0b101])
    bytes.replaceSubrange(wide + 4..<wide + 5, with: [4])
    bytes.replaceSubrange(wide + 8..<wide + 11, with: [1, 0, 1])
    _ = try world.folder.write(bytes, to: "world.realm")
    let (json, _) = try world.migrate("set-values: {class: Person, values: {age: age + 1}}")
    #expect(json.values(of: "Person", "age") == ["31", "41", "51"].map { .number($0) })
    #expect(json.values(of: "Person", "active") == [.bool(true), .bool(false), .bool(true)])
    let out = world.folder.path("out.realm")
    let copy = try leaf(in: out)
    #expect(Array(try readFile(out)[(copy + 4)..<(copy + 11)]) == [4, 0, 0, 3, 1, 0, 1])
  }

  /// A batch has at most 32 MB of strings and binaries, so the objects of the cluster come in several batches. Only the
  /// reference writes such clusters: an import begins another one.
  @Test("new values for objects of more bytes than a batch has")
  func largeObjects() throws {
    func data(_ count: Int) -> String {
      let bytes = Data(repeating: 7, count: count).base64EncodedString()
      return #"{"$binary":{"base64":"\#(bytes)","subType":"00"}}"#
    }
    let objects = (0..<3).map { #"{"_id":\#($0),"name":"n","blob":\#(data(100))}"# }
    // The class before makes the file larger than 64 kB, so that refs have 32 bits.
    let world = try MigrationWorld(
      text: #"""
        {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
        "schema":[{"name":"A","primaryKey":"_id","properties":{"_id":"int","blob":"data"}},
        {"name":"T","primaryKey":"_id","properties":{"_id":"int","name":"string","blob":"data"}}],
        "objects":{"A":[{"_id":0,"blob":\#(data(200_000))}],"T":[\#(objects.joined(separator: ","))]}}
        """#)
    let realm = try Realm(path: world.path)
    let table = try #require(realm.schema.table(named: "class_T"))
    let column = try #require(table.column(named: "blob"))
    let reader = try RealmReader(realm)
    let place = try #require(try reader.clusters(of: table).first)
    let leaf = try reader.cluster(place).leaf(at: column.key.leafIndex)
    var edited = EditedRealm(try readFile(world.path))
    for row in 0..<3 {
      // The flags of a node of bytes: width type 2.
      let blob = edited.append(
        node(flags: 0x10, count: 12 << 20, [UInt8](repeating: UInt8(row), count: 12 << 20)))
      edited.setElement(row, of: leaf, to: blob)
    }
    _ = try world.folder.write(edited.bytes, to: "world.realm")
    let plan = try world.folder.write(
      Array(
        migrationPlan("set-values: {class: T, where: 'blob != null', values: {name: \"'x'\"}}").utf8
      ),
      to: "plan.yml")
    let out = world.folder.path("out.realm")
    try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: true),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    let copied = try #require(try Realm(path: out).objects(ofClass: "T"))
    var blobs: [RealmValue?] = []
    while let object = try copied.next() {
      #expect(try object.value(of: "name") == .string("x"))
      blobs.append(try object.value(of: "blob"))
    }
    #expect(blobs == (0..<3).map { .binary([UInt8](repeating: $0, count: 12 << 20)) })
  }

  @Test("copied classes keep the keys of tables and columns, links, and other names of properties")
  func keeps() throws {
    let world = try MigrationWorld()
    let (json, _) = try world.migrate(
      """
      add-property: {class: Dog, name: n, type: string, value: owner.name}
      rename-class: {from: Person, to: Human}
      rename-property: {class: Human, from: name, to: a name that is longer than the others}
      """)
    #expect(json.values(of: "Dog", "n") == [.string("Ann"), .string("Cyd")])
    #expect(json.values(of: "Dog", "owner") == [.number("1"), .number("3")])
    let names = json.values(of: "Human", "a name that is longer than the others")
    #expect(names == [.string("Ann"), .string("Bob"), .string("Cyd")])
    let (old, new) = (
      try Realm(path: world.path), try Realm(path: world.folder.path("out.realm"))
    )
    #expect(new.schema.tables.map(\.key) == old.schema.tables.map(\.key))
    let (person, human) = (
      try #require(old.schema.table(named: "class_Person")),
      try #require(new.schema.table(named: "class_Human"))
    )
    #expect(human.columns.map(\.key) == person.columns.map(\.key))
  }

  /// Only the class Walk is copied: all others have links to or from the removed class, or to each other.
  @Test("a class that is removed leaves its slot free; the classes after it keep theirs")
  func removed() throws {
    let world = try MigrationWorld(
      text: #"""
        {
        "realm":{"format":"realm-json","version":1,"schemaVersion":3},
        "schema":[
        {"name":"A","keyMember":"_key","properties":{"any":"mixed","dog":"Dog?"}},
        {"name":"Dog","keyMember":"_key","properties":{"name":"string","town":"Town?"}},
        {"name":"Stray","keyMember":"_key","properties":{"any":"mixed"}},
        {"name":"Town","primaryKey":"name","properties":{"name":"string","dogs":"Dog[]"}},
        {"name":"Walk","keyMember":"_key","properties":{"dogs":"Dog[]","any":"mixed"}}
        ],
        "objects":{
        "A":[{"_key":0,"any":{"$link":{"class":"Town","id":"Bree"}},"dog":1}],
        "Dog":[{"_key":0,"name":"Rex","town":"Bree"},{"_key":1,"name":"Fido","town":null}],
        "Stray":[{"_key":0,"any":[{"$link":{"class":"A","id":0}},{"$link":{"class":"Dog","id":1}},7]}],
        "Town":[{"name":"Bree","dogs":[1,0,1]},{"name":"Combe","dogs":[]}],
        "Walk":[{"_key":0,"dogs":[1,1],"any":{"$link":{"class":"Town","id":"Combe"}}}]
        }
        }
        """#)
    let (json, report) = try world.migrate(
      "remove-class: {name: A}\nadd-class: {name: B, properties: {n: int}}")
    #expect(report.steps.map(\.deletedObjects) == [1, 0])
    #expect(
      json["objects"]
        == (try JSONValue(
          #"""
          {"Dog":[{"_key":0,"name":"Rex","town":"Bree"},{"_key":1,"name":"Fido","town":null}],
          "Stray":[{"_key":0,"any":[{"$link":{"class":"Dog","id":1}},7]}],
          "Town":[{"name":"Bree","dogs":[1,0,1]},{"name":"Combe","dogs":[]}],
          "Walk":[{"_key":0,"dogs":[1,1],"any":{"$link":{"class":"Town","id":"Combe"}}}],"B":[]}
          """#)))
    let (old, new) = (
      try Realm(path: world.path), try Realm(path: world.folder.path("out.realm"))
    )
    for name in ["class_Dog", "class_Stray", "class_Town", "class_Walk"] {
      #expect(new.schema.table(named: name)?.key == old.schema.table(named: name)?.key)
    }
    #expect(new.schema.table(named: "class_B")?.key.slot == old.schema.tables.count)
  }

  // MARK: Lived realms

  /// An expression for a property of each type, as Realm JSON names it.
  private static let values = [
    "int": "7", "int?": "null", "string": "'seven'", "string?": "null", "bool": "true",
    "double": "7.5", "double?": "7", "date?": "null", "decimal128": "7", "uuid?": "null",
  ]

  /// The type of a property in a schema of Realm JSON.
  private func typeName(_ property: JSONValue) -> String? {
    property.string ?? property["type"]?.string
  }

  /// A step on a class of a realm with a random schema.
  private func step(
    _ number: Int, _ classes: [JSONValue], using random: inout SplitMix64
  ) -> String? {
    guard let some = classes.randomElement(using: &random), let name = some["name"]?.string,
      let other = classes.randomElement(using: &random), let target = other["name"]?.string
    else { return nil }
    let key = some["primaryKey"]?.string
    let property = some["properties"]?.names.filter { $0 != key }.randomElement(using: &random)
    let isEmbedded = some["embedded"] != nil || some["asymmetric"] != nil
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return "add-property: {class: \"\(name)\", name: zi\(number), type: int}"
    case 1 where other["embedded"] == nil && other["asymmetric"] == nil:
      return "add-property: {class: \"\(name)\", name: zl\(number), type: object, "
        + "objectType: \"\(target)\", collection: list}"
    case 2:
      guard let property else { return nil }
      return "remove-property: {class: \"\(name)\", name: \"\(property)\"}"
    case 3: return "rename-class: {from: \"\(name)\", to: ZC\(number)}"
    case 4:
      guard let property else { return nil }
      return "rename-property: {class: \"\(name)\", from: \"\(property)\", to: zr\(number)}"
    case 5 where !isEmbedded: return "delete-objects: {class: \"\(name)\", where: TRUEPREDICATE}"
    case 6 where other["embedded"] == nil && other["asymmetric"] == nil:
      return "add-class: {name: ZN\(number), properties: {l: {type: object, "
        + "objectType: \"\(target)\", optional: true}}}"
    case 7: return "remove-class: {name: \"\(name)\"}"
    case 8...:
      guard let property,
        let value = Self.values[some["properties"]?[property].flatMap(typeName) ?? ""]
      else { return nil }
      return "set-values: {class: \"\(name)\", values: {\"\(property)\": \"\(value)\"}}"
    default: return nil
    }
  }

  /// The lived realms of format 24, without the one whose export nests too deep for the tests' own parser.
  private static let realms = Lived.names.filter { name in
    name != "deep" && (try? Snapshot(path: Lived.path(name + ".realm")).format) == 24
  }

  @Test(
    "random steps on lived realms give what a migration of all classes gives", arguments: realms)
  func lived(name: String) throws {
    let path = Lived.path(name + ".realm")
    let before = try realmJSON(of: path)
    let classes = before["schema"]?.array ?? []
    let version = (before["realm"]?["schemaVersion"]?.int ?? 0) + 1
    var random = SplitMix64(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    for _ in 0..<4 {
      // One step each: some are refused because of the schema, such as a class that others link to.
      guard let step = step(1, classes, using: &random) else { continue }
      let folder = try TemporaryFolder()
      let out = folder.path("out.realm")
      let plan = try folder.write(
        Array(migrationPlan(step, to: version).utf8), to: "plan.yml")
      do {
        try MigrateJob(
          path: path, key: nil, destination: .file(out, replacing: true),
          source: .plan(path: plan, to: nil)
        ).runVerified()
      } catch _ {
        continue
      }
      #expect(
        try realmJSON(of: out) == (try built(path, step, to: version)),
        "\(name): \(step)")
    }
  }
}
