import Foundation
import TestSupport
import Testing

@Suite("realm-cli migrate")
struct MigrateCommandTests {
  private let folder: TemporaryFolder
  private let realm: String

  init() throws {
    folder = try TemporaryFolder()
    realm = try folder.copyGolden("names-v0.realm")
  }

  private func plan(_ steps: String, to version: Int = 1) throws -> String {
    let text =
      "realm-migration: 1\nversions:\n- to: \(version)\n  steps:\n"
      + steps.split(separator: "\n").map { "  - \($0)\n" }.joined()
    return try folder.write(Array(text.utf8), to: "plan.yml")
  }

  private static let names = """
    add-property: {class: Person, name: name, type: string, value: "firstName + ' ' + lastName"}
    remove-property: {class: Person, name: firstName}
    remove-property: {class: Person, name: lastName}
    """

  @Test("the first run works in place with a backup, the second has nothing to do")
  func inPlace() throws {
    let original = try Golden.bytes("names-v0.realm")
    let plan = try plan(Self.names)
    let result = try runTool("migrate", realm, "--plan", plan, "--in-place", "--backup", "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["skipped"]?.bool == false && report["dryRun"]?.bool == false)
    #expect(report["schemaVersionBefore"]?.int == 0 && report["schemaVersionAfter"]?.int == 1)
    let steps = try #require(report["steps"]?.array)
    #expect(
      steps.map { $0["step"]?.string } == ["add-property", "remove-property", "remove-property"])
    #expect(steps.map { $0["changedObjects"]?.int } == [3, 3, 3])
    #expect(steps.allSatisfy { $0["samples"] == nil })
    #expect(try folder.contents()["names-v0.before-migrate.realm"]?.bytes == Data(original))
    let names = try runTool("query", realm, "Person", "-c", "name", "--format", "tsv").text
    #expect(names == "name\nBilbo Baggins\nFrodo Baggins\nSam Gamgee\n")
    let again = try runTool("migrate", realm, "--plan", plan, "--in-place")
    #expect(again.status == 0)
    #expect(again.text == "\(realm): skipped, the schema version is already 1\n")
  }

