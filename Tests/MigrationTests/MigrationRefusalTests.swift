import Foundation
import RealmJobs
import RealmMigration
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// What a plan cannot do, with the place in the plan or the object, and the message.
@Suite("Refused migrations")
struct MigrationRefusalTests {
  /// Steps, what the message says, and the column in line 5 of the plan.
  static let rules: [(String, String, Int)] = [
    ("add-property: {class: Person, name: name, type: int}", "already has a property 'name'", 45),
    ("add-property: {class: Nobody, name: x, type: int}", "there is no class 'Nobody'", 31),
    ("add-property: {class: Dog, name: x, type: itn}", "no type and no class named 'itn'", 51),
    (
      "add-property: {class: Dog, name: '', type: int}",
      "'name' is '', expected a non-empty string", 42
    ),
    (
      "add-property: {class: Dog, name: \(String(repeating: "x", count: 64)), type: int}",
      "longer than 63 bytes", 9
    ),
    ("add-property: {class: Dog, name: x, type: 'Address<>'}", "a set cannot hold embedded", 9),
    ("add-property: {class: Dog, name: x, type: double, indexed: true}", "cannot have an index", 9),
    ("add-property: {class: Dog, name: x, type: int, fulltext: true}", "only strings can have", 9),
    (
      "add-property: {class: Dog, name: x, type: 'Person?[]'}", "except in lists and sets", 9
    ),
    ("remove-property: {class: Person, name: _id}", "Person._id is the primary key", 48),
    ("remove-property: {class: Dog, name: nme}", "Dog has no property 'nme'", 45),
    ("rename-property: {class: Dog, from: name, to: price}", "already has a property 'price'", 55),
    (
      "add-property: {class: Dog, name: x, type: int, objectType: Note}",
      "found 'objectType' with the type 'int'", 68
    ),
    (
      "add-property: {class: Dog, name: x, type: int, collection: bag}",
      "found the collection 'bag', expected list, set or dictionary", 68
    ),
    ("rename-class: {from: Dog, to: Note}", "there is already a class 'Note'", 39),
    ("change-type: {class: Person, name: age, type: uuid}", "int do not convert to uuid", 55),
    ("change-type: {class: Person, name: pets, type: 'Note[]'}", "do not convert", 56),
    (
      "change-type: {class: Person, name: tags, type: 'string<>', value: \"'x'\"}",
      "tags is of type string<>, but an expression gives single values", 75
    ),
    (
      "add-property: {class: Dog, name: x, type: 'int[]', value: '1'}",
      "x is of type int[], but an expression gives single values", 67
    ),
    ("change-type: {class: Person, name: tags, type: 'string<>'}", "do not convert", 56),
    (
      "change-type: {class: Person, name: _id, type: bool, value: 'true'}", "a primary key is one",
      9
    ),
    ("set-optional: {class: Person, name: nick}", "is already optional", 45),
    ("set-required: {class: Person, name: name}", "is already required", 45),
    ("set-required: {class: Person, name: friend}", "are optional", 9),
    ("set-required: {class: Person, name: any}", "mixed properties are optional", 9),
    ("set-primary-key: {class: Person, name: _id}", "is already the primary key", 48),
    ("set-primary-key: {class: Person, name: born}", "a primary key is one int", 9),
    ("set-primary-key: {class: Address, name: street}", "an embedded class has no primary key", 9),
    ("remove-primary-key: {class: Dog}", "class Dog has no primary key", 37),
    ("add-index: {class: Person, name: score}", "cannot have an index", 9),
    ("add-index: {class: Person, name: _id}", "already has an index", 42),
    ("remove-index: {class: Person, name: name}", "Person.name has no index", 45),
    ("remove-index: {class: Person, name: _id}", "is the primary key, which always", 45),
    ("add-class: {name: Dog, properties: {}}", "there is already a class 'Dog'", 27),
    ("add-class: {name: X, primary-key: k, properties: {n: int}}", "X has no property 'k'", 43),
    ("add-class: {name: E, embedded: true, properties: {e: 'E?'}}", "contain themselves", 9),
    (
      "add-class: {name: E, embedded: true, primary-key: e, properties: {e: int}}",
      "no primary key", 9
    ),
    ("remove-class: {name: Dog}", "class Dog is the target of Person.pets", 30),
    ("set-embedded: {class: Address}", "is already embedded", 31),
    ("set-embedded: {class: Person}", "has a primary key, which embedded", 31),
    ("set-top-level: {class: Dog}", "class Dog is not embedded", 32),
    ("set-values: {class: Dog, values: {nme: 'null'}}", "Dog has no property 'nme'", 43),
    ("set-values: {class: Dog, values: {}}", "'values' is empty", 21),
    ("delete-objects: {class: Dog}", "needs the member 'where'", 25),
    ("add-property: {class: Dog, nam: x, type: int}", "add-property has no member 'nam'", 36),
    (
      "add-property: {class: Dog, name: [x], type: int}",
      "'name' is a list, expected a non-empty string", 42
    ),
    ("add-propery: {class: Dog}", "there is no step 'add-propery'", 9),
    ("add-property: 5", "found '5', expected the members of add-property", 23),
    ("[add-property]", "found a list, expected one step", 9),
    ("add-index: {class: Dog, name: name, fulltext: yes}", "expected true or false", 55),
    ("add-index: {class: Dog, class: Dog, name: name}", "the member 'class' appears twice", 21),
  ]

