import Foundation
import TestSupport
import Testing

@Suite("realm-cli export")
struct ExportCommandTests {
  @Test(
    "the core formats are the reference's text",
    arguments: ["core-json", "core-xjson", "core-xjson-plus"])
  func core(format: String) throws {
    let result = try runTool("export", "--format", format, Golden.path("links.realm"))
    #expect(result.status == 0)
    #expect(result.stdout == (try Golden.bytes("links.\(format).json")))
  }

  @Test("an encrypted realm is exported with its key")
  func encrypted() throws {
    let result = try runTool(
      "export", "--format", "core-xjson-plus", "--key-file", Golden.path("people-encrypted.key"),
      Golden.path("people-encrypted.realm"))
    #expect(result.stdout == (try Golden.bytes("people-encrypted.core-xjson-plus.json")))
  }

  @Test("--memory takes megabytes, from one on")
  func memory() throws {
    let options = ["--format", "core-xjson-plus", "--key-file"]
    let paths = [Golden.path("people-encrypted.key"), Golden.path("people-encrypted.realm")]
    let result = try runTool(["export", "--memory", "1"] + options + paths)
    #expect(result.stdout == (try Golden.bytes("people-encrypted.core-xjson-plus.json")))
    let refused = try runTool(["export", "--memory", "0"] + options + paths)
    #expect(refused.status == 64)
    #expect(refused.stderr.contains("--memory takes a number from 1 to 1000000, not 0"))
  }

