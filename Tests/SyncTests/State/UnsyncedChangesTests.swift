import RealmStorage
import TestSupport
import Testing

@testable import RealmSync

@Suite("Changes that are not uploaded")
struct UnsyncedChangesTests {
  private func changes(_ path: String) throws -> UnsyncedChanges {
    let snapshot = try Snapshot(path: path)
    return try UnsyncedChanges(try #require(try ClientHistory(snapshot)), of: snapshot)
  }

  /// Counted in the reference's export: the commits create 800 persons and delete 38 of them, which no server
  /// ever receives.
  @Test("objects are counted by their changes on the server")
  func people() throws {
    let changes = try changes(Golden.path("people-synced.realm"))
    #expect(changes.classes.map(\.className) == ["Company", "Counter", "Person"])
    #expect(changes.classes.map(\.created) == [8, 5, 762])
    #expect(changes.classes.map(\.deleted) == [0, 0, 0])
    #expect(changes.isComplete && changes.undecoded.isEmpty)
  }

  @Test("objects that were created before are updated, once each")
  func updates() throws {
    func name(_ text: String) -> Instruction.InternedName {
      Instruction.InternedName(Array(text.utf8))
    }
    func set(_ key: Int64) -> Instruction {
      .update(
        Instruction.Place(table: name("A"), key: .int(key), field: name("x")), .int(1),
        .value(isDefault: false))
    }
    let path = try TemporaryFolder()
    let file = path.path("a.realm")
    try writeSynced(
      [
        [.addTable(name: name("E"), kind: .embedded, primaryKey: nil)],
        [set(1), set(1), set(2)],
        [.createObject(table: name("A"), key: .int(3)), set(3)],
        [.eraseObject(table: name("A"), key: .int(2))],
      ], to: file)
    let changes = try changes(file)
    #expect(
      changes.classes == [
        UnsyncedChanges.ClassChanges(className: "A", created: 1, updated: 1, deleted: 1)
      ])
    #expect(changes.schemaChanges == 1)
  }

  @Test("a changeset that cannot be decoded is reported, not left out")
  func undecoded() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    // Algorithm 2 is LZFSE; the size is 300 bytes.
    try writeSynced(stored: [[0x22, 0x2C, 0x01, 1, 2, 3], [0x01, 0x02, 0x0F, 0x00]], to: file)
    let changes = try changes(file)
    #expect(changes.undecoded.map(\.byteCount) == [300, 2])
    #expect(changes.undecoded.first?.reason.contains("LZFSE") == true)
    #expect(changes.undecoded.last?.reason.contains("instruction 15 is unknown") == true)
  }

  @Test("an object that is created and deleted again before an upload is not counted")
  func fates() throws {
    func name(_ text: String) -> Instruction.InternedName {
      Instruction.InternedName(Array(text.utf8))
    }
    func create(_ key: Int64) -> Instruction { .createObject(table: name("A"), key: .int(key)) }
    func erase(_ key: Int64) -> Instruction { .eraseObject(table: name("A"), key: .int(key)) }
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    try writeSynced(
      [
        [create(1), erase(1), create(2), erase(2), create(2)],
        [erase(3), create(3), erase(4), create(4), erase(4)],
        [
          .createObject(table: name("B"), key: .int(1)),
          .eraseObject(table: name("B"), key: .int(1)),
        ],
      ], to: file)
    #expect(
      try changes(file).classes == [
        UnsyncedChanges.ClassChanges(className: "A", created: 2, updated: 0, deleted: 1)
      ])
  }

  /// A wrapper with an unknown compression; one that claims 2⁶² bytes; one of 17 MiB, which no server takes. The
  /// reader stopped at the first of them, or left out all that followed.
  @Test("a changeset of unknown or impossible size hides no other one")
  func wrappers() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    let valid = ChangesetEncoder.encode([
      .createObject(table: Instruction.InternedName([0x41]), key: .int(1))
    ])
    let stored: [[UInt8]] = [
      [0x31, 1, 2], [0x18, 0, 0, 0, 0, 0, 0, 0, 0x40, 1], [0x14, 0, 0, 0x10, 0x01, 1],
      try #require(StoredChangeset.wrap(valid)),
    ]
    try writeSynced(stored: stored, to: file)
    let snapshot = try Snapshot(path: file)
    let history = try #require(try ClientHistory(snapshot))
    #expect(history.pending.map(\.byteCount) == [nil, 1 << 62, 17 << 20, valid.count])
    let changes = try changes(file)
    #expect(changes.undecoded.map(\.byteCount) == [nil, 1 << 62, 17 << 20])
    #expect(changes.undecoded[0].reason.contains("compression 3 is unknown"))
    #expect(changes.undecoded[2].reason.contains("too large"))
    #expect(changes.classes.map(\.created) == [1])
    #expect(changes.isComplete)
  }

  /// FF and FE start no character: both names look the same, but there are two classes.
  @Test("classes whose names are not UTF-8 are counted by their bytes")
  func invalidNames() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    func create(_ name: [UInt8], _ key: Int64) -> Instruction {
      .createObject(table: Instruction.InternedName(name), key: .int(key))
    }
    try writeSynced([[create([0xFF], 1), create([0xFE], 1), create([0xFF], 2)]], to: file)
    let classes = try changes(file).classes
    #expect(classes.map(\.className) == ["\u{FFFD}", "\u{FFFD}"])
    #expect(classes.map(\.created).sorted() == [1, 2])
  }

  @Test("a count of more objects than the limit says that it is incomplete")
  func objectLimit() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    let name = Instruction.InternedName([0x41])
    for (count, isComplete) in [(200_000, true), (200_001, false)] {
      // A change of a counted object takes no room.
      try writeSynced(
        [
          (0..<count).map { .createObject(table: name, key: .int(Int64($0))) },
          [.createObject(table: name, key: .int(0))],
        ], to: file)
      let changes = try changes(file)
      #expect(changes.classes.map(\.created) == [200_000])
      #expect(changes.isComplete == isComplete)
    }
  }

  @Test("a list of changesets that cannot be decoded is limited, and says so")
  func undecodedLimit() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("a.realm")
    for (count, isComplete) in [(1000, true), (1001, false)] {
      try writeSynced(stored: Array(repeating: [0x01, 0x01, 0x0F], count: count), to: file)
      let changes = try changes(file)
      #expect(changes.undecoded.count == 1000)
      #expect(changes.isComplete == isComplete)
    }
  }

  /// Writes a synced realm without tables whose history has these changesets.
  private func writeSynced(_ changesets: [[Instruction]], to path: String) throws {
    try writeSynced(
      stored: changesets.map { StoredChangeset.wrap(ChangesetEncoder.encode($0)) ?? [] }, to: path)
  }

  private func writeSynced(stored: [[UInt8]], to path: String) throws {
    let snapshot = try Snapshot(path: Golden.path("empty.realm"))
    let version = snapshot.top.version
    let file = try OutputFile(path: path, replacing: true)
    _ = try FileBuilder(
      snapshot, top: FileBuilder.Top(of: snapshot), edits: NodeEdits(),
      history: { (writer) throws(RealmFileError) in
        var history = ClientHistoryWriter(writer)
        for changeset in stored {
          try history.append(ClientHistoryWriter.Entry(changeset: changeset, timestamp: 0))
        }
        let root = try history.finish(integers: [:], events: [])
        return (
          root,
          RealmFileWriter.Facts(
            version: version + stored.count, historyType: 3, historySchemaVersion: 12, fileIdent: 0)
        )
      },
      into: try RealmOutput(.file(file), key: nil)
    ).write { _ in }
    try file.publish()
  }
}
