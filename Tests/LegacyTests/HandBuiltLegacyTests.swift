import RealmLegacy
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Realms of formats 2 to 9 that are built byte by byte: what the files of public repositories rarely
/// have, and damage.
@Suite("Hand-built realms of formats 2 to 9")
struct HandBuiltLegacyTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Chapter 5, section 7: the bytes of a file of format 8 that the library wrote.
  @Test("the example of the chapter is one object of a table without the prefix of classes")
  func example() throws {
    let header = "FFFFFFFFFFFFFFFF 0000000000000000 542D4442 08000000"
    let nodes = [
      "0C000001 7461626C65000002", "02000002 0800000000000000",
      "0C000002 76616C7565000002 7374725F636F6C00", "04000002 0011000000000000",
      "44000003 2838500000000000", "04000001 7B00000000000000",
      "0D000001 7465737420737472696E670000000004", "06000001 7465737400000000",
      "65000002 9800010000000000", "45000003 70008000A8000000", "45000002 6000B80000000000",
      "45000001 C800000000000000", "45000003 1800D800F1010000",
    ]
    let bytes = hexadecimalBytes(
      header + nodes.map { "41414141" + $0 }.joined() + "E800000000000000 C826E53752123430")
    #expect(bytes.count == 264)
    let realm = try open(bytes)
    #expect(realm.schema.appClasses.map { realm.schema.classes[$0].name.text } == ["table"])
    let properties = realm.schema.classes[0].properties
    #expect(properties.map(\.name.text) == ["value", "str_col"])
    #expect(properties.map(\.isOptional) == [false, true])
    #expect(properties.map { $0.index == .search } == [false, true])
    #expect(try values(realm, ofClass: "table") == [[.int(123), .string("test string")]])
  }

  @Test("a null marker is null only in a nullable column, and null flags may be missing")
  func nulls() throws {
    var file = HandBuiltLegacy()
    let short = ["a", nil, ""]
    // Offsets with zero bytes, and flags that are 0 for null.
    let medium = { (file: inout HandBuiltLegacy, flags: [Int]?) in
      var slots = [file.ints([3, 4, 6]), file.bytes(Array("xy\0\0z\0".utf8))]
      if let flags { slots.append(file.ints(flags)) }
      return file.refs(slots)
    }
    // An empty blob is an empty string.
    let blobs = { (file: inout HandBuiltLegacy) in
      [file.bytes(Array("long\0".utf8)), 0, file.put(flags: 0x10, count: 0)]
    }
    let table = file.table([
      Column(type: 2, name: "s", roots: [file.strings(short)]),
      Column(type: 2, name: "ns", attributes: 16, roots: [file.strings(short)]),
      Column(type: 2, name: "m", roots: [medium(&file, nil)]),
      Column(type: 2, name: "nm", attributes: 16, roots: [medium(&file, [1, 0, 1])]),
      Column(type: 2, name: "b", roots: [file.refs(blobs(&file), flags: 0x67)]),
      Column(type: 2, name: "nb", attributes: 16, roots: [file.refs(blobs(&file), flags: 0x67)]),
      // Offsets and bytes without null flags, as before 2015.
      Column(
        type: 4, name: "data", attributes: 16,
        roots: [file.refs([file.ints([1, 1, 3]), file.bytes([7, 8, 9])])]),
      Column(type: 0, name: "i", attributes: 16, roots: [file.ints([5, 5, 6, 7])]),
      Column(type: 7, name: "date", roots: [file.ints([-3, 0, 4])]),
    ])
    let realm = try open(file.file([("class_A", table)], format: 3))
    let objects = try values(realm, ofClass: "A")
    #expect(
      objects == [
        [
          .string("a"), .string("a"), .string("xy"), .string("xy"), .string("long"),
          .string("long"), .binary([7]), .null, .date(seconds: -3, nanoseconds: 0),
        ],
        [
          .string(""), .null, .string(""), .null, .string(""), .null, .binary([]), .int(6),
          .date(seconds: 0, nanoseconds: 0),
        ],
        [
          .string(""), .string(""), .string("z"), .string("z"), .string(""), .string(""),
          .binary([8, 9]), .int(7), .date(seconds: 4, nanoseconds: 0),
        ],
      ])
  }

  @Test(
    "primary keys of all SDKs of the time are found, and others ignored",
    arguments: [("A", false), ("class_A", false), ("class_A", true)])
  func primaryKeys(name: String, byPosition: Bool) throws {
    var file = HandBuiltLegacy()
    let a = file.table([
      Column(type: 0, name: "x", attributes: 1, roots: [file.ints([1, 2]), file.ints([])]),
      Column(type: 2, name: "id", roots: [file.strings(["k", "l"])]),
      Column(
        type: 12, name: "next", subspecs: [HandBuiltLegacy.tagged(0)], roots: [file.ints([2, 0])]),
      Column(
        type: 14, attributes: 0, subspecs: [HandBuiltLegacy.tagged(0), HandBuiltLegacy.tagged(2)],
        roots: [file.refs([0, 1])]),
    ])
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings([name, "Missing"])]),
      byPosition
        ? Column(type: 0, name: "pk_property", roots: [file.ints([1, 0])])
        : Column(type: 2, name: "pk_property", roots: [file.strings(["id", "x"])]),
    ])
    let realm = try open(file.file([("class_A", a), ("pk", keys)]))
    #expect(realm.schema.classes[0].primaryKey == 1)
    #expect(realm.schema.classes[1].isInternal && realm.schema.classes[1].primaryKey == nil)
    let links = try values(realm, ofClass: "A", links: .identities).map { $0[2] }
    guard case .link(let link) = links[0] else { throw RealmFileError(.notARealm) }
    #expect(link.primaryKey == [.string("l")] && link.key == ObjectKey(1))
    #expect(links[1] == .null)
    #expect(try errors(of: folder.path("x.realm")) == [])
  }

  @Test("lists, tables in objects and tables in mixed values")
  func tables() throws {
    var file = HandBuiltLegacy()
    let tagged = HandBuiltLegacy.tagged
    let list = [Column(type: 0, name: "!ARRAY_VALUE", attributes: 16, roots: [])]
    let rows = [Column(type: 2, name: "", roots: []), Column(type: 1, name: "b", roots: [])]
    let listSpec = file.spec(list)
    let rowSpec = file.spec(rows)
    let noSpec = file.spec([])
    let one = file.refs([file.ints([9, 1, 9])])
    let two = file.refs([file.strings(["p", "q"]), file.ints([0, 2])])
    let inMixed = file.table([Column(type: 0, name: "n", roots: [file.ints([4])])])
    let mixed = file.refs([
      file.ints([5, 12, 2, 0]), file.refs([inMixed, -1, tagged(0), tagged(3)]),
      file.refs([file.ints([3]), file.bytes(Array("hi\0".utf8))]),
    ])
    let table = file.table([
      Column(type: 5, name: "list", subspecs: [listSpec], roots: [file.refs([one, 0, 0, 0])]),
      Column(type: 5, name: "rows", subspecs: [rowSpec], roots: [file.refs([0, two, 0, 0])]),
      Column(type: 5, name: "none", subspecs: [noSpec], roots: [file.refs([0, 0, 0, 0])]),
      Column(type: 6, name: "any", roots: [mixed]),
      Column(
        type: 13, name: "links", subspecs: [tagged(0)],
        roots: [
          file.refs([0, file.ints([3, 3, 0]), 0, 0])
        ]),
    ])
    let realm = try open(file.file([("class_A", table)]))
    #expect(realm.hidden.emptyColumns == 1)
    #expect(realm.schema.classes.map(\.name.text) == ["A", "A_rows"])
    #expect(realm.schema.classes[1].kind == .embedded)
    #expect(realm.schema.classes[1].properties.map(\.name.text) == ["col_0", "b"])
    let objects = try values(realm, ofClass: "A")
    #expect(objects[0][0] == .list([.int(1), .null]))
    #expect(
      objects[1][1]
        == .list([
          .object([.string("p"), .bool(false)]), .object([.string("q"), .bool(true)]),
        ]))
    // A database identifies embedded objects by their keys.
    _ = try exportDatabase(folder.path("x.realm"), in: folder)
    let entry = RealmEntry(key: .string("n"), value: .int(4))
    #expect(
      objects.map { $0[2] } == [
        .list([.dictionary([entry])]), .int(-1), .string("hi"), .int(3),
      ])
    guard case .list(let links) = objects[1][3] else { throw RealmFileError(.notARealm) }
    let targets = links.map { link -> Int64? in
      if case .link(let link) = link { link.key?.raw } else { nil }
    }
    #expect(targets == [3, 3, 0])
  }

  @Test("names are made unique, and none is empty")
  func names() throws {
    var file = HandBuiltLegacy()
    let column = { (file: inout HandBuiltLegacy, name: String) in
      Column(type: 0, name: name, roots: [file.ints([1])])
    }
    let tables = ["t", "", "t"].map { name in
      let columns = ["a", "", "a", "!OID"].map { column(&file, $0) }
      return (name: name, ref: file.table(columns))
    }
    let engine = try open(file.file(tables))
    #expect(engine.schema.classes.map(\.name.text) == ["t", "table_1", "t_2"])
    #expect(
      engine.schema.classes[0].properties.map(\.name.text) == ["a", "col_1", "a_2"])
    #expect(engine.hidden.objectIdColumns == 3)
  }

  @Test("a leaf is found by both forms of inner nodes")
  func innerNodes() throws {
    var file = HandBuiltLegacy()
    let leaves = (0..<4).map { file.ints([$0 * 3, $0 * 3 + 1, $0 * 3 + 2]) }
    let tagged = HandBuiltLegacy.tagged
    let compact = file.refs([tagged(3)] + leaves + [tagged(12)], flags: 0xC7)
    let general = file.refs(
      [file.ints([3, 6, 9])] + leaves + [tagged(12)], flags: 0xC7)
    let table = file.table([
      Column(type: 0, name: "a", roots: [compact]), Column(type: 0, name: "b", roots: [general]),
    ])
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings(["A"])]),
      Column(type: 2, name: "pk_property", roots: [file.strings(["b"])]),
    ])
    let links = file.table([
      Column(
        type: 12, name: "to", subspecs: [HandBuiltLegacy.tagged(0)],
        roots: [file.ints([12, 1, 7, 4])])
    ])
    let realm = try open(file.file([("class_A", table), ("pk", keys), ("class_B", links)]))
    #expect(
      try values(realm, ofClass: "A") == (0..<12).map { [.int($0), .int($0)] })
    let found = try values(realm, ofClass: "B", links: .identities).map { object -> [RealmValue] in
      if case .link(let link) = object[0] { link.primaryKey } else { [] }
    }
    #expect(found == [[.int(11)], [.int(0)], [.int(6)], [.int(3)]])
  }

  // MARK: Damage

  @Test("columns with different numbers of rows")
  func lengths() throws {
    var file = HandBuiltLegacy()
    let table = file.table([
      Column(type: 0, name: "a", roots: [file.ints([1, 2])]),
      Column(type: 0, name: "b", roots: [file.ints([1])]),
    ])
    #expect(try rule(file.file([("class_A", table)])) == .leafRows)
  }

  @Test("links to rows and tables that do not exist")
  func dangling() throws {
    var file = HandBuiltLegacy()
    let tagged = HandBuiltLegacy.tagged
    let link = file.table([
      Column(type: 12, name: "a", subspecs: [tagged(0)], roots: [file.ints([1, 3])])
    ])
    #expect(try rule(file.file([("class_A", link)])) == .linkDangling)
    let list = file.table([
      Column(
        type: 13, name: "a", subspecs: [tagged(0)], roots: [file.refs([file.ints([0, 1])])])
    ])
    #expect(try rule(file.file([("class_A", list)])) == .linkDangling)
    let table = file.table([
      Column(type: 12, name: "a", subspecs: [tagged(1)], roots: [file.ints([])])
    ])
    #expect(try rule(file.file([("class_A", table)])) == .linkOpposite)
  }

  @Test("one leaf as all children of an inner node, and a tree that claims more rows than fit")
  func amplification() throws {
    var file = HandBuiltLegacy()
    let tagged = HandBuiltLegacy.tagged
    let leaf = file.ints(Array(repeating: 1, count: 100))
    let inner = file.refs(
      [tagged(100)] + Array(repeating: leaf, count: 900) + [tagged(90_000)], flags: 0xC7)
    let table = file.table([Column(type: 0, name: "a", roots: [inner])])
    #expect(try rule(file.file([("class_A", table)])) == .storageNodeOverlap)
    let many = file.refs([tagged(1000), leaf, tagged(1 << 40)], flags: 0xC7)
    let claiming = file.table([Column(type: 0, name: "a", roots: [many])])
    #expect(try rule(file.file([("class_A", claiming)])) == .btreeCount)
  }

  @Test("an unknown type, a missing sub-spec, an array of columns that is too short")
  func specs() throws {
    var file = HandBuiltLegacy()
    let unknown = file.table([Column(type: 11, name: "a", roots: [file.ints([])])])
    #expect(try rule(file.file([("class_A", unknown)])) == .specTypes)
    let missing = file.table([Column(type: 12, name: "a", roots: [file.ints([])])])
    #expect(try rule(file.file([("class_A", missing)])) == .specArray)
    let short = file.table([Column(type: 0, name: "a", attributes: 1, roots: [file.ints([])])])
    #expect(try rule(file.file([("class_A", short)])) == .tableSlots)
  }
}
