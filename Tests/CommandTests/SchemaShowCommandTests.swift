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

  @Test("core-json is the reference's text", arguments: ["all-types", "asymmetric", "empty"])
  func coreJSON(name: String) throws {
    let result = try runTool(
      "schema", "show", "--format", "core-json", Golden.path("\(name).realm"))
    #expect(result.stdout == (try Golden.bytes("\(name).core-schema.json")))
  }

  @Test("a file takes the schema, and is not overwritten without --force")
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
