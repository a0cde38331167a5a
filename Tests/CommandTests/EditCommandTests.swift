import Foundation
import TestSupport
import Testing

@Suite("realm-cli update and delete")
struct EditCommandTests {
  private let folder: TemporaryFolder
  private let realm: String

  init() throws {
    folder = try TemporaryFolder()
    realm = try folder.copyGolden("names-v0.realm")
  }

  private func names() throws -> String {
    try runTool("query", realm, "Person", "-c", "firstName,age", "--format", "tsv").text
  }

  @Test("an update in place keeps the original with --backup, and reports as JSON")
  func update() throws {
    let original = try Golden.bytes("names-v0.realm")
    let before = try runTool("query", realm, "Person", "age > 60", "--count").text
    let result = try runTool(
      "update", realm, "Person", "age > $0", "--arg", "60", "--set", "age = age - 1", "--set",
      "firstName = upper(firstName)", "--in-place", "--backup", "--json")
    #expect(result.status == 0, "\(result.stderr)")
    let report = try JSONParser.parse(result.stdout)
    #expect(report["class"]?.string == "Person" && report["skipped"]?.bool == false)
    #expect(report["found"]?.int.map { "\($0)\n" } == before)
    #expect(report["changed"]?.int == report["found"]?.int)
    #expect(report["changesets"]?.isNull == true && report["expected"]?.isNull == true)
    #expect(report["samples"] == nil)
    #expect(try folder.contents()["names-v0.before-update.realm"]?.bytes == Data(original))
    #expect(try runTool("verify", realm).status == 0)
    #expect(try runTool("info", realm, "--json").text.contains("\"schemaVersion\":0"))
  }

  @Test("a dry run shows old and new values, at most --max, and writes nothing")
  func dryRun() throws {
    let before = try folder.contents()
    let result = try runTool(
      "update", realm, "Person", "--set", "age = age + 1", "--in-place", "--dry-run", "--max", "2")
    #expect(result.status == 0, "\(result.stderr)")
    let lines = result.text.split(separator: "\n")
    #expect(lines[0].hasPrefix("\(realm): 3 objects of Person would be changed, "))
    #expect(lines[1].hasPrefix("  ~ 0  age: ") && lines[1].contains(" -> "))
    #expect(lines.count == 4 && lines[3] == "  … and 1 more")
    let deleted = try runTool(
      "delete", realm, "Person", "TRUEPREDICATE SORT(age ASC) LIMIT(1)", "--in-place", "--dry-run",
      "--json")
    let report = try JSONParser.parse(deleted.stdout)
    #expect(report["deleted"]?.int == 1 && report["deletedEmbedded"]?.int == 0)
    #expect(report["samples"]?.array?.count == 1)
    #expect(try folder.contents() == before)
  }

