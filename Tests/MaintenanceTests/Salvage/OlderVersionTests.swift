import Foundation
import RealmMaintenance
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging with older versions")
struct OlderVersionTests {
  private typealias Objects = [Int64: [String: RealmValue]]

  /// Expects that each object of a class has the values of the newest version; where the report tells a value as
  /// filled, that of the version before; and nothing where it tells it as lost.
  ///
  /// - Returns: the filled values, and the filled objects.
  @discardableResult
  private func expectFilled(
    _ report: SalvageReport, _ className: String, _ fixture: DamagedFixture, from version: Int,
    key: RealmKey? = nil, _ location: SourceLocation = #_sourceLocation
  ) throws -> (values: Int, objects: Set<Int64>) {
    let newest = try DamagedFixture.objects(of: className, in: fixture.original, key: key)
    let previous = try DamagedFixture.objects(
      of: className, in: fixture.original, key: key, version: .previous)
    let saved = try DamagedFixture.objects(of: className, in: fixture.target, key: key)
    var (lost, filled, objects) = (Set<String>(), Set<String>(), Set<Int64>())
    for loss in report.losses where loss.className == className {
      #expect(loss.filledFrom ?? version == version, sourceLocation: location)
      for key in loss.objectKeys {
        switch (loss.property, loss.filledFrom) {
        case (nil, .some): objects.insert(key)
        case (let property, .some): filled.insert("\(key) \(property ?? "")")
        case (let property, nil): lost.insert("\(key) \(property ?? "")")
        }
      }
    }
    for (key, values) in saved {
      for (property, value) in values where !lost.contains("\(key) \(property)") {
        let isFilled = objects.contains(key) || filled.contains("\(key) \(property)")
        let expected = (isFilled ? previous : newest)[key]?[property]
        #expect(value == expected, "\(property) of \(key)", sourceLocation: location)
      }
    }
    let row = try #require(report.classes.first { $0.name == className })
    #expect(row.filledValues == filled.count, sourceLocation: location)
    #expect(row.filledObjects == objects.count, sourceLocation: location)
    #expect(objects.isSubset(of: saved.keys), sourceLocation: location)
    return (filled.count, objects)
  }

  /// A cluster of the newest version whose nodes the version before does not have.
  private func newCluster(
    of className: String, in fixture: DamagedFixture
  ) throws -> (ref: Int, leaves: [Int], base: UInt64) {
    let previous = try fixture.clusters(of: className, version: .previous)
    let old = Set(previous.flatMap { [$0.ref] + $0.leaves })
    let bases = Set(previous.map(\.base))
    let found = try fixture.clusters(of: className).first { cluster in
      bases.contains(cluster.base) && !old.contains(cluster.ref)
        && cluster.leaves.allSatisfy { !old.contains($0) }
    }
    let cluster = try #require(found)
    return (cluster.ref, cluster.leaves, cluster.base)
  }