  @Test("the hint for a null names coalesce, for any other value a condition")
  func hints() throws {
    func hint(_ step: String) throws -> String? {
      let result = try runTool(
        "migrate", realm, "--plan", try plan(step), "-o", folder.path("o.realm"), "--json")
      #expect(result.status == 65, "\(result.stderr)")
      return try JSONParser.parse(result.stderr)["error"]?["hint"]?.string
    }
    #expect(
      try hint("set-values: {class: Person, values: {age: 'null'}}")
        == "replace null in a step before this one, or with an expression such as coalesce(name, ''); "
        + "set-optional makes the property optional")
    #expect(
      try hint("set-values: {class: Person, values: {age: '1 / 0'}}")
        == "correct the value in a step before this one, or give such objects another one: "
        + "condition ? value : other")
  }

  @Test(
    "a synced realm of format 9 becomes a local one, and the report says so",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func legacy() throws {
    let path = try #require(corpusFolder).appending(
      path: "realm-core/test__resources__client_file_migration_core6.realm@aa5e93f0"
    ).path
    let plan = try plan("add-class: {name: X, properties: {n: int}}", to: 900)
    let out = folder.path("o.realm")
    let result = try runTool("migrate", path, "--plan", plan, "-o", out, "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["syncHistory"]?.string == "syncClient")
    #expect(report["historyEntries"]?.int == 1 && report["pendingChanges"]?.int == 1)
    #expect(report["objectIdColumns"]?.int == 5)
    #expect(result.stderr.contains("the realm was synced, and the result is a local one"))
    let text = try runTool("migrate", path, "--plan", plan, "--dry-run", "-o", folder.path("p"))
    #expect(text.text.hasSuffix("  left out: 5 columns !OID with the object keys of sync\n"))
  }

  @Test("a dry run shows counts and samples, and writes nothing")
  func dryRun() throws {
    let plan = try plan(Self.names)
    let before = try folder.contents()
    let result = try runTool(
      "migrate", realm, "--plan", plan, "--dry-run", "--show", "1", "-o", folder.path("o.realm"))
    #expect(result.status == 0)
    #expect(
      result.text.split(separator: "\n").dropFirst() == [
        "  1 add-property Person.name: 3 objects changed",
        "      0   -> name: \"Bilbo Baggins\"",
        "  1 remove-property Person.firstName: 3 objects changed",
        "      0  firstName: \"Bilbo\"",
        "  1 remove-property Person.lastName: 3 objects changed",
        "      0  lastName: \"Baggins\"",
      ])
    #expect(result.text.contains("would be migrated from schema version 0 to 1"))
    #expect(try folder.contents() == before)
  }

  /// Steps or options, the exit status, the code and the message.
  static let errors: [(String, [String], Int32, String, String)] = [
    ("remove-class: {name: Nobody}", [], 78, "unknownName", "there is no class 'Nobody'"),
    ("add-index: {class: Person}", [], 78, "badPlan", "needs the member 'name'"),
    ("- x", [], 78, "badPlan", "expected one step"),
    ("set-optional: {class: Person, name: [", [], 78, "badPlan", "this is not YAML"),
    (
      "set-primary-key: {class: Person, name: x}", [], 78, "unknownName",
      "Person has no property 'x'"
    ),
    (
      "set-embedded: {class: Person}\nadd-class: {name: E, embedded: true, primary-key: a, properties: {a: int}}",
      [], 78, "impossibleStep", "an embedded class has no primary key"
    ),
    (
      "set-values: {class: Person, values: {age: 'age +'}}", [], 78, "badExpression",
      "found the end"
    ),
    (
      "set-values: {class: Person, values: {age: 'age / 0'}}", [], 65, "impossibleValue",
      "object 0: 111 / 0 divides by zero"
    ),
    (
      "set-values: {class: Person, values: {age: '1'}}\nset-primary-key: {class: Person, name: age}",
      [],
      65, "duplicatePrimaryKey", "1 (objects 0, 1, 2)"
    ),
    (names, ["--to", "7"], 64, "noSuchVersion", "the plan has no version 7; it has 1"),
  ]

  @Test("errors have their exit status, code and place", arguments: errors)
  func error(
    steps: String, options: [String], status: Int32, code: String, message: String
  ) throws {
    let plan = try plan(steps)
    let before = try folder.contents()
    let result = try runTool(
      ["migrate", realm, "--plan", plan, "--json", "-o", folder.path("o.realm")] + options)
    #expect(result.status == status)
    let error = try JSONParser.parse(Array(result.stderr.utf8))["error"]
    #expect(error?["code"]?.string == code, "\(result.stderr)")
    #expect(error?["message"]?.string?.contains(message) == true, "\(result.stderr)")
    if status == 78 { #expect((error?["line"]?.int ?? 0) >= 5) }
    #expect(Set(try folder.contents().keys).subtracting(before.keys).isSubset(of: ["o.realm.lock"]))
  }

  @Test("the place in an expression is marked")
  func excerpt() throws {
    let plan = try plan("set-values: {class: Person, values: {age: \"age + agee\"}}")
    let result = try runTool("migrate", realm, "--plan", plan, "-o", folder.path("o.realm"))
    #expect(
      result.stderr == """
        realm-cli: \(plan): line 5, column 47: Person has no property 'agee'
          age + agee
                ^~~~
          hint: did you mean 'age'?

        """)
  }

  @Test("conflicting options are wrong usage")
  func usage() throws {
    for options in [
      [], ["--plan", "a", "--schema", "b"], ["--schema", "b"],
      ["--plan", "a", "--allow-data-loss"],
      ["--plan", "a", "--to", "0"], ["--plan", "a", "--show", "2000"],
    ] {
      let result = try runTool(["migrate", realm, "-o", folder.path("o.realm")] + options)
      #expect(result.status == 64, "\(options)")
    }
    let missing = try runTool("migrate", realm, "--plan", folder.path("no.yml"), "--in-place")
    #expect(missing.status == 66)
  }

  @Test("a synced realm is refused with hints")
  func synced() throws {
    let result = try runTool(
      "migrate", Golden.path("people-synced.realm"), "--plan",
      try plan("remove-class: {name: X}", to: 99), "-o", folder.path("o.realm"))
    #expect(result.status == 69)
    #expect(
      result.stderr.contains("convert --to local") && result.stderr.contains("copy the values"))
  }

  @Test("a schema changes the realm as an SDK would, once lost values are allowed")
  func schema() throws {
    let schema = try folder.write(
      Array(#"[{"name":"Person","properties":{"firstName":"string?","age":"int"}}]"#.utf8),
      to: "schema.json")
    let out = folder.path("o.realm")
    let refused = try runTool("migrate", realm, "--schema", schema, "--to", "4", "-o", out)
    #expect(refused.status == 69)
    #expect(refused.stderr.contains("would be lost: Person.lastName (removed)"))
    let result = try runTool(
      "migrate", realm, "--schema", schema, "--to", "4", "-o", out, "--allow-data-loss", "-q")
    #expect(result.status == 0 && result.text == "")
    #expect(try runTool("schema", "diff", out, schema).status == 0)
    let values = try runTool("query", out, "Person", "-c", "firstName,age", "--format", "tsv").text
    #expect(values == "firstName\tage\nBilbo\t111\nFrodo\t81\nSam\t51\n")
  }

  @Test("schema diff --plan prints a plan that migrate accepts")
  func diffPlan() throws {
    let schema = try folder.write(
      Array(#"[{"name":"Person","properties":{"first name":"string?","age":"double"}}]"#.utf8),
      to: "schema.json")
    let printed = try runTool("schema", "diff", realm, schema, "--plan")
    #expect(printed.status == 1)
    #expect(
      printed.text == """
        realm-migration: 1
        versions:
          - to: 1
            steps:
              - remove-property: {class: Person, name: firstName}
              - remove-property: {class: Person, name: lastName}
              - change-type: {class: Person, name: age, type: double}
              - add-property: {class: Person, name: "first name", type: "string?"}

        """)
    let plan = try folder.write(Array(printed.text.utf8), to: "diff.yml")
    let out = folder.path("o.realm")
    #expect(try runTool("migrate", realm, "--plan", plan, "-o", out).status == 0)
    #expect(try runTool("schema", "diff", out, schema).status == 0)
  }
}