  @Test("another number of objects than expected exits with 1 and writes nothing")
  func expect() throws {
    let before = try folder.contents()
    for arguments in [
      ["update", realm, "Person", "--set", "age = 1", "--expect", "2", "--in-place"],
      ["delete", realm, "Person", "--all", "--expect", "2", "-o", folder.path("o.realm")],
    ] {
      let result = try runTool(arguments)
      #expect(result.status == 1)
      #expect(result.text.hasSuffix(", expected 2\n"), "\(result.text)")
    }
    #expect(try folder.contents().filter { !$0.key.hasSuffix(".lock") } == before)
    #expect(
      try runTool("delete", realm, "Person", "--all", "--expect", "3", "--in-place").status == 0)
    #expect(try runTool("query", realm, "Person", "--count").text == "0\n")
  }

  @Test("nothing to do leaves the file as it is")
  func unchanged() throws {
    let bytes = try readFile(realm)
    let update = try runTool("update", realm, "Person", "--set", "age = age", "--in-place")
    #expect(update.text == "\(realm): unchanged, 0 objects of Person changed\n")
    let delete = try runTool("delete", realm, "Person", "age > 1000", "--in-place", "--backup")
    #expect(delete.text == "\(realm): unchanged, 0 objects of Person deleted\n")
    #expect(try readFile(realm) == bytes)
    #expect(try folder.names().filter { $0.contains("before") }.isEmpty)
  }

  @Test("what is wrong is usage, with the place in the query or assignment")
  func usage() throws {
    for (arguments, part) in [
      (["update", realm, "Person", "--in-place"], "--set 'property = expression'"),
      (
        ["update", realm, "Person", "--set", "age", "--in-place"], "--set: the assignment has no ="
      ),
      (["update", realm, "Person", "--set", "agee = 1", "--in-place"], "no property 'agee'"),
      (
        ["update", realm, "Person", "--set", "age = 'x'", "--in-place"], "--set: the expression is"
      ),
      (["update", realm, "Person", "agee > 1", "--set", "age = 1", "--in-place"], "query: "),
      (
        ["update", realm, "Nobody", "--set", "age = 1", "--in-place"], "there is no class 'Nobody'"
      ),
      (["update", realm, "Person", "--set", "age = 1"], "--in-place or -o"),
      (["delete", realm, "Person", "--in-place"], "--all"),
      (["delete", realm, "Person", "  ", "--in-place"], "--all"),
      (["delete", realm, "Person", "age > 1", "--all", "--in-place"], "either a query or --all"),
    ] {
      let result = try runTool(arguments)
      #expect(result.status == 64, "\(arguments)")
      #expect(result.stderr.contains(part), "\(result.stderr)")
    }
    let place = try runTool("update", realm, "Person", "--set", "age = 1 + nope", "--in-place")
    #expect(place.stderr.contains("age = 1 + nope\n") && place.stderr.contains("^"))
  }

  @Test("a value that does not fit is an error with the object")
  func wrongValue() throws {
    let bytes = try readFile(realm)
    let result = try runTool(
      "update", realm, "Person", "--set", "age = 1 / (age - age)", "--in-place", "--json")
    #expect(result.status == 65)
    let error = try JSONParser.parse(result.stderr)["error"]
    #expect(error?["code"]?.string == "impossibleValue" && error?["objectKey"]?.int == 0)
    #expect(try readFile(realm) == bytes)
  }

  @Test("a decimal128 gets all digits of a constant")
  func decimal() throws {
    let text = """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"P","primaryKey":"_id","properties":{"_id":"int","dec":"decimal128?"}}],
      "objects":{"P":[{"_id":1,"dec":null}]}}
      """
    try folder.write(Array(text.utf8), to: "p.json")
    let (source, result) = (folder.path("p.realm"), folder.path("o.realm"))
    #expect(try runTool("import", folder.path("p.json"), "-o", source).status == 0)
    let update = try runTool(
      "update", source, "P", "--set", "dec = 12345678901234567890.5", "-o", result)
    #expect(update.status == 0, "\(update.stderr)")
    #expect(
      try runTool("query", result, "P", "-c", "dec").text
        == "{\"dec\":{\"$numberDecimal\":\"12345678901234567890.5\"}}\n")
    let rounded = try runTool(
      "update", source, "P", "--set", "dec = 0.12345678901234567890123456789012345", "-o", result,
      "--force")
    #expect(rounded.status == 64)
    #expect(
      rounded.stderr == """
        realm-cli: --set: `0.12345678901234567890123456789012345` cannot be a decimal128 without rounding
          dec = 0.12345678901234567890123456789012345
                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
          hint: write at most 34 digits, and an exponent from -6176 to 6111

        """)
  }

  @Test("the hint for a value that does not fit is about the value, and about no other step")
  func hints() throws {
    func hint(_ assignment: String) throws -> String? {
      let result = try runTool(
        "update", realm, "Person", "--set", assignment, "--in-place", "--json")
      #expect(result.status == 65, "\(result.stderr)")
      return try JSONParser.parse(result.stderr)["error"]?["hint"]?.string
    }
    let value =
      "leave such objects out with the query, or give them another value: condition ? value : other"
    #expect(try hint("age = 1 / (age - age)") == value)
    #expect(try hint("age = age * 9223372036854775807") == value)
    #expect(try hint("age = 1.5") == value)
    #expect(
      try hint("age = null")
        == "write an expression without null, such as coalesce(name, ''); a set-optional step of "
        + "`realm-cli migrate` makes the property optional")
  }

  @Test("an encrypted realm keeps its key")
  func encrypted() throws {
    let path = try folder.copyGolden("people-encrypted.realm")
    let key = Golden.path("people-encrypted.key")
    let result = try runTool(
      "update", path, "Person", "--set", "age = 33", "--in-place", "--key-file", key)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(try runTool("verify", path, "--key-file", key).status == 0)
    #expect(
      try runTool("query", path, "Person", "age != 33", "--count", "--key-file", key).text == "0\n")
    #expect(try runTool("verify", path).status == 77)
  }

  @Test("a realm in use is not changed")
  func inUse() throws {
    let lock = HeldLock(realm + ".lock", LOCK_SH)
    defer { withExtendedLifetime(lock) {} }
    let bytes = try readFile(realm)
    for arguments in [
      ["update", realm, "Person", "--set", "age = 1", "--in-place"],
      ["delete", realm, "Person", "--all", "--in-place"],
    ] {
      #expect(try runTool(arguments).status == 75)
    }
    #expect(try readFile(realm) == bytes)
  }

  @Test(
    "a synced realm of format 9 is not changed in place without a word, and the refusal has a hint",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func legacy() throws {
    let stored = try #require(corpusFolder).appending(
      path: "realm-core/test__resources__client_file_migration_core6.realm@aa5e93f0"
    ).path
    let path = try folder.write(try readFile(stored), to: "synced.realm")
    let result = try runTool("delete", path, "Person", "TRUEPREDICATE", "--in-place")
    #expect(result.status == 69)
    #expect(result.stderr.contains("  hint: "), "\(result.stderr)")
  }
}
