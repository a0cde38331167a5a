import Foundation
import TestSupport
import Testing

@Suite("realm-cli info")
struct InfoCommandTests {
  private func info(_ arguments: String...) throws -> JSONValue {
    let result = try runTool(["info", "--json"] + arguments)
    try #require(result.status == 0, "\(result.stderr)")
    return try JSONParser.parse(result.stdout)
  }

  @Test("text has a line for each fact and each class")
  func text() throws {
    let folder = try TemporaryFolder()
    try folder.copyGolden("people.realm")
    let result = try runTool("info", "people.realm", folder: folder.url)
    #expect(result.status == 0)
    #expect(result.stderr == "")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "people.realm")
    #expect(lines.contains("  file format     24"))
    #expect(lines.contains("  schema version  7"))
    #expect(lines.contains("  3 classes, 2886 objects"))
    #expect(lines.suffix(3) == ["    Company    30", "    Counter     5", "    Person   2851"])
  }

  @Test("json has the members of the contract, null if there is no value")
  func json() throws {
    let report = try info(Golden.path("people.realm"))
    #expect(
      report.names == [
        "auxiliaryFiles", "classes", "encrypted", "fileFormat", "freeBytes", "history", "inUse",
        "internalTables", "logicalSize", "opensWith", "path", "schemaVersion", "size",
        "streamingForm", "sync",
        "usedBy", "usedBytes", "version",
      ])
    #expect(report["sync"]?.isNull == true)
    #expect(report["fileFormat"]?.int == 24)
    #expect(report["schemaVersion"]?.int == 7)
    #expect(report["history"]?["kind"]?.string == "inRealm")
    #expect(report["size"]?.int == (try Golden.bytes("people.realm").count))
  }

  @Test("the releases of each SDK that open the format, and those that upgrade it")
  func releases() throws {
    let path = Lived.path("life-8001-format-22.realm")
    let text = try runTool("info", path).text
    #expect(
      text.contains(
        "\n  opened by       Swift 10.8.0 to 10.34.1, Java 10.6.0 to 10.13.1, JavaScript 10.5.0 to 10.24.0 "
          + "and 11.0.0 to 11.2.0, .NET 10.2.0 to 10.19.0, Kotlin 0.6.0 to 1.5.2, Flutter 0.2.0-alpha to "
          + "0.8.0+rc\n  upgraded by     Swift from 10.35.0, Java from 10.14.0, "))
    let javaScript = try info(path)["opensWith"]?.array?[2]
    let opens = javaScript?["opens"]?.array ?? []
    #expect(javaScript?["sdk"]?.string == "javascript")
    #expect(opens.map { $0["from"]?.string } == ["10.5.0", "11.0.0"])
    #expect(opens.map { $0["to"]?.string } == ["10.24.0", "11.2.0"])
    #expect(javaScript?["upgrades"]?.array?.first?["to"]?.isNull == true)
    // The Java SDK has no release with format 24.
    let java = try info(Golden.path("people.realm"))["opensWith"]?.array?[1]
    #expect(java?["sdk"]?.string == "java" && java?["opens"]?.array?.isEmpty == true)
  }

  @Test("used and free bytes are the logical size")
  func space() throws {
    let report = try info(Golden.path("churned.realm"))
    let used = try #require(report["usedBytes"]?.int)
    let free = try #require(report["freeBytes"]?.int)
    #expect(used + free == report["logicalSize"]?.int)
  }

  @Test("json has the classes, their kinds and numbers of objects")
  func classes() throws {
    let classes = try info(Golden.path("links.realm"))["classes"]?.array ?? []
    #expect(
      classes.map { "\($0["name"]?.string ?? "?") \($0["kind"]?.string ?? "?")" } == [
        "Address embedded", "Dog class", "Geo embedded", "Person class",
      ])
    #expect(classes[1]["objects"]?.int == 17)
  }

  @Test("the state of sync is shown in numbers")
  func sync() throws {
    let sync = try info(Golden.path("tasks-synced.realm"))["sync"]
    #expect(sync?["clientFileIdent"]?.int == 0)
    #expect(sync?["unsyncedChanges"]?.int == 2)
    #expect(sync?["flexible"]?.bool == false)
    #expect(sync?["pending"] == nil)
  }

  @Test("--history shows each change that is not uploaded")
  func history() throws {
    let report = try info("--history", Golden.path("tasks-synced.realm"))
    #expect(report["history"]?["entries"]?.int == 2)
    #expect(report["sync"]?["pending"]?.array?.compactMap { $0["version"]?.int } == [2, 3])
  }

  @Test("an encrypted realm needs its key")
  func keyMissing() throws {
    let result = try runTool("info", Golden.path("people-encrypted.realm"))
    #expect(result.status == 77)
    #expect(result.stdout == [])
  }

  @Test("the previous version is the commit before")
  func previous() throws {
    let path = Golden.path("churned.realm")
    let newest = try #require(try info(path)["version"]?.int)
    let before = try #require(try info("--previous", path)["version"]?.int)
    #expect(before < newest)
  }

  /// Two realms, one of them in a subfolder, and a file that is not a realm.
  private func mixedFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.copyGolden("links.realm", as: "a/links.realm")
    try folder.copyGolden("people-encrypted.realm", as: "a/locked.realm")
    try folder.copyGolden("names-v0.realm", as: "names")
    try folder.write(Array("no realm".utf8), to: "a/notes.txt")
    return folder
  }

  @Test("a folder is searched for realms by content, and a bad one does not stop the rest")
  func folder() throws {
    let folder = try mixedFolder()
    let result = try runTool("info", "--json", ".", folder: folder.url)
    let lines = try JSONParser.parseLines(result.stdout)
    #expect(
      lines.map { $0["path"]?.string } == ["./a/links.realm", "./a/locked.realm", "./names"])
    #expect(lines[1].names == ["error", "exitCode", "path"])
    #expect(lines[1]["error"]?["code"]?.string == "keyMissing")
    #expect(lines[2]["fileFormat"]?.int == 24)
  }

  @Test("the most serious problem is the exit code")
  func mostSerious() throws {
    let folder = try mixedFolder()
    let result = try runTool(
      "info", "a/notes.txt", "missing.realm", ".", folder: folder.url)
    #expect(result.status == 65)
    let key = try runTool("info", "missing.realm", ".", folder: folder.url)
    #expect(key.status == 77)
    let missing = try runTool("info", "missing.realm", "names", folder: folder.url)
    #expect(missing.status == 66)
  }

  @Test("as text, errors go to standard error and results to standard output")
  func textOfMany() throws {
    let folder = try mixedFolder()
    let result = try runTool("info", ".", folder: folder.url)
    #expect(result.text.contains("./a/links.realm\n"))
    #expect(result.text.contains("./names\n"))
    #expect(result.stderr.hasPrefix("realm-cli: ./a/locked.realm: the realm is encrypted"))
  }

  @Test("one key opens the realms that need it")
  func keyForSome() throws {
    let folder = try mixedFolder()
    let result = try runTool(
      "info", "--json", "--key-file", Golden.path("people-encrypted.key"), ".", folder: folder.url)
    #expect(result.status == 0)
    let lines = try JSONParser.parseLines(result.stdout)
    #expect(lines.map { $0["encrypted"]?.bool } == [false, true, false])
  }

  @Test("an empty folder is not an error")
  func emptyFolder() throws {
    let folder = try TemporaryFolder()
    let result = try runTool("info", folder.url.path)
    #expect(result.status == 0)
    #expect(result.stderr == "realm-cli: warning: no realms found\n")
  }

  @Test("the order of the results does not depend on the number of threads")
  func order() throws {
    let folder = Golden.path("")
    let one = try runTool("info", "--json", "--jobs", "1", folder)
    let four = try runTool("info", "--json", "--jobs", "4", folder)
    #expect(one.stdout == four.stdout)
  }

  @Test("nothing in the folder changes")
  func changesNothing() throws {
    let folder = try mixedFolder()
    let before = try folder.contents()
    _ = try runTool("info", "--history", ".", folder: folder.url)
    #expect(try folder.contents() == before)
  }
}
