import Foundation
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

/// Realms of two versions, and their damage.
extension ImportedVersionTests {
  static let itemWithKey =
    #"{"name":"Item","primaryKey":"id","properties":{"id":"string","value":"int","note":"string"}}"#
  static let item =
    #"{"name":"Item","keyMember":"_key","properties":{"value":"int","marks":"int[]","tags":"string[]"}}"#

  static func text(_ schema: String, _ items: [String]) -> String {
    """
    {"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":[\(schema)],
    "objects":{"Item":[\(items.joined(separator: ",\n"))]}}
    """
  }

  /// - Parameter items: the objects of the first import, and those that the second one changes or adds.
  static func fixture(
    _ schema: String, _ items: (before: [String], after: [String])
  ) throws -> DamagedFixture {
    try DamagedFixture(importing: (text(schema, items.before), text(schema, items.after)))
  }

  static func keyed(_ numbers: Range<Int>, id: (Int) -> String, value: Int) -> [String] {
    numbers.map {
      #"{"id":"\#(id($0))","value":\#(value + $0),"note":"\#(value == 0 ? "a" : "b")\#($0)"}"#
    }
  }

  /// Short enough for a leaf of a full cluster to be in one block.
  static func id(_ number: Int) -> String { "k" + String(10_000 + number) }

  /// Strings of this length are nodes of their own.
  static func longID(_ number: Int) -> String {
    id(number) + String(repeating: "x", count: 100)
  }

  // MARK: Damage

  /// Destroys the nodes of a cluster that the version before does not have.
  ///
  /// - Returns: the keys of its objects in the version before.
  func lose(
    _ number: Int, of className: String, in fixture: inout DamagedFixture
  ) throws -> Set<Int64> {
    let previous = try fixture.clusters(of: className, version: .previous)
    let clusters = try fixture.clusters(of: className)
    let old = Set(previous.flatMap { [$0.ref] + $0.leaves })
    let nodes = ([clusters[number].ref] + clusters[number].leaves).filter { !old.contains($0) }
    #expect(Set(nodes.map { $0 / 4096 }).isDisjoint(with: old.map { $0 / 4096 }))
    for node in nodes { fixture.destroy(nodeAt: node) }
    let base = clusters[number].base
    let end = number + 1 < clusters.count ? clusters[number + 1].base : .max
    let keys = try DamagedFixture.objects(
      of: className, in: fixture.original, version: .previous
    ).keys
    return Set(keys.filter { (base..<end).contains(UInt64($0)) })
  }

  /// Overwrites each occurrence of the bytes of a string.
  func replace(_ text: String, by bytes: [UInt8], in fixture: inout DamagedFixture) -> Int {
    let wanted = Array(text.utf8)
    var count = 0
    var start = 0
    while start + wanted.count <= fixture.bytes.count {
      if fixture.bytes[start] == wanted[0],
        fixture.bytes[start..<start + wanted.count].elementsEqual(wanted)
      {
        fixture.bytes.replaceSubrange(start..<start + bytes.count, with: bytes)
        count += 1
      }
      start += 1
    }
    return count
  }

  func filledObjects(_ report: SalvageReport, _ className: String) -> Set<Int64> {
    Set(
      report.losses.filter {
        $0.className == className && $0.property == nil && $0.filledFrom != nil
      }.flatMap(\.objectKeys))
  }

  func lostObjects(_ report: SalvageReport, _ className: String) -> Set<Int64> {
    Set(
      report.losses.filter {
        $0.className == className && $0.property == nil && $0.filledFrom == nil
      }.flatMap(\.objectKeys))
  }

  /// A realm whose object 0 has 70,000 tags, and a cluster of its own.
  static func taggedFixture() throws -> DamagedFixture {
    func items(_ numbers: Range<Int>, tags: Int) -> [String] {
      numbers.map { number in
        let elements = (0..<(number == 0 ? tags : 2)).map { #""tag-\#(100_000 + $0)""# }
        return
          #"{"_key":\#(number),"value":\#(number),"marks":[],"tags":[\#(elements.joined(separator: ","))]}"#
      }
    }
    return try fixture(item, (items(0..<10, tags: 70_000), items(10..<20, tags: 0)))
  }
}
