import Foundation
import TestSupport
import Testing

/// Links that a file marks as unresolved, next to links to objects that do not exist.
@Suite("Unresolved links in imported files")
struct ImportUnresolvedTests {
  private static let head =
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":["#
    + #"{"name":"A","primaryKey":"_id","properties":{"_id":"int","a":"T?","b":"T?","l":"T[]","s":"T<>","#
    + #""d":"T?{}","m":"mixed","e":"E?","n":"N?","o":"N[]"}},"#
    + #"{"name":"E","embedded":true,"properties":{"x":"T?","y":"T?"}},"#
    + #"{"name":"N","properties":{},"keyMember":"_key"},"#
    + #"{"name":"T","primaryKey":"_id","properties":{"_id":"int"}}],"objects":{"#

  private static func marked(_ id: Int, of name: String = "T") -> String {
    #"{"$link":{"class":"\#(name)","id":\#(id),"unresolved":true}}"#
  }

  private static func link(_ id: Int) -> String { #"{"$link":{"class":"T","id":\#(id)}}"# }

  /// An object with links to the objects 8 and 9, which do not exist. Some of them are marked.
  private static let object =
    #"{"_id":1,"a":\#(marked(8)),"b":8,"l":[8,5,\#(marked(9))],"s":[\#(marked(9)),8],"#
    + #""d":{"x":8,"y":\#(marked(8))},"m":[\#(link(8)),\#(marked(8)),\#(link(5))],"#
    + #""e":{"x":9,"y":\#(marked(9))},"n":77,"o":[\#(marked(77, of: "N")),3,78]}"#

  /// The same object without the unmarked links.
  private static let settled =
    #"{"_id":1,"a":\#(marked(8)),"b":null,"l":[5,\#(marked(9))],"s":[\#(marked(9))],"#
    + #""d":{"x":null,"y":\#(marked(8))},"m":[\#(marked(8)),\#(link(5))],"#
    + #""e":{"x":null,"y":\#(marked(9))},"n":null,"o":[\#(marked(77, of: "N")),3]}"#

  /// A folder with `base.realm`, which has the objects T 5 and N 3.
  private func folder(_ object: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.write(
      Array((Self.head + #""N":[{"_key":3}],"T":[{"_id":5}]}}"#).utf8), to: "base.json")
    let made = try runTool("import", "base.json", "-o", "base.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    _ = try folder.write(Array((Self.head + #""A":[\#(object)]}}"#).utf8), to: "added.json")
    return folder
  }

  /// The object of class A.
  private func object(_ folder: TemporaryFolder) throws -> String {
    let text = try runTool(
      "export", "--format", "ndjson", "-q", "base.realm", "--class", "A", folder: folder.url)
    let line = text.text.split(separator: "\n").dropFirst().first.map(String.init) ?? ""
    return String(line.dropFirst(#"{"class":"A","object":"#.count).dropLast())
  }

  @Test("only marked links stay unresolved; the others become null on request")
  func dropped() throws {
    let folder = try folder(Self.object)
    let result = try runTool(
      "import", "added.json", "--into", "base.realm", "--null-missing-links", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try object(folder) == Self.settled)
  }

  @Test("only marked links stay unresolved in a new realm, too")
  func droppedInNew() throws {
    let folder = try folder(Self.object)
    let objects = #""A":[\#(Self.object)],"N":[{"_key":3}],"T":[{"_id":5}]}}"#
    _ = try folder.write(Array((Self.head + objects).utf8), to: "all.json")
    let result = try runTool(
      "import", "all.json", "-o", "base.realm", "--force", "--null-missing-links",
      folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try object(folder) == Self.settled)
  }

  /// Objects with one marked link and one unmarked link without a target, and the property of the latter.
  static let refused: [(object: String, place: String, target: String)] = [
    (#"{"_id":1,"a":\#(marked(8)),"b":8}"#, "A.b", "T 8"),
    (#"{"_id":1,"a":\#(marked(8)),"b":9}"#, "A.b", "T 9"),
    (#"{"_id":1,"l":[\#(marked(8)),8]}"#, "A.l", "T 8"),
    (#"{"_id":1,"m":[\#(marked(8)),\#(link(8))]}"#, "A.m", "T 8"),
    (#"{"_id":1,"e":{"x":8,"y":\#(marked(8))}}"#, "E.x", "T 8"),
    (#"{"_id":1,"a":\#(marked(8)),"n":77}"#, "A.n", "N with the key 77"),
    (#"{"_id":1,"s":[\#(marked(8)),8]}"#, "A.s", "T 8"),
    (#"{"_id":1,"s":[8,\#(marked(8))]}"#, "A.s", "T 8"),
  ]

  @Test("a marked link excuses no other link of the object", arguments: refused)
  func refuses(example: (object: String, place: String, target: String)) throws {
    let folder = try folder(example.object)
    let result = try runTool(
      "import", "added.json", "--into", "base.realm", folder: folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr.contains(
        "class \(example.place): the link refers to the \(example.target), which does not exist"),
      "\(result.stderr)")
    #expect(try object(folder) == "")
  }

  @Test(
    "a set with both links to a missing object keeps the marked link",
    arguments: [
      #"[8,5,\#(marked(8))]"#, #"[\#(marked(8)),5,8]"#,
    ])
  func bothInSet(set: String) throws {
    let folder = try folder(#"{"_id":1,"s":\#(set)}"#)
    let result = try runTool(
      "import", "added.json", "--into", "base.realm", "--null-missing-links", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try object(folder).contains(#""s":[\#(Self.marked(8)),5],"#))
  }

  @Test(
    "a set with both links to an existing object has it once",
    arguments: [
      #"[5,\#(marked(5))]"#, #"[\#(marked(5)),5]"#,
    ])
  func bothOfObject(set: String) throws {
    let folder = try folder(#"{"_id":1,"s":\#(set)}"#)
    let result = try runTool("import", "added.json", "--into", "base.realm", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try object(folder).contains(#""s":[5],"#))
  }

  @Test(
    "in a new realm, a set with both links to a missing object is refused",
    arguments: [
      #"[8,\#(marked(8))]"#, #"[\#(marked(8)),8]"#,
    ])
  func bothInNew(set: String) throws {
    let folder = try folder("")
    let objects = #""A":[{"_id":1,"s":\#(set)}]}}"#
    _ = try folder.write(Array((Self.head + objects).utf8), to: "all.json")
    let result = try runTool("import", "all.json", "-o", "new.realm", folder: folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr.contains("class A.s: the link refers to the T 8, which does not exist"),
      "\(result.stderr)")
  }

  @Test("a marked link to an existing object becomes a link")
  func resolved() throws {
    let folder = try folder(#"{"_id":1,"a":\#(Self.marked(5)),"l":[\#(Self.marked(5)),5]}"#)
    let result = try runTool("import", "added.json", "--into", "base.realm", folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try object(folder).hasPrefix(#"{"_id":1,"a":5,"b":null,"l":[5,5],"#))
  }
}
