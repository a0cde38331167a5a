import Foundation
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestSupport
import Testing

@Suite("Salvaging with older versions")
struct OlderVersionTests {
  private typealias Objects = DamagedFixture.Objects

  /// Expects that each object of a class has the values of the newest version, the value of the version before
  /// if it is reported as filled, and no value if it is reported as lost.
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
    arguments: [2, 4])
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

  /// The versions share the nodes with the names, so these are damaged in both.
  @Test(
    "values of a class whose names have a flipped bit are filled",
    arguments: [("class_Person", 0x80), ("age", 0x80)] as [(String, UInt8)])
  func flippedName(name: String, bit: UInt8) throws {
    var fixture = try DamagedFixture("people.realm")
    let cluster = try newCluster(of: "Person", in: fixture)
    for leaf in cluster.leaves[2...3] { fixture.destroy(nodeAt: leaf) }
    let without = try fixture.salvage(fills: true)
    let expected = try expectFilled(without, "Person", fixture, from: 15)
    let (table, reader) = try fixture.table("Person")
    let spec = try reader.nodes.lookUp(try reader.nodes.lookUp(table.ref).ref(at: 0))
    let edited = EditedRealm(fixture.bytes)
    let names = name == "age" ? try spec.ref(at: 1) : edited.element(0, of: edited.top)
    // Rows of equal size; the last byte of each counts the zeros behind the name.
    let width = (1 << (Int(fixture.bytes[names + 4]) & 7)) >> 1
    let row = try #require(
      (0..<edited.count(of: names)).map { names + 8 + $0 * width }.first {
        fixture.bytes[$0...].starts(with: Array(name.utf8) + [0])
      })
    fixture.bytes[row + width - 1] ^= bit
    let report = try fixture.salvage(fills: true)
    #expect(report.correctedBits.map(\.offset) == [row + width - 1])
    let filled = try expectFilled(report, "Person", fixture, from: 15)
    #expect(filled == expected && filled.values > 0)
  }

  @Test("objects of a lost cluster come from the version before, and are reported")
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
    // Deleted objects come back only if their deletion cannot be known.
    for key in Set(saved.keys).subtracting(newest.keys) {
      #expect(filled.objects.contains(key) && UInt64(key) & ~0xFF == cluster.base)
    }
    let ids = Set(saved.values.map { "\($0["_id"] ?? .null)" })
    #expect(ids.count == saved.count)
  }

  @Test("a class whose table is lost comes from the version before, with its objects")
  func tables() throws {
    var filledCount = 0
    for name in Lived.names where name.hasPrefix("life-800") {
      let fixture = try DamagedFixture(lived: name + ".realm")
      guard
        let previous = try? Realm(Snapshot(path: fixture.original, version: .previous))
      else { continue }
      let newest = try Realm(path: fixture.original)
      for old in previous.schema.classes where old.kind != .embedded && old.objectCount > 0 {
        guard let table = newest.schema.classes.first(where: { $0.key == old.key }),
          table.name == old.name, table.ref != old.ref
        else { continue }
        let spec = try RealmReader(newest).nodes.lookUp(table.ref).ref(at: 0)
        let oldSpec = try RealmReader(previous).nodes.lookUp(old.ref).ref(at: 0)
        guard spec != oldSpec else { continue }
        var damaged = fixture
        damaged.destroy(nodeAt: table.ref)
        damaged.destroy(nodeAt: spec)
        let className = old.className.text
        guard
          try damaged.salvage().lostSchema.contains(where: {
            $0.className == className && $0.property == nil
          })
        else { continue }
        let report = try damaged.salvage(fills: true)
        guard let row = report.classes.first(where: { $0.name == className }) else { continue }
        // In a small realm, the block of a lost node can also have the objects of the version before.
        filledCount += row.filledObjects
        #expect(!report.isComplete && !report.olderTables.isEmpty)
        let saved = try DamagedFixture.objects(of: className, in: damaged.target)
        let known = try DamagedFixture.objects(
          of: className, in: fixture.original, version: .previous)
        #expect(Set(saved.keys).isSubset(of: known.keys), "\(name) \(className)")
        let scalars = old.columns.filter {
          $0.collection == nil && [.int, .string, .bool, .objectId, .uuid].contains($0.type)
        }.map(\.name.text)
        let lost = Set(
          report.losses.filter { $0.filledFrom == nil }.flatMap { loss in
            loss.objectKeys.map { "\($0) \(loss.property ?? "")" }
          })
        for (key, values) in saved {
          for property in scalars where !lost.contains("\(key) \(property)") {
            #expect(values[property] == known[key]?[property], "\(name) \(property) of \(key)")
          }
        }
      }
    }
    #expect(filledCount > 0)
  }

  @Test("a value that the version before also lost comes from the one before that")
  func furtherBack() throws {
    var fixture = try DamagedFixture(lived: "life-5024.realm")
    // Both versions have the leaf; the third one has an older leaf.
    let (newest, previous) = (
      try Realm(path: fixture.original),
      try Realm(Snapshot(path: fixture.original, version: .previous))
    )
    func leaf(_ realm: Realm) throws -> Int {
      let table = try #require(realm.schema.table(named: "class_T1"))
      let reader = try RealmReader(realm)
      let place = try #require(try reader.clusters(of: table).first)
      let column = try #require(table.column(named: "p23"))
      return try reader.nodes.lookUp(place.ref).ref(at: column.key.leafIndex + 1)
    }
    #expect(try leaf(newest) == leaf(previous))
    fixture.destroy(nodeAt: try leaf(newest))
    let report = try fixture.salvage(fills: true)
    #expect(report.olderVersions.contains(22))
    let losses = report.losses.filter { $0.className == "T1" && $0.property == "p23" }
    #expect(!losses.isEmpty && losses.allSatisfy { $0.filledFrom != 22 })
    let saved = try DamagedFixture.objects(of: "T1", in: fixture.target)
    let undamaged = try TemporaryFolder()
    var request = SalvageRequest(path: fixture.original)
    request.version = .previous
    _ = try SalvageJob(request).run(to: .realm(undamaged.path("before.realm"), replacing: false))
    let before = try DamagedFixture.objects(of: "T1", in: undamaged.path("before.realm"))
    #expect(saved.count == before.count)
    for loss in losses where loss.filledFrom == 21 {
      for key in loss.objectKeys { #expect(saved[key]?["p23"] != nil) }
    }
    #expect(losses.contains { $0.filledFrom == 21 })
  }

  @Test("values and objects of the newest version take precedence over older ones")
  func valid() throws {
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

  @Test("deleted objects are in classes of their own, and cost nothing")
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
    /// Links to other deleted objects stay, too.
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
    let key = try Golden.key("people-encrypted")
    var fixture = try DamagedFixture("people-encrypted.realm")
    let old = Set(
      try fixture.clusters(of: "Person", key: key, version: .previous).flatMap(\.leaves))
    let clusters = try fixture.clusters(of: "Person", key: key)
    // Without its primary key, an object has no identity.
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
    #expect(report.olderVersions.isEmpty && report.losses.isEmpty)
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
    for ref in stride(from: 24, to: file.byteCount, by: 8) where walks[2].isTrusted(ref) {
      let bytes = ref..<ref + (try nodes.lookUp(ref)).header.nodeByteCount
      #expect(walks[1].isTrusted(ref) || !walks[0].isTaken(bytes), "byte \(ref)")
    }
  }
}
