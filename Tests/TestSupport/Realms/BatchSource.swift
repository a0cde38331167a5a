package import RealmBuilding
package import RealmModel
package import RealmStorage

/// Batches made by hand, each a part of its own.
package struct BatchSource: ObjectSource {
  package typealias Failure = Never

  package let schema: ObjectSchema
  package let classes: [Int]
  private let batches: [ObjectBatch]

  /// - Parameter classes: positions in the schema; nil for all classes but embedded ones.
  package init(schema: ObjectSchema, batches: [ObjectBatch], classes: [Int]? = nil) {
    (self.schema, self.batches) = (schema, batches)
    self.classes = classes ?? schema.topLevelClasses
  }

  package var objectCount: Int { batches.reduce(0) { $0 + $1.count } }

  package func parts() -> [ObjectPart] {
    batches.enumerated().map { ObjectPart(classPosition: $1.classPosition, number: $0) }
  }

  package func makeCursor() -> Cursor { Cursor(batches: batches) }
  package func accept(_ report: PartReport, of part: ObjectPart) {}

  package struct Cursor: ObjectCursor {
    package typealias Failure = Never
    fileprivate let batches: [ObjectBatch]
    private var waiting: ObjectBatch?
    private var objectCount = 0

    fileprivate init(batches: [ObjectBatch]) { self.batches = batches }

    package mutating func open(_ part: ObjectPart) {
      waiting = batches[part.number]
      objectCount = batches[part.number].count
    }

    package mutating func next() -> ObjectBatch? {
      defer { waiting = nil }
      return waiting
    }

    package mutating func close() -> PartReport { PartReport(objectCount: objectCount) }
  }

  /// Builds a realm of the batches.
  package func build(
    _ request: RealmBuilder.Request = RealmBuilder.Request(), jobs: Int = 1, key: RealmKey? = nil
  ) throws -> BuiltRealm {
    do {
      return try built(request, jobs: jobs, key: key).realm
    } catch RoadError<Never, BuildError>.sink(let error) {
      throw error
    }
  }
}

extension ObjectSource {
  /// Builds a realm of the objects.
  package func built(
    _ request: RealmBuilder.Request = RealmBuilder.Request(), jobs: Int = 1, key: RealmKey? = nil
  ) throws -> (realm: BuiltRealm, report: RealmBuilder.Report) {
    let folder = try TemporaryFolder()
    let path = folder.path("x.realm")
    let file = try OutputFile(path: path, replacing: false)
    let builder = RealmBuilder(into: try RealmOutput(.file(file), key: key), request)
    let report = try ObjectRoad(from: self, to: builder, jobs: jobs).run()
    try file.publish()
    return (BuiltRealm(path: path, realm: try Realm(path: path, key: key), folder: folder), report)
  }
}

/// A realm in a temporary folder.
package struct BuiltRealm {
  package let path: String
  package let realm: Realm
  package let folder: TemporaryFolder

  /// All objects of a class with their keys.
  package func objects(_ name: String) throws -> [(key: Int64, values: [RealmValue])] {
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
}
