import Foundation
import TestSupport
import Testing

/// Classes that an import into a realm leaves unchanged. `runTool` verifies the realm afterwards.
@Suite("Classes that an import does not touch")
struct ImportCopiedTests {
  private static let head =
    #"{"realm":{"format":"realm-json","version":1,"schemaVersion":3},"schema":["#
    + #"{"name":"Town","primaryKey":"name","properties":{"name":"string","size":"int"}},"#
    + #"{"name":"Person","primaryKey":"_id","properties":{"_id":"int","home":"Town?","#
    + #""seen":"Town[]","named":"Town?{}","mix":"mixed","boss":"Person?","name":"#
    + #"{"type":"string","indexed":true}}},"#
    + #"{"name":"Stone","properties":{"n":"int"},"keyMember":"_key"}],"objects":{"#

  private static let towns = (0..<300).map { #"{"name":"town \#($0)","size":\#($0)}"# }

  private static let people = (0..<600).map { i in
    let mix =
      i % 3 == 0
      ? #"{"$link":{"class":"Town","id":"town \#(i % 7)"}}"#
      : i % 3 == 1 ? #"[{"$link":{"class":"Stone","id":0}}]"# : "\(i)"
    return #"{"_id":\#(i),"home":"town \#(i % 300)","seen":["town 1","town \#(i % 5)","town 1"],"#
      + #""named":{"a":"town \#(i % 11)","b":null},"mix":\#(mix),"boss":\#(i / 2),"name":"p\#(i)"}"#
  }

  private static func text(towns: [String], people: [String], stones: [String]) -> String {
    head + #""Town":["# + towns.joined(separator: ",") + #"],"Person":["#
      + people.joined(separator: ",") + #"],"Stone":["# + stones.joined(separator: ",") + "]}}"
  }

  /// A folder with `base.realm`.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let text = Self.text(towns: Self.towns, people: Self.people, stones: [#"{"_key":0,"n":1}"#])
    _ = try folder.write(Array(text.utf8), to: "base.json")
    let made = try runTool("import", "base.json", "-o", "base.realm", folder: folder.url)
    #expect(made.status == 0, "\(made.stderr)")
    return folder
  }