  @Test(
    "lost leaves are filled from the version before, with its values",
    arguments: [1, 2, 4])
  func leaves(number: Int) throws {
    var fixture = try DamagedFixture("people.realm")
    let cluster = try newCluster(of: "Person", in: fixture)
    for leaf in cluster.leaves[number...].prefix(2) { fixture.destroy(nodeAt: leaf) }
    let without = try fixture.salvage()
    let lostValues = try #require(without.classes.first { $0.name == "Person" }).lostValues
    let report = try fixture.salvage(fills: true)
    let filled = try expectFilled(report, "Person", fixture, from: 15)
    let row = try #require(report.classes.first { $0.name == "Person" })
    #expect(
      filled.values > 0 && filled.objects.isEmpty,
      "\(report.classes.map { "\($0.name) \($0.objects) \($0.lostValues)" }) \(report.unreadable)")
    #expect(row.lostValues + filled.values == lostValues)
    #expect(!report.isComplete && report.olderVersions == [15])
  }

  @Test("objects of a lost cluster come from the version before, and are told")
  func cluster() throws {
    var fixture = try DamagedFixture("people.realm")
    let cluster = try newCluster(of: "Person", in: fixture)
    for node in [cluster.ref] + cluster.leaves { fixture.destroy(nodeAt: node) }
    let report = try fixture.salvage(fills: true)
    let filled = try expectFilled(report, "Person", fixture, from: 15)
    #expect(!filled.objects.isEmpty && !report.isComplete)
    let newest = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let saved = try DamagedFixture.objects(of: "Person", in: fixture.target)
    #expect(Set(newest.keys).isSubset(of: saved.keys))
    // What the newest version deleted comes back only where it cannot be known.
    for key in Set(saved.keys).subtracting(newest.keys) {
      #expect(filled.objects.contains(key) && UInt64(key) & ~0xFF == cluster.base)
    }
    let ids = Set(saved.values.map { "\($0["_id"] ?? .null)" })
    #expect(ids.count == saved.count)
  }

  @Test("values and objects of the newest version stay, whatever older versions have")
  func sound() throws {
    for name in ["people", "churned", "links", "unresolved-uploaded"] {
      let fixture = try DamagedFixture(name + ".realm")
      let report = try fixture.salvage(fills: true)
      #expect(report.isComplete && !report.olderVersions.isEmpty)
      for objectClass in report.classes where objectClass.objects > 0 {
        #expect(objectClass.filledValues == 0 && objectClass.filledObjects == 0)
        #expect(
          try DamagedFixture.objects(of: objectClass.name, in: fixture.target).count
            == DamagedFixture.objects(of: objectClass.name, in: fixture.original).count)
      }
    }
  }

  @Test("deleted objects come in classes of their own, and cost nothing")
  func freed() throws {
    let fixture = try DamagedFixture("people.realm")
    let report = try fixture.salvage(freed: true)
    #expect(report.isComplete && report.losses.isEmpty)
    let newest = try DamagedFixture.objects(of: "Person", in: fixture.original)
    let previous = try DamagedFixture.objects(
      of: "Person", in: fixture.original, version: .previous)
    func texts(_ objects: some Sequence<[String: RealmValue]>) -> Set<String> {
      Set(
        objects.map { values in
          values.keys.sorted().filter { isPlain(values[$0]) }.map { "\($0) \(values[$0] ?? .null)" }
            .joined(separator: ", ")
        })
    }
    /// Links lead to other deleted objects too.
    func isPlain(_ value: RealmValue?) -> Bool {
      switch value {
      case .int, .string, .bool, .double, .objectId, .uuid, .binary: true
      default: false
      }
    }
    let deleted = previous.filter { newest[$0.key] == nil }
    let name = "LostAndFound_Person"
    let saved = try DamagedFixture.objects(of: name, in: fixture.target)
    #expect(!deleted.isEmpty && saved.count == deleted.count)
    #expect(texts(saved.values) == texts(deleted.values))
    #expect(try DamagedFixture.objects(of: "Person", in: fixture.target) == newest)
    let row = try #require(report.classes.first { $0.name == name })
    #expect(row.freedObjects == deleted.count && row.freedOf == "Person")
    #expect(row.lostKeysOf == nil && row.lost == 0)
  }

  @Test("a damaged page of an encrypted realm is filled from the version before")
  func encrypted() throws {
    let key = try KeyFile.read(Golden.path("people-encrypted.key")).key
    var fixture = try DamagedFixture("people-encrypted.realm")
    let old = Set(
      try fixture.clusters(of: "Person", key: key, version: .previous).flatMap(\.leaves))
    let clusters = try fixture.clusters(of: "Person", key: key)
    // Without its primary key, it is not known which object an object is.
    let keyPages = Set(clusters.flatMap { [$0.ref / 4096, $0.leaves[0] / 4096] })
    let pages = clusters.flatMap(\.leaves).filter { !old.contains($0) }.map { $0 / 4096 }
    let page = try #require(pages.first { !keyPages.contains($0) })
    // A page of metadata is before each 64 pages of data.
    let place = (page + page / 64 + 1) * 4096
    for i in place..<place + 64 { fixture.bytes[i] ^= 0x5A }
    let report = try fixture.salvage(key: key, fills: true)
    let version = try #require(report.olderVersions.first)
    let filled = try expectFilled(report, "Person", fixture, from: version, key: key)
    #expect(filled.values > 0 || !filled.objects.isEmpty)
  }

  @Test("without a header, later commits may have overwritten what older versions had")
  func noHeader() throws {
    var fixture = try DamagedFixture("people.realm")
    var random = SplitMix64(seed: 7)
    for i in 0..<24 { fixture.bytes[i] = UInt8.random(in: 0...255, using: &random) }
    let report = try fixture.salvage(fills: true, freed: true)
    #expect(report.olderVersions.isEmpty && report.isComplete)
    #expect(report.classes.allSatisfy { $0.freedObjects == 0 })
  }

  @Test(
    "a node of an older version is trusted only where no later commit wrote",
    arguments: Lived.names.filter { $0.hasPrefix("life-50") })
  func reuse(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(try Lived.bytes(name + ".realm"), to: "lived.realm")
    let file = try DamagedFile(path: path, key: nil)
    var roots: [Int: SalvageRoot] = [:]
    for root in try SalvageRoots(file).roots where roots[root.version] == nil {
      roots[root.version] = root
    }
    guard let last = roots.keys.max(), let newest = roots[last], let next = roots[last - 1],
      let oldest = roots[last - 2]
    else { return }
    var reused = ReusedSpace()
    var walks: [DamageWalk] = []
    for root in [newest, next, oldest] {
      var walk = DamageWalk(root, try file.makeReader(), reused: reused)
      try walk.run()
      walks.append(walk)
      reused.goBack(past: walk)
    }
    let nodes = try file.makeReader()
    for ref in stride(from: 24, to: file.byteCount, by: 8) where walks[2].isSound(ref) {
      let bytes = ref..<ref + (try nodes.lookUp(ref)).header.nodeByteCount
      #expect(walks[1].isSound(ref) || !walks[0].isTaken(bytes), "byte \(ref)")
    }
  }
}
