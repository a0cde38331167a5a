import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Overwritten sectors whose signs are weak, in realms that are known to be damaged elsewhere.
@Suite("Salvaging copied sectors")
struct CopiedSectorsTests {
  private static let size = 512
  private static let wordsPerSector = size / 8

  /// A realm with 1,000 objects, which have three numbers of eight bytes.
  ///
  /// - Parameter zeros: of each 64 objects, those whose numbers are 0.
  private func fixture(zeros: Set<Int> = []) throws -> DamagedFixture {
    let objects = (0..<1000).map { i in
      let isZero = zeros.contains(i % CopiedSectorsTests.wordsPerSector)
      func number(_ start: Int) -> Int { isZero ? 0 : start + 1_000_003 * i }
      return """
        {"_key":\(i),"first":\(number(5_000_000_000)),\
        "second":\(number(90_000_000_000)),"third":\(number(700_000_000_000))}
        """
    }
    return try DamagedFixture(
      importing: ImportedVersionTests.text(
        """
        {"name":"Item","keyMember":"_key","properties":{"first":"int","second":"int","third":"int"}}
        """, objects))
  }

  /// A realm with 1,000 objects, each with a link to another one.
  private func linked() throws -> DamagedFixture {
    try DamagedFixture(
      importing: ImportedVersionTests.text(
        #"{"name":"Item","keyMember":"_key","properties":{"price":"double","next":"Item?"}}"#,
        (0..<1000).map {
          #"{"_key":\#($0),"price":\#(Double($0) / 7),"next":\#(($0 * 37 + 11) % 1000)}"#
        }))
  }

  /// The first sector that begins in the values of a leaf and is not its last one.
  private func sector(in leaf: Range<Int>) throws -> Range<Int> {
    let size = CopiedSectorsTests.size
    let start = (leaf.lowerBound + NodeHeader.byteCount + 64 + size - 1) / size * size
    try #require(start + 2 * size <= leaf.upperBound)
    return start..<start + size
  }

