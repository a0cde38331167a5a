import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport
import Testing

/// Damage in realms of formats 2 to 9. Only verify reports some of it.
@Suite("Verification of damaged realms of formats 2 to 9")
struct HandBuiltCheckTests: LegacyReading {
  typealias Column = HandBuiltLegacy.Column
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// The rules of verify's findings, without unused space.
  private func findings(_ bytes: [UInt8]) throws -> [Rule] {
    let path = try folder.write(bytes, to: "v.realm")
    return try VerifyJob(VerifyJob.Request(path: path)).run().findings.map(\.rule)
      .filter { $0 != .storageLeak }
  }

  @Test("-1 in a list of links is not a null link")
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

  @Test("a leaf with more values than a leaf has")
  func largeLeaf() throws {
    var file = HandBuiltLegacy()
    let leaf = file.put(flags: 0x04, count: 5000, Array(repeating: 1, count: 5000))
    let table = file.table([Column(type: 0, name: "a", roots: [leaf])])
    let bytes = file.file([("class_A", table)])
    #expect(try rule(bytes) == .btreeCapacity)
    #expect(try findings(bytes) == [.btreeCapacity])
  }

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
