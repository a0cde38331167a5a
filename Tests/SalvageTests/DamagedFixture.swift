import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// A copy of a golden realm that a test damages and salvages.
struct DamagedFixture {
  /// By object key, the values by property.
  typealias Objects = [Int64: [String: RealmValue]]

  let folder: TemporaryFolder
  let original: String
  var bytes: [UInt8]

  init(_ name: String) throws {
    folder = try TemporaryFolder()
    original = Golden.path(name)
    bytes = try Golden.bytes(name)
  }

  /// A copy of a lived realm.
  init(lived name: String) throws {
    folder = try TemporaryFolder()
    original = Lived.path(name)
    bytes = try Lived.bytes(name)
  }

  /// A compacted copy, in which every node directly follows the nodes below it.
  init(compacting name: String) throws {
    folder = try TemporaryFolder()
    original = folder.path("compacted.realm")
    _ = try CompactJob(
      path: Golden.path(name), key: nil, destination: .file(original, replacing: false)
    ).run()
    bytes = try readFile(original)
  }

  /// An imported realm: the clusters of a class directly follow one another.
  ///
  /// - Parameter text: Realm JSON.
  init(importing text: String) throws {
    folder = try TemporaryFolder()
    original = try folder.importRealm(text)
    bytes = try readFile(original)
  }

  /// A realm of two versions: an import, and a second import that added and changed objects.
  ///
  /// - Parameters:
  ///   - texts: Realm JSON.
  ///   - isSecondWhole: whether the second version has only what the second import has.
  ///   - neighbours: returns the nodes of the second realm that come into one block.
  init(
    importing texts: (first: String, second: String), isSecondWhole: Bool = false,
    neighbours: (Realm) throws -> [Int] = { _ in [] }
  ) throws {
    folder = try TemporaryFolder()
    original = folder.path("imported.realm")
    let (first, second) = (
      try folder.importRealm(texts.first, as: "first"), folder.path("second.realm")
    )
    try FileManager.default.copyItem(atPath: first, toPath: second)
    _ = try ImportJob(
      path: try folder.write(Array(texts.second.utf8), to: "second.json"),
      to: isSecondWhole
        ? .new(second, replacing: true, key: nil)
        : .existing(ImportJob.Target(path: second, key: nil, mode: .upsert))
    ).run()
    func edited(_ path: String) throws -> EditedRealm {
      EditedRealm(try readFile(path))
    }
    var realm = try edited(first)
    realm.append(
      versionOf: try edited(second), neighbours: try neighbours(try Realm(path: second)))
    bytes = realm.bytes
    _ = try folder.write(bytes, to: "imported.realm")
    try expectNoErrors(original)
  }

  var target: String { folder.path("saved.realm") }

  /// Salvages the bytes, and verifies the result.
  func salvage(
    key: RealmKey? = nil, version: SalvageRequest.Version = .newest, fills: Bool = false,
    freed: Bool = false, dropsDoubtful: Bool = false
  ) throws -> SalvageReport {
    let path = try folder.write(bytes, to: "damaged.realm")
    var request = SalvageRequest(path: path)
    (request.key, request.version, request.jobs) = (key, version, 2)
    (request.fillsFromPrevious, request.includesFreed) = (fills, freed)
    request.dropsDoubtful = dropsDoubtful
    let report = try SalvageJob(request).run(to: .realm(target, replacing: true))
    try expectNoErrors(target, key: key)
    #expect(try readFile(path) == bytes)
    return report
  }

  /// The objects of a class of a realm: by object key, the values by property.
  static func objects(
    of className: String, in path: String, key: RealmKey? = nil,
    version: Snapshot.Version = .latest
  ) throws -> Objects {
    let realm = try Realm(Snapshot(path: path, key: key, version: version))
    guard let objects = try realm.objects(ofClass: className) else { return [:] }
    var found: Objects = [:]
    var positions: [(name: String, position: Int)] = []
    while let object = try objects.next() {
      if positions.isEmpty {
        positions = object.objectClass.properties.map(\.name.text).compactMap { name in
          object.objectClass.position(ofPropertyNamed: name).map { (name, $0) }
        }
      }
      var values: [String: RealmValue] = [:]
      for (name, position) in positions { values[name] = try object.value(at: position) }
      found[object.key.raw] = values
    }
    return found
  }

  /// The table of a class, or an internal one, of the undamaged realm, with a reader of its nodes.
  func table(_ className: String) throws -> (table: RealmModel.Table, reader: RealmReader) {
    let realm = try Realm(path: original)
    let table = try #require(
      realm.schema.table(named: "class_" + className) ?? realm.schema.table(named: className))
    return (table, try RealmReader(realm))
  }

  /// The nodes of the clusters of a class, each with its base and the refs of its leaves.
  func clusters(
    of className: String, key: RealmKey? = nil, version: Snapshot.Version = .latest
  ) throws -> [(base: UInt64, ref: Int, leaves: [Int])] {
    try DamagedFixture.clusters(
      of: className, in: Realm(Snapshot(path: original, key: key, version: version)))
  }

  static func clusters(
    of className: String, in realm: Realm
  ) throws -> [(base: UInt64, ref: Int, leaves: [Int])] {
    let table = try #require(realm.schema.table(named: "class_" + className))
    let reader = try RealmReader(realm)
    return try reader.clusters(of: table).map { place in
      let node = try reader.nodes.lookUp(place.ref)
      let leaves = try (1..<node.count).map { try node.ref(at: $0) }
      return (place.base, place.ref, leaves)
    }
  }

  /// Where the leaf of a property is in the cluster with number `cluster`.
  func leaf(_ className: String, _ property: String, cluster: Int) throws -> Range<Int> {
    let (table, reader) = try table(className)
    let place = try reader.clusters(of: table)[cluster]
    let node = try reader.nodes.lookUp(place.ref)
    let column = try #require(table.column(named: property))
    let leaf = try reader.nodes.lookUp(node.ref(at: column.key.leafIndex + 1))
    return leaf.ref..<leaf.ref + leaf.header.nodeByteCount
  }

  /// Overwrites the header of the node at `ref` with zeros.
  mutating func destroy(nodeAt ref: Int) {
    bytes.replaceSubrange(ref..<ref + 8, with: Array(repeating: 0, count: 8))
  }

  /// Expects that each object of the result is one of the original, with all values that are not reported as lost. A
  /// property without its name is the one with the same leaf index.
  @discardableResult
  func expectNothingWrong(
    _ report: SalvageReport, _ className: String, _ location: SourceLocation = #_sourceLocation
  ) throws -> (saved: Objects, original: Objects) {
    let original = try DamagedFixture.objects(of: className, in: self.original)
    let saved = try DamagedFixture.objects(of: className, in: target)
    #expect(original.isEmpty || !saved.isEmpty, sourceLocation: location)
    let names = Dictionary(
      uniqueKeysWithValues: try table(className).table.columns.map {
        ("property_\($0.key.leafIndex)", $0.name.text)
      })
    var reported = Set<String>()
    for loss in report.losses where loss.className == className {
      for key in loss.objectKeys { reported.insert("\(key) \(loss.property ?? "")") }
    }
    for (key, values) in saved {
      for (property, value) in values where !reported.contains("\(key) \(property)") {
        let expected = original[key]?[names[property] ?? property]
        // NaN is not equal to itself.
        #expect(
          expected?.text == value.text, "\(property) of \(key)", sourceLocation: location)
      }
    }
    return (saved, original)
  }
}
