import Foundation
import TestSupport
import Testing

@Suite("realm-cli export")
struct ExportCommandTests {
  @Test(
    "the core formats equal the reference's exports",
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

  @Test("standard output has only the export")
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

  @Test("the report goes to standard error if the export is on standard output")
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

  @Test("the export goes to a file, and the report to standard output")
  func file() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", "--json", Golden.path("links.realm"), "-o", "links.json", folder: folder.url)
    #expect(result.status == 0)
    #expect(
      try JSONParser.parse(result.stdout).names == [
        "classes", "duplicateSetMembers", "format", "internalTables", "losses", "path",
      ])
    let whole = try runTool("export", Golden.path("links.realm"))
    #expect(try folder.contents()["links.json"]?.bytes == Data(whole.stdout))
  }

  @Test("ejson and csv write a file for each class into a folder")
  func folders() throws {
    let folder = try TemporaryFolder()
    for (format, names) in [
      ("ejson", ["Counter.ndjson", "Person.ndjson", "schema.json"]),
      ("csv", ["Counter.csv", "Person.csv"]),
    ] {
      let result = try runTool(
        "export", "--format", format, "--class", "Person", "--class", "Counter",
        Golden.path("people.realm"), "-o", format, folder: folder.url)
      #expect(result.status == 0)
      let files = try FileManager.default.contentsOfDirectory(
        atPath: folder.url.appendingPathComponent(format).path)
      #expect(files.sorted() == names)
    }
  }

  @Test("csv and ejson need a folder, but for one class as CSV")
  func folderMissing() throws {
    let refused = try runTool("export", "--format", "ejson", Golden.path("names-v0.realm"))
    #expect(refused.status == 64)
    #expect(refused.stderr.contains("ejson writes a file for each class: name a folder with -o"))
    let one = try runTool(
      "export", "--format", "csv", "--class", "Person", Golden.path("names-v0.realm"))
    #expect(
      one.text == """
        _key,firstName,lastName,age\r
        0,Bilbo,Baggins,111\r
        1,Frodo,Baggins,81\r
        2,Sam,Gamgee,51\r

        """)
  }

  @Test("a folder with an existing file is left unchanged")
  func keepsFolder() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("out").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path + "/Person.csv"))
    let result = try runTool(
      "export", "--format", "csv", Golden.path("people.realm"), "-o", path)
    #expect(result.status == 73)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["Person.csv"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + "/Person.csv")) == Data("mine".utf8))
  }

  @Test("values that a format does not have are counted and reported")
  func losses() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", "--json", "--format", "ejson", Golden.path("all-types.realm"), "-o", "out",
      folder: folder.url)
    #expect(result.status == 0)
    #expect(
      result.stderr.contains(
        "ejson cannot hold 427 dates in full: the last digits of the fraction are cut"))
    let losses = try JSONParser.parse(result.stdout)["losses"]
    #expect(losses?["cutDates"]?.int == 427)
    #expect(losses?["outlyingDates"]?.int == 185)
  }

  @Test("an existing file is kept")
  func keepsFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("mine".utf8), to: "a.json")
    let result = try runTool("export", Golden.path("links.realm"), "-o", path)
    #expect(result.status == 73)
    #expect(try folder.contents().mapValues(\.bytes) == ["a.json": Data("mine".utf8)])
  }

  @Test("--force replaces an existing file")
  func force() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("mine".utf8), to: "a.json")
    let result = try runTool("export", "--force", Golden.path("links.realm"), "-o", path)
    #expect(result.status == 0)
    #expect(try folder.contents()["a.json"]?.bytes?.first == UInt8(ascii: "{"))
  }

  @Test("the input realm is never the output, under any name", arguments: [true, false])
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

  @Test("only the named classes are exported")
  func classes() throws {
    let path = Golden.path("people.realm")
    let result = try runTool("export", path, "--class", "Counter", "--class", "Company")
    let document = try JSONParser.parse(result.stdout)
    #expect(document["objects"]?.names == ["Company", "Counter"])
    #expect(document["realm"]?["partial"]?.bool == true)
  }

  @Test("a missing class is wrong usage, and no file appears")
  func unknownClass() throws {
    let folder = try TemporaryFolder()
    let result = try runTool(
      "export", Golden.path("links.realm"), "--class", "Cat", "-o", folder.path("a.json"))
    #expect(result.status == 64)
    #expect(result.stderr.contains("there is no class named Cat"))
    #expect(try folder.contents().isEmpty)
  }

  /// The export would have no objects.
  @Test("an embedded class cannot be exported alone, as its objects are inside others")
  func embeddedClass() throws {
    let result = try runTool("export", Golden.path("links.realm"), "--class", "Address")
    #expect(result.status == 64)
    #expect(
      result.stderr.contains(
        "the objects of class Address are embedded in objects of other classes"))
  }

  /// The other top ref becomes the live one by bit 0 of the flags, byte 23 of the header.
  @Test("--previous reads the version of the other top ref", arguments: ["people", "churned"])
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

  @Test("an export of an encrypted realm is readable by its owner only")
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

  /// Sets with a NaN are unsorted in the file, and have repeated members.
  @Test("members of sets that are left out are counted and reported")
  func duplicates() throws {
    let result = try runTool("export", Golden.path("all-types.realm"))
    #expect(result.status == 0)
    #expect(result.stderr.hasPrefix("realm-cli: warning: left out 113 set members that equal"))
  }

  @Test("the report counts the tables that are left out")
  func leftOutTables() throws {
    let folder = try TemporaryFolder()
    let result = try runTool("export", Golden.path("links.realm"), "-o", folder.path("a.json"))
    #expect(result.text.hasSuffix("a.json, without 1 internal table\n"))
  }

  @Test("--quiet prints nothing if the result goes to a file")
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
