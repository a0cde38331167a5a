import RealmJobs
import RealmMigration
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Each kind of step, against values written by hand.
@Suite("Steps of migration plans")
struct MigrationStepTests {
  /// A step, a class and a property, and the values of the property after it, in the order of the objects.
  struct Case: CustomTestStringConvertible, Sendable {
    let steps: String
    let className: String
    let property: String
    let values: String
    /// The type of the property after it; nil if it does not matter.
    var type: String?

    init(_ steps: String, _ place: String, _ values: String, type: String? = nil) {
      let parts = place.split(separator: ".").map(String.init)
      (self.steps, className, property) = (steps, parts[0], parts[1])
      (self.values, self.type) = (values, type)
    }

    var testDescription: String { steps }
  }

  static let cases: [Case] = [
    Case("add-property: {class: Dog, name: n, type: int}", "Dog.n", "[0,0]", type: "\"int\""),
    Case("add-property: {class: Dog, name: n, type: int?}", "Dog.n", "[null,null]"),
    Case("add-property: {class: Dog, name: n, type: 'string[]'}", "Dog.n", "[[],[]]"),
    Case(
      "add-property: {class: Dog, name: n, type: string, value: name, indexed: true}", "Dog.n",
      #"["Rex","Fido"]"#, type: #"{"type":"string","indexed":true}"#),
    Case(
      "add-property: {class: Dog, name: n, type: string, fulltext: true}", "Dog.n", #"["",""]"#,
      type: #"{"type":"string","fulltext":true}"#),
    Case("add-property: {class: Dog, name: n, type: 'Dog[]'}", "Dog.n", "[[],[]]"),
    Case(
      "add-property: {class: Dog, name: n, type: 'Person?', value: owner.friend}", "Dog.n", "[2,1]"),
    Case(
      "add-property: {class: Address, name: n, type: int, value: length(street)}", "Person.home",
      #"[{"street":"Elm","geo":{"lat":1.0},"n":3},null,{"street":"Oak","geo":null,"n":3}]"#),
    Case(
      "add-property: {class: Geo, name: n, type: double, value: lat * 2}", "Note.place",
      #"[{"lat":9.0,"n":18.0},null,{"lat":7.0,"n":14.0}]"#),
    Case("rename-property: {class: Dog, from: name, to: title}", "Dog.title", #"["Rex","Fido"]"#),
    Case("rename-class: {from: Dog, to: Hound}", "Hound.name", #"["Rex","Fido"]"#),
    Case(
      "change-type: {class: Person, name: age, type: double}", "Person.age", "[30.0,40.0,50.0]",
      type: "\"double\""),
    Case(
      "change-type: {class: Person, name: age, type: string}", "Person.age", #"["30","40","50"]"#),
    Case("change-type: {class: Person, name: age, type: mixed}", "Person.age", "[30,40,50]"),
    Case(
      "change-type: {class: Person, name: age, type: 'string?', value: 'age > 35 ? name : null'}",
      "Person.age", #"[null,"Bob","Cyd"]"#, type: "\"string?\""),
    Case("change-type: {class: Person, name: active, type: int}", "Person.active", "[1,0,1]"),
    Case(
      "change-type: {class: Person, name: born, type: 'string?'}", "Person.born",
      #"["2000-01-02T03:04:05Z",null,null]"#),
    Case(
      "change-type: {class: Person, name: score, type: 'decimal128?'}", "Person.score",
      #"[{"$numberDecimal":"1.5"},null,{"$numberDecimal":"2.0"}]"#),
    Case(
      "change-type: {class: Person, name: marks, type: 'double?{}'}", "Person.marks",
      #"[{"a":1.0,"b":null},{},{"k":3.0}]"#),
    Case(
      "change-type: {class: Person, name: tags, type: 'mixed[]'}", "Person.tags",
      #"[["x","y"],[],["z"]]"#),
    Case(
      "change-type: {class: Person, name: friend, type: mixed}", "Person.friend",
      #"[{"$link":{"class":"Person","id":2}},null,{"$link":{"class":"Person","id":1}}]"#),
    Case("change-type: {class: Person, name: _id, type: string}", "Person._id", #"["1","2","3"]"#),
    Case("change-type: {class: Person, name: _id, type: string}", "Dog.owner", #"["1","3"]"#),
    Case(
      "set-optional: {class: Person, name: name}", "Person.name", #"["Ann","Bob","Cyd"]"#,
      type: "\"string?\""),
    Case(
      "set-optional: {class: Person, name: tags}", "Person.tags", #"[["x","y"],[],["z"]]"#,
      type: "\"string?[]\""),
    Case(
      "set-required: {class: Person, name: nick, value: name}", "Person.nick",
      #"["A","Bob","C"]"#, type: "\"string\""),
    Case(
      "set-required: {class: Person, name: marks, value: age}", "Person.marks",
      #"[{"a":1,"b":30},{},{"k":3}]"#, type: "\"int{}\""),
    Case("set-primary-key: {class: Person, name: name}", "Dog.owner", #"["Ann","Cyd"]"#),
    Case("remove-primary-key: {class: Person}", "Dog.owner", "[0,2]"),
    Case(
      "set-primary-key: {class: Dog, name: name}", "Person.pets",
      #"[["Rex","Fido","Rex"],[],["Fido"]]"#),
    Case(
      "add-index: {class: Dog, name: name}", "Dog.name", #"["Rex","Fido"]"#,
      type: #"{"type":"string","indexed":true}"#),
    Case(
      "add-index: {class: Dog, name: name, fulltext: true}", "Dog.name", #"["Rex","Fido"]"#,
      type: #"{"type":"string","fulltext":true}"#),
    Case(
      "add-index: {class: Dog, name: name}\nremove-index: {class: Dog, name: name}", "Dog.name",
      #"["Rex","Fido"]"#, type: "\"string\""),
    Case(
      "set-values: {class: Person, values: {age: age + 1}}", "Person.age",
      "[31,41,51]"),
    Case(
      "set-values: {class: Person, where: 'age > 35', values: {nick: name, score: '0.5'}}",
      "Person.nick", #"["A","Bob","Cyd"]"#),
    Case(
      "set-values: {class: Person, where: 'age > 35', values: {score: '0.5'}}", "Person.score",
      "[1.5,0.5,0.5]"),
    Case("set-values: {class: Person, values: {home: 'null'}}", "Person.home", "[null,null,null]"),
    Case(
      "set-values: {class: Person, values: {any: friend}}", "Person.any",
      #"[{"$link":{"class":"Person","id":2}},null,{"$link":{"class":"Person","id":1}}]"#),
    Case("set-values: {class: Person, values: {_id: 10 - _id}}", "Dog.owner", "[9,7]"),
    Case("delete-objects: {class: Person, where: 'age == 40'}", "Person.friend", "[null,1]"),
    Case("delete-objects: {class: Dog, where: \"name == 'Rex'\"}", "Person.pets", "[[1],[],[1]]"),
    Case(
      "delete-objects: {class: Dog, where: \"name == 'Fido'\"}", "Person.any",
      #"[5,null,[1,{"$link":{"class":"Dog","id":0}},"s"]]"#),
    Case(
      "delete-objects: {class: Dog, where: \"name == 'Rex'\"}", "Person.any",
      #"[5,{"$link":{"class":"Dog","id":1}},[1,"s"]]"#),
    Case(
      "delete-objects: {class: Geo, where: 'lat < 8.0'}", "Note.place", #"[{"lat":9.0},null,null]"#),
    Case("delete-objects: {class: Dog, where: TRUEPREDICATE}", "Dog.name", "[]"),
    // Without persons, dogs have no owner.
    Case(
      "delete-objects: {class: Person, where: 'age > 45'}\ndelete-objects: {class: Dog, where: 'owner == null'}",
      "Dog.name", #"["Rex"]"#),
    Case(
      "set-values: {class: Person, values: {name: \"'P' + string(age)\"}}\nadd-property: {class: Dog, name: o, type: 'string?', value: owner.name}",
      "Dog.o", #"["P30","P50"]"#),
    Case(
      "remove-property: {class: Person, name: pets}\nremove-class: {name: Dog}", "Person.any",
      #"[5,null,[1,"s"]]"#),
    // The properties of linked objects are read as they are stored, at their old positions.
    Case(
      "remove-property: {class: Person, name: name}\nadd-property: {class: Dog, name: n, type: 'int?', value: owner.age}",
      "Dog.n", "[30,50]"),
    Case(
      "remove-property: {class: Dog, name: name}\nadd-property: {class: Dog, name: n, type: 'int?', value: owner.age}",
      "Dog.n", "[30,50]"),
    Case(
      "set-values: {class: Person, values: {any: friend}}\nchange-type: {class: Person, name: any, type: 'Person?'}",
      "Person.any", "[2,null,1]"),
    Case(
      "add-property: {class: Dog, name: n, type: object, objectType: Note, collection: list}",
      "Dog.n", "[[],[]]", type: "\"Note[]\""),
    Case(
      "change-type: {class: Person, name: age, type: double, optional: true}", "Person.age",
      "[30.0,40.0,50.0]", type: "\"double?\""),
    Case("set-top-level: {class: Address}", "Person.home", "[0,null,1]"),
    Case(
      "set-top-level: {class: Geo}", "Person.home",
      #"[{"street":"Elm","geo":0},null,{"street":"Oak","geo":null}]"#),
    Case(
      "set-embedded: {class: Note}", "Person.notes",
      #"[[{"text":"n0","place":{"lat":9.0}},{"text":"n1","place":null},{"text":"n1","place":null}],[],[]]"#
    ),
    Case(
      "set-embedded: {class: Note}", "Person.main",
      #"[{"text":"n0","place":{"lat":9.0}},null,null]"#),
    Case(
      "set-embedded: {class: Note}\nadd-property: {class: Note, name: n, type: int, value: length(text)}",
      "Person.main", #"[{"text":"n0","place":{"lat":9.0},"n":2},null,null]"#),
    // The objects of the list come first.
    Case(
      "set-embedded: {class: Note}\nset-top-level: {class: Note}", "Person.main", "[3,null,null]"),
    // Embedded objects go with their owner, and do not come back with their class.
    Case(
      "remove-property: {class: Person, name: home}\nset-top-level: {class: Address}",
      "Address.street", "[]"),
    Case(
      "add-class: {name: Cat, primary-key: _id, properties: {_id: int, mate: 'Cat?', d: {type: 'Dog[]'}}}\nadd-property: {class: Dog, name: cat, type: 'Cat?'}",
      "Dog.cat", "[null,null]"),
  ]

  @Test("each step gives objects the values written by hand", arguments: cases)
  func step(_ step: Case) throws {
    let json = try MigrationWorld().migrate(step.steps).json
    #expect(
      JSONValue.array(json.values(of: step.className, step.property).compactMap(\.self))
        == (try JSONValue(step.values)))
    if let type = step.type {
      #expect(json.properties(of: step.className)?[step.property] == (try JSONValue(type)))
    }
  }

  @Test("expressions read the object before the step")
  func before() throws {
    let json = try MigrationWorld().migrate(
      "set-values: {class: Dog, values: {name: string(price), price: \"name == 'Rex' ? 1 : 2\"}}"
    ).json
    #expect(json.values(of: "Dog", "name") == [.string("1.50"), .string("20")])
    #expect(
      json.values(of: "Dog", "price")
        == (try [JSONValue(#"{"$numberDecimal":"1"}"#), JSONValue(#"{"$numberDecimal":"2"}"#)]))
  }

  @Test(
    "counts and samples of each step are the same for any number of threads", arguments: [1, 3])
  func report(jobs: Int) throws {
    let report = try MigrationWorld().migrate(
      """
      add-property: {class: Person, name: n, type: int, value: age / 10}
      set-values: {class: Person, where: "n > 3", values: {n: 0 - n}}
      delete-objects: {class: Dog, where: "price > 2"}
      set-embedded: {class: Note}
      """, samples: 1, jobs: jobs
    ).report
    #expect(report.versionBefore == 3 && report.versionAfter == 4)
    #expect(report.steps.map(\.changedObjects) == [3, 2, 0, 2])
    #expect(report.steps.map(\.deletedObjects) == [0, 0, 1, 1])
    #expect(report.steps.map(\.copiedObjects) == [0, 0, 0, 2])
    #expect(
      report.steps.map(\.name) == ["add-property", "set-values", "delete-objects", "set-embedded"])
    #expect(report.steps.map(\.subject) == ["Person.n", "Person.n", "Dog", "Note"])
    let sample = report.steps[1].samples
    #expect(sample.map(\.identity) == ["2"])
    #expect(
      sample.first?.before.map(\.value) == ["4"] && sample.first?.after.map(\.value) == ["-4"])
    #expect(report.steps[2].samples.map(\.identity) == ["1"])
  }

  @Test("versions are applied in order, from the realm's up to the requested one")
  func versions() throws {
    let world = try MigrationWorld()
    let plan = """
      realm-migration: 1
      versions:
        - {to: 3, steps: [{remove-class: {name: Nobody}}]}
        - {to: 5, steps: [{add-property: {class: Dog, name: a, type: int}}]}
        - {to: 9, steps: [{rename-property: {class: Dog, from: a, to: b}}]}
      """
    let path = try world.folder.write(Array(plan.utf8), to: "plan.yml")
    func migrate(_ realm: String, _ to: UInt64?) throws -> MigrateJob.Report {
      try MigrateJob(
        path: realm, key: nil, destination: .inPlace(backup: false),
        source: .plan(path: path, to: to)
      ).runVerified()
    }
    #expect(try migrate(world.path, 5).versionAfter == 5)
    #expect(try realmJSON(of: world.path).properties(of: "Dog")?["a"] != nil)
    #expect(try migrate(world.path, nil).steps.map(\.name) == ["rename-property"])
    let json = try realmJSON(of: world.path)
    #expect(json["realm"]?["schemaVersion"]?.int == 9)
    #expect(json.properties(of: "Dog")?.names == ["name", "owner", "price", "b"])
    // Nothing is left to do; a lower version is refused.
    #expect(try migrate(world.path, nil).rewrite == nil)
    #expect {
      _ = try migrate(world.path, 5)
    } throws: { error in
      guard let error = error as? RequestError else { return false }
      return error.kind == .versionNotHigher(stored: 9, wanted: 5)
    }
    #expect {
      _ = try migrate(world.path, 7)
    } throws: { error in
      guard let error = error as? RequestError else { return false }
      return error.kind == .noSuchVersion(7, known: [3, 5, 9])
    }
  }

  @Test("JSON is a plan as well")
  func json() throws {
    let world = try MigrationWorld()
    let text = #"""
      {"realm-migration": 1, "versions": [{"to": 4, "steps": [
        {"add-property": {"class": "Dog", "name": "n", "type": "string", "value": "name + '\\n'"}},
        {"set-values": {"class": "Dog", "where": "price > 2", "values": {"n": "'x'"}}}]}]}
      """#
    let plan = try world.folder.write(Array(text.utf8), to: "plan.json")
    let out = world.folder.path("out.realm")
    try MigrateJob(
      path: world.path, key: nil, destination: .file(out, replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    #expect(
      try realmJSON(of: out).values(of: "Dog", "n") == [.string("Rex\n"), .string("x")])
  }
}
