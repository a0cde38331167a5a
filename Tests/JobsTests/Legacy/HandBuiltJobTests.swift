import RealmInterchange
import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import RealmVerify
import TestJobs
import TestSupport
import Testing

/// Jobs on realms of formats 2 to 9 that the files of public repositories do not have.
@Suite("Jobs on hand-built realms of formats 2 to 9")
struct HandBuiltJobTests: LegacyReading {
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
    let (database, _) = try exportDatabase(path, in: folder)
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

  @Test("a database takes objects with the same primary key, and links to them")
  func duplicates() throws {
    let path = try folder.write(HandBuiltLegacy.linkedDuplicates(), to: "x.realm")
    for condition in [nil, "TRUEPREDICATE"] {
      let (database, _) = try exportDatabase(
        path, in: folder, classes: condition == nil ? nil : ["A"], condition: condition)
      #expect(
        try database.rows("SELECT _key, id, \"to\" FROM A ORDER BY _key")
          == ["0|'x'|2", "1|'y'|0", "2|'x'|NULL"])
    }
  }

  @Test("compact keeps the history of formats 4 to 9, and 7 slots without one", arguments: 4...9)
  func history(format: Int) throws {
    for hasHistory in [true, false] {
      var file = HandBuiltLegacy()
      let table = file.table([Column(type: 0, name: "v", roots: [file.ints([1, 2])])])
      let changesets = file.refs([file.ints([5]), file.bytes(Array("hello".utf8))])
      let bytes = file.file(
        [("class_A", table)], format: UInt8(format), history: hasHistory ? changesets : 0)
      let path = try folder.write(bytes, to: "x.realm")
      let target = folder.path("y.realm")
      _ = try CompactJob(path: path, key: nil, destination: .file(target, replacing: true)).run()
      let top = try Snapshot(path: target).top
      let findings = try VerifyJob(VerifyJob.Request(path: target)).run().findings
      #expect(findings == [], "\(findings)")
      #expect((top.history != 0) == hasHistory)
      switch format {
      case 4, 5: #expect(top.count == (hasHistory ? 9 : 7))
      case 6: #expect(top.count == 9)
      default: #expect(top.count == 10)
      }
    }
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
    try expectNoErrors(path)
    _ = try UpgradeJob(
      path: path, key: nil, destination: .file(folder.path("y.realm"), replacing: false)
    ).run()
    try expectNoErrors(folder.path("y.realm"))
  }

  @Test("an upgrade refuses two objects with the same primary key, and verify lists them")
  func duplicateKeys() throws {
    let path = try folder.write(HandBuiltLegacy.duplicates(), to: "x.realm")
    #expect(try errors(of: path).map(\.rule) == [.keyDuplicate])
    let error = #expect(throws: (any Error).self) {
      _ = try UpgradeJob(
        path: path, key: nil, destination: .file(folder.path("y.realm"), replacing: false)
      ).run()
    }
    #expect("\(try #require(error))".contains("object 0 has the same primary key"))
  }

  @Test("beside classes, a table named metadata without a version is counted")
  func leftOut() throws {
    var file = HandBuiltLegacy()
    let (a, b) = (
      file.table([Column(type: 0, name: "author", roots: [file.ints([1])])]),
      file.table([Column(type: 0, name: "x", roots: [file.ints([1])])])
    )
    let realm = try open(file.file([("metadata", a), ("class_A", b)]))
    #expect(realm.hidden.internalTables == 1)
    let report = try UpgradeJob(
      path: folder.path("x.realm"), key: nil,
      destination: .file(folder.path("y.realm"), replacing: false)
    ).run()
    #expect(report.legacy?.internalTables == 1)
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
}