  /// The lines of the objects, by class.
  private func objects(_ folder: TemporaryFolder, of name: String) throws -> [String] {
    let text = try runTool(
      "export", "--format", "ndjson", "-q", "base.realm", "--class", name, folder: folder.url)
    return text.text.split(separator: "\n").dropFirst().dropLast().map {
      String($0.dropFirst(#"{"class":"\#(name)","object":"#.count).dropLast())
    }
  }

  private func count(_ query: String, of name: String, _ folder: TemporaryFolder) throws -> String {
    try runTool("query", "base.realm", name, query, "--count", folder: folder.url).text
  }

  @Test("new objects of a class that all others link to leave these unchanged")
  func linked() throws {
    let folder = try folder()
    _ = try folder.write(
      Array(#"[{"name":"town 2","size":-2},{"name":"Bree","size":7}]"#.utf8), to: "Town.json")
    let result = try runTool(
      "import", "Town.json", "--into", "base.realm", "--mode", "upsert", "--json",
      folder: folder.url)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.text.contains(#"{"inserted":1,"name":"Town","objects":301,"updated":1}"#))
    #expect(result.text.contains(#"{"inserted":0,"name":"Person","objects":600,"updated":0}"#))
    var towns = Self.towns
    towns[2] = #"{"name":"town 2","size":-2}"#
    #expect(try objects(folder, of: "Town") == towns + [#"{"name":"Bree","size":7}"#])
    #expect(try objects(folder, of: "Person") == Self.people)
    #expect(try objects(folder, of: "Stone") == [#"{"_key":0,"n":1}"#])
    // Backlinks of two properties, an index of a copied class, and links from it.
    #expect(try count("@links.Person.home.@count == 2", of: "Town", folder) == "300\n")
    #expect(try count("@links.Person.seen.@count > 0", of: "Town", folder) == "5\n")
    #expect(try count("name == 'p77'", of: "Person", folder) == "1\n")
    #expect(try count("home.size == -2", of: "Person", folder) == "2\n")
  }

  @Test("several imports into one realm, into one class after another")
  func repeated() throws {
    let folder = try folder()
    let added: [(name: String, text: String, line: String)] = [
      ("Stone", #"{"n":5}"#, #"{"_key":1,"n":5}"#),
      ("Town", #"{"name":"Bree","size":7}"#, #"{"name":"Bree","size":7}"#),
      (
        "Person",
        #"{"_id":-1,"home":"Bree","mix":{"$link":{"class":"Stone","id":1}},"name":"x"}"#,
        #"{"_id":-1,"home":"Bree","seen":[],"named":{},"#
          + #""mix":{"$link":{"class":"Stone","id":1}},"boss":null,"name":"x"}"#
      ),
      ("Stone", #"{"n":6}"#, #"{"_key":2,"n":6}"#),
    ]
    for (name, text, line) in added {
      _ = try folder.write(Array("[\(text)]".utf8), to: "\(name).json")
      let result = try runTool("import", "\(name).json", "--into", "base.realm", folder: folder.url)
      #expect(result.status == 0, "\(result.stderr)")
      #expect(try objects(folder, of: name).last == line)
    }
    #expect(try objects(folder, of: "Town") == Self.towns + [#"{"name":"Bree","size":7}"#])
    #expect(try objects(folder, of: "Person").prefix(600) == Self.people[...])
    #expect(try objects(folder, of: "Stone").count == 3)
  }

  /// The embedded objects get new keys, which an unchanged class has in its backlinks.
  @Test(
    "links of embedded objects keep their backlinks in other classes",
    arguments: ["{\"n\":6}", "null"])
  func linksOfEmbedded(value: String) throws {
    let folder = try TemporaryFolder()
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":1},"schema":[
      {"name":"O","primaryKey":"_id","properties":{"_id":"int","e":"E?"}},
      {"name":"C","primaryKey":"_id","properties":{"_id":"int","n":"int"}},
      {"name":"E","embedded":true,"properties":{"m":"mixed","to":"C?","n":"int"}}],
      "objects":{"O":[{"_id":1,"e":null},
      {"_id":2,"e":{"m":{"$link":{"class":"C","id":7}},"to":7,"n":5}}],"C":[{"_id":7,"n":1}]}}
      """
    _ = try folder.write(Array(text.utf8), to: "base.json")
    _ = try folder.write(Array(#"{"_id":1,"e":\#(value)}"#.utf8), to: "add.ndjson")
    _ = try runTool("import", "base.json", "-o", "base.realm", folder: folder.url)
    let added = try runTool(
      "import", "add.ndjson", "--class", "O", "--into", "base.realm", "--mode", "upsert",
      folder: folder.url)
    #expect(added.status == 0, "\(added.stderr)")
    let verified = try runTool("verify", "base.realm", folder: folder.url)
    #expect(verified.status == 0, "\(verified.text)")
  }

  @Test("a realm with a key is copied to a realm with that key")
  func encrypted() throws {
    let folder = try folder()
    _ = try folder.write(Array(#"[{"name":"Bree","size":7}]"#.utf8), to: "Town.json")
    for command in [
      ["keygen", "-o", "k"],
      ["encrypt", "base.realm", "--new-key-file", "k", "-o", "secret.realm"],
      ["import", "Town.json", "--into", "secret.realm", "--key-file", "k"],
      ["verify", "secret.realm", "--key-file", "k"],
      ["decrypt", "secret.realm", "--key-file", "k", "-o", "base.realm", "--force"],
    ] {
      let result = try runTool(command, folder: folder.url)
      #expect(result.status == 0, "\(result.stderr)")
    }
    #expect(try objects(folder, of: "Person") == Self.people)
    #expect(try objects(folder, of: "Town").count == 301)
  }

  @Test("each class of each golden realm takes one of its own objects", arguments: Golden.names)
  func golden(name: String) throws {
    guard !FileManager.default.fileExists(atPath: Golden.path(name + ".key")) else { return }
    let folder = try TemporaryFolder()
    _ = try folder.copyGolden(name + ".realm", as: "base.realm")
    let before = try runTool("export", "-q", "base.realm", folder: folder.url)
    let lines = try runTool(
      "export", "-q", "--format", "ndjson", "base.realm", folder: folder.url
    ).text.split(separator: "\n").map(String.init)
    var done = Set<String>()
    for line in lines.dropFirst().dropLast() {
      let name = String(line.dropFirst(#"{"class":"#.count).prefix { $0 != "," })
      guard done.insert(name).inserted else { continue }
      let text = [lines[0], line, "{\"counts\":{\(name):1}}"].joined(separator: "\n") + "\n"
      _ = try folder.write(Array(text.utf8), to: "one.ndjson")
      let result = try runTool(
        "import", "one.ndjson", "--into", "base.realm", "--mode", "upsert", folder: folder.url)
      // A synced realm refuses all imports.
      guard result.status != 69 else { return }
      #expect(result.status == 0, "\(name): \(result.stderr)")
      let after = try runTool("export", "-q", "base.realm", folder: folder.url)
      #expect(after.stdout == before.stdout, "\(name)")
    }
  }
}
