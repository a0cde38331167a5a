import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Tables, columns and primary keys of realms of formats 2 to 9.
@Suite("Schemas of realms of formats 2 to 9 that are built by hand")
struct HandBuiltSchemaTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func table(_ name: String, _ file: inout HandBuiltLegacy) -> Int {
    file.table([Column(type: 0, name: name, roots: [file.ints([1])])])
  }

  @Test(
    "without classes, tables named metadata and pk are internal only with the columns of the SDKs")
  func tablesOfEngine() throws {
    var file = HandBuiltLegacy()
    let (a, b, c) = (table("author", &file), table("a", &file), table("x", &file))
    let tables = [("metadata", a), ("pk", b), ("people", c)]
    let bare = try open(file.file(tables))
    #expect(
      bare.schema.appClasses.map { bare.schema.classes[$0].name.text }
        == ["metadata", "pk", "people"])
    #expect(bare.hidden.internalTables == 0)
    let upgraded = folder.path("y.realm")
    _ = try UpgradeJob(
      path: folder.path("x.realm"), key: nil, destination: .file(upgraded, replacing: false)
    ).run()
    let names = try Realm(path: upgraded).schema.objects.appClasses.count
    #expect(names == 3)
    let version = table("version", &file)
    let sdk = try open(file.file([("metadata", version), ("people", c)]))
    #expect(sdk.schema.classes.map(\.isInternal) == [true, false])
    #expect(try sdk.schemaVersion() == 1)
    // A user's table, with more columns.
    let more = file.table([
      Column(type: 0, name: "version", roots: [file.ints([1])]),
      Column(type: 0, name: "size", roots: [file.ints([2])]),
    ])
    let own = try open(file.file([("metadata", more), ("people", c)]))
    #expect(own.schema.classes.map(\.isInternal) == [false, false])
  }

  @Test("a class whose own name has the prefix has its own primary key")
  func prefixInName() throws {
    var file = HandBuiltLegacy()
    func table(_ names: [String]) -> Int {
      file.table(names.map { Column(type: 0, name: $0, roots: [file.ints([1])]) })
    }
    let (x, own) = (table(["a", "b"]), table(["a", "b"]))
    let keys = file.table([
      Column(type: 2, name: "pk_table", roots: [file.strings(["class_X"])]),
      Column(type: 2, name: "pk_property", roots: [file.strings(["b"])]),
    ])
    let both = try open(file.file([("class_X", x), ("class_class_X", own), ("pk", keys)]))
    #expect(both.schema.classes.map(\.primaryKey) == [nil, 1, nil])
    let one = try open(file.file([("class_X", x), ("pk", keys)]))
    #expect(one.schema.classes.map(\.primaryKey) == [1, nil])
  }

  /// 65,000 rows that name a class of 65,534 columns.
  @Test("rows with primary keys do not search all columns")
  func manyColumns() throws {
    var file = HandBuiltLegacy()
    let (columnCount, rowCount) = (65_534, 65_000)
    let empty = file.put(flags: 0, count: 0)
    let numbers = [file.put(flags: 0, count: columnCount), file.put(flags: 0, count: columnCount)]
    let names = file.put(
      flags: 0x09, count: columnCount, Array(repeating: 0, count: columnCount))
    let spec = file.refs([numbers[0], names, numbers[1]])
    let roots = file.put(
      flags: 0x44, count: columnCount, Array(repeating: UInt8(empty), count: columnCount))
    let wide = file.refs([spec, roots])
    func column(_ name: String, _ value: String) -> Column {
      let leaves = (0..<rowCount / 1000).map { _ in file.put(flags: 0, count: 1000) }
      let tree = file.refs([tagged(1000)] + leaves + [tagged(rowCount)], flags: 0xC7)
      return Column(type: 3, name: name, enumeration: file.strings([value]), roots: [tree])
    }
    let keys = file.table([column("pk_table", "X"), column("pk_property", "nosuchname")])
    let realm = try open(file.file([("class_X", wide), ("pk", keys)]))
    #expect(realm.schema.classes[0].primaryKey == nil)
  }

  @Test("the columns of two tables in one node")
  func sharedSpec() throws {
    var file = HandBuiltLegacy()
    let spec = file.spec([Column(type: 0, name: "a", roots: [])])
    let tables = (0..<2).map { _ in
      let column = file.ints([1])
      let roots = file.refs([column])
      return file.refs([spec, roots])
    }
    #expect(
      try rule(file.file([("class_A", tables[0]), ("class_B", tables[1])]))
        == .storageNodeOverlap)
  }

  @Test("more columns than the limit of memory")
  func totalColumns() throws {
    var file = HandBuiltLegacy()
    let count = 65_534
    let zeros = file.put(flags: 0, count: count)
    // Names of one byte each, which are empty.
    let names = file.put(flags: 0x09, count: count, Array(repeating: 0, count: count))
    let columns = (0..<5).map { number in
      Column(
        type: 5, name: "c\(number)", subspecs: [file.refs([zeros, names, zeros])],
        roots: [file.refs([])])
    }
    let table = file.table(columns)
    // Large enough for so many columns.
    _ = file.put(flags: 0x17, count: 1 << 20, Array(repeating: 0, count: 1 << 20))
    let bytes = file.file([("class_A", table)])
    let error = #expect(throws: RealmFileError.self) { _ = try open(bytes) }
    guard case .unsupported? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("100 levels of subtables are read, and more are unsupported, not damage")
  func levels() throws {
    func bytes(_ levels: Int) -> [UInt8] {
      var file = HandBuiltLegacy()
      var spec = file.spec([Column(type: 0, name: "n", roots: [])])
      for _ in 1..<levels {
        spec = file.spec([
          Column(type: 5, name: "t", subspecs: [spec], roots: []),
          Column(type: 0, name: "n", roots: []),
        ])
      }
      let table = file.table([
        Column(type: 5, name: "t", subspecs: [spec], roots: [file.refs([0])])
      ])
      return file.file([("class_A", table)])
    }
    #expect(try rule(bytes(100)) == nil)
    let deeper = bytes(101)
    let error = #expect(throws: RealmFileError.self) { _ = try open(deeper) }
    guard case .unsupported(let text)? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("more than 100 deep"))
  }

  /// The columns of the subtables take no bytes; the 20,000 subtables are all empty.
  @Test("empty subtables of many columns take no time")
  func emptySubtables() throws {
    var file = HandBuiltLegacy()
    let (columnCount, rowCount) = (65_534, 20_000)
    let zeros = [file.put(flags: 0, count: columnCount), file.put(flags: 0, count: columnCount)]
    let names = file.put(
      flags: 0x09, count: columnCount, Array(repeating: 0, count: columnCount))
    let spec = file.refs([zeros[0], names, zeros[1]])
    let leaves = (0..<rowCount / 1000).map { _ in file.put(flags: 0x40, count: 1000) }
    let tree = file.refs([tagged(1000)] + leaves + [tagged(rowCount)], flags: 0xC7)
    let table = file.table([Column(type: 5, name: "s", subspecs: [spec], roots: [tree])])
    // Large enough for so many columns.
    _ = file.put(flags: 0x17, count: 100_000, Array(repeating: 0, count: 100_000))
    let realm = try open(file.file([("class_A", table)]))
    let objects = try values(realm, ofClass: "A")
    #expect(objects.count == rowCount)
    #expect(objects.allSatisfy { $0 == [.list([])] })
  }
}
