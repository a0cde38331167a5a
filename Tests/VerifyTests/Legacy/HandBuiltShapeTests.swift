import RealmJobs
import RealmLegacy
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport
import Testing

/// Trees of realms of formats 2 to 9 whose offsets are wrong, and damage behind other damage.
@Suite("Trees of realms of formats 2 to 9 that are built by hand")
struct HandBuiltShapeTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func report(_ bytes: [UInt8]) throws -> VerifyReport {
    let path = try folder.write(bytes, to: "v.realm")
    return try VerifyJob(VerifyJob.Request(path: path)).run()
  }

  /// The findings of verify, without unused space.
  private func findings(_ bytes: [UInt8]) throws -> [Finding] {
    try report(bytes).findings.filter { $0.rule != .storageLeak }
  }

  /// An inner node over leaves that claims `each` values for each child.
  private func tree(
    _ each: Int, _ leaves: [Int], count: Int, _ file: inout HandBuiltLegacy
  ) -> Int {
    file.refs([tagged(each)] + leaves + [tagged(count)], flags: 0xC7)
  }

  /// 2000 nullable seconds in leaves of these lengths.
  private func seconds(_ lengths: [Int], _ file: inout HandBuiltLegacy) -> Int {
    var first = 0
    let leaves = lengths.map { length in
      defer { first += length }
      return file.ints([-1] + Array(first..<first + length))
    }
    return tree(1000, leaves, count: 2000, &file)
  }

  private func zeros(_ file: inout HandBuiltLegacy) -> Int {
    let leaves = [file.put(flags: 0, count: 1000), file.put(flags: 0, count: 1000)]
    return tree(1000, leaves, count: 2000, &file)
  }

  @Test("a column of dates with a leaf that is shorter than the offsets say")
  func dates() throws {
    var file = HandBuiltLegacy()
    let dates = [seconds([999, 1000, 1], &file), zeros(&file)]
    let table = file.table([Column(type: 8, name: "d", roots: [file.refs(dates)])])
    let bytes = file.file([("class_A", table)])
    #expect(try findings(bytes).map(\.rule) == [.btreeOffsets])
    #expect(try rule(bytes) == .btreeOffsets)
    let valid = [seconds([1000, 1000], &file), zeros(&file)]
    let other = file.table([Column(type: 8, name: "d", roots: [file.refs(valid)])])
    #expect(try findings(file.file([("class_A", other)])).map(\.rule) == [])
    #expect(try rule(file.file([("class_A", other)])) == nil)
  }

  @Test("a leaf that is longer than the list of offsets says")
  func longLeaf() throws {
    var file = HandBuiltLegacy()
    let leaves = [file.ints(Array(0..<1000)), file.ints(Array(1000..<1500))]
    let root = file.refs([file.ints([999])] + leaves + [tagged(1500)], flags: 0xC7)
    let table = file.table([Column(type: 0, name: "a", roots: [root])])
    #expect(try rule(file.file([("class_A", table)])) == .btreeOffsets)
  }

  @Test(
    "a column of mixed values with a leaf that is shorter than the offsets say, in any of its trees"
  )
  func mixed() throws {
    for short in 0..<3 {
      var file = HandBuiltLegacy()
      let types = Array(repeating: 4, count: 2000)
      let data = (0..<2000).map { tagged($0) }
      let binaries = Array(repeating: 1, count: 2000)
      let trees = [types, data, binaries].enumerated().map { number, values in
        let lengths = number == short ? [999, 1000, 1] : [1000, 1000]
        var rest = values[...]
        let leaves = lengths.map { length in
          defer { rest = rest.dropFirst(length) }
          let some = Array(rest.prefix(length))
          switch number {
          case 0: return file.ints(some)
          case 1: return file.refs(some)
          default:
            let ends = file.ints(Array(1...length))
            return file.refs([ends, file.bytes(some.map { UInt8($0) })])
          }
        }
        return tree(1000, leaves, count: 2000, &file)
      }
      let table = file.table([Column(type: 6, name: "m", roots: [file.refs(trees)])])
      #expect(try findings(file.file([("class_A", table)])).map(\.rule) == [.btreeOffsets])
    }
  }

  @Test("offsets with the wrong number of children: the message does not mention their width")
  func offsets() throws {
    var file = HandBuiltLegacy()
    let leaves = [file.ints([1]), file.ints([2])]
    let root = file.refs([file.ints([1, 2, 3])] + leaves + [tagged(2)], flags: 0xC7)
    let table = file.table([Column(type: 0, name: "a", roots: [root])])
    let found = try findings(file.file([("class_A", table)]))
    #expect(found.map(\.rule) == [.btreeOffsets])
    #expect(found[0].message.hasSuffix("expected 1 integers"))
  }

  @Test("a tree with too many levels, in a column and in a look-up")
  func depth() throws {
    var file = HandBuiltLegacy()
    var column = file.ints([7, 8])
    var bytes = file.refs([file.ints([1, 2]), file.bytes([5, 6])])
    for _ in 0..<17 {
      column = tree(2, [column], count: 2, &file)
      bytes = tree(2, [bytes], count: 2, &file)
    }
    let table = file.table([Column(type: 0, name: "a", roots: [column])])
    #expect(try rule(file.file([("class_A", table)])) == .btreeInner)
    let mixed = file.refs([file.ints([4, 4]), file.refs([tagged(0), tagged(1)]), bytes])
    let other = file.table([Column(type: 6, name: "m", roots: [mixed])])
    #expect(try rule(file.file([("class_A", other)])) == .btreeInner)
  }

  // MARK: Damage behind damage

  @Test("verify continues after a damaged list of links")
  func lists() throws {
    var file = HandBuiltLegacy()
    let lists = [
      file.bytes(Array("xxxxxxxx".utf8)), file.ints([0, 99]), file.bytes(Array("yyyyyyyy".utf8)),
      file.ints([77]),
    ]
    let table = file.table([
      Column(type: 13, name: "l", subspecs: [tagged(0)], roots: [file.refs(lists)])
    ])
    let found = try findings(file.file([("class_A", table)]))
    #expect(found.filter { $0.rule == .linkDangling }.map(\.objectKey) == [1, 3])
    #expect(found.filter { $0.rule == .leafKind }.map(\.objectKey) == [0, 2])
  }

  @Test("verify continues after a damaged subtable, mixed value and list of backlinks")
  func objects() throws {
    var file = HandBuiltLegacy()
    let spec = file.spec([Column(type: 2, name: "!ARRAY_VALUE", roots: [])])
    let text = file.put(flags: 0x0C, count: 1, [0xFF, 0xFE, 0, 0, 0, 0, 0, 5])
    let subtables = file.refs([file.bytes(Array("xxxxxxxx".utf8)), file.refs([text])])
    let mixed = file.refs([
      file.ints([5, 3]), file.refs([file.bytes(Array("yyyyyyyy".utf8)), tagged(1)]),
    ])
    let backlinks = file.refs([file.bytes(Array("zzzzzzzz".utf8)), file.bytes([1])])
    let table = file.table([
      Column(type: 5, name: "s", subspecs: [spec], roots: [subtables]),
      Column(type: 6, name: "m", roots: [mixed]),
      Column(type: 12, name: "l", subspecs: [tagged(0)], roots: [file.ints([0, 0])]),
      Column(type: 14, subspecs: [tagged(0), tagged(2)], roots: [backlinks]),
    ])
    let found = try findings(file.file([("class_A", table)]))
    func objects(_ property: String) -> [Int64?] {
      found.filter { $0.property == property }.map(\.objectKey).sorted { ($0 ?? 0) < ($1 ?? 0) }
    }
    // The string is in a leaf of the subtable in row 1, and the finding names the leaf.
    #expect(found.contains { $0.property == "s" && $0.objectKey == 0 })
    #expect(found.contains { $0.property == "s" && $0.offset == text && $0.rule == .leafUtf8 })
    #expect(objects("m") == [0, 1])
    #expect(objects("") == [0, 1])
  }

  @Test("a list of distinct strings is checked once for all subtables")
  func distinctStrings() throws {
    var file = HandBuiltLegacy()
    let list = file.put(flags: 0x0B, count: 1, [0xFF, 0xFE, 0, 1])
    let spec = file.spec([Column(type: 3, name: "c", enumeration: list, roots: [])])
    let subtables = (0..<30).map { _ in
      let positions = file.ints([0])
      return file.refs([positions])
    }
    let table = file.table([
      Column(type: 5, name: "s", subspecs: [spec], roots: [file.refs(subtables)])
    ])
    let totals = try report(file.file([("class_A", table)])).totals
    #expect(totals.filter { $0.rule == .leafUtf8 }.map(\.count) == [1])
  }
}
