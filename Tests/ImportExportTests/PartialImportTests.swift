import Foundation
import TestSupport
import Testing

/// Exports that lack the classes of some links.
@Suite("Imports of partial exports")
struct PartialImportTests {
  /// A folder with a partial export, of which `b`, `bs`, `t` and some mixed values link to class B.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let link = #"{"$link":{"class":"B","id":7}}"#
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":3,"partial":true},"schema":[
      {"name":"A","primaryKey":"_id","properties":{"_id":"int","b":"B?","n":"string","bs":"B[]","e":"E?",\
      "m":"mixed","l":"mixed[]","s":"mixed<>","d":"mixed{}","a":"A?"}},
      {"name":"E","embedded":true,"properties":{"t":"B?","u":"int"}}],"objects":{"A":[
      {"_id":1,"b":7,"n":"x","bs":[7,8],"e":{"t":7,"u":4},"m":\(link),"l":[1,\(link),[\(link),2]],\
      "s":[\(link),3],"d":{"k":\(link)},"a":1}]}}
      """
    try folder.write(Array(text.utf8), to: "a.json")
    return folder
  }

  private static let refusal =
    "realm-cli: a.json: line 2, column 62, /schema/0/properties/b, class A: the partial export has a link to "
    + "class B, but not the class"

  @Test("links to classes left out are refused, with the class and what helps")
  func refused() throws {
    let folder = try folder()
    let others = [
      ["import", "a.json", "-o", "x.realm"], ["hash", "a.json"], ["diff", "a.json", "a.json"],
    ]
    for arguments in others {
      let result = try runTool(arguments, folder: folder.url)
      #expect(result.status == 65)
      let lines = result.stderr.split(separator: "\n").map(String.init)
      #expect(lines.first == PartialImportTests.refusal, "\(arguments)")
      #expect(lines.last?.contains("--null-missing-links") == true)
      #expect(lines.last?.contains("--into") == true)
    }
  }

  @Test("--null-missing-links leaves out the properties with these links, and reports them")
  func leftOut() throws {
    let folder = try folder()
    let made = try runTool(
      "import", "a.json", "-o", "x.realm", "--null-missing-links", "--json", folder: folder.url)
    #expect(made.status == 0)
    #expect(
      made.stderr.contains(
        "left out 3 properties with links to classes that the export does not have: A.b, A.bs, E.t")
    )
    let report = try JSONParser.parse(made.stdout)
    #expect(
      report["leftOutProperties"] == .array([.string("A.b"), .string("A.bs"), .string("E.t")]))
    let text = try runTool("export", "--format", "ndjson", "x.realm", folder: folder.url).text
    #expect(
      text == """
        {"realm":{"format":"realm-json","version":1,"schemaVersion":3},"schema":[{"name":"A","primaryKey":"_id",\
        "properties":{"_id":"int","n":"string","e":"E?","m":"mixed","l":"mixed[]","s":"mixed<>","d":"mixed{}",\
        "a":"A?"}},{"name":"E","embedded":true,"properties":{"u":"int"}}]}
        {"class":"A","object":{"_id":1,"n":"x","e":{"u":4},"m":null,"l":[1,[2]],"s":[3],"d":{"k":null},"a":1}}
        {"counts":{"A":1}}

        """)
  }

  @Test("a link of a mixed value to a class left out is refused, too")
  func mixedLink() throws {
    let foreign = try ForeignImport().write(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null,"partial":true},"#
        + #""schema":[{"name":"A","primaryKey":"_id","properties":{"_id":"int","m":"mixed"}}],"objects":{"A":["#
        + "\n" + #"{"_id":1,"m":{"$link":{"class":"B","id":7}}}]}}"#, to: "a.json")
    #expect(
      try foreign.failure("a.json")
        == "realm-cli: a.json: line 2, column 32, /objects/A/0/m/$link/class, class A.m: the partial export has a "
        + "link to class B, but not the class")
  }

  @Test("a missing class in a whole export is still an error of the schema")
  func whole() throws {
    let folder = try folder()
    let text = try String(contentsOf: folder.url.appending(path: "a.json"), encoding: .utf8)
    try folder.write(Array(text.replacing(#","partial":true"#, with: "").utf8), to: "a.json")
    let result = try runTool(
      "import", "a.json", "-o", "x.realm", "--null-missing-links", folder: folder.url)
    #expect(result.status == 65)
    #expect(result.stderr.contains("the schema is wrong: no type or class is named B"))
  }

  @Test("schema diff says that it was given an export")
  func schemaDifference() throws {
    let folder = try folder()
    let result = try runTool("schema", "diff", "a.json", "a.json", folder: folder.url)
    #expect(result.status == 65)
    #expect(result.stderr.contains("found an export, expected an array of classes"))
  }

  @Test("a realm in place of a text is recognized")
  func realm() throws {
    let folder = try TemporaryFolder()
    try folder.write(Golden.bytes("people.realm"), to: "people.realm")
    let result = try runTool("import", "people.realm", "-o", "x.realm", folder: folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr == """
        realm-cli: people.realm: found a realm, expected JSON or CSV
          hint: `realm-cli export` writes its objects as JSON, and `realm-cli copy` copies the realm

        """)
  }
}
