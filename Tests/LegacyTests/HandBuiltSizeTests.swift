import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport
import Testing

@testable import RealmLegacy
@testable import RealmModel

/// How much of a realm of formats 2 to 9 is in memory at once.
@Suite("Sizes of realms of formats 2 to 9 that are built by hand")
struct HandBuiltSizeTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// A tree of 1000 · `leafCount` zeros.
  private func zeros(_ leafCount: Int, _ file: inout HandBuiltLegacy) -> Int {
    let leaves = (0..<leafCount).map { _ in file.put(flags: 0, count: 1000) }
    return file.refs([tagged(1000)] + leaves + [tagged(1000 * leafCount)], flags: 0xC7)
  }

  @Test("lists of one object that fill a batch together are kept, the others come in runs")
  func roomOfObject() throws {
    var file = HandBuiltLegacy()
    let columns = (0..<4).map { number in
      let spec = file.spec([Column(type: 0, name: "", roots: [])])
      let tree = zeros(number == 3 ? 1 : 40, &file)
      let list = file.refs([tree])
      return Column(type: 5, name: "c\(number)", subspecs: [spec], roots: [file.refs([list])])
    }
    let table = file.table(columns)
    let source = LegacySource(try open(file.file([("class_A", table)])))
    let cursor = try source.makeCursor()
    try cursor.open(source.parts()[0])
    let batch = try #require(try cursor.next())
    let lists = batch.columns.compactMap { column -> CollectionColumn? in
      if case .collection(let list)? = column { list } else { nil }
    }
    #expect(lists.map { $0.runs != nil } == [false, true, true, false])
    #expect(lists.filter { $0.runs == nil }.map(\.elements.count) == [40_000, 1000])
    let counts = try (0..<4).map { position in
      if case .list(let elements) = try batch.value(ofProperty: position, row: 0) {
        elements.count
      } else {
        0
      }
    }
    #expect(counts == [40_000, 40_000, 40_000, 1000])
  }

  @Test("a table in a mixed value is read next to lists that fill a batch")
  func tableBesideLists() throws {
    var file = HandBuiltLegacy()
    let spec = file.spec([Column(type: 0, name: "", roots: [])])
    let tree = zeros(60, &file)
    let list = file.refs([tree])
    let inner = file.table([Column(type: 0, name: "x", roots: [zeros(30, &file)])])
    let mixed = file.refs([file.ints([5]), file.refs([inner])])
    let table = file.table([
      Column(type: 5, name: "l", subspecs: [spec], roots: [file.refs([list])]),
      Column(type: 6, name: "m", roots: [mixed]),
    ])
    let object = try #require(
      try values(try open(file.file([("class_A", table)])), ofClass: "A").first)
    guard case .list(let elements) = object[0], case .list(let rows) = object[1] else {
      throw RealmFileError(.notARealm)
    }
    #expect(elements.count == 60_000 && rows.count == 30_000)
  }

  @Test("a realm that claims many rows has few parts")
  func parts() throws {
    var file = HandBuiltLegacy()
    let count = 250_000_000
    let leaf = file.put(flags: 0, count: 1000)
    let root = file.refs([tagged(1000), leaf, tagged(count)], flags: 0xC7)
    let table = file.table([Column(type: 0, name: "a", roots: [root])])
    _ = file.put(flags: 0x17, count: 1 << 21, Array(repeating: 0, count: 1 << 21))
    let source = LegacySource(try open(file.file([("class_A", table)])))
    #expect(source.objectCount == count)
    let parts = source.parts()
    #expect(parts.count <= 100_000)
    #expect(source.rows(of: parts[0]) == 0..<3000)
    #expect(source.rows(of: parts[parts.count - 1]).upperBound == count)
  }

  @Test("all threads share the lists of distinct strings")
  func sharedLists() throws {
    var file = HandBuiltLegacy()
    let list = file.strings(["red", "blue"])
    let table = file.table([
      Column(type: 3, name: "c", enumeration: list, roots: [file.ints([0, 1])])
    ])
    let realm = try open(file.file([("class_A", table)]))
    let readers = [
      LegacyReader(try realm.snapshot.makeReader(), realm.lists),
      LegacyReader(try realm.snapshot.makeReader(), realm.lists),
    ]
    let places = try readers.map { reader in
      let strings = try reader.strings(at: list, isNullable: false)
      #expect(strings.map { $0?.text } == ["red", "blue"])
      return unsafe strings.slices.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }
    #expect(places[0] == places[1])
  }

  @Test("rows of subtables have no keys, as two rows could share one")
  func rowsWithoutKeys() throws {
    var file = HandBuiltLegacy()
    let spec = file.spec([
      Column(type: 0, name: "a", roots: []), Column(type: 0, name: "b", roots: []),
    ])
    let rows = file.refs([file.ints([1, 2]), file.ints([3, 4])])
    let table = file.table([
      Column(type: 5, name: "s", subspecs: [spec], roots: [file.refs([rows])])
    ])
    let source = LegacySource(try open(file.file([("class_A", table)])))
    let cursor = try source.makeCursor()
    try cursor.open(source.parts()[0])
    guard case .collection(let column)? = try cursor.next()?.columns[0],
      case .embedded(let objects) = column.elements
    else { throw RealmFileError(.notARealm) }
    #expect(objects.objects.count == 2 && objects.objects.keys.isEmpty)
  }
}
