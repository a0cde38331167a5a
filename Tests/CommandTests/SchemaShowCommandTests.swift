import Foundation
import TestSupport
import Testing

@Suite("realm-cli schema show")
struct SchemaShowCommandTests {
  @Test("text lists properties, and which properties of other classes link to a class")
  func text() throws {
    let result = try runTool("schema", "show", Golden.path("links.realm"))
    #expect(result.status == 0)
    #expect(
      result.text.hasPrefix(
        """
        Address (embedded)
          street  string?
          city    string?
          geo     Geo?
          <- Person.address
          <- Person.addressBook
          <- Person.addresses

        Dog
          name   string

        """))
    #expect(result.text.contains("\n  name         string    indexed\n"))
    #expect(result.text.contains("\n  _id          objectId  primary key\n"))
  }

  @Test("json is an array of classes", arguments: [["--format", "json"], ["--json"]])
  func json(arguments: [String]) throws {
    let result = try runTool(["schema", "show", Golden.path("people.realm")] + arguments)
    let classes = try JSONParser.parse(result.stdout)
    #expect(classes.array?.map { $0["name"]?.string } == ["Company", "Counter", "Person"])
    #expect(classes[0]?["primaryKey"]?.string == "_id")
    #expect(classes[0]?["properties"]?["ratings"]?.string == "int{}")
    #expect(classes[0]?["properties"]?["uuid"]?["indexed"]?.bool == true)
    // The member that carries object keys is a matter of exports.
    #expect(classes[1]?["keyMember"] == nil)
  }

  @Test("core-json equals the reference's export", arguments: ["all-types", "asymmetric", "empty"])
  func coreJSON(name: String) throws {
    let result = try runTool(
      "schema", "show", "--format", "core-json", Golden.path("\(name).realm"))
    #expect(result.stdout == (try Golden.bytes("\(name).core-schema.json")))
  }

  @Test("the schema goes to a file, which is not overwritten without --force")
  func file() throws {
    let folder = try TemporaryFolder()
    let arguments = ["schema", "show", "--json", Golden.path("names-v0.realm"), "-o", "s.json"]
    #expect(try runTool(arguments, folder: folder.url).status == 0)
    #expect(try runTool(arguments, folder: folder.url).status == 73)
    #expect(try runTool(arguments + ["--force"], folder: folder.url).status == 0)
    let text = try #require(try folder.contents()["s.json"]?.bytes)
    #expect(try JSONParser.parse(text)[0]?["name"]?.string == "Person")
  }

  @Test("a realm without classes says so")
  func empty() throws {
    #expect(try runTool("schema", "show", Golden.path("empty.realm")).text == "no classes\n")
  }

  @Test("nothing in the folder changes")
  func changesNothing() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("links.realm")
    let before = try folder.contents()
    _ = try runTool("schema", "show", "links.realm", folder: folder.url)
    #expect(try folder.contents() == before)
  }
}

@Suite("realm-cli schema diff")
struct SchemaDiffCommandTests {
  /// A schema file that differs from the class of `names-v0.realm` in each way once.
  private let changed = """
    [
    {"name":"Person","primaryKey":"_id","properties":{"_id":"int","firstName":"string?","age":"double"}},
    {"name":"Pet","embedded":true,"properties":{"n":"string"}}
    ]
    """

  @Test("the text lists each change and what the SDKs make of it")
  func text() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(changed.utf8), to: "b.json")
    let result = try runTool(
      "schema", "diff", Golden.path("names-v0.realm"), folder.path("b.json"))
    #expect(result.status == 1)
    #expect(
      result.text == """
                          change                    local realm              synced realm
        Person            primary key: none -> _id  migration                impossible
        Person.firstName  string -> string?         migration                impossible
        Person.lastName   removed: string           migration, loses values  opens, keeps the property
        Person.age        int -> double             migration, loses values  impossible
        Person._id        added: int                migration                opens
        Pet               class added               opens                    opens
        6 changes: 2 additive, 1 with a migration, 3 impossible on a synced realm

        """)
  }

  @Test("--json has each change with its old and new type")
  func json() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(changed.utf8), to: "b.json")
    let result = try runTool(
      "schema", "diff", "--json", Golden.path("names-v0.realm"), folder.path("b.json"))
    let report = try JSONParser.parse(result.stdout)
    #expect(report["same"]?.bool == false)
    #expect(report["from"]?["schemaVersion"]?.int == 0)
    let age = try #require(report["changes"]?.array?.first { $0["property"]?.string == "age" })
    #expect(age["change"]?.string == "typeChanged")
    #expect(age["from"]?.string == "int")
    #expect(age["to"]?.string == "double")
    #expect(age["level"]?.string == "impossibleWhenSynced")
    #expect(age["losesValues"]?.bool == true)
  }

  @Test("a realm and its own schema file are the same, also if the realm is encrypted")
  func same() throws {
    let folder = try TemporaryFolder()
    for (name, key) in [
      ("all-types.realm", nil), ("people-encrypted.realm", Golden.path("people-encrypted.key")),
    ] {
      let keyOption = key.map { ["--key-file", $0] } ?? []
      let file = folder.path(name + ".json")
      #expect(
        try runTool(["schema", "show", "--json", Golden.path(name), "-o", file] + keyOption).status
          == 0)
      let result = try runTool(["schema", "diff", Golden.path(name), file] + keyOption)
      #expect(result.status == 0)
      #expect(result.text == "the schemas are the same\n")
    }
  }

  @Test("a file that is neither a realm nor a schema has its own error")
  func wrong() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array("[{\"name\":1}]".utf8), to: "bad.json")
    let realm = Golden.path("names-v0.realm")
    #expect(try runTool("schema", "diff", realm, folder.path("bad.json")).status == 65)
    #expect(try runTool("schema", "diff", realm, folder.path("none")).status == 66)
  }
}
