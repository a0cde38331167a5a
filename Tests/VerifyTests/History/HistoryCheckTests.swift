import Foundation
import RealmStorage
import RealmSync
import TestSupport
import Testing

@Suite("Checks of histories")
struct HistoryCheckTests {
  private func line(_ finding: Finding) -> String { "\(finding.rule.rawValue): \(finding.message)" }

  @Test(
    "the histories of the reference break no rule",
    arguments: Golden.names.filter { $0 != "people-encrypted" })
  func golden(name: String) throws {
    #expect(try historyFindings(Golden.path("\(name).realm")).map(line) == [])
  }

  @Test(
    "public histories break no rule",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
  func corpus() throws {
    let folder = try #require(corpusFolder)
    var checked = 0
    for repository in ["realm-core", "realm-js", "realm-swift"] {
      let path = folder.appending(path: repository).path
      // Files with `_4_` in their name are from a test build with other sizes of nodes.
      for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted()
      where name.contains(".realm") && !name.contains("_4_") {
        do {
          let errors = try historyFindings(path + "/" + name).filter { $0.severity == .error }
          #expect(errors.map(line) == [], "\(name)")
          checked += 1
        } catch let error as RealmFileError {
          // A realm of an old format, an encrypted one, or another file.
          switch error.kind {
          case .keyMissing, .oldFormat, .legacyFormat, .notARealm, .empty, .truncated: continue
          default: Issue.record("\(name): \(error)")
          }
        }
      }
    }
    #expect(checked > 60)
  }

  // MARK: Seeded defects

  @Test("more entries of a local history than versions")
  func localLength() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      // Uses the changesets, two or more, as the history of a local realm.
      realm.setElement(8, of: realm.top, to: realm.element(13, of: realm.history))
      realm.setSlot(7, of: realm.top, to: 2)
      realm.setSlot(9, of: realm.top, to: 0)
      realm.setSlot(6, of: realm.top, to: 1)
    }
    #expect(found == ["history.local-length"])
  }

  @Test("a local history, and that of a client, that are called the history of a server")
  func serverRoot() throws {
    for (name, schema) in [("people.realm", 1), ("tasks-synced.realm", 20)] {
      let found = try historyRules(name) { realm in
        realm.setSlot(7, of: realm.top, to: 4)
        realm.setSlot(9, of: realm.top, to: schema)
      }
      #expect(found == ["history.root"], "\(name)")
    }
  }

  @Test("a time before 2015, and a time far in the future")
  func timestamps() throws {
    for time in [-1, 1 << 50] {
      let found = try historyRules("tasks-synced.realm") { realm in
        realm.setElement(0, of: realm.element(17, of: realm.history), to: time)
      }
      #expect(found == ["history.timestamps"])
    }
  }

  @Test("an upload of a file without identifier")
  func acknowledged() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      realm.setSlot(7, of: realm.history, to: 1)
    }
    #expect(found == ["history.acknowledged"])
  }

  @Test("a version under the number of entries")
  func length() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      realm.setSlot(6, of: realm.top, to: 2)
    }
    #expect(Set(found) == ["history.lengths"])
  }

  @Test("a history type that is not used, and a schema version from the future")
  func top() throws {
    #expect(
      try historyRules("tasks-local.realm") { $0.setSlot(7, of: $0.top, to: 1) } == ["history.top"])
    #expect(
      try historyRules("tasks-local.realm") { $0.setSlot(9, of: $0.top, to: 3) } == ["history.top"])
  }

  @Test("a ref in a slot for an integer, and an integer in a slot for a ref")
  func root() throws {
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        realm.setElement(18, of: realm.history, to: realm.history)
      } == ["history.root"])
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        realm.setElement(13, of: realm.history, to: 1)
      } == ["history.root"])
  }

  @Test("cursors that name versions that do not exist")
  func cursors() throws {
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        realm.setSlot(7, of: realm.history, to: 100)
      } == ["history.cursors"])
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        realm.setSlot(3, of: realm.history, to: 0)
      } == ["history.cursors"])
  }

  @Test("counters and the salt")
  func counters() throws {
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        realm.setSlot(2, of: realm.history, to: 0)
      } == ["history.ident"])
    #expect(
      try historyRules("tasks-synced.realm") { realm in realm.setSlot(12, of: realm.history, to: 1)
      }
        == ["history.byte-counts"])
  }

  @Test("a changeset that cannot be decoded, and an invalid wrapper")
  func changeset() throws {
    let wrapped: [UInt8] = hexadecimalBytes("3f 00")
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        // The first stored changeset starts by defining string 0: another number is out of order.
        let place = try #require(realm.find(wrapped))
        realm.bytes[place + 1] = 5
      } == ["history.changeset"])
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        let place = try #require(realm.find(wrapped))
        // In front of it: algorithm and width, then one or two bytes of size.
        let start = realm.bytes[place - 2] == 0x01 ? place - 2 : place - 3
        realm.bytes[start] = 0x31
      } == ["history.wrapper"])
  }

  @Test("a changeset with a class that does not exist")
  func names() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      let place = try #require(realm.find(hexadecimalBytes("3f 00")))
      // The first byte of the name of the first class.
      realm.bytes[place + 3] ^= 0x20
    }
    #expect(Set(found) == ["history.names"])
  }

  @Test("a record of schema versions that ends with a wrong version")
  func schemaVersions() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      realm.setSlot(9, of: realm.top, to: 11)
    }
    #expect(found.contains("history.schema-versions"))
  }

  @Test("cursors behind the entries")
  func entries() throws {
    let ahead = try historyRules("tasks-synced-uploaded.realm") { realm in
      realm.setSlot(5, of: realm.history, to: 0)
    }
    #expect(Set(ahead).isSuperset(of: ["history.remote-ahead", "history.cursor-order"]))
  }

  @Test("an identifier of the file that no object key can carry")
  func identRange() throws {
    #expect(
      try historyRules("tasks-synced-uploaded.realm") {
        $0.setSlot(10, of: $0.top, to: 0x4000_0000)
      }
        == ["history.ident-range"])
  }

  @Test("a server version that is lower than the one before it")
  func remoteVersions() throws {
    let found = try historyRules("tasks-synced.realm") { realm in
      let versions = realm.append(node(flags: 4, count: 2, [5, 3]))
      realm.setElement(15, of: realm.history, to: versions)
    }
    // The cursor of this file is at 0.
    #expect(Set(found) == ["history.remote-versions", "history.remote-ahead"])
  }

  @Test("entries with the number of the file itself, or with an impossible one")
  func origins() throws {
    // The file has number 2.
    #expect(
      try historyRules("tasks-synced-uploaded.realm") { realm in
        let origins = realm.append(node(flags: 4, count: 1, [2]))
        realm.setElement(16, of: realm.history, to: origins)
      } == ["history.origin"])
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        let origins = realm.append(node(flags: 4, count: 2, [0, 0xFF]))
        realm.setElement(16, of: realm.history, to: origins)
      } == ["history.origin"])
  }

  @Test("a changeset in the wrapper of early builds, and one compressed with LZFSE")
  func wrappers() throws {
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        // The first changeset: 68 bytes with its wrapper of two, made one that defines a string.
        let start = try #require(realm.find(hexadecimalBytes("01 42 3f 00")))
        let changeset = hexadecimalBytes("3f 00 37") + [UInt8](repeating: 0x61, count: 55)
        realm.bytes.replaceSubrange(
          start..<start + 68,
          with: littleEndianBytes(changeset.count, count: 8) + [0, 0] + changeset)
      } == ["history.early-wrapper"])
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        realm.bytes[try #require(realm.find(hexadecimalBytes("01 42 3f 00")))] = 0x21
      } == ["history.not-decoded"])
  }

  @Test("a column without integers")
  func column() throws {
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        realm.bytes[realm.element(17, of: realm.history) + 4] |= 0x10
      } == ["history.column"])
  }

  @Test("any damage to the history ends in defects")
  func mutations() throws {
    let original = try EditedRealm(golden: "tasks-synced.realm")
    var generator = SplitMix64(seed: 11)
    for _ in 0..<300 {
      var realm = original
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 24..<realm.bytes.count, using: &generator)
        realm.bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      let folder = try TemporaryFolder()
      _ = try? historyFindings(try folder.write(realm.bytes, to: "a.realm"))
      withExtendedLifetime(folder) {}
    }
  }
}
