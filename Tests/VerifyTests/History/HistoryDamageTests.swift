import RealmStorage
import TestSupport
import Testing

@testable import RealmSync

/// Damage to each part of a client history (chapter 4, sections 2.1, 2.3 and 9).
@Suite("Checks of damaged client histories")
struct HistoryDamageTests {
  /// A node with slots of 64 bits.
  private func refs(_ slots: [Int]) -> [UInt8] {
    node(flags: 0x47, count: slots.count, slots.flatMap { littleEndianBytes($0, count: 8) })
  }

  private func integers(_ values: [UInt8]) -> [UInt8] {
    node(flags: 4, count: values.count, values)
  }

  /// Puts a leaf of binaries into the file.
  private func append(_ values: [[UInt8]?], to realm: inout EditedRealm) -> Int {
    var end = 0
    let ends = values.map { value in
      end += value?.count ?? 0
      return UInt8(end)
    }
    let parts = [
      realm.append(integers(ends)),
      realm.append(node(flags: 0x10, count: end, values.flatMap { $0 ?? [] })),
      realm.append(integers(values.map { $0 == nil ? 1 : 0 })),
    ]
    return realm.append(refs(parts))
  }

  // MARK: Root

  @Test("a root with a wrong number of slots, and a root that is not a node of refs")
  func rootForm() throws {
    for count in [20, 22] {
      let found = try historyFindings("tasks-synced.realm") { realm in
        realm.bytes[realm.history + 7] = UInt8(count)
      }
      #expect(found.map(\.rule.rawValue) == ["history.root"])
      #expect(found.first?.message == "the root has \(count) slots, expected 21")
    }
    #expect(
      try historyRules("tasks-synced.realm") { $0.bytes[$0.history + 4] &= ~0x40 }
        == ["history.root"])
  }

  @Test("each slot that must be a ref", arguments: [0, 13, 14, 15, 16, 17, 20])
  func refSlot(slot: Int) throws {
    for value in [0, 1] {
      let found = try historyFindings("tasks-synced.realm") { realm in
        realm.setElement(slot, of: realm.history, to: value)
      }
      #expect(found.map(\.rule.rawValue) == ["history.root"])
      #expect(found.first?.message == "slot \(slot) is \(value), expected a ref")
    }
  }

  @Test("each slot that must be a number", arguments: Array(1...12) + [18, 19])
  func integerSlot(slot: Int) throws {
    let found = try historyFindings("tasks-synced.realm") { realm in
      realm.setElement(slot, of: realm.history, to: realm.history)
    }
    #expect(found.first?.rule.rawValue == "history.root")
    #expect(found.first?.message == "slot \(slot) is a ref, expected an integer")
  }

  @Test(
    "schema versions that no library had, and one that is newer than all", arguments: [3, 9, 13])
  func schemaVersion(version: Int) throws {
    let found = try historyFindings("tasks-synced.realm") { realm in
      realm.setSlot(9, of: realm.top, to: version)
    }
    #expect(found.map(\.rule.rawValue) == ["history.top"])
    #expect(found.first?.message.contains("\(version)") == true)
  }

  // MARK: Columns

  @Test("a column with fewer or more entries than the others", arguments: 13...17)
  func columnLength(slot: Int) throws {
    for count in [0, 2] {
      let found = try historyFindings("tasks-synced-uploaded.realm") { realm in
        // The columns have one entry, whose changeset is empty.
        let column =
          slot < 15
          ? append(Array(repeating: nil, count: count), to: &realm)
          : realm.append(integers(Array(repeating: 0, count: count)))
        realm.setElement(slot, of: realm.history, to: column)
      }
      let counts = (13...17).map { $0 == slot ? count : 1 }
      #expect(found.map(\.rule.rawValue).contains("history.lengths"))
      let text =
        "the columns have \(counts[0]), \(counts[1]), \(counts[2]), \(counts[3]) and \(counts[4]) entries"
      #expect(found.contains { $0.message.hasPrefix(text) }, "\(found.map(\.message))")
    }
  }

  /// At version 3, there is a log for each of the versions 2 and 3 at most, and one at least.
  @Test("no transaction log, and more logs than versions", arguments: [0, 3])
  func logs(count: Int) throws {
    let found = try historyFindings("tasks-synced.realm") { realm in
      let logs = append(Array(repeating: nil, count: count), to: &realm)
      realm.setElement(0, of: realm.history, to: logs)
    }
    #expect(found.map(\.rule.rawValue) == ["history.lengths"])
    #expect(
      found.first?.message == "\(count) transaction logs at version 3, expected 1 to 2")
  }

  /// Of the two entries: wrapped without compression; the first is an unknown instruction.
  @Test("a transformed changeset with a bad wrapper, and one that cannot be decoded")
  func transforms() throws {
    for (value, rule) in [
      ("31 01 00", "history.wrapper"), ("01 02 3f", "history.wrapper"),
      ("01 01 0f", "history.changeset"),
    ] {
      let found = try historyFindings("tasks-synced.realm") { realm in
        let column = append([nil, hexadecimalBytes(value)], to: &realm)
        realm.setElement(14, of: realm.history, to: column)
      }
      #expect(found.map(\.rule.rawValue) == [rule])
      #expect(found.first?.message.hasPrefix("the transformed changeset of entry 1: ") == true)
    }
    // `A` is defined, and nothing else.
    #expect(
      try historyRules("tasks-synced.realm") { realm in
        let column = append([nil, hexadecimalBytes("01 04 3f 00 01 41")], to: &realm)
        realm.setElement(14, of: realm.history, to: column)
      } == [])
  }

  /// Two bytes of UTF-8 never start with FF. The class and its property have other names then.
  @Test("names in changesets that are not UTF-8 are reported, and do not end the check")
  func invalidNames() throws {
    let found = try historyFindings("tasks-synced.realm") { realm in
      let place = try #require(realm.find(hexadecimalBytes("3f 00 06") + Array("QsTask".utf8)))
      realm.bytes[place + 3] = 0xFF
    }
    #expect(Set(found.map(\.rule.rawValue)) == ["history.names"])
    #expect(found.map(\.message) == ["class \u{FFFD}sTask does not exist"])
    let property = try historyFindings("tasks-synced.realm") { realm in
      let place = try #require(realm.find(hexadecimalBytes("05") + Array("owner".utf8)))
      realm.bytes[place + 1] = 0xFE
    }
    #expect(property.map(\.message) == ["property QsTask.\u{FFFD}wner does not exist"])
  }

  // MARK: Events

  /// Puts another record of events into a file, whose history has schema version 12.
  private func events(_ arrays: (inout EditedRealm) -> [Int]) throws -> [Finding] {
    try historyFindings("tasks-synced.realm") { realm in
      let record = realm.append(refs(arrays(&realm)))
      realm.setElement(20, of: realm.history, to: record)
    }
  }

  @Test("a record of events with arrays missing, of unequal length, or not of integers")
  func eventArrays() throws {
    let short = try events { realm in
      (0..<3).map { _ in realm.append(integers([12])) }
    }
    #expect(short.map(\.rule.rawValue) == ["history.schema-versions"])
    #expect(short.first?.message.hasSuffix("expected 4 refs") == true)
    for odd in 0..<4 {
      let unequal = try events { realm in
        (0..<4).map { slot in
          let count = slot == odd ? 2 : 1
          return realm.append(
            slot == 1
              ? refs(Array(repeating: 0, count: count))
              : integers(Array(repeating: 12, count: count)))
        }
      }
      #expect(unequal.map(\.rule.rawValue) == ["history.schema-versions"])
    }
    let texts = try events { realm in
      [
        realm.append(node(flags: 0x10, count: 1, [12])), realm.append(refs([0])),
        realm.append(integers([1])), realm.append(integers([1])),
      ]
    }
    #expect(texts.map(\.rule.rawValue) == ["history.schema-versions"])
    #expect(
      try events { realm in
        [
          realm.append(integers([12])), realm.append(refs([0])), realm.append(integers([1])),
          realm.append(integers([1])),
        ]
      }.isEmpty)
  }

  @Test("more events than libraries, and a library version that is not a string")
  func eventContent() throws {
    let many = try events { realm in
      let values = [UInt8](repeating: 12, count: 501)
      let libraries = realm.append(refs(Array(repeating: 0, count: 501)))
      return [
        realm.append(integers(values)), libraries, realm.append(integers(values)),
        realm.append(integers(values)),
      ]
    }
    #expect(many.map(\.rule.rawValue) == ["history.schema-versions"])
    #expect(many.first?.message == "the record has 501 events, expected up to 500")
    for library in [refs([0]), integers([UInt8](repeating: 0x31, count: 65))] {
      let found = try events { realm in
        let text = realm.append(library)
        return [
          realm.append(integers([12])), realm.append(refs([text])), realm.append(integers([1])),
          realm.append(integers([1])),
        ]
      }
      #expect(found.map(\.rule.rawValue) == ["history.schema-versions"])
      #expect(found.first?.message.hasPrefix("the version of the library of event 0") == true)
    }
  }

  // MARK: Readers

  /// Code that continues a history reads its root and its events without verify.
  @Test("readers outside of verify report a damaged root and damaged events")
  func readers() throws {
    let folder = try TemporaryFolder()
    func snapshot(_ edit: (inout EditedRealm) -> Void) throws -> Snapshot {
      var realm = try EditedRealm(golden: "tasks-synced.realm")
      edit(&realm)
      return try Snapshot(path: try folder.write(realm.bytes, to: "a.realm"))
    }
    let root = try snapshot { $0.bytes[$0.history + 7] = 20 }
    let reading = #expect(throws: RealmFileError.self) { _ = try ClientHistory(root) }
    #expect(reading?.kind == .damaged(.historyRoot))
    let writing = #expect(throws: RealmFileError.self) { _ = try StoredHistory(root) }
    #expect(writing?.kind == .damaged(.historyRoot))
    let events = try snapshot { realm in
      let record = realm.append(refs([0, 0, 0]))
      realm.setElement(20, of: realm.history, to: record)
    }
    let record = #expect(throws: RealmFileError.self) { _ = try StoredHistory(events).events() }
    #expect(record?.kind == .damaged(.historyRoot))
  }
}
