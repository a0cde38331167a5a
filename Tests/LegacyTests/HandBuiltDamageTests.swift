import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Damage that could make a reader of formats 2 to 9 crash, hang or take any amount of
/// memory.
@Suite("Damaged realms of formats 2 to 9 that are built by hand")
struct HandBuiltDamageTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  // MARK: Arithmetic

  @Test("a row of a mixed value at the largest integer")
  func lastRow() throws {
    var file = HandBuiltLegacy()
    let blob = file.refs([file.bytes(Array("ab\0".utf8))], flags: 0x67)
    let tree = file.refs([-1, blob, blob, tagged(2)], flags: 0xC7)
    let mixed = file.refs([file.ints([2]), file.refs([-1]), tree])
    let table = file.table([Column(type: 6, name: "m", roots: [mixed])])
    #expect(try rule(file.file([("class_A", table)])) == .leafRows)
  }

  // MARK: Amplification

  /// A tree whose 70 leaves, of 1000 rows each, are the same 8 bytes.
  private func sharedTree(_ leaf: Int, _ file: inout HandBuiltLegacy) -> Int {
    file.refs(
      [tagged(1000)] + Array(repeating: leaf, count: 70) + [tagged(70_000)], flags: 0xC7)
  }

  @Test("a list of links whose leaves are all one node is read once, in all runs together")
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

  @Test("a list of mixed values with a table that has more cells than a batch")
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

  @Test("a binary in pieces that are all one node")
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
}