  @Test("a broken rule of schemas or plans is reported with its place", arguments: rules)
  func rule(steps: String, message: String, column: Int) throws {
    let world = try MigrationWorld()
    #expect {
      _ = try world.migrate(steps)
    } throws: { error in
      guard let error = error as? PlanError else { return false }
      return error.message.contains(message) && error.line == 5 && error.column == column
        && error.path.hasSuffix("plan.yml")
    }
  }

  @Test(
    "the hint for values that do not convert names steps that are possible",
    arguments: [
      ("uuid", "give the new values with 'value'"),
      (
        "'int[]'",
        "export the values, make the property anew with remove-property and add-property, and import "
          + "the values"
      ),
    ])
  func conversionHint(type: String, hint: String) throws {
    let world = try MigrationWorld()
    #expect {
      _ = try world.migrate("change-type: {class: Person, name: age, type: \(type)}")
    } throws: { ($0 as? PlanError)?.advice == hint }
    _ = try world.migrate(
      type == "uuid"
        ? "change-type: {class: Person, name: age, type: uuid, value: newUUID()}"
        : """
        remove-property: {class: Person, name: age}
        add-property: {class: Person, name: age, type: 'int[]'}
        """)
  }

  @Test("a plan can begin with a byte order mark", arguments: [true, false])
  func byteOrderMark(isJSON: Bool) throws {
    let world = try MigrationWorld()
    let text =
      isJSON
      ? #"{"realm-migration":1,"versions":[{"to":9,"steps":[{"remove-property":{"class":"Dog","name":"name"}}]}]}"#
      : migrationPlan("remove-property: {class: Dog, name: name}")
    let plan = try world.folder.write([0xEF, 0xBB, 0xBF] + Array(text.utf8), to: "plan.yml")
    let report = try MigrateJob(
      path: world.path, key: nil, destination: .file(world.folder.path("o.realm"), replacing: true),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    #expect(report.steps.count == 1)
  }

  /// Whole plans, what the message says, and the line.
  static let documents: [(String, String, Int?)] = [
    ("", "the plan is empty", nil), ("a: [b}", "this is not YAML", 1),
    ("{}", "needs the member 'realm-migration'", 1),
    ("realm-migration: 2\nversions: []", "found realm-migration: 2, expected 1", 1),
    ("realm-migration: 1\nversions: []", "'versions' is empty", 2),
    ("realm-migration: 1\nversions: 5", "'versions' is '5', expected a list", 2),
    ("realm-migration: 1\nversions: [{to: 0, steps: []}]", "found the schema version '0'", 2),
    (
      "realm-migration: 1\nversions: [{to: 18446744073709551615, steps: []}]",
      "found the schema version", 2
    ),
    ("realm-migration: 1\nversions: [{to: x, steps: []}]", "found the schema version 'x'", 2),
    (
      "realm-migration: 1\nversions:\n- {to: 5, steps: []}\n- {to: 5, steps: []}",
      "found version 5 after 5", 4
    ),
    ("realm-migration: 1\nversion: []", "a plan has no member 'version'", 2),
    ("a: &x [1]\nb: *x", "cannot have anchors or aliases", 1), ("a: *x", "this is not YAML", 1),
    ("a: 1\n---\nb: 2", "this is not YAML", 2), ("a: \u{7}", "this is not YAML", 1),
    ("ä: 1\r\nü: 2\n\u{7}", "this is not YAML", 3),
    (String(repeating: "[", count: 999) + "}", "this is not YAML", 1),
    (
      String(repeating: "[", count: 500) + String(repeating: "]", count: 500), "levels deep",
      1
    ),
    (String(repeating: "[", count: 500_000), "this is not YAML", 1),
    (
      String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000),
      "this is not YAML: more than 1000 levels", 1
    ),
    ("a: 1\nb: !x &y {}", "cannot have anchors or aliases", 2),
    ("b: &y text", "cannot have anchors or aliases", 1),
    ("a: {b: 1,\n? [c] : 2}", "found a list or mapping, expected a name", 2),
    ("b: 1\n!x a: 2\na: 3", "the member 'a' appears twice", 2),
    (String(repeating: "{a: ", count: 100_000), "this is not YAML", 1),
    (String(repeating: " ", count: 1 << 20) + "x", "expected at most 1048576", nil),
  ]

  @Test("an invalid plan is reported with the line", arguments: documents.indices)
  func document(number: Int) throws {
    let (text, message, line) = Self.documents[number]
    let folder = try TemporaryFolder()
    let plan = try folder.write(Array(text.utf8), to: "plan.yml")
    #expect {
      _ = try MigrateJob(
        path: Golden.path("names-v0.realm"), key: nil,
        destination: .file(folder.path("out.realm"), replacing: false),
        source: .plan(path: plan, to: nil)
      ).run()
    } throws: { error in
      guard let error = error as? PlanError else { return false }
      return error.message.contains(message) && error.line == line
    }
    #expect(try folder.contents().count == 1)
  }

  @Test("a plan that is not UTF-8 is refused")
  func encoding() throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write([0x61, 0x3A, 0xFF], to: "plan.yml")
    #expect(throws: (any Error).self) {
      _ = try MigrateJob(
        path: Golden.path("names-v0.realm"), key: nil,
        destination: .file(folder.path("out.realm"), replacing: false),
        source: .plan(path: plan, to: nil)
      ).run()
    }
  }

  /// Steps, what the message says, and the identity of the object.
  static let objects: [(String, String, String?)] = [
    ("set-required: {class: Person, name: nick}", "null, but nick is not optional", "2"),
    ("set-required: {class: Person, name: marks}", "null, but marks is not optional", "1"),
    (
      "set-required: {class: Person, name: nick, value: nick}", "null, but nick is not optional",
      "2"
    ),
    ("change-type: {class: Person, name: nick, type: 'int?'}", "\"A\" is not a whole number", "1"),
    ("change-type: {class: Person, name: score, type: double}", "null, but score", "2"),
    ("change-type: {class: Person, name: any, type: 'int?'}", "does not convert to int", "2"),
    (
      "add-property: {class: Dog, name: n, type: int, value: \"name == 'Rex' ? 1 : 1 / 0\"}",
      "1 / 0 divides by zero", "1"
    ),
    (
      "set-values: {class: Person, where: '1 / (age - 40) > 0', values: {age: '1'}}",
      "divides by zero", "2"
    ),
    ("delete-objects: {class: Person, where: '1 / (age - 40) > 0'}", "divides by zero", "2"),
    (
      "set-values: {class: Person, values: {name: \"'x'\"}}\nset-primary-key: {class: Person, name: name}",
      "same primary key: \"x\" (objects 0, 1, 2)", nil
    ),
    ("set-embedded: {class: Dog}", "a mixed value links to an object", nil),
    // The key of a link means another object in another class.
    (
      "set-values: {class: Person, where: '_id != 2', values: {any: 'null'}}\nchange-type: {class: Person, name: any, type: 'Person?'}",
      "object 1 of class Dog does not convert to Person object", "2"
    ),
    (
      "rename-property: {class: Person, from: any, to: thing}\nset-values: {class: Person, where: '_id == 2', values: {friend: thing}}",
      "object 1 of class Dog is not a value of type Person object", "2"
    ),
    (
      "rename-property: {class: Person, from: any, to: thing}\nchange-type: {class: Person, name: thing, type: 'Note?', value: thing}",
      "5 is not a value of type Note object", "1"
    ),
  ]

  @Test("an object that a step cannot change is reported, and nothing changes", arguments: objects)
  func object(steps: String, message: String, identity: String?) throws {
    let world = try MigrationWorld()
    let plan = try world.folder.write(Array(migrationPlan(steps).utf8), to: "plan.yml")
    let before = try world.folder.contents()
    #expect {
      _ = try MigrateJob(
        path: world.path, key: nil, destination: .inPlace(backup: true),
        source: .plan(path: plan, to: nil)
      ).run()
    } throws: { error in
      if let error = error as? MigrationError, error.identity != identity { return false }
      return "\(error)".contains(message)
    }
    let after = try world.folder.contents()
    #expect(after["world.realm"] == before["world.realm"])
    #expect(
      Set(after.keys).subtracting(before.keys).isSubset(of: [
        "world.realm.lock", "world.realm.note",
      ]))
  }

  @Test("an existing value of a set does not replace its null")
  func setMember() throws {
    let world = try MigrationWorld(
      text: #"""
        {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
        "schema":[{"name":"T","primaryKey":"k","properties":{"k":"int","s":"int?<>"}}],
        "objects":{"T":[{"k":1,"s":[null,7]},{"k":2,"s":[null,5,9]},{"k":3,"s":[5]}]}}
        """#)
    let json = try world.migrate("set-required: {class: T, name: s, value: '8'}").json
    #expect(
      JSONValue.array(json.values(of: "T", "s").compactMap(\.self))
        == (try JSONValue("[[7,8],[5,8,9],[5]]")))
    #expect {
      _ = try world.migrate("set-required: {class: T, name: s, value: '5'}")
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.identity == "2" && error.description.contains("already has the member 5")
    }
  }

  @Test("the first ten duplicates of a primary key are listed")
  func duplicates() throws {
    let objects = (0..<60).map { #"{"_key":\#($0),"k":\#($0 / 2)}"# }.joined(separator: ",\n")
    let world = try MigrationWorld(
      text: #"""
        {"realm":{"format":"realm-json","version":1,"schemaVersion":1},
        "schema":[{"name":"T","keyMember":"_key","properties":{"k":"int"}}],
        "objects":{"T":[\#(objects)]}}
        """#)
    #expect {
      _ = try world.migrate("set-primary-key: {class: T, name: k}")
    } throws: { error in
      guard let error = error as? MigrationError,
        case .duplicates(let values) = error.kind
      else { return false }
      return values == (0..<10).map { "\($0) (objects \(2 * $0), \(2 * $0 + 1))" }
    }
  }
}

extension MigrationRefusalTests {
  @Test("a link to an object that does not exist ends the migration")
  func danglingLink() throws {
    let steps = "add-property: {class: Dog, name: n, type: 'string?', value: owner.name}"
    let editor = try RealmEditor("links.realm")
    let leaf = try editor.leaf("owner", of: "Dog") { $0.width >= 4 }
    let node = try editor.node(leaf)
    let row = try #require((0..<node.count).first { node.integer(at: $0) > 0 })
    // The largest key that fits; a stored link is the key plus one.
    try editor.set(leaf, row, node.width < 8 ? 1 << node.width - 1 : 1 << (node.width - 1) - 1)
    let folder = try TemporaryFolder()
    let path = try folder.write(editor.bytes, to: "a.realm")
    let plan = try folder.write(Array(migrationPlan(steps, to: 900).utf8), to: "plan.yml")
    #expect {
      _ = try MigrateJob(
        path: path, key: nil, destination: .inPlace(backup: true),
        source: .plan(path: plan, to: nil)
      ).run()
    } throws: { error in
      guard let error = error as? RealmFileError else { return false }
      return error.kind == .damaged(.linkDangling)
    }
    #expect(try folder.contents()["a.realm"]?.bytes == Data(editor.bytes))
  }
}
