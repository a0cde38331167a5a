import ArgumentParser
import Commands
import Foundation
import RealmStorage
import Synchronization
import TestSupport
import Testing

@Suite("Keys")
final class KeyOptionsTests: Sendable {
  private let folder: TemporaryFolder
  private let warnings = Mutex<[String]>([])
  /// Digits that any reader accepts as a key.
  private let digits = String(repeating: "5a", count: 64)

  init() throws { folder = try TemporaryFolder() }

  private func keyFile(mode: Int = 0o600) throws -> String {
    let path = folder.path("key")
    try digits.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func keys(
    _ arguments: [String] = [], realms: Int = 1, environment: [String: String] = [:]
  ) throws -> RealmKeys {
    try KeyOptions.parse(arguments).keys(
      forRealms: realms, environment: Environment(environment)
    ) { [self] warning in warnings.withLock { $0.append(warning) } }
  }

  /// Stands for a realm that is not encrypted.
  private func plain(_ key: RealmKey?) throws -> String {
    if key != nil { throw RealmFileError(.notEncrypted) }
    return "plain"
  }

  /// Stands for an encrypted realm that any key fits.
  private func encrypted(_ key: RealmKey?) throws -> String {
    if key == nil { throw RealmFileError(.keyMissing) }
    return "decrypted"
  }

  @Test("without a source a realm is opened without a key")
  func noSource() throws {
    #expect(try keys().open("a.realm", plain) == "plain")
    #expect(throws: RealmFileError(.keyMissing)) {
      try self.keys().open("a.realm", self.encrypted)
    }
  }

  @Test("a superfluous --key-file is an error for one realm and unused for several")
  func superfluous() throws {
    let arguments = ["--key-file", try keyFile()]
    #expect(throws: RealmFileError(.notEncrypted)) {
      try self.keys(arguments).open("a.realm", self.plain)
    }
    #expect(try keys(arguments, realms: 2).open("a.realm", plain) == "plain")
    #expect(try keys(arguments, realms: 2).open("a.realm", encrypted) == "decrypted")
  }

  @Test("a key from the environment is used if it is needed, otherwise not even read")
  func environment() throws {
    let file = ["REALM_CLI_KEY_FILE": try keyFile()]
    #expect(try keys(environment: file).open("a.realm", encrypted) == "decrypted")
    #expect(try keys(environment: file).open("a.realm", plain) == "plain")
    let missing = ["REALM_CLI_KEY_FILE": "/nonexistent/key"]
    #expect(try keys(environment: missing).open("a.realm", plain) == "plain")
    #expect(
      throws: KeyError(
        .unreadable(SystemError(ENOENT, "open the key file")), path: "/nonexistent/key")
    ) {
      try self.keys(environment: missing).open("a.realm", self.encrypted)
    }
    #expect(try keys(environment: ["REALM_CLI_KEY_FILE": ""]).open("a.realm", plain) == "plain")
  }

  @Test("two sources of the same rank are wrong usage, an option beats the environment")
  func twoSources() throws {
    #expect(throws: (any Error).self) {
      try KeyOptions.parse(["--key-file", "a", "--key-command", "b"])
    }
    let both = ["REALM_CLI_KEY_FILE": "a", "REALM_CLI_KEY_COMMAND": "b"]
    #expect(throws: (any Error).self) { try self.keys(environment: both) }
    #expect(
      try keys(["--key-file", keyFile()], environment: both).open("a.realm", encrypted)
        == "decrypted")
  }

  @Test("a key command runs with the path of the realm and its output is the key")
  func command() throws {
    let log = folder.path("log")
    let command = "echo \"$REALM_CLI_PATH\" >> '\(log)'; echo \(digits)"
    let keys = try keys(["--key-command", command], realms: 2)
    #expect(try keys.open("a b.realm", encrypted) == "decrypted")
    #expect(try keys.open("c.realm", encrypted) == "decrypted")
    #expect(try String(contentsOfFile: log, encoding: .utf8) == "a b.realm\nc.realm\n")
  }

  @Test("a key command is not asked for a realm that is not encrypted", arguments: [1, 2])
  func commandOfPlain(realms: Int) throws {
    let keys = try keys(["--key-command", "exit 3"], realms: realms)
    #expect(try keys.open("a.realm", plain) == "plain")
  }

  @Test(
    "a key command that fails, or prints no key, is an error with the path of the realm",
    arguments: [
      ("exit 3", .sourceFailed("the key command ended with status 3")),
      ("kill -9 $$", .sourceFailed("the key command ended with status 137")),
      ("true", .unusable("empty")),
      ("echo 5a5a", .unusable("4 hexadecimal digits instead of 128")),
    ] as [(String, KeyError.Kind)])
  func failingCommand(command: String, kind: KeyError.Kind) throws {
    #expect(throws: KeyError(kind, path: "a.realm")) {
      try self.keys(["--key-command", command]).open("a.realm", self.encrypted)
    }
  }

  @Test("a key file that others can read gets one warning", arguments: [0o644, 0o640, 0o600])
  func readableByOthers(mode: Int) throws {
    let file = try keyFile(mode: mode)
    let keys = try keys(["--key-file", file], realms: 2)
    _ = try keys.open("a.realm", encrypted)
    _ = try keys.open("b.realm", encrypted)
    let found = warnings.withLock { $0 }
    #expect(found.count == (mode == 0o600 ? 0 : 1))
    #expect(found.allSatisfy { $0.hasPrefix(file) })
  }
}
