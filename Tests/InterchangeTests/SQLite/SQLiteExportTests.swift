import Foundation
import RealmInterchange
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Writes `batches` into a database.
///
/// - Parameter folder: where the file is.
func database(
  of batches: [ObjectBatch], _ schema: ObjectSchema, in folder: TemporaryFolder, jobs: Int = 1
) throws -> (file: SQLiteFile, written: WrittenObjects) {
  let path = try folder.write([], to: "x.sqlite")
  let written = try SQLiteExport.write(
    BatchSource(
      schema: schema, batches: batches, classes: Set(batches.map(\.classPosition)).sorted()),
    to: DatabaseFile(unfinishedPath: path, path: path), schemaVersion: 7, jobs: jobs,
    progress: { _ in })
  let file = SQLiteFile(path)
  #expect(try file.problems() == [])
  return (file, written)
}

@Suite("SQLite databases of hand-made batches")
struct SQLiteExportTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("each type has its form, and a value that SQLite does not have is null and counted")
  func scalars() throws {
    let types: [(String, PropertyType)] = [
      ("i", .int), ("b", .bool), ("f", .float), ("d", .double), ("s", .string), ("y", .binary),
      ("t", .timestamp), ("c", .decimal), ("o", .objectId), ("u", .uuid),
    ]
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("All"),
        properties: types.map { Property(name: Name($0), type: $1, isOptional: true) })
    ])
    let batch = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(3), ObjectKey(9)],
      columns: [
        .ints([.min, nil]), .bools([true, nil]), .floats([0.5, -.infinity]),
        .doubles([.nan, 1e300]),
        .strings(["a'\"\0b", ""]), .binaries([[0, 255], []]),
        .dates([(seconds: -1, nanoseconds: -500_000_000), (seconds: .max, nanoseconds: 0)]),
        .decimals([Decimal128(low: 150, high: 0x303C_0000_0000_0000), nil]),
        .objectIds([Array(0..<12), nil]), .uuids([Array(0..<16), nil]),
      ])
    let (file, written) = try database(of: [batch], schema, in: folder)
    #expect(
      try file.rows("SELECT * FROM \"All\"") == [
        "3|-9223372036854775808|1|0.5|NULL|'a'\"\0b'|x'00FF'|'1969-12-31T23:59:58.500000000Z'|'1.50'|"
          + "'000102030405060708090a0b'|'00010203-0405-0607-0809-0a0b0c0d0e0f'",
        "9|NULL|NULL|-inf|1e+300|''|x''|NULL|NULL|NULL|NULL",
      ])
    #expect(written.losses[.notFiniteNumbers] == 1)
    #expect(written.losses[.outlyingDates] == 1)
    #expect(written.counts.map(\.objects) == [2])
    #expect(try file.rows("PRAGMA user_version") == ["7"])
  }

  @Test("a column has the affinity of its type, is required or not, and is the primary key")
  func columns() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"),
        properties: [
          Property(name: Name("_id"), type: .string),
          Property(name: Name("n"), type: .int, index: .search),
          Property(name: Name("x"), type: .double),
          Property(name: Name("any"), type: .mixed, isOptional: true),
        ], primaryKey: 0),
      ObjectClass(
        name: Name("U"),
        properties: [Property(name: Name("id"), type: .int, isOptional: true)], primaryKey: 0),
    ])
    let (file, _) = try database(
      of: [
        ObjectBatch(classPosition: 0, columns: [.strings([]), .ints([]), .doubles([]), nil]),
        ObjectBatch(classPosition: 1, keys: [ObjectKey(0)], columns: [.ints([nil])]),
      ], schema, in: folder)
    #expect(
      try file.rows("SELECT name, type, \"notnull\", pk FROM pragma_table_info('T')") == [
        "'_id'|'TEXT'|1|1", "'n'|'INTEGER'|1|0", "'x'|'REAL'|0|0", "'any'|''|0|0",
        "'any_type'|'TEXT'|0|0",
      ])
    #expect(
      try file.rows("SELECT name FROM pragma_index_list('T') WHERE origin = 'c'") == ["'T_n_index'"]
    )
    // A primary key that may be null cannot be the one of a table: that is the object key.
    #expect(try file.rows("SELECT * FROM \"U\"") == ["0|NULL"])
    #expect(
      try file.rows("SELECT name, \"unique\" FROM pragma_index_list('U')") == ["'U_id_index'|1"])
  }

  @Test("links are foreign keys, and links to nothing are null and counted")
  func links() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Dog"),
        properties: [
          Property(name: Name("owner"), type: .link, isOptional: true, target: 1),
          Property(name: Name("friends"), type: .link, collection: .list, target: 0),
          Property(name: Name("cat"), type: .link, isOptional: true, target: 2),
        ]),
      ObjectClass(
        name: Name("Person"), properties: [Property(name: Name("name"), type: .string)],
        primaryKey: 0), ObjectClass(name: Name("Cat"), properties: []),
    ])
    let dogs = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(0), ObjectKey(1), ObjectKey(2)],
      columns: [
        .links(to: 1, primaryKeys: [.string("Ann"), .null, nil], type: .string),
        .lists(
          ends: [2, 2, 3],
          elements: .links(to: 0, keys: [ObjectKey(2), ObjectKey(0), ObjectKey(1)])),
        .links(to: 2, keys: [ObjectKey(5), ObjectKey(-7), nil]),
      ])
    let people = ObjectBatch(classPosition: 1, columns: [.strings(["Ann"])])
    let (file, written) = try database(of: [dogs, people], schema, in: folder)
    #expect(
      try file.rows("SELECT * FROM \"Dog\"") == ["0|'Ann'|5", "1|NULL|NULL", "2|NULL|NULL"])
    #expect(
      try file.rows("SELECT * FROM \"Dog_friends\"") == ["1|0|0|2", "2|0|1|0", "3|2|0|1"])
    #expect(
      try file.rows("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list('Dog')")
        == ["'owner'|'Person'|'name'"], "Cat is not written, so nothing can refer to it")
    #expect(
      try file.rows(
        "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list('Dog_friends') ORDER BY 1")
        == ["'owner'|'Dog'|'_key'", "'value'|'Dog'|'_key'"])
    #expect(
      try file.rows(
        "SELECT \"from\", on_delete FROM pragma_foreign_key_list('Dog_friends') ORDER BY 1")
        == ["'owner'|'CASCADE'", "'value'|'CASCADE'"])
    #expect(
      try file.rows("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1") == [
        "'Dog_friends_owner_position_index'", "'Dog_friends_value_index'", "'Dog_owner_index'",
        "'sqlite_autoindex_Person_1'",
      ])
    #expect(written.losses[.linksToNull] == 1)
    #expect(written.losses[.unresolvedLinks] == 1)
  }

  @Test("embedded objects are rows of their own, at any depth")
  func embedded() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Person"),
        properties: [
          Property(name: Name("_id"), type: .int),
          Property(name: Name("home"), type: .link, isOptional: true, target: 1),
          Property(name: Name("all"), type: .link, collection: .dictionary, target: 1),
        ], primaryKey: 0),
      ObjectClass(
        name: Name("Address"), kind: .embedded,
        properties: [
          Property(name: Name("street"), type: .string),
          Property(name: Name("inner"), type: .link, isOptional: true, target: 1),
          Property(name: Name("tags"), type: .string, collection: .set),
        ]),
    ])
    func addresses(_ keys: [Int64], _ streets: [String], inner: BatchColumn) -> ObjectBatch {
      ObjectBatch(
        classPosition: 1, keys: keys.map { ObjectKey($0) },
        columns: [
          .strings(streets), inner,
          .lists(ends: Array(1...keys.count), elements: .strings(streets.map { "tag \($0)" })),
        ])
    }
    let none = ObjectBatch(classPosition: 1, columns: [.strings([]), nil, nil])
    let deepest = addresses([12], ["c"], inner: .objects(rows: [nil], none))
    let homes = addresses([10, 11], ["a", "b"], inner: .objects(rows: [nil, 0], deepest))
    let others = addresses([20], ["d"], inner: .objects(rows: [nil], none))
    let batch = ObjectBatch(
      classPosition: 0, keys: [ObjectKey(0), ObjectKey(1), ObjectKey(2)],
      columns: [
        .ints([1, 2, 3]), .objects(rows: [1, nil, 0], homes),
        .dictionaries(ends: [0, 1, 1], keys: ["x"], elements: .objects(rows: [0], others)),
      ])
    let (file, _) = try database(of: [batch], schema, in: folder)
    #expect(try file.rows("SELECT * FROM \"Person\"") == ["1|11", "2|NULL", "3|10"])
    #expect(
      try file.rows("SELECT * FROM \"Address\"") == [
        "10|'a'|NULL", "11|'b'|12", "12|'c'|NULL", "20|'d'|NULL",
      ])
    #expect(try file.rows("SELECT * FROM \"Person_all\"") == ["1|2|'x'|20"])
    #expect(
      try file.rows("SELECT owner, value FROM \"Address_tags\" ORDER BY 1") == [
        "10|'tag a'", "11|'tag b'", "12|'tag c'", "20|'tag d'",
      ])
  }

  @Test("names that SQLite treats as equal are changed, and the changes are counted")
  func names() throws {
    func objectClass(_ name: String, _ properties: [String]) -> ObjectClass {
      ObjectClass(
        name: Name(name), properties: properties.map { Property(name: Name($0), type: .int) })
    }
    let schema = ObjectSchema(classes: [
      objectClass("Person", ["name", "NAME", "_key", "select", "a\"b", "", "z\0z"]),
      objectClass("person", ["_KEY"]), objectClass("SQLite_x", []), objectClass("", []),
      ObjectClass(
        name: Name("L"),
        properties: [Property(name: Name("x"), type: .int, collection: .list)]),
      objectClass("l_X", []), objectClass("Ünï'\"", []),
    ])
    let batches = schema.classes.indices.map { position in
      let properties = schema.classes[position].properties
      return ObjectBatch(
        classPosition: position, keys: [ObjectKey(Int64(position))],
        columns: properties.indices.map { i in
          properties[i].collection == nil
            ? .ints([Int64(i)]) : .lists(ends: [1], elements: .ints([77]))
        })
    }
    let (file, written) = try database(of: batches, schema, in: folder)
    #expect(
      try file.tables() == [
        "L", "L_x_2", "Person", "_", "_SQLite_x", "l_X", "person_2", "Ünï'\"",
      ])
    #expect(
      try file.rows("SELECT name FROM pragma_table_info('Person')") == [
        "'__key'", "'name'", "'NAME_2'", "'_key'", "'select'", "'a\"b'", "'_'", "'z\u{FFFD}z'",
      ])
    #expect(try file.rows("SELECT * FROM \"Person\"") == ["0|0|1|2|3|4|5|6"])
    #expect(try file.rows("SELECT * FROM person_2") == ["1|0"])
    #expect(try file.rows("SELECT * FROM \"L_x_2\"") == ["1|4|0|77"])
    // Person_2, _SQLite_x, _, L_x_2; NAME_2, _, z?z.
    #expect(written.losses[.changedNames] == 7)
  }

  @Test("two objects with the same primary key are damage")
  func duplicateKeys() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("T"), properties: [Property(name: Name("_id"), type: .string)], primaryKey: 0)
    ])
    let batch = ObjectBatch(classPosition: 0, columns: [.strings(["a", "a"])])
    let path = try folder.write([], to: "y.sqlite")
    do {
      _ = try SQLiteExport.write(
        BatchSource(schema: schema, batches: [batch], classes: [0]),
        to: DatabaseFile(unfinishedPath: path, path: "y.sqlite"), schemaVersion: nil, jobs: 1,
        progress: { _ in })
      Issue.record("the same key twice")
    } catch {
      guard case .sink(let error) = error else { return }
      #expect(error.kind == .damaged(.keyDuplicate))
      #expect(error.detail == "SQLite says: UNIQUE constraint failed: T._id")
    }
  }

  @Test("a class with more properties than a table takes is refused with the numbers")
  func manyColumns() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Wide"),
        properties: (0..<40_000).map { Property(name: Name("p\($0)"), type: .int) })
    ])
    let path = try folder.write([], to: "y.sqlite")
    do {
      _ = try SQLiteExport.write(
        BatchSource(
          schema: schema,
          batches: [
            ObjectBatch(classPosition: 0, columns: Array(repeating: nil, count: 40_000))
          ], classes: [0]), to: DatabaseFile(unfinishedPath: path, path: path), schemaVersion: nil,
        jobs: 1,
        progress: { _ in })
      Issue.record("40,001 columns")
    } catch {
      guard case .sink(let error) = error else { return }
      #expect(error.className == "Wide")
      #expect("\(error)".contains("the table needs 40001 columns, but SQLite has at most "))
    }
  }

  @Test("indexes that are sorted in several pieces give one file on any number of threads")
  func sortedIndexes() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Person"),
        properties: [
          Property(name: Name("_id"), type: .int),
          Property(name: Name("name"), type: .string, index: .search),
          Property(name: Name("age"), type: .int, index: .search),
        ], primaryKey: 0)
    ])
    // The names take 20 MB.
    var random = SplitMix64(seed: 12)
    var names: [String] = []
    let batches = (0..<320).map { part in
      let some = (0..<250).map { _ in
        String(random.next(), radix: 36) + String(repeating: "x", count: 240)
      }
      names += some
      return ObjectBatch(
        classPosition: 0,
        columns: [
          .ints((0..<250).map { Int64(part * 250 + $0) }), .strings(some),
          .ints((0..<250).map { Int64($0 % 90) }),
        ])
    }
    var files: [[UInt8]] = []
    for jobs in [1, 2, 4] {
      let (file, _) = try database(of: batches, schema, in: folder, jobs: jobs)
      #expect(
        try file.rows("SELECT name FROM Person INDEXED BY Person_name_index ORDER BY name")
          == names.sorted().map { "'\($0)'" }, "\(jobs) threads")
      #expect(
        try file.rows(
          "SELECT _id FROM Person INDEXED BY Person_age_index WHERE age = 7 ORDER BY _id LIMIT 2")
          == ["7", "97"])
      files.append(Array(try folder.contents()["x.sqlite"]?.bytes ?? Data()))
    }
    #expect(files[0] == files[1] && files[1] == files[2])
  }

  @Test("large values are handed over row by row, and any number of threads gives one file")
  func largeValues() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Big"),
        properties: [
          Property(name: Name("_id"), type: .string), Property(name: Name("b"), type: .binary),
          Property(name: Name("l"), type: .string, collection: .list),
        ], primaryKey: 0)
    ])
    let text = String(repeating: "x", count: 100_000)
    let elements = (0..<32).map { "\($0) \(text)" }
    let batches = (0..<4).map { part in
      ObjectBatch(
        classPosition: 0,
        columns: [
          .strings((0..<8).map { "\(part) \($0)" }),
          .binaries(
            (0..<8).map { Array(repeating: UInt8(part * 8 + $0), count: 1_000_000) }),
          .lists(ends: [4, 8, 12, 16, 20, 24, 28, 32], elements: .strings(elements)),
        ])
    }
    var files: [[UInt8]] = []
    for jobs in [1, 3] {
      let (file, _) = try database(of: batches, schema, in: folder, jobs: jobs)
      #expect(
        try file.rows(
          "SELECT count(*), sum(length(b)), min(hex(substr(b, 1, 1))), max(hex(substr(b, -1))) FROM Big"
        ) == ["32|32000000|'00'|'1F'"])
      // The owner of each element is right after a hand-over, too.
      #expect(
        try file.rows(
          "SELECT owner, group_concat(position || ':' || substr(value, 1, 3), ',') FROM Big_l "
            + "GROUP BY owner ORDER BY owner LIMIT 2"
        ) == ["'0 0'|'0:0 x,1:1 x,2:2 x,3:3 x'", "'0 1'|'0:4 x,1:5 x,2:6 x,3:7 x'"])
      files.append(Array(try folder.contents()["x.sqlite"]?.bytes ?? Data()))
    }
    #expect(files[0] == files[1])
  }
}