  @Test("standard output has nothing but the text")
  func standardOutput() throws {
    let result = try runTool("export", Golden.path("names-v0.realm"))
    #expect(result.status == 0)
    #expect(result.stderr == "")
    #expect(
      result.text == """
        {
        "realm":{"format":"realm-json","version":1,"schemaVersion":0},
        "schema":[
        {"name":"Person","keyMember":"_key","properties":{"firstName":"string","lastName":"string",\
        "age":"int"}}
        ],
        "objects":{
        "Person":[
        {"_key":0,"firstName":"Bilbo","lastName":"Baggins","age":111},
        {"_key":1,"firstName":"Frodo","lastName":"Baggins","age":81},
        {"_key":2,"firstName":"Sam","lastName":"Gamgee","age":51}
        ]
        }
        }

        """)
  }

  @Test("the report goes to standard error if the text is on standard output")
  func reportOnStandardError() throws {
    let result = try runTool("export", "--json", Golden.path("links.realm"))
    #expect(try JSONParser.parse(result.stdout)["objects"] != nil)
    let report = try JSONParser.parse(result.stderr)
    #expect(report["format"]?.string == "json")
    #expect(
      report["classes"]?.array?.map { "\($0["name"]?.string ?? "") \($0["objects"]?.int ?? -1)" }
        == ["Dog 17", "Person 28"])
    #expect(report["internalTables"]?.array == [.string("metadata")])
    #expect(report["duplicateSetMembers"]?.int == 0)
  }

  @Test("a file takes the text, and standard output the report")
  func file() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", "--json", Golden.path("links.realm"), "-o", "links.json", folder: folder.url)
    #expect(result.status == 0)
    #expect(
      try JSONParser.parse(result.stdout).names == [
        "classes", "duplicateSetMembers", "format", "internalTables", "path",
      ])
    let whole = try runTool("export", Golden.path("links.realm"))
    #expect(try folder.contents()["links.json"]?.bytes == Data(whole.stdout))
  }

  @Test("a file that exists is kept")
  func keepsFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("mine".utf8), to: "a.json")
    let result = try runTool("export", Golden.path("links.realm"), "-o", path)
    #expect(result.status == 73)
    #expect(try folder.contents().mapValues(\.bytes) == ["a.json": Data("mine".utf8)])
  }

  @Test("--force replaces a file that exists")
  func force() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("mine".utf8), to: "a.json")
    let result = try runTool("export", "--force", Golden.path("links.realm"), "-o", path)
    #expect(result.status == 0)
    #expect(try folder.contents()["a.json"]?.bytes?.first == UInt8(ascii: "{"))
  }

  @Test("the realm that is read is never the output, whatever its name", arguments: [true, false])
  func ontoSource(throughLink: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copyGolden("links.realm")
    let target = throughLink ? folder.path("other.json") : path
    if throughLink {
      try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: path)
    }
    let result = try runTool("export", "--force", path, "-o", target)
    #expect(result.status == 64)
    #expect(try folder.contents()["links.realm"]?.bytes == Data(try Golden.bytes("links.realm")))
  }

  @Test("only the classes that are named are exported")
  func classes() throws {
    let path = Golden.path("people.realm")
    let result = try runTool("export", path, "--class", "Counter", "--class", "Company")
    let document = try JSONParser.parse(result.stdout)
    #expect(document["objects"]?.names == ["Company", "Counter"])
    #expect(document["realm"]?["partial"]?.bool == true)
  }

  @Test("a class that is not there is wrong usage, and no file appears")
  func unknownClass() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", Golden.path("links.realm"), "--class", "Cat", "-o", folder.path("a.json"))
    #expect(result.status == 64)
    #expect(result.stderr.contains("there is no class named Cat"))
    #expect(try folder.contents().isEmpty)
  }

  /// It would be an export without a single object.
  @Test("an embedded class cannot be named, as its objects stand in others")
  func embeddedClass() throws {
    let result = try runTool("export", Golden.path("links.realm"), "--class", "Address")
    #expect(result.status == 64)
    #expect(
      result.stderr.contains(
        "the objects of class Address are embedded in objects of other classes"))
  }

  /// The other top ref becomes the live one by bit 0 of the flags, byte 23 of the header.
  @Test("--previous reads what the other top ref names", arguments: ["people", "churned"])
  func previous(name: String) throws {
    let folder = try TemporaryFolder()
    var bytes = try Golden.bytes("\(name).realm")
    bytes[23] ^= 1
    let flipped = try runTool("export", try folder.write(bytes, to: "flipped.realm"))
    try #require(flipped.status == 0)
    let previous = try runTool("export", "--previous", Golden.path("\(name).realm"))
    #expect(previous.stdout == flipped.stdout)
    #expect(previous.stdout != (try runTool("export", Golden.path("\(name).realm"))).stdout)
  }

  @Test("the newest version is not the previous one of an older")
  func noPrevious() throws {
    let folder = try TemporaryFolder()
    var bytes = try Golden.bytes("churned.realm")
    bytes[23] ^= 1
    let path = try folder.write(bytes, to: "flipped.realm")
    #expect(try runTool("export", "--previous", path).status == 69)
  }

  @Test("a reader that closes the pipe ends the export silently")
  func closedPipe() throws {
    let result = try runScript(
      #"realm-cli export "$1" | head -c 5"#, Golden.path("people.realm"))
    #expect(result.status == 0)
    #expect(result.text == "{\n\"re")
    #expect(result.stderr == "")
  }

  @Test("text from an encrypted realm is readable by its owner only")
  func permissions() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.json")
    let result = try runTool(
      "export", Golden.path("people-encrypted.realm"), "-o", path, "--key-file",
      Golden.path("people-encrypted.key"))
    #expect(result.status == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("neither the realm nor its folder changes")
  func changesNothing() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("people.realm")
    try folder.copyGolden("people-encrypted.realm")
    let before = try folder.contents()
    _ = try runTool("export", "people.realm", folder: folder.url)
    _ = try runTool(
      "export", "--key-file", Golden.path("people-encrypted.key"), "people-encrypted.realm",
      folder: folder.url)
    #expect(try folder.contents() == before)
  }

  @Test("damage is reported with its place, and leaves no file")
  func damaged() throws {
    let folder = try TemporaryFolder()
    var bytes = try Golden.bytes("links.realm")
    for i in 12288..<16384 { bytes[i] = 0xFF }
    let path = try folder.write(bytes, to: "damaged.realm")
    let result = try runTool("export", "--json", path, "-o", folder.path("a.json"))
    #expect(result.status == 65)
    let error = try JSONParser.parse(result.stderr)["error"]
    #expect(error?["code"]?.string == "damaged")
    #expect(error?["path"]?.string == path)
    #expect(error?["class"]?.string == "Person")
    #expect((12288..<16384).contains(error?["offset"]?.int ?? 0))
    #expect(try folder.contents().keys.sorted() == ["damaged.realm"])
  }

  /// Sets that hold a NaN are out of order in the file, with members in them more than once.
  @Test("members of sets that are left out are counted and reported")
  func duplicates() throws {
    let result = try runTool("export", Golden.path("all-types.realm"))
    #expect(result.status == 0)
    #expect(result.stderr.hasPrefix("realm-cli: warning: left out 113 set members that equal"))
  }

  @Test("the tables that are left out are counted in the report")
  func leftOutTables() throws {
    let folder = try TemporaryFolder()
    let result = try runTool("export", Golden.path("links.realm"), "-o", folder.path("a.json"))
    #expect(result.text.hasSuffix("a.json, without 1 internal table\n"))
  }

  @Test("--quiet says nothing about a result that is in a file")
  func quiet() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", "-q", Golden.path("links.realm"), "-o", folder.path("a.json"))
    #expect(result.status == 0)
    #expect(result.text == "")
    #expect(result.stderr == "")
  }

  @Test("a realm that is in use is never replaced", arguments: ["export", "schema show"])
  func outputInUse(command: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copyGolden("empty.realm")
    let held = HeldLock(path + ".lock", LOCK_SH)
    try withExtendedLifetime(held) {
      let before = try folder.contents()
      let words = command.split(separator: " ").map(String.init)
      let result = try runTool(words + [Golden.path("links.realm"), "-o", path, "--force"])
      #expect(result.status == 75)
      #expect(result.stderr.contains("in use"))
      #expect(try folder.contents() == before)
    }
  }

  @Test("the error for an output that cannot be created has a hint")
  func outputHints() throws {
    let folder = try TemporaryFolder()
    func hint(_ path: String) throws -> String {
      let result = try runTool("export", Golden.path("links.realm"), "-o", path)
      #expect(result.status == 73)
      return result.stderr.split(separator: "\n").last.map(String.init) ?? ""
    }
    #expect(try hint(folder.url.path) == "  hint: name a file in this folder")
    #expect(try hint(folder.path("no/a.json")) == "  hint: create the folder first")
  }
}
