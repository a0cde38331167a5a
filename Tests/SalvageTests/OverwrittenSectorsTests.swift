import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Sectors of 512 bytes that were overwritten in the middle of leaves, where no ref shows it.
@Suite("Salvaging overwritten sectors")
struct OverwrittenSectorsTests {
  private static let size = 512

  /// A realm with 1,000 objects, which have numbers of eight bytes, strings of 40, and two dates.
  private func fixture() throws -> DamagedFixture {
    let objects = (0..<1000).map { i in
      let name = "name \(i) " + String(repeating: "\(i % 7)", count: 30)
      let day = 1 + i % 28
      return """
        {"_key":\(i),"number":\(5_000_000_000 + 1_000_003 * i),"price":\(Double(i) / 7),\
        "name":"\(name)","born":"2001-02-\(day < 10 ? "0" : "")\(day)T10:00:00.\(100 + i % 900)Z"}
        """
    }
    return try DamagedFixture(
      importing: ImportedVersionTests.text(
        """
        {"name":"Item","keyMember":"_key","properties":{"number":"int","price":"double",\
        "name":"string","born":"date"}}
        """, objects))
  }

  /// A sector inside of a node, with bytes of the node before and after it.
  private func sector(in node: Range<Int>) throws -> Range<Int> {
    let size = OverwrittenSectorsTests.size
    let start = (node.lowerBound + NodeHeader.byteCount + 64 + size - 1) / size * size
    try #require(start + size + 64 <= node.upperBound)
    return start..<start + size
  }

  /// Destroys a leaf of another cluster, because nothing is doubted in a realm that breaks no rule. Expects that the report
  /// has the overwritten sector and no value of the result is wrong.
  private func expectDoubts(
    in fixture: DamagedFixture, _ sector: Range<Int>, _ property: String,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    var fixture = fixture
    let header = try fixture.leaf("Item", "price", cluster: 3).lowerBound
    fixture.destroy(nodeAt: header)
    let report = try fixture.salvage()
    #expect(report.unreadable.contains { $0.contains(sector.lowerBound) }, sourceLocation: location)
    let (saved, original) = try fixture.expectNothingWrong(report, "Item", location)
    #expect(saved.count == original.count, sourceLocation: location)
    // Nothing is lost except the values of these leaves, and of one that ends in the sector with the destroyed header.
    let size = OverwrittenSectorsTests.size
    let before = try ["number", "price", "born"].filter { name in
      let leaf = try fixture.leaf("Item", name, cluster: 3)
      return leaf.contains(header / size * size) && !leaf.contains(header)
    }
    let lost = report.losses.filter { !$0.isDoubtful }
    let expected = Set([property, "price"] + before)
    #expect(Set(lost.compactMap(\.property)).isSubset(of: expected), sourceLocation: location)
    #expect(
      lost.flatMap(\.objectKeys).count <= 256 + 232 * (1 + before.count), sourceLocation: location)
  }

  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test("noise among numbers", arguments: ["number", "price"])
  func noise(property: String) throws {
    var fixture = try fixture()
    let sector = try sector(in: fixture.leaf("Item", property, cluster: 1))
    fixture.bytes.replaceSubrange(
      sector, with: OverwrittenSectorsTests.noise(sector.count, seed: 1))
    try expectDoubts(in: fixture, sector, property)
  }

  @Test("zeros among numbers")
  func zeros() throws {
    var fixture = try fixture()
    let sector = try sector(in: fixture.leaf("Item", "number", cluster: 1))
    fixture.bytes.replaceSubrange(sector, with: repeatElement(0, count: sector.count))
    try expectDoubts(in: fixture, sector, "number")
  }

  /// Example: a block of a synced realm lay in the middle of a leaf of names.
  @Test("a header of another node among strings")
  func header() throws {
    var fixture = try fixture()
    let leaf = try fixture.leaf("Item", "name", cluster: 1).lowerBound
    let reader = try fixture.table("Item").reader
    let blob = try reader.nodes.lookUp(try reader.nodes.lookUp(leaf).ref(at: 1))
    let sector = try sector(in: blob.ref..<blob.ref + blob.header.nodeByteCount)
    let node: [UInt8] = [0x41, 0x41, 0x41, 0x41, 0x0C, 0, 0, 1] + Array("bravo\0\0\u{2}".utf8)
    fixture.bytes.replaceSubrange(sector.lowerBound..<sector.lowerBound + node.count, with: node)
    try expectDoubts(in: fixture, sector, "name")
  }

  @Test("dates beside several that cannot be")
  func dates() throws {
    var fixture = try fixture()
    let leaf = try fixture.leaf("Item", "born", cluster: 1).lowerBound
    let reader = try fixture.table("Item").reader
    let nanoseconds = try reader.nodes.lookUp(try reader.nodes.lookUp(leaf).ref(at: 1))
    try #require(nanoseconds.width == 32)
    // The third is in range, and wrong.
    for (row, value) in [(10, -5), (11, 1_500_000_000), (12, 17)] as [(Int, Int32)] {
      let place = nanoseconds.ref + NodeHeader.byteCount + 4 * row
      for i in 0..<4 {
        fixture.bytes[place + i] = UInt8(truncatingIfNeeded: value >> Int32(8 * i))
      }
    }
    let report = try fixture.salvage()
    try fixture.expectNothingWrong(report, "Item")
    #expect(report.losses.flatMap(\.objectKeys).count == 256)
  }

  @Test("values near damage are kept and listed as doubtful, or left out")
  func doubtful() throws {
    var fixture = try fixture()
    // The header of a leaf in a block with few other nodes.
    fixture.destroy(nodeAt: try fixture.leaf("Item", "number", cluster: 1).lowerBound)
    let kept = try fixture.salvage()
    let (saved, original) = try fixture.expectNothingWrong(kept, "Item")
    let doubtful = kept.losses.filter(\.isDoubtful)
    #expect(!doubtful.isEmpty && !kept.isComplete)
    #expect(kept.classes.first?.lostValues == 256)
    for loss in doubtful {
      for key in loss.objectKeys {
        let name = try #require(loss.property)
        #expect(saved[key]?[name]?.text == original[key]?[name]?.text)
      }
    }
    let dropped = try fixture.salvage(dropsDoubtful: true)
    #expect(dropped.losses.filter(\.isDoubtful).isEmpty)
    #expect(dropped.classes.first?.lostValues ?? 0 > 256)
  }

  @Test("an app's own noise, zeros and equal leaves are no damage")
  func ownValues() throws {
    var random = SplitMix64(seed: 5)
    // Random bytes after text, as in an image, zeros, and two properties with equal values.
    let objects = (0..<600).map { i in
      let number = Int64.random(in: .min ... .max, using: &random)
      let image =
        Array("image \(i) header".utf8)
        + OverwrittenSectorsTests.noise(700 + 13 * i % 3000, seed: UInt64(i))
      return """
        {"_key":\(i),"hash":\(number),"same":\(number),"sparse":\(i % 200 == 0 ? number : 0),\
        "image":{"$binary":{"base64":"\(Data(image).base64EncodedString())","subType":"00"}}}
        """
    }
    let fixture = try DamagedFixture(
      importing: ImportedVersionTests.text(
        """
        {"name":"Item","keyMember":"_key","properties":{"hash":"int","same":"int","sparse":"int",\
        "image":"data"}}
        """, objects))
    let report = try fixture.salvage()
    #expect(report.isComplete && report.unreadable.isEmpty)
    let original = try DamagedFixture.objects(of: "Item", in: fixture.original)
    #expect(try DamagedFixture.objects(of: "Item", in: fixture.target) == original)
  }
}
