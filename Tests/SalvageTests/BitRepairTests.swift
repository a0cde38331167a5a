import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging a realm with flipped bits")
struct BitRepairTests {
  private let className = "Person"

  /// A node with refs, read from the file.
  private struct Refs {
    let ref: Int
    let width: Int
    let elements: [Int64]

    init(_ node: Node) {
      (ref, width, elements) = (node.ref, node.width, node.integers())
    }

    /// Where a bit of an element is.
    func place(_ bit: Int, ofElement index: Int) -> (offset: Int, bit: Int) {
      let position = index * width + bit
      return (ref + NodeHeader.byteCount + position / 8, position % 8)
    }

    /// The position of the first leaf of a cluster.
    var firstLeaf: Int { (1..<elements.count).first { elements[$0] != 0 } ?? 1 }
  }

  /// The node of a cluster.
  private func cluster(_ number: Int, in fixture: DamagedFixture) throws -> Refs {
    let (table, reader) = try fixture.table(className)
    return Refs(try reader.nodes.lookUp(try reader.clusters(of: table)[number].ref))
  }

  /// Salvages, and expects all objects back and only `places` in the report.
  private func expectCorrected(
    _ places: [(offset: Int, bit: Int)], _ fixture: inout DamagedFixture,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for place in places { fixture.bytes[place.offset] ^= 1 << UInt8(place.bit) }
    let report = try fixture.salvage()
    let text = { (places: [(offset: Int, bit: Int)]) in places.map { "\($0.offset) \($0.bit)" } }
    #expect(
      text(report.correctedBits.map { ($0.offset, $0.bit) }).sorted() == text(places).sorted(),
      sourceLocation: location)
    #expect(report.losses.isEmpty && report.unreadable.isEmpty, sourceLocation: location)
    // The repaired values are likely, but not certain.
    #expect(!report.isComplete, sourceLocation: location)
    for name in ["Person", "Company"] {
      #expect(
        try DamagedFixture.objects(of: name, in: fixture.target)
          == DamagedFixture.objects(of: name, in: fixture.original), sourceLocation: location)
    }
  }

  @Test("a ref to another node is corrected", arguments: [0, 1, 3, 6, 12, 17, 30])
  func ref(bit: Int) throws {
    var fixture = try DamagedFixture("people.realm")
    let node = try cluster(4, in: fixture)
    try expectCorrected([node.place(bit, ofElement: node.firstLeaf)], &fixture)
  }

  @Test(
    "a header is corrected: flags and count",
    arguments: [(4, 0), (4, 3), (4, 4), (5, 0), (6, 2), (7, 4)])
  func header(byte: Int, bit: Int) throws {
    var fixture = try DamagedFixture("people.realm")
    let node = try cluster(4, in: fixture)
    try expectCorrected([(node.ref + byte, bit)], &fixture)
  }

  @Test("several bits are corrected one after another, also below each other")
  func several() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table(className)
    let root = try reader.nodes.lookUp(table.ref).ref(at: 2)
    let (first, second) = (try cluster(4, in: fixture), try cluster(7, in: fixture))
    try expectCorrected(
      [
        (root + 6, 2), first.place(9, ofElement: first.firstLeaf),
        second.place(11, ofElement: second.firstLeaf),
      ], &fixture)
  }

  @Test("a null that became a ref is null again")
  func null() throws {
    var fixture = try DamagedFixture("people.realm")
    let (table, reader) = try fixture.table(className)
    let top = try reader.nodes.lookUp(table.ref)
    // The roots of indexes (chapter 3, section 2).
    let indexes = Refs(try reader.nodes.lookUp(try top.ref(at: 4)))
    let index = try #require(indexes.elements.firstIndex(of: 0))
    try expectCorrected([indexes.place(11, ofElement: index)], &fixture)
  }

  @Test("a flipped filler bit does not make a node unreadable")
  func filler() throws {
    var fixture = try DamagedFixture("people.realm")
    let (first, second) = (try cluster(2, in: fixture), try cluster(5, in: fixture))
    fixture.bytes[first.ref + 1] ^= 4
    try expectCorrected([second.place(12, ofElement: second.firstLeaf)], &fixture)
  }

  @Test("lost blocks are not taken for flipped bits", arguments: [1, 2, 3, 4, 5])
  func blocks(seed: UInt64) throws {
    var fixture = try DamagedFixture("people.realm")
    var random = SplitMix64(seed: seed)
    for _ in 0..<4 {
      let start = Int.random(in: 1..<fixture.bytes.count / 4096, using: &random) * 4096
      for i in start..<start + 4096 { fixture.bytes[i] = 0 }
    }
    #expect(try fixture.salvage().correctedBits.isEmpty)
  }

  @Test("an unreadable version is reported although the version before it is complete")
  func olderVersion() throws {
    var fixture = try DamagedFixture("primary-keys.realm")
    let top = EditedRealm(fixture.bytes).top
    let older = fixture.bytes[23] & 1 == 0 ? 8 : 0
    let before = (0..<8).reduce(0) { $0 | Int(fixture.bytes[older + $1]) << ($1 * 8) }
    let kept = Array(fixture.bytes[top..<top + 128])
    // The version before ends in the first block.
    try #require(before < 4096)
    for i in 4096..<fixture.bytes.count { fixture.bytes[i] = 0 }
    fixture.bytes.replaceSubrange(top..<top + 128, with: kept)
    let report = try fixture.salvage()
    #expect((report.isNewestLost || report.isRebuilt) && !report.isComplete)
  }

  @Test("no overwritten header is taken for a few flipped bits, in any cluster", arguments: 0..<8)
  func overwrittenHeader(number: Int) throws {
    // Clusters next to each other, as an import writes them, among index entries one bit away from refs.
    var fixture = try DamagedFixture(importing: BitRepairTests.text)
    let clusters = try fixture.clusters(of: "P")
    try #require(clusters.count > 8)
    let ref = clusters[number * (clusters.count - 1) / 7].ref
    fixture.bytes.replaceSubrange(ref..<ref + 8, with: Array(repeating: 0xFF, count: 8))
    let report = try fixture.salvage()
    #expect(report.correctedBits.isEmpty)
    // The places of the values and the index of the primary key identify the cluster.
    #expect(
      try DamagedFixture.objects(of: "P", in: fixture.target)
        == DamagedFixture.objects(of: "P", in: fixture.original))
  }

  @Test(
    "a number is not taken for a flipped ref because it is one bit away from an unreferenced node")
  func leakedNode() throws {
    var fixture = try DamagedFixture("people.realm")
    var edited = EditedRealm(fixture.bytes)
    // The end of a free chunk becomes a node of its own, and the version such that its slot is one bit away.
    let (positions, lengths) = (
      edited.element(3, of: edited.top), edited.element(4, of: edited.top)
    )
    let chunk = try #require(
      (0..<edited.count(of: lengths)).first { edited.element($0, of: lengths) >= 384 })
    let length = edited.element(chunk, of: lengths) - 8
    edited.setElement(chunk, of: lengths, to: length)
    let leaked = edited.element(chunk, of: positions) + length
    edited.bytes.replaceSubrange(leaked..<leaked + 8, with: Array("AAAA\0\0\0\0".utf8))
    edited.setSlot(6, of: edited.top, to: leaked / 2)
    fixture.bytes = edited.bytes
    let report = try fixture.salvage()
    #expect(report.isComplete && report.correctedBits.isEmpty)
    #expect(
      try DamagedFixture.objects(of: className, in: fixture.target)
        == DamagedFixture.objects(of: className, in: fixture.original))
  }

  /// Realm JSON of 3,000 objects.
  private static let text: String = {
    let objects = (0..<3000).map { #"{"_id":"key \#($0)","n":\#($0),"t":"text \#($0 % 7)"}"# }
    return
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[{"name":"P","primaryKey":"_id","#
      + #""properties":{"_id":"string","n":"int","t":"string"}}],"objects":{"P":["#
      + objects.joined(separator: ",") + "]}}"
  }()
}
