import Foundation
import TestSupport
import Testing

/// The messages about a file of an old format that does not open, for every command.
@Suite("Files of old formats that do not open")
struct OldFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Commands other than `info` and `export` on a file of an old format.
  private static let oldFileCommands = [
    ["info"], ["export", "-o", "x.json"], ["upgrade", "-o", "y.realm"], ["verify"],
    ["schema", "show"], ["query", "Person"], ["migrate", "--plan", "plan.yml", "-o", "y.realm"],
  ]

  /// Expects the same two lines from each command that reads the objects, and no new file.
  private func expectOfAll(
    _ bytes: [UInt8], _ status: Int32, _ message: String, hint: String, options: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    _ = try folder.write(bytes, to: "x.realm")
    _ = try folder.write(
      Array("realm-migration: 1\nversions:\n- to: 9\n  steps:\n".utf8)
        + Array("  - remove-class: {name: Person}\n".utf8), to: "plan.yml")
    let before = Set(try folder.contents().keys)
    for command in OldFileTests.oldFileCommands {
      let words = command[0] == "query" ? ["query", "x.realm", "Person"] : command + ["x.realm"]
      let result = try runTool(words + options, folder: folder.url)
      #expect(result.status == status, "\(command)", sourceLocation: location)
      #expect(
        result.stderr == "realm-cli: x.realm: \(message)\n  hint: \(hint)\n", "\(command)",
        sourceLocation: location)
      #expect(Set(try folder.contents().keys) == before, "\(command)", sourceLocation: location)
    }
  }

  /// The bytes are those of TightDB before its first format: the ref of the top array, then a node of strings
  /// with the header of that time.
  @Test("a file of TightDB from before its first format")
  func beforeFormats() throws {
    var bytes: [UInt8] = [40, 0, 0, 0, 0, 0, 0, 0, 0x0B, 0, 0, 1, 0, 0, 0, 8]
    bytes += Array("people\0\0".utf8) + [UInt8](repeating: 0, count: 32)
    try expectOfAll(
      bytes, 65,
      "this is not a realm file, but a file of TightDB from before its first file format, which no "
        + "later version reads",
      hint: "look for a later copy of the data, or for the program that wrote the file")
  }

  @Test(
    "the same for the files of TightDB in the corpus",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpusBeforeFormats() throws {
    let corpus = try #require(corpusFolder)
    var count = 0
    for name in ["realm-core", "realm-swift"] {
      let part = corpus.appending(path: name)
      for file in try FileManager.default.contentsOfDirectory(atPath: part.path)
      where file.contains("subtables.tightdb@") || file.contains("employees.tightdb@") {
        let result = try runTool("info", part.appending(path: file).path)
        #expect(result.status == 65, "\(file)")
        #expect(result.stderr.contains("but a file of TightDB from before its first"), "\(file)")
        count += 1
      }
    }
    #expect(count == 10)
  }

  @Test("format 1")
  func oldFormatOfAll() throws {
    var bytes = try Golden.bytes("people.realm")
    (bytes[20], bytes[21]) = (1, 1)
    try expectOfAll(
      bytes, 69, "byte 21: file format 1 is older than this version reads (2 to 24)",
      hint:
        "no release of an SDK wrote this format, and none reads it; look for a later copy of the realm"
    )
  }

  @Test(
    "a realm of format 3 with a wrong key or without one",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func legacyKeys() throws {
    let file = try #require(corpusFolder).appending(
      path: "realm-core/test__0.98.0-alltypes-default-encrypted.realm@6ef6a6ea")
    let bytes = [UInt8](try Data(contentsOf: file))
    try expectOfAll(
      bytes, 77, "the realm is encrypted and no key was given",
      hint: "give the key with --key-file or --key-command")
    let key = try folder.write([UInt8](repeating: 0xAB, count: 64), to: "k")
    // Otherwise each command warns that others can read it.
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    try expectOfAll(
      bytes, 77, "the key does not fit this realm",
      hint: "use the 64-byte key that the app opens this realm with", options: ["--key-file", key])
  }
}
