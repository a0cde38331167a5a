import Foundation
import TestSupport
import Testing

/// The messages about a file that does not open, which are the same for every command.
@Suite("Files that do not open")
struct BadFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs `export` and `info` on `bytes` and expects the same two lines from both; `$` is the path.
  private func expect(
    _ bytes: [UInt8], _ status: Int32, _ message: String, hint: String, options: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let path = try folder.write(bytes, to: "x.realm")
    for command in ["export", "info"] {
      let result = try runTool([command, path] + options)
      #expect(result.status == status, sourceLocation: location)
      #expect(result.stdout == [], sourceLocation: location)
      #expect(
        result.stderr == "realm-cli: \(path): \(message)\n  hint: \(hint)\n",
        sourceLocation: location)
    }
  }

  private static let otherFile = "check the path, or unpack or fetch the realm first"
  private static let damaged =
    "copy the file again from its source, or recover what is left with `realm-cli salvage`"

  // MARK: Not a realm

  @Test("an empty file")
  func empty() throws {
    try expect(
      [], 65, "the file is empty",
      hint: "an app that opens this path creates a new realm in it; look for a backup")
  }

  @Test(
    "the error for another file type names the type",
    arguments: [
      ("Dear reader, this is not a realm at all.\n", "text"),
      ("PK\u{3}\u{4}\u{14}\0\0\0\u{8}\0 and the rest of it", "a ZIP archive"),
      ("SQLite format 3\0 and the rest of it", "an SQLite database"),
      ("\u{1}\u{2}\u{3}", "a file of 3 bytes; a realm has at least 24"),
    ])
  func foreign(content: String, name: String) throws {
    try expect(
      Array(content.utf8), 65, "this is not a realm file, but \(name)", hint: BadFileTests.otherFile
    )
  }

  @Test("a file that starts with zeros may be a realm with a destroyed header")
  func zeros() throws {
    try expect(
      [UInt8](repeating: 0, count: 4096), 65,
      "this is not a realm file, but a file that starts with zeros",
      hint: "check the path; if this was a realm, `realm-cli salvage` finds what is left")
  }

  @Test("a file of no known kind")
  func unknown() throws {
    var random = SplitMix64(seed: 1)
    try expect(
      (0..<100).map { _ in UInt8(truncatingIfNeeded: random.next()) }, 65,
      "this is not a realm file",
      hint: "check the path; if this was a realm, `realm-cli salvage` finds what is left")
  }

  @Test("a device")
  func device() throws {
    let result = try runTool("info", "/dev/null")
    #expect(result.status == 66 && result.stderr.contains("/dev/null"))
    #expect(result.stderr.hasSuffix("\n  hint: name a regular file, not a pipe or a device\n"))
  }

  // MARK: Truncated

  /// The top array of this file starts at byte 1019904 and claims a file of 1048576 bytes.
  @Test(
    "the error for a truncated file has the minimum of missing bytes",
    arguments: [
      (20, "truncated: at least 4 bytes are missing at the end"),
      (23, "truncated: at least 1 byte is missing at the end"),
      (24, "byte 8: truncated: at least 1019888 bytes are missing at the end"),
      (4096, "byte 8: truncated: at least 1015816 bytes are missing at the end"),
      (1_019_904, "byte 8: truncated: at least 8 bytes are missing at the end"),
      (1_044_480, "byte 1019904: truncated: at least 4096 bytes are missing at the end"),
      (1_048_575, "byte 1019904: truncated: at least 1 byte is missing at the end"),
    ])
  func truncated(size: Int, message: String) throws {
    try expect(
      Array(try Golden.bytes("people.realm")[..<size]), 65, message, hint: BadFileTests.damaged)
  }

  @Test(
    "a truncated file in streaming form has lost its footer",
    arguments: [
      (30, "byte 30: truncated: at least 10 bytes are missing at the end"),
      (400, "byte 392: truncated: the end of the file is missing"),
      (839, "byte 831: truncated: the end of the file is missing"),
    ])
  func truncatedStreaming(size: Int, message: String) throws {
    let bytes = try Golden.bytes("tasks-synced-to-local.realm")
    try expect(Array(bytes[..<size]), 65, message, hint: BadFileTests.damaged)
  }

  @Test("every truncation of a file ends in an error about that file, not in a signal")
  func manyCuts() throws {
    let bytes = try Golden.bytes("tasks-local.realm")
    for size in stride(from: 0, to: bytes.count, by: 97) {
      let path = try folder.write(Array(bytes[..<size]), to: "x.realm")
      let result = try runTool("export", path)
      #expect(result.status == 65, "\(size)")
      #expect(result.stderr.hasPrefix("realm-cli: \(path): "), "\(result.stderr)")
      #expect(result.stdout == [])
    }
  }

  // MARK: Headers that make a realm empty

  @Test("a live slot without a top ref beside one with a later version than the first")
  func emptyLiveSlot() throws {
    var bytes = try Golden.bytes("people.realm")
    let slot = Int(bytes[23] & 1)
    bytes.replaceSubrange(8 * slot..<8 * slot + 8, with: [UInt8](repeating: 0, count: 8))
    let path = try folder.write(bytes, to: "x.realm")
    for command in ["info", "export", "compact", "verify"] {
      let result = try runTool([command, path] + (command == "compact" ? ["--in-place"] : []))
      #expect(result.status == 65, "\(command): \(result.text)")
      #expect((result.text + result.stderr).contains("as before the first commit"), "\(command)")
    }
    #expect(try readFile(path) == bytes)
  }

  @Test(
    "the mark of the streaming form in a slot that is not live, and no top ref in the other one")
  func unselectedStreaming() throws {
    var bytes = try Golden.bytes("tasks-synced-to-local.realm")
    #expect(bytes[..<8].allSatisfy { $0 == 0xFF } && bytes[23] == 0)
    bytes[23] = 1
    try expect(
      bytes, 65,
      "byte 8: the file header is damaged: the top ref is 0, as before the first commit, but there are nodes",
      hint: BadFileTests.damaged)
  }

  /// Chapter 1, section 1.5: without commits, the file has 40 bytes in streaming form; its first reader sets the flag.
  @Test(
    "a realm without commits in streaming form is empty, also after an app opened it",
    arguments: [UInt8(0), 1])
  func newStreaming(flag: UInt8) throws {
    var bytes = [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 8)
    bytes += Array("T-DB".utf8) + [0, 0, 0, flag] + [UInt8](repeating: 0, count: 8)
    bytes += [0xC8, 0x26, 0xE5, 0x37, 0x52, 0x12, 0x34, 0x30]
    let path = try folder.write(bytes, to: "x.realm")
    #expect(try runTool("info", path).status == 0)
    #expect(try runTool("verify", path).status == 0)
  }

  @Test("no top ref in the footer of a file with nodes")
  func emptyFooter() throws {
    var bytes = try Golden.bytes("tasks-synced-to-local.realm")
    let start = bytes.count - 16
    bytes.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0, count: 8))
    try expect(
      bytes, 65,
      "byte \(start): the file header is damaged: the top ref is 0, as before the first commit, but there are nodes",
      hint: BadFileTests.damaged)
  }

  // MARK: Keys

  private func key(_ bytes: [UInt8]) throws -> [String] {
    let path = try folder.write(bytes, to: "key")
    #expect(unsafe chmod(path, 0o600) == 0)
    return ["--key-file", path]
  }

  private var rightKey: [UInt8] { get throws { try Golden.bytes("people-encrypted.key") } }

  @Test("an encrypted realm without a key")
  func keyMissing() throws {
    try expect(
      try Golden.bytes("people-encrypted.realm"), 77,
      "the realm is encrypted and no key was given",
      hint: "give the key with --key-file or --key-command")
  }

  /// The HMAC shows one wrong half, only the data show the other.
  @Test("a key with one wrong half", arguments: [0..<32, 32..<64])
  func wrongKey(half: Range<Int>) throws {
    var bytes = try rightKey
    for i in half { bytes[i] ^= 0x55 }
    try expect(
      try Golden.bytes("people-encrypted.realm"), 77, "the key does not fit this realm",
      hint: "use the 64-byte key that the app opens this realm with", options: try key(bytes))
  }

  @Test("a key for a realm that is not encrypted")
  func superfluousKey() throws {
    try expect(
      try Golden.bytes("people.realm"), 77, "a key was given, but the realm is not encrypted",
      hint: "leave out the key option", options: try key(try rightKey))
  }

  @Test("a truncated encrypted realm with its key")
  func truncatedEncrypted() throws {
    let bytes = try Golden.bytes("people-encrypted.realm")
    try expect(
      Array(bytes[..<4096]), 65, "truncated: at least 4096 bytes are missing at the end",
      hint: BadFileTests.damaged, options: try key(try rightKey))
  }

  @Test("a damaged header page of an encrypted realm is distinguished from a wrong key")
  func damagedHeaderPage() throws {
    var bytes = try Golden.bytes("people-encrypted.realm")
    bytes[4096 + 100] ^= 1
    try expect(
      bytes, 65,
      "byte 0: damaged: page 0 of the encrypted file, with the file header, fails its checksum",
      hint: BadFileTests.damaged, options: try key(try rightKey))
  }

  /// A page that was written once has one checksum. If it does not match, the write may have been
  /// interrupted, and the page counts as never written: it was read as zeros even if a node is in
  /// it, so that a value could change without an error.
  @Test("the error for a damaged page of an encrypted realm has its number and its class")
  func damagedPage() throws {
    for (page, place) in [(1, ", class Company"), (9, ", class Person.bio")] {
      var bytes = try Golden.bytes("people-encrypted.realm")
      bytes[(page + 1) * 4096 + 100] ^= 1
      let path = try folder.write(bytes, to: "x.realm")
      let result = try runTool(["export", path] + (try key(try rightKey)))
      #expect(result.status == 65)
      #expect(
        result.stderr == """
          realm-cli: \(path): byte \(page * 4096)\(place): damaged: page \(page) of the encrypted \
          file fails its checksum
            hint: \(BadFileTests.damaged)

          """)
    }
  }

  // MARK: Headers

  @Test("a header alone is a realm without any commit")
  func newRealm() throws {
    let path = try folder.write(realmBytes(top: 0, formats: (0, 0)), to: "x.realm")
    let result = try runTool("export", path, "--format", "core-json", "-q")
    #expect(result.status == 0)
    #expect(result.text == "{\n}\n")
    #expect(result.stderr == "")
    let info = try runTool("info", path)
    #expect(info.status == 0)
  }

  /// The live slot of the file is 1, so its format is in byte 21.
  @Test(
    "unsupported formats are named",
    arguments: [
      (
        0, 65, "the file header is damaged: the file format is 0, but there is a commit",
        BadFileTests.damaged
      ),
      (12, 65, "the file header is damaged: file format 12 never existed", BadFileTests.damaged),
      (
        25, 69, "file format 25 is newer than this version knows (2 to 24)",
        "look for a newer version of realm-cli"
      ),
    ] as [(UInt8, Int32, String, String)])
  func formats(format: UInt8, status: Int32, message: String, hint: String) throws {
    var bytes = try Golden.bytes("people.realm")
    (bytes[20], bytes[21]) = (format, format)
    try expect(bytes, status, "byte 21: \(message)", hint: hint)
  }

  @Test("format 1 is reported as old")
  func oldFormat() throws {
    var bytes = try Golden.bytes("people.realm")
    (bytes[20], bytes[21]) = (1, 1)
    try expect(
      bytes, 69, "byte 21: file format 1 is older than this version reads (2 to 24)",
      hint:
        "no release of an SDK wrote this format, and none reads it; look for a later copy of the realm"
    )
  }

  @Test("tables of a later format in a file of formats 2 to 9 are half upgraded", arguments: 2...9)
  func halfUpgraded(format: UInt8) throws {
    let folder = try TemporaryFolder()
    var bytes = try Golden.bytes("people.realm")
    (bytes[20], bytes[21]) = (format, format)
    let path = try folder.write(bytes, to: "x.realm")
    for command in [["info"], ["export"], ["verify"], ["upgrade", "-o", folder.path("y.realm")]] {
      let result = try runTool(command + [path])
      #expect(result.status == 69)
      #expect(
        result.stderr.contains(
          "class metadata: an app began to upgrade the file format and did not finish: table metadata "
            + "has the "))
      #expect(
        result.stderr.hasSuffix(
          "  hint: use the copy from before the upgrade, finish the upgrade with the SDK that began it, or "
            + "try `realm-cli salvage`\n"))
    }
  }

  /// The top array is at byte 1019904, has 32-bit slots, and slot 7 is the kind.
  @Test("a history of an unknown kind")
  func unknownHistory() throws {
    var bytes = try Golden.bytes("people.realm")
    bytes[1_019_904 + 8 + 7 * 4] = 9 * 2 + 1
    try expect(
      bytes, 69, "byte 1019904: history kind 9 is unknown (known are 0 to 4)",
      hint: "look for a newer version of realm-cli")
  }

  @Test("top refs without a node")
  func topRefs() throws {
    var bytes = try Golden.bytes("people.realm")
    bytes[8] = 4
    try expect(
      bytes, 65,
      "byte 8: the file header is damaged: the top ref is 1019908, expected a multiple of 8",
      hint: BadFileTests.damaged)
    bytes.replaceSubrange(8..<16, with: [16, 0, 0, 0, 0, 0, 0, 0])
    try expect(
      bytes, 65, "byte 8: the file header is damaged: the top ref is 16, expected at least 24",
      hint: BadFileTests.damaged)
  }

  // MARK: Not a file

  @Test("a missing file and a folder end with 66")
  func missing() throws {
    let missing = try runTool("export", folder.path("missing.realm"))
    #expect(missing.status == 66)
    #expect(
      missing.stderr == """
        realm-cli: \(folder.path("missing.realm")): cannot open the file: No such file or directory
          hint: check the path

        """)
    let directory = try runTool("export", folder.url.path)
    #expect(directory.status == 66)
    #expect(
      directory.stderr == """
        realm-cli: \(folder.url.path): cannot read this as a file: Is a directory
          hint: name a file in this folder

        """)
    let key = try runTool("info", "--key-file", folder.url.path, Golden.path("people.realm"))
    #expect(
      key.stderr.hasSuffix(
        "cannot read the key: Is a directory\n  hint: name a file in this folder\n"),
      "\(key.stderr)")
  }

  @Test(
    "a file without permission to read ends with 66",
    .enabled(if: geteuid() != 0, "the superuser may read every file"))
  func unreadable() throws {
    let path = try folder.write(try Golden.bytes("empty.realm"), to: "x.realm")
    #expect(unsafe chmod(path, 0) == 0)
    let secret = try runTool("export", path)
    #expect(secret.status == 66)
    #expect(
      secret.stderr == """
        realm-cli: \(path): cannot open the file: Permission denied
          hint: check the permissions of the file and of its folders

        """)
  }

  // MARK: For programs

  @Test("with --json the error is an object on standard error")
  func json() throws {
    var bytes = try Golden.bytes("people.realm")
    bytes[21] = 25
    let path = try folder.write(bytes, to: "x.realm")
    for command in ["export", "info"] {
      let result = try runTool(command, path, "--json")
      #expect(result.status == 69)
      #expect(
        result.stderr == """
          {"error":{"code":"newerFormat","hint":"look for a newer version of realm-cli","message":\
          "\(path): byte 21: file format 25 is newer than this version knows (2 to 24)",\
          "offset":21,"path":"\(path)"}}

          """)
    }
  }
}
