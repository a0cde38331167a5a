import Foundation
import TestSupport
import Testing

/// The steps in the manual of an SDK for synced realms. `runTool` verifies each written realm.
@Suite("Scenarios with synced realms")
struct SyncScenarioTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command that succeeds.
  @discardableResult
  private func run(_ arguments: String...) throws -> String {
    let result = try runTool(arguments, folder: folder.url)
    #expect(result.status == 0, "\(arguments): \(result.stderr)")
    return result.text
  }

  /// The number of tasks of an owner.
  private func tasks(of owner: String, in realm: String) throws -> Int? {
    Int(
      try run("query", realm, "QsTask", "owner == '\(owner)'", "--count")
        .trimmingCharacters(in: .newlines))
  }

  /// Writes a file with a task.
  private func task(_ name: String, of owner: String) throws -> String {
    let text =
      #"[{"_id":{"$oid":"64f0c0de00000009abcdef09"},"name":"\#(name)","owner":"\#(owner)"}]"#
    _ = try folder.write(Array(text.utf8), to: "QsTask.json")
    return "QsTask.json"
  }

  private func bytes(_ name: String) throws -> Data {
    try Data(contentsOf: folder.url.appending(path: name))
  }

  private func sync(_ realm: String) throws -> JSONValue? {
    try JSONParser.parse(Array(try run("info", "--json", realm).utf8))["sync"]
  }

  @Test("a synced realm as a local one: a task that is added there stays there")
  func local() throws {
    _ = try folder.copyGolden("tasks-synced-uploaded.realm", as: "synced.realm")
    #expect(try tasks(of: "Frodo", in: "synced.realm") == 3)
    let before = try bytes("synced.realm")
    try run(
      "convert", "synced.realm", "--to", "local", "--schema-version", "1", "-o", "local.realm")
    #expect(try tasks(of: "Frodo", in: "local.realm") == 3)
    #expect(try sync("local.realm")?.isNull == true)
    let gift = try task("Send gift basket to Tom Bombadil", of: "Frodo")
    try run("import", gift, "--into", "local.realm")
    #expect(try tasks(of: "Frodo", in: "local.realm") == 4)
    #expect(try tasks(of: "Frodo", in: "synced.realm") == 3)
    #expect(try bytes("synced.realm") == before)
  }

  @Test("a synced realm for another user: a task that Sam adds waits for his upload")
  func otherUser() throws {
    _ = try folder.copyGolden("tasks-synced-uploaded.realm", as: "frodo.realm")
    let before = try bytes("frodo.realm")
    try run("copy", "frodo.realm", "-o", "sam.realm")
    #expect(try tasks(of: "Frodo", in: "sam.realm") == 3)
    #expect(try sync("sam.realm")?["clientFileIdent"]?.int == 0)
    let gollum = try task("Keep an eye on that Gollum", of: "Sam")
    try run("import", gollum, "--into", "sam.realm")
    #expect(try tasks(of: "Sam", in: "sam.realm") == 1)
    #expect(try sync("sam.realm")?["unsyncedChanges"]?.int == 1)
    #expect(try tasks(of: "Sam", in: "frodo.realm") == 0)
    #expect(try bytes("frodo.realm") == before)
  }

  @Test("a local realm as a synced one: all objects wait for the upload, also later ones")
  func synced() throws {
    _ = try folder.copyGolden("tasks-local.realm", as: "local.realm")
    let before = try bytes("local.realm")
    try run("convert", "local.realm", "--to", "synced", "-o", "synced.realm")
    #expect(try tasks(of: "Frodo", in: "synced.realm") == 3)
    let started = try #require(try sync("synced.realm")?["unsyncedChanges"]?.int)
    let gift = try task("Send gift basket to Tom Bombadil", of: "Frodo")
    try run("import", gift, "--into", "synced.realm")
    #expect(try tasks(of: "Frodo", in: "synced.realm") == 4)
    #expect(try sync("synced.realm")?["unsyncedChanges"]?.int == started + 1)
    #expect(try tasks(of: "Frodo", in: "local.realm") == 3)
    #expect(try bytes("local.realm") == before)
  }

  // MARK: Migrations

  private static let people = #"""
    {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
    "schema":[{"name":"Person","primaryKey":"_id","properties":{"_id":"int","firstName":"string","lastName":"string","age":"int"}}],
    "objects":{"Person":[{"_id":1,"firstName":"Frodo","lastName":"Baggins","age":51}]}}
    """#

  private func plan(_ steps: String...) throws -> String {
    let text =
      "realm-migration: 1\nversions:\n  - to: 1\n    steps:\n"
      + steps.map { "      - \($0)\n" }.joined()
    _ = try folder.write(Array(text.utf8), to: "plan.yml")
    return "plan.yml"
  }

  /// A synced realm with a person.
  private func makePeople() throws {
    _ = try folder.write(Array(Self.people.utf8), to: "people.json")
    try run("import", "people.json", "-o", "local.realm")
    try run("convert", "local.realm", "--to", "synced", "-o", "people.realm")
  }

  @Test("additive changes of a synced realm are made and uploaded")
  func additive() throws {
    try makePeople()
    let before = try #require(try sync("people.realm")?["unsyncedChanges"]?.int)
    let steps = try plan(
      "add-property: {class: Person, name: email, type: 'string?'}",
      "add-class: {name: Dog, primary-key: _id, properties: {_id: int, owner: 'Person?'}}")
    let text = try run("migrate", "people.realm", "--plan", steps, "--in-place")
    #expect(text.contains("1 changeset to upload\n"))
    #expect(try sync("people.realm")?["unsyncedChanges"]?.int == before + 1)
    let person = try run("query", "people.realm", "Person", "--format", "json")
    #expect(
      person.contains(
        #"{"_id":1,"firstName":"Frodo","lastName":"Baggins","age":51,"email":null}"#))
  }

  @Test("destructive changes and computed values of a synced realm are refused with a hint")
  func destructive() throws {
    try makePeople()
    let before = try bytes("people.realm")
    for (step, effect) in [
      (
        #"add-property: {class: Person, name: fullName, type: string, value: "firstName + ' ' + lastName"}"#,
        "compute values for Person.fullName"
      ),
      ("remove-property: {class: Person, name: firstName}", "remove-property Person.firstName"),
      (
        "rename-property: {class: Person, from: age, to: yearsSinceBirth}",
        "rename-property Person.age -> yearsSinceBirth"
      ),
      ("change-type: {class: Person, name: age, type: double}", "change-type Person.age"),
    ] {
      let result = try runTool(
        ["migrate", "people.realm", "--plan", try plan(step), "--in-place"], folder: folder.url)
      #expect(result.status == 69)
      #expect(
        result.stderr.contains(
          "the realm is synced, so classes, properties and indexes can only be added; the migration "
            + "would \(effect)"), "\(result.stderr)")
      #expect(result.stderr.contains("hint: `realm-cli convert --to local` makes a local copy"))
    }
    #expect(try bytes("people.realm") == before)
  }

  @Test("the hint works: a new class with copied values")
  func newClass() throws {
    try makePeople()
    let steps = try plan(
      "add-class: {name: FullPerson, primary-key: _id, properties: {_id: int, name: string}}")
    try run("migrate", "people.realm", "--plan", steps, "--in-place")
    _ = try folder.write(Array(#"[{"_id":1,"name":"Frodo Baggins"}]"#.utf8), to: "FullPerson.json")
    try run("import", "FullPerson.json", "--into", "people.realm")
    let text = try run("query", "people.realm", "FullPerson", "--format", "ndjson")
    #expect(text == "{\"_id\":1,\"name\":\"Frodo Baggins\"}\n")
    let history = try run("info", "--history", "people.realm")
    #expect(history.contains("FullPerson: 1 created, 0 updated, 0 deleted"))
  }
}
