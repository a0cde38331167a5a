import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Damage that could make a reader of formats 2 to 9 crash, hang or take any amount of memory, and damage
/// that only verify reports.
@Suite("Damaged realms of formats 2 to 9 that are built by hand")
struct HandBuiltDamageTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// The rules of what verify finds, apart from space that nothing uses.
  private func findings(_ bytes: [UInt8]) throws -> [Rule] {
    let path = try folder.write(bytes, to: "v.realm")
    return try VerifyJob(VerifyJob.Request(path: path)).run().findings.map(\.rule)
      .filter { $0 != .storageLeak }
  }

  // MARK: Arithmetic

  @Test("a row of a mixed value at the end of all integers")
  func lastRow() throws {
    var file = HandBuiltLegacy()
    let blob = file.refs([file.bytes(Array("ab\0".utf8))], flags: 0x67)
    let tree = file.refs([-1, blob, blob, tagged(2)], flags: 0xC7)
    let mixed = file.refs([file.ints([2]), file.refs([-1]), tree])
    let table = file.table([Column(type: 6, name: "m", roots: [mixed])])
    #expect(try rule(file.file([("class_A", table)])) == .leafRows)
  }

  @Test("-1 in a list of links is no null link")
  func negativeLink() throws {
    var file = HandBuiltLegacy()
    let list = file.ints([0, -1, 0])
    let backlinks = file.refs([file.ints([0, 0]), 0])
    let table = file.table([
      Column(type: 13, name: "l", subspecs: [tagged(0)], roots: [file.refs([list, 0])]),
      Column(type: 14, subspecs: [tagged(0), tagged(0)], roots: [backlinks]),
    ])
    let bytes = file.file([("class_A", table)])
    #expect(try rule(bytes) == .linkDangling)
    #expect(try findings(bytes) == [.linkDangling])
  }

  // MARK: Amplification

  /// A tree whose 70 leaves, of 1000 rows each, are the same 8 bytes.
  private func sharedTree(_ leaf: Int, _ file: inout HandBuiltLegacy) -> Int {
    file.refs(
      [tagged(1000)] + Array(repeating: leaf, count: 70) + [tagged(70_000)], flags: 0xC7)
  }

  @Test("a list of links whose leaves are one node is read once, in all runs together")
  func sharedLeaf() throws {
    var file = HandBuiltLegacy()
    let leaf = file.put(flags: 0x04, count: 1000, Array(repeating: 0, count: 1000))
    let inner = file.refs(
      [tagged(1000)] + Array(repeating: leaf, count: 100) + [tagged(100_000)], flags: 0xC7)
    let table = file.table([
      Column(type: 13, name: "l", subspecs: [tagged(0)], roots: [file.refs([inner])])
    ])
    // A run alone would fit.
    _ = file.bytes(Array(repeating: 0, count: 40_000))
    #expect(try rule(file.file([("class_A", table)])) == .storageNodeOverlap)
    let many = file.refs(
      [tagged(100_000)] + Array(repeating: inner, count: 1000) + [tagged(100_000_000)], flags: 0xC7)
    let claiming = file.table([
      Column(type: 13, name: "l", subspecs: [tagged(0)], roots: [file.refs([many])])
    ])
    #expect(try rule(file.file([("class_A", claiming)])) == .btreeCount)
  }

  @Test("many objects with one large list")
  func sharedList() throws {
    var file = HandBuiltLegacy()
    let tree = sharedTree(file.put(flags: 0, count: 1000), &file)
    let lists = file.refs(Array(repeating: tree, count: 40))
    let table = file.table([
      Column(type: 13, name: "l", subspecs: [tagged(0)], roots: [lists])
    ])
    // One list alone would fit.
    _ = file.bytes(Array(repeating: 0, count: 8000))
    #expect(try rule(file.file([("class_A", table)])) == .storageNodeOverlap)
  }

  @Test("a list of mixed values with a table of more cells than a batch has")
  func largeTableInList() throws {
    var file = HandBuiltLegacy()
    let large = file.table([
      Column(type: 0, name: "x", roots: [sharedTree(file.put(flags: 0, count: 1000), &file)])
    ])
    let mixed = file.refs([file.ints([5]), file.refs([large])])
    let list = file.refs([mixed])
    let spec = file.spec([Column(type: 6, name: "", roots: [])])
    let table = file.table([
      Column(type: 5, name: "l", subspecs: [spec], roots: [file.refs([list])])
    ])
    let realm = try open(file.file([("class_A", table)]))
    let error = #expect(throws: RealmFileError.self) { try values(realm, ofClass: "A") }
    guard case .unsupported? = error?.kind else { throw RealmFileError(.notARealm) }
  }

  @Test("a binary in pieces that are one node")
  func sharedPieces() throws {
    var file = HandBuiltLegacy()
    let piece = file.bytes(Array(repeating: 1, count: 0xFF_FFF0))
    let last = file.bytes([2])
    let value = file.refs(Array(repeating: piece, count: 300) + [last], flags: 0x67)
    let mixed = file.refs([
      file.ints([4]), file.refs([tagged(0)]), file.refs([value], flags: 0x67),
    ])
    let table = file.table([Column(type: 6, name: "m", roots: [mixed])])
    #expect(try rule(file.file([("class_A", table)])) == .leafBlob)
  }

  @Test("many lists of distinct strings that share their leaves")
  func sharedStrings() throws {
    var file = HandBuiltLegacy()
    let leaf = file.put(flags: 0x08, count: 1000)
    let row = file.ints([0])
    let columns = (0..<40).map { number in
      Column(type: 3, name: "c\(number)", enumeration: sharedTree(leaf, &file), roots: [row])
    }
    let table = file.table(columns)
    // One list alone would fit.
    _ = file.bytes(Array(repeating: 0, count: 80_000))
    #expect(try rule(file.file([("class_A", table)])) == .leafEnumeration)
  }

  @Test("one node as two tables")
  func sharedTable() throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 0, name: "a", roots: [file.ints([1])])])
    #expect(try rule(file.file([("class_A", table), ("class_B", table)])) == .storageNodeOverlap)
  }

  @Test("many columns in arrays without bits")
  func columnsWithoutBits() throws {
    var file = HandBuiltLegacy()
    let (zeros, names) = (file.put(flags: 0, count: 900), file.put(flags: 0x08, count: 900))
    let spec = file.refs([zeros, names, zeros])
    let table = file.table(
      ["a", "b", "c"].map {
        Column(
          type: 5, name: $0, subspecs: [file.refs([zeros, names, zeros])], roots: [file.refs([])])
      })
    #expect(try rule(file.file([("class_A", table)])) == .specLengths)
    let noRoots = file.refs([spec, file.put(flags: 0x40, count: 900)])
    #expect(try rule(file.file([("class_A", noRoots)])) == .tableSlots)
  }

  @Test("more primary keys than tables")
  func manyPrimaryKeys() throws {
    var file = HandBuiltLegacy()
    let tree = sharedTree(file.put(flags: 0x08, count: 1000), &file)
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [tree]),
      Column(type: 2, name: "pk_property", roots: [tree]),
    ])
    let table = file.table([Column(type: 0, name: "a", roots: [file.ints([1])])])
    #expect(try rule(file.file([("class_A", table), ("pk", keys)])) == .leafRows)
  }

  @Test("a leaf with more values than a leaf has")
  func largeLeaf() throws {
    var file = HandBuiltLegacy()
    let leaf = file.put(flags: 0x04, count: 5000, Array(repeating: 1, count: 5000))
    let table = file.table([Column(type: 0, name: "a", roots: [leaf])])
    let bytes = file.file([("class_A", table)])
    #expect(try rule(bytes) == .btreeCapacity)
    #expect(try findings(bytes) == [.btreeCapacity])
  }

  // MARK: Places

  @Test("an error of opening a column names class and property")
  func place() throws {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 0, name: "i", roots: [file.ints([1])]),
      Column(
        type: 3, name: "colour", enumeration: file.refs([8]), roots: [file.ints([0])]),
    ])
    let realm = try open(file.file([("class_A", table)]))
    let error = #expect(throws: RealmFileError.self) { try values(realm, ofClass: "A") }
    #expect(error?.className == "A" && error?.property == "colour")
  }

  // MARK: Verify

  @Test("dates: a second tree that is too long, a null in a required property, odd nanoseconds")
  func dates() throws {
    var file = HandBuiltLegacy()
    let date = { (file: inout HandBuiltLegacy, seconds: [Int], nanoseconds: [Int]) in
      let (first, second) = (file.ints(seconds), file.ints(nanoseconds))
      return file.refs([first, second])
    }
    let long = file.table([
      Column(type: 8, name: "d", roots: [date(&file, [0, 1], [1, 2, 3, 4])])
    ])
    #expect(try findings(file.file([("class_A", long)])) == [.leafRows])
    let null = file.table([Column(type: 8, name: "d", roots: [date(&file, [7, 7, 5], [0, 0])])])
    #expect(try findings(file.file([("class_A", null)])) == [.leafTimestamp])
    let odd = file.refs([
      file.ints([8]), file.refs([tagged(0)]), file.refs([], flags: 0x67),
      date(&file, [0, 5], [Int.max]),
    ])
    let mixed = file.table([Column(type: 6, name: "m", roots: [odd])])
    #expect(try findings(file.file([("class_A", mixed)])) == [.leafTimestamp])
  }

  @Test("strings that are not UTF-8, in mixed values and lists of distinct strings")
  func text() throws {
    var file = HandBuiltLegacy()
    let blob = file.refs([file.bytes([0xFF, 0xFE, 0])], flags: 0x67)
    let mixed = file.refs([file.ints([2]), file.refs([tagged(0)]), blob])
    let list = file.put(flags: 0x0B, count: 1, [0xFF, 0xFE, 0, 1])
    let table = file.table([
      Column(type: 6, name: "m", roots: [mixed]),
      Column(type: 3, name: "s", enumeration: list, roots: [file.ints([0])]),
    ])
    #expect(try findings(file.file([("class_A", table)])) == [.leafUtf8, .leafUtf8])
  }

  @Test("backlinks of a column that has no links")
  func strayBacklinks() throws {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 0, name: "a", roots: [file.ints([1])]),
      Column(
        type: 14, subspecs: [tagged(0), tagged(0)], roots: [file.refs([tagged(0)])]),
    ])
    #expect(try findings(file.file([("class_A", table)])) == [.linkBacklinkMismatch])
  }
}
