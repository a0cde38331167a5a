import Foundation
import RealmInterchange
import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import TestSupport
import Testing

/// Realms of formats 2 to 9 that are unusual, but valid.
@Suite("Unusual realms of formats 2 to 9 that are built by hand")
struct HandBuiltUnusualTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  @Test("a subtable whose rows have large lists is read, each node once")
  func largeLists() throws {
    var file = HandBuiltLegacy()
    let count = 65_000
    // The width of the first list makes the file slightly larger than the nodes that are read.
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
}
