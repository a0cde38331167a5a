import RealmStorage
import TestSupport

@testable import RealmBuilding
@testable import RealmModel

/// Batches made by hand, each a part of its own.
struct BatchSource: ObjectSource {
  typealias Failure = Never

  let schema: ObjectSchema
  let batches: [ObjectBatch]

  var classes: [Int] { schema.topLevelClasses }
  var objectCount: Int { batches.reduce(0) { $0 + $1.count } }

  func parts() -> [ObjectPart] {
    batches.enumerated().map { ObjectPart(classPosition: $1.classPosition, number: $0) }
  }

  func makeCursor() -> Cursor { Cursor(batches: batches) }
  func accept(_ report: PartReport, of part: ObjectPart) {}

  struct Cursor: ObjectCursor {
    typealias Failure = Never
    let batches: [ObjectBatch]
    private var waiting: ObjectBatch?

    init(batches: [ObjectBatch]) { self.batches = batches }

    mutating func open(_ part: ObjectPart) { waiting = batches[part.number] }
    mutating func next() -> ObjectBatch? {
      defer { waiting = nil }
      return waiting
    }
    mutating func close() -> PartReport { PartReport() }
  }

  /// Builds a realm of the batches.
  func build(
    _ request: RealmBuilder.Request = RealmBuilder.Request(), jobs: Int = 1
  ) throws -> BuiltRealm {
    do {
      return try built(request, jobs: jobs).realm
    } catch RoadError<Never, BuildError>.sink(let error) {
      throw error
    }
  }
}

extension ObjectSource {
  /// Builds a realm of the objects.
  func built(
    _ request: RealmBuilder.Request = RealmBuilder.Request(), jobs: Int = 1
  ) throws -> (realm: BuiltRealm, report: RealmBuilder.Report) {
    let folder = try TemporaryFolder()
    let file = try OutputFile(path: folder.path("x.realm"), replacing: false)
    let builder = RealmBuilder(into: try RealmOutput(.file(file), key: nil), request)
    let report = try ObjectRoad(from: self, to: builder, jobs: jobs).run()
    try file.publish()
    return (BuiltRealm(realm: try Realm(path: folder.path("x.realm")), folder: folder), report)
  }
}

/// A realm in a temporary folder.
struct BuiltRealm {
  let realm: Realm
  let folder: TemporaryFolder

  /// All objects of a class with their keys.
  func objects(_ name: String) throws -> [(key: Int64, values: [RealmValue])] {
    guard let objects = try realm.objects(ofClass: name) else { return [] }
    var all: [(key: Int64, values: [RealmValue])] = []
    while let object = try objects.next() {
      let values = try objects.objectClass.properties.map { property in
        try object.value(of: property.name.text) ?? .null
      }
      all.append((object.key.raw, values))
    }
    return all
  }

  /// The entries of an index: chunks on the way, and the keys there.
  func index(_ className: String, _ property: String) throws -> [[Int32]: [Int64]] {
    let reader = try RealmReader(realm)
    let column = realm.schema.tables.first { $0.className.text == className }?
      .column(named: property)
    guard let column else { return [:] }
    var collector = IndexCollector()
    reader.walkIndex(of: column, &collector)
    guard collector.findings.list.isEmpty else { return [:] }
    return collector.entries
  }
}

/// Collects the entries of an index.
private struct IndexCollector: SearchIndexVisitor {
  var findings = Findings(limit: 10)
  var entries: [[Int32]: [Int64]] = [:]

  mutating func visit(_ some: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    for entry in some { entries[path + [entry.chunk]] = [entry.key.raw] }
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    entries[path, default: []] += keys
  }

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {}
}
