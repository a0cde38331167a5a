import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Flipped bits in what a realm has only once: its names, and the flags and formats of its header.
@Suite("Salvaging a realm with flipped bits in names and header")
struct FlippedNamesTests {
  /// The first byte of the row of a name in the node at `ref`, and the bytes of a row.
  private func row(
    _ name: String, in ref: Int, _ fixture: DamagedFixture
  ) throws -> (start: Int, width: Int) {
    // A header of a node, then rows of equal size (chapter 2, sections 1.1 and 3.5).
    let width = (1 << (Int(fixture.bytes[ref + 4]) & 7)) >> 1
    let count = Int(fixture.bytes[ref + 6]) << 8 | Int(fixture.bytes[ref + 7])
    let row = Array(name.utf8) + [0]
    let starts = (0..<count).map { ref + 8 + $0 * width }
    let start = starts.first { Array(fixture.bytes[$0..<$0 + row.count]) == row }
    return (try #require(start), width)
  }

  private func namesOfTables(_ fixture: DamagedFixture) throws -> Int {
    EditedRealm(fixture.bytes).element(0, of: EditedRealm(fixture.bytes).top)
  }

  private func expectAll(
    _ classes: [String], of fixture: DamagedFixture,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for name in classes {
      let original = try DamagedFixture.objects(of: name, in: fixture.original)
      #expect(!original.isEmpty, sourceLocation: location)
      #expect(
        try DamagedFixture.objects(of: name, in: fixture.target) == original,
        sourceLocation: location)
    }
  }

  @Test("the byte that counts the zeros behind a name of a class", arguments: [1, 3, 7])
  func paddingOfClass(bit: UInt8) throws {
    var fixture = try DamagedFixture("people.realm")
    let (start, width) = try row("class_Person", in: namesOfTables(fixture), fixture)
    fixture.bytes[start + width - 1] ^= 1 << bit
    let report = try fixture.salvage()
    #expect(report.correctedBits.map(\.offset) == [start + width - 1])
    #expect(report.correctedBits.map(\.bit) == [Int(bit)] && !report.isComplete)
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("the byte that counts the zeros behind a name of a property")
  func paddingOfProperty() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table("Person")
    let spec = try reader.nodes.lookUp(try reader.nodes.lookUp(table.ref).ref(at: 0))
    let (start, width) = try row("age", in: spec.ref(at: 1), fixture)
    fixture.bytes[start + width - 1] ^= 0x80
    let report = try fixture.salvage()
    #expect(report.correctedBits.map(\.offset) == [start + width - 1])
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("a letter of the prefix of all classes", arguments: 0..<6)
  func prefix(index: Int) throws {
    var fixture = try DamagedFixture("links.realm")
    let (start, _) = try row("class_Dog", in: namesOfTables(fixture), fixture)
    fixture.bytes[start + index] ^= 0x10
    let report = try fixture.salvage()
    #expect(report.correctedBits.map(\.offset) == [start + index])
    #expect(report.nulledLinks == 0 && report.losses.isEmpty)
    try expectAll(["Dog", "Person"], of: fixture)
  }

  @Test("a name that no realm can have is replaced and reported")
  func replacedName() throws {
    var fixture = try DamagedFixture("tasks-local.realm")
    let (start, _) = try row("class_QsTask", in: namesOfTables(fixture), fixture)
    fixture.bytes[start + 6] ^= 0x80
    let report = try fixture.salvage()
    #expect(report.renamed.count == 1 && !report.isComplete && report.objectCount == 3)
  }

  @Test("a realm of tables that are not classes is not taken for an empty realm")
  func noClass() throws {
    var fixture = try DamagedFixture("tasks-local.realm")
    let (start, _) = try row("class_QsTask", in: namesOfTables(fixture), fixture)
    fixture.bytes.replaceSubrange(start..<start + 2, with: Array("xy".utf8))
    let error = try #require(throws: RealmFileError.self) { try fixture.salvage() }
    guard case .nothingToSave = error.kind else { throw error }
  }

  @Test("flags that are neither 0 nor 1: the newer root is read", arguments: [92, 93] as [UInt8])
  func flags(value: UInt8) throws {
    var fixture = try DamagedFixture("people.realm")
    fixture.bytes[23] = value
    let report = try fixture.salvage()
    #expect(report.isNewestUnknown && !report.headerProblems.isEmpty)
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("an impossible file format of the live slot", arguments: [180, 58, 16] as [UInt8])
  func format(value: UInt8) throws {
    var fixture = try DamagedFixture("people.realm")
    fixture.bytes[20 + Int(fixture.bytes[23] & 1)] = value
    let report = try fixture.salvage()
    #expect(!report.headerProblems.isEmpty && report.isComplete)
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("a file format that is a little newer is that of the realm")
  func newerFormat() throws {
    var fixture = try DamagedFixture("people.realm")
    fixture.bytes[20 + Int(fixture.bytes[23] & 1)] = 26
    let error = #expect(throws: (any Error).self) { try fixture.salvage() }
    #expect(error?.fileKind == .newerFormat(26))
  }

  /// An upgrade that was interrupted can leave the format of before.
  @Test("an old file format, although the tables have the layout of later ones")
  func oldFormat() throws {
    var fixture = try DamagedFixture("people.realm")
    fixture.bytes[20 + Int(fixture.bytes[23] & 1)] = 9
    #expect(try fixture.salvage().isComplete)
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("too small a number of objects loses no object that it counts")
  func smallCountOfCluster() throws {
    var fixture = try DamagedFixture("tasks-local.realm")
    let cluster = try fixture.clusters(of: "QsTask")[0].ref
    var edited = EditedRealm(fixture.bytes)
    edited.setElement(0, of: cluster, to: 2 << 1 | 1)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    #expect(report.objectCount == 2 && !report.isComplete)
  }

  @Test("a bit that is set among the zeros behind a name")
  func strayBit() throws {
    var fixture = try DamagedFixture("people.realm")
    let (start, _) = try row("class_Person", in: namesOfTables(fixture), fixture)
    let place = start + "class_Person".utf8.count
    fixture.bytes[place] ^= 1
    let report = try fixture.salvage()
    #expect(report.correctedBits.map(\.offset) == [place])
    try expectAll(["Person", "Company", "Counter"], of: fixture)
  }

  @Test("a number of objects that no leaf confirms invents none")
  func countOfCluster() throws {
    var fixture = try DamagedFixture("tasks-local.realm")
    let cluster = try fixture.clusters(of: "QsTask")[0].ref
    var edited = EditedRealm(fixture.bytes)
    // 3 objects, tagged, become 7.
    #expect(edited.element(0, of: cluster) == 3 << 1 | 1)
    edited.setElement(0, of: cluster, to: 7 << 1 | 1)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    #expect(report.objectCount == 3 && !report.isComplete)
    try expectAll(["QsTask"], of: fixture)
  }

  @Test("a truncated file is reported as truncated, not as one with a damaged header")
  func cutOff() throws {
    var fixture = try DamagedFixture("people.realm")
    let root = EditedRealm(fixture.bytes).top
    fixture.bytes.removeSubrange((root - 4096)...)
    let report = try fixture.salvage()
    #expect(report.cutOffRoot == root && report.headerProblems.isEmpty && !report.isComplete)
    #expect(report.unreadable.last?.upperBound ?? 0 > fixture.bytes.count)
    try fixture.expectNothingWrong(report, "Person")
  }
}
