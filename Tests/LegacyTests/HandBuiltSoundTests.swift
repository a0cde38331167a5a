import Foundation
import RealmInterchange
import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Realms of formats 2 to 9 that are unusual, but sound.
@Suite("Unusual realms of formats 2 to 9 that are built by hand")
struct HandBuiltSoundTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("rows of subtables have keys of their own in a database")
  func database() throws {
    var file = HandBuiltLegacy()
    let numbers = file.spec([Column(type: 0, name: "", roots: [])])
    let rows = file.spec([
      Column(type: 2, name: "s", roots: []),
      Column(type: 5, name: "n", subspecs: [numbers], roots: []),
    ])
    let lists = [[1, 2], [3], [4]].map { values in
      let column = file.ints(values)
      return file.refs([column])
    }
    let (strings, other) = (file.strings(["p", "q"]), file.strings(["r"]))
    let (roots, otherRoots) = (file.refs([lists[0], lists[1]]), file.refs([lists[2]]))
    let (one, two) = (file.refs([strings, roots]), file.refs([other, otherRoots]))
    let table = file.table([
      Column(type: 0, name: "id", roots: [file.ints([7, 8, 9])]),
      Column(type: 5, name: "rows", subspecs: [rows], roots: [file.refs([one, 0, two])]),
    ])
    let path = try folder.write(file.file([("class_A", table)]), to: "x.realm")
    let target = folder.path("x.sqlite")
    let job = ExportJob(ExportJob.Request(format: .sqlite, jobs: 2))
    _ = try job.run(
      open: { access in try Snapshot(path: path, access: access) },
      makeOutput: { _ in
        .database(try OutputFile(path: target, replacing: true))
      },
      canStartOver: true, progress: { _, _ in })
    let database = SQLiteFile(target)
    #expect(try database.problems() == [])
    let tables = try database.tables()
    let owners = try #require(tables.first { $0.hasPrefix("A_rows") && $0 != "A_rows" })
    let values = try #require(tables.first { $0.hasSuffix("_n") })
    #expect(
      try database.rows(
        "SELECT A.id, A_rows.s, n.value FROM A JOIN \"\(owners)\" o ON o.owner = A._key "
          + "JOIN A_rows ON A_rows._key = o.value JOIN \"\(values)\" n ON n.owner = A_rows._key "
          + "ORDER BY A.id, o.position, n.position")
        == ["7|'p'|1", "7|'p'|2", "7|'q'|3", "9|'r'|4"])
  }

  @Test("a subtable whose rows have large lists is read, each node once")
  func largeLists() throws {
    var file = HandBuiltLegacy()
    let count = 65_000
    // The width of the first list makes the file little larger than what is read.
    let lists = [0, 1].map { number in
      let leaves = (0..<count / 1000).map { leaf in
        number == 0
          ? file.ints((0..<1000).map { Int.max - leaf - $0 }) : file.put(flags: 0, count: 1000)
      }
      let tree = file.refs([tagged(1000)] + leaves + [tagged(count)], flags: 0xC7)
      return file.refs([tree])
    }
    let inner = file.spec([Column(type: 0, name: "", roots: [])])
    let outer = file.spec([Column(type: 5, name: "l", subspecs: [inner], roots: [])])
    let column = file.refs(lists)
    let rows = file.refs([column])
    let table = file.table([
      Column(type: 5, name: "o", subspecs: [outer], roots: [file.refs([rows])])
    ])
    let realm = try open(file.file([("class_A", table)]))
    let object = try #require(try values(realm, ofClass: "A").first)
    guard case .list(let objects) = object[0], case .object(let first) = objects[0],
      case .list(let numbers) = first[0], case .object(let second) = objects[1],
      case .list(let zeros) = second[0]
    else { throw RealmFileError(.notARealm) }
    #expect(numbers.count == count && zeros.count == count)
    #expect(numbers.last == .int(Int64.max - 64 - 999) && zeros.last == .int(0))
  }

  @Test("a leaf of zeros takes 8 bytes, so many rows need few bytes")
  func zeros() throws {
    var file = HandBuiltLegacy()
    let leaves = (0..<1000).map { _ in file.put(flags: 0, count: 1000) }
    let payload = ([tagged(1000)] + leaves + [tagged(1_000_000)]).flatMap {
      littleEndianBytes($0, count: 4)
    }
    let tree = file.put(flags: 0xC6, count: 1002, payload)
    let table = file.table([Column(type: 0, name: "a", roots: [tree])])
    #expect(try open(file.file([("class_A", table)])).tables[0].rowCount == 1_000_000)
  }

  @Test("a table in a mixed value may have enumerated strings")
  func enumerationInMixed() throws {
    var file = HandBuiltLegacy()
    let inner = file.table([
      Column(
        type: 3, name: "c", enumeration: file.strings(["red", "blue"]),
        roots: [file.ints([0, 1, 0])])
    ])
    let mixed = file.refs([file.ints([5]), file.refs([inner])])
    let table = file.table([Column(type: 6, name: "m", roots: [mixed])])
    let rows = ["red", "blue", "red"].map {
      RealmValue.dictionary([RealmEntry(key: .string("c"), value: .string($0))])
    }
    let realm = try open(file.file([("class_A", table)]))
    #expect(try values(realm, ofClass: "A") == [[.list(rows)]])
  }

  @Test("the table of primary keys may have enumerated strings")
  func enumeratedKeys() throws {
    var file = HandBuiltLegacy()
    let table = file.table([Column(type: 0, name: "id", roots: [file.ints([7, 8])])])
    let column = { (file: inout HandBuiltLegacy, name: String, value: String) in
      Column(
        type: 3, name: name, enumeration: file.strings([value]), roots: [file.ints([0])])
    }
    let keys = file.table([column(&file, "pk_table", "A"), column(&file, "pk_property", "id")])
    #expect(
      try open(file.file([("class_A", table), ("pk", keys)])).schema.classes[0].primaryKey == 0)
  }

  @Test("long names are cut, between characters, and stay unique")
  func longNames() throws {
    var file = HandBuiltLegacy()
    let x = { String(repeating: "x", count: $0) }
    let tables = [x(55) + "_1", x(58), x(54) + "éabc"].map { name in
      (name: name, ref: file.table([Column(type: 0, name: "a", roots: [file.ints([1])])]))
    }
    let names = try open(file.file(tables)).schema.classes.map(\.name.text)
    #expect(names == [x(55) + "_1", x(53) + "_1_2", x(54) + "_2"])
  }

  @Test("a realm with long names can be upgraded")
  func upgradeOfLongNames() throws {
    var file = HandBuiltLegacy()
    let pair = file.spec([
      Column(type: 0, name: "a", roots: []), Column(type: 0, name: "b", roots: []),
    ])
    let rows = file.refs([file.ints([1]), file.ints([2])])
    let name = String(repeating: "p", count: 63)
    let table = file.table([
      Column(type: 5, name: name, subspecs: [pair], roots: [file.refs([rows])]),
      Column(type: 0, name: name, roots: [file.ints([3])]),
    ])
    let path = try folder.write(
      file.file([(String(repeating: "t", count: 63), table)]), to: "x.realm")
    let findings = { (path: String) in
      try VerifyJob(VerifyJob.Request(path: path)).run().findings.filter { $0.severity == .error }
    }
    #expect(try findings(path) == [])
    _ = try UpgradeJob(
      path: path, key: nil, destination: .file(folder.path("y.realm"), replacing: false)
    ).run()
    #expect(try findings(folder.path("y.realm")) == [])
  }

  @Test("a query reads a realm in which two objects have the same primary key")
  func queryOfDuplicates() throws {
    let path = try folder.write(HandBuiltLegacy.duplicates(), to: "x.realm")
    for (text, found) in [("id == 'x'", 2), ("id == 'y'", 1), ("id != 'x'", 1)] {
      #expect(try count(text, ofClass: "A", in: path) == found, "\(text)")
    }
  }

  @Test("a query reads only the classes that links connect with its class")
  func queryOfOneClass() throws {
    var file = HandBuiltLegacy()
    let origin = file.table([
      Column(type: 12, name: "to", subspecs: [tagged(1)], roots: [file.ints([2, 0, 1])])
    ])
    let target = file.table([Column(type: 0, name: "n", roots: [file.ints([5, 6])])])
    let damaged = file.table([
      Column(type: 12, name: "self", subspecs: [tagged(2)], roots: [file.ints([9])])
    ])
    let path = try folder.write(
      file.file([("class_A", origin), ("class_B", target), ("class_C", damaged)]), to: "x.realm")
    #expect(try count("to.n == 6", ofClass: "A", in: path) == 1)
    #expect(try count("@links.A.to.@count == 1", ofClass: "B", in: path) == 2)
    let error = #expect(throws: (any Error).self) {
      try count("TRUEPREDICATE", ofClass: "C", in: path)
    }
    #expect(error?.path == path)
  }

  /// The number of objects that a query finds.
  private func count(
    _ text: String, ofClass className: String, in path: String
  ) throws -> Int {
    var request = QueryJob.Request(className: className)
    (request.text, request.answer) = (text, .nothing)
    return try QueryJob(request).run(
      open: { access in try Snapshot(path: path, access: access) },
      makeOutput: { _ in
        try OutputFile(path: folder.path("out"), replacing: true)
      },
      canStartOver: true
    ).found
  }
}