  /// Overwrites a sector of a leaf with noise, so that the realm is known to be damaged.
  private func damage(_ fixture: inout DamagedFixture, _ property: String) throws {
    let sector = try sector(in: fixture.leaf("Item", property, cluster: 3))
    var random = SplitMix64(seed: 11)
    fixture.bytes.replaceSubrange(
      sector, with: sector.map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  /// Expects that no value is wrong, and that values of `property` are lost in the first two clusters.
  private func expectDoubts(
    in fixture: DamagedFixture, _ property: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item", location)
    let lost = report.losses.filter { $0.property == property }.flatMap(\.objectKeys)
    #expect(lost.contains { $0 < 512 }, sourceLocation: location)
  }

  /// Example: the values before an overwritten sector, and before the one it was copied from, were both 0.
  @Test("a copy of a sector, with equal values before both, or after them", arguments: [-1, 64])
  func equalBeside(word: Int) throws {
    let guess = try fixture()
    func row(_ property: String, cluster: Int) throws -> (Range<Int>, Int) {
      let leaf = try guess.leaf("Item", property, cluster: cluster)
      let sector = try sector(in: leaf)
      let first = (sector.lowerBound - leaf.lowerBound - NodeHeader.byteCount) / 8
      return (sector, (first + word) % CopiedSectorsTests.wordsPerSector)
    }
    let (target, targetRow) = try row("first", cluster: 1)
    let (source, sourceRow) = try row("second", cluster: 1)
    var fixture = try fixture(zeros: [targetRow, sourceRow])
    try #require(try sector(in: fixture.leaf("Item", "first", cluster: 1)) == target)
    for beside in [target.lowerBound + 8 * word, source.lowerBound + 8 * word] {
      let word = fixture.bytes[beside..<beside + 8]
      try #require(word.elementsEqual(repeatElement(0, count: 8)))
    }
    try damage(&fixture, "third")
    fixture.bytes.replaceSubrange(target, with: fixture.bytes[source])
    try expectDoubts(in: fixture, "first")
  }

  @Test("bytes that were moved by a few values", arguments: [8, 48, -24])
  func movedByFew(distance: Int) throws {
    var fixture = try fixture()
    try damage(&fixture, "third")
    let sector = try sector(in: fixture.leaf("Item", "first", cluster: 1))
    let start = sector.lowerBound + distance
    fixture.bytes.replaceSubrange(sector, with: fixture.bytes[start..<start + sector.count])
    try expectDoubts(in: fixture, "first")
  }

  @Test("a word that is repeated to the end of a leaf, over a sector and a bit more")
  func repeatedToTheEnd() throws {
    var fixture = try fixture()
    try damage(&fixture, "third")
    let leaf = try fixture.leaf("Item", "first", cluster: 1)
    let size = CopiedSectorsTests.size
    let start = (leaf.upperBound - size) / size * size
    try #require(start > leaf.lowerBound + 64 && leaf.upperBound % size != 0)
    fixture.bytes.replaceSubrange(
      start..<leaf.upperBound, with: repeatElement(0x6D, count: leaf.upperBound - start))
    try expectDoubts(in: fixture, "first")
  }

  /// Example: the last sector of an image was zeroed, and ended where the image did.
  @Test("zeros in the last sector of a binary that ends with it")
  func zeroedEnd() throws {
    func fixture(_ count: Int) throws -> DamagedFixture {
      let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) })
      return try DamagedFixture(
        importing: ImportedVersionTests.text(
          #"{"name":"Item","keyMember":"_key","properties":{"image":"data"}}"#,
          [
            #"{"_key":0,"image":{"$binary":{"base64":"\#(data.base64EncodedString())","subType":"00"}}}"#
          ]))
    }
    /// The only node of a binary of `count` bytes.
    func node(_ fixture: DamagedFixture, _ count: Int) throws -> Range<Int> {
      let (_, reader) = try fixture.table("Item")
      let leaf = try reader.nodes.lookUp(fixture.leaf("Item", "image", cluster: 0).lowerBound)
      let binary = try reader.nodes.lookUp(leaf.ref(at: 0))
      try #require(binary.count == count)
      return binary.ref..<binary.ref + binary.header.nodeByteCount
    }
    let size = CopiedSectorsTests.size
    let guess = try node(fixture(4096), 4096)
    let count = 4096 + (size - guess.upperBound % size) % size
    var fixture = try fixture(count)
    let binary = try node(fixture, count)
    try #require(binary.upperBound % size == 0)
    fixture.bytes.replaceSubrange(
      binary.upperBound - size..<binary.upperBound, with: repeatElement(0, count: size))
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item")
    #expect(report.losses.contains { $0.property == "image" && $0.objectKeys == [0] })
  }

  /// Example: an overwritten leaf of keys had the key of another object.
  @Test("a primary key that the index has for another object")
  func keyOfAnother() throws {
    var fixture = try DamagedFixture(
      importing: ImportedVersionTests.text(
        #"{"name":"Item","primaryKey":"id","properties":{"id":"int","price":"double"}}"#,
        (0..<1000).map { #"{"id":\#(7 * $0 + 300),"price":\#(Double($0) / 7)}"# }))
    try damage(&fixture, "price")
    let leaf = try fixture.leaf("Item", "id", cluster: 1)
    let (_, reader) = try fixture.table("Item")
    let node = try reader.nodes.lookUp(leaf.lowerBound)
    try #require(node.width == 16)
    func place(_ row: Int) -> Range<Int> {
      let start = leaf.lowerBound + NodeHeader.byteCount + 2 * row
      return start..<start + 2
    }
    // Two objects exchange their keys: no key is there twice, and the index has each of them.
    let (one, other) = (Array(fixture.bytes[place(10)]), Array(fixture.bytes[place(20)]))
    fixture.bytes.replaceSubrange(place(10), with: other)
    fixture.bytes.replaceSubrange(place(20), with: one)
    let report = try fixture.salvage()
    let original = try DamagedFixture.objects(of: "Item", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Item", in: fixture.target)
    #expect(original.count == saved.count + 2)
    for (key, values) in saved { #expect(values["id"] == original[key]?["id"]) }
    #expect(report.classes.contains { $0.lostKeysOf == "Item" && $0.objects == 2 })
  }

  /// Example: noise in a leaf of links had the keys of objects.
  @Test("a link to an object that has no backlink for it")
  func linkOfAnother() throws {
    var fixture = try linked()
    try damage(&fixture, "price")
    let leaf = try fixture.leaf("Item", "next", cluster: 1)
    let (_, reader) = try fixture.table("Item")
    try #require(try reader.nodes.lookUp(leaf.lowerBound).width == 16)
    // Two objects exchange their links, so all targets exist and no value is there twice.
    let places = [10, 20].map { leaf.lowerBound + NodeHeader.byteCount + 2 * $0 }
    for i in 0..<2 { fixture.bytes.swapAt(places[0] + i, places[1] + i) }
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item")
    let lost = report.losses.filter { $0.property == "next" }
    #expect(lost.flatMap(\.objectKeys) == [266, 276])
    #expect(lost.map(\.rule) == [.linkBacklinkMismatch])
  }

  /// Example: noise in a leaf of links had a null.
  @Test("a null among links whose targets have no backlinks")
  func nullAmongContradicted() throws {
    var fixture = try linked()
    try damage(&fixture, "price")
    let leaf = try fixture.leaf("Item", "next", cluster: 1)
    let (_, reader) = try fixture.table("Item")
    try #require(try reader.nodes.lookUp(leaf.lowerBound).width == 16)
    func place(_ row: Int) -> Range<Int> {
      let start = leaf.lowerBound + NodeHeader.byteCount + 2 * row
      return start..<start + 2
    }
    // Twenty objects have the link of the one behind them, and one has none.
    for row in 10..<30 {
      fixture.bytes.replaceSubrange(place(row), with: Array(fixture.bytes[place(row + 1)]))
    }
    fixture.bytes.replaceSubrange(place(20), with: [0, 0])
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item")
    let lost = report.losses.filter { $0.property == "next" }.flatMap(\.objectKeys)
    #expect(Set(lost) == Set(266..<286))
  }

  /// The node above the clusters of Person has the parts of the keys that the clusters lack. The backlinks of the dogs have
  /// the lost keys.
  @Test("links of objects that get new keys stay, although the backlinks have the lost ones")
  func newKeys() throws {
    let schema = """
      {"name":"Person","properties":{"n":"int","dog":"Dog?"}},
      {"name":"Dog","primaryKey":"_id","properties":{"_id":"int"}}
      """
    let persons = (0..<1000).map { i in
      #"{"class":"Person","object":{"n":\#(i),"dog":\#((i * 37 + 11) % 300)}}"#
    }
    let dogs = (0..<300).map { #"{"class":"Dog","object":{"_id":\#($0)}}"# }
    let head =
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[\#(schema)]}"#
      .replacing("\n", with: "")
    let lines = [head] + persons + dogs + [#"{"counts":{"Person":1000,"Dog":300}}"#, ""]
    var fixture = try DamagedFixture(importing: lines.joined(separator: "\n"))
    fixture.destroy(nodeAt: try fixture.table("Person").table.clusters)
    let report = try fixture.salvage()
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    let original = try DamagedFixture.objects(of: "Person", in: fixture.original)
    #expect(saved.count == 1000)
    #expect(Set(saved.keys) != Set(original.keys))
    let known = Dictionary(uniqueKeysWithValues: original.values.map { ($0["n"]!, $0) })
    for values in saved.values {
      let other = try #require(known[values["n"] ?? .null])
      #expect(values["dog"] != nil && values["dog"]?.text == other["dog"]?.text)
    }
    #expect(report.losses.allSatisfy { $0.property != "dog" })
  }

  /// In the first, the last refs of a list, and nulls before them; in the second, ids between null ones.
  @Test(
    "a sector of zeros beside values that are 0",
    arguments: [
      ("life-5003", "T1", 0x9A00, [0xC00, 0x1400, 0x6600]), ("life-5015", "T0", 0x8E00, [0x8600]),
    ])
  func zerosBesideZeros(name: String, className: String, sector: Int, others: [Int]) throws {
    var fixture = try DamagedFixture(lived: name + ".realm")
    let size = CopiedSectorsTests.size
    for start in others + [sector] {
      fixture.bytes.replaceSubrange(start..<start + size, with: repeatElement(0, count: size))
    }
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, className)
    #expect(report.unreadable.contains { $0.contains(sector) })
  }

  /// In the first, zeros before both sectors are equal, too; in the second, a repeated word after them.
  @Test(
    "a copy of a sector of an older version",
    arguments: [
      ("life-5027", 0x9800, 0xA200, 0x2800), ("life-8008-format-11", 0x6800, 0x11A00, 0x8400),
    ])
  func copyOfOlder(name: String, sector: Int, other: Int, zeroed: Int) throws {
    var fixture = try DamagedFixture(lived: name + ".realm")
    let size = CopiedSectorsTests.size
    fixture.bytes.replaceSubrange(
      sector..<sector + size, with: fixture.bytes[other..<other + size])
    fixture.bytes.replaceSubrange(
      zeroed..<zeroed + size, with: repeatElement(0, count: size))
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "T1")
    #expect(report.unreadable.contains { $0.contains(sector) })
  }
}
