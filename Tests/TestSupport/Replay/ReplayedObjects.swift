package import RealmModel
import RealmStorage
import RealmSync

/// The source of the objects of a ``ChangesetReplay``. The primary key is the first property of a class. Links to
/// objects that do not exist are left out, like in apps.
package struct ReplayedObjects: ObjectSource {
  package typealias Failure = Never

  /// The objects of a part, all of one class.
  fileprivate struct Run: @unchecked Sendable {
    let classPosition: Int
    /// Values of the properties, in their order.
    let rows: [[ReplayedValue]]
  }

  package let schema: ObjectSchema
  package let classes: [Int]
  package let objectCount: Int
  private let runs: [Run]
  private let values: ReplayedColumns

  /// The objects as they are now; later changesets do not change them.
  package init(_ replay: ChangesetReplay) {
    let classes = replay.names.compactMap { name in replay.classes[name].map { (name, $0) } }
    let positions = Dictionary(
      uniqueKeysWithValues: classes.enumerated().map { ($0.element.0, $0.offset) })
    schema = ObjectSchema(
      classes: classes.map { name, content in
        let key = content.primaryKey.flatMap { $0.name.bytes.isEmpty ? nil : $0 }
        return ObjectClass(
          name: Name(name.bytes), kind: content.kind.classKind,
          properties: (key.map { [$0.property] } ?? [])
            + content.columns.map { $0.property(positions) },
          primaryKey: key == nil ? nil : 0)
      })
    self.classes = schema.topLevelClasses
    values = ReplayedColumns(schema, positions, replay)
    var runs: [Run] = []
    var count = 0
    for position in self.classes {
      let content = classes[position].1
      let objects = content.sortedObjects
      count += objects.count
      for start in stride(from: 0, to: objects.count, by: ObjectBatch.capacity) {
        let some = objects[start..<min(start + ObjectBatch.capacity, objects.count)]
        let hasKey = schema.classes[position].primaryKey != nil
        runs.append(
          Run(
            classPosition: position,
            rows: some.map { key, object in
              (hasKey ? [.scalar(key.payload)] : [])
                + content.columns.map { object.fields[$0.name] ?? $0.defaultValue }
            }))
      }
    }
    (self.runs, objectCount) = (runs, count)
  }

  package func parts() -> [ObjectPart] {
    runs.enumerated().map { ObjectPart(classPosition: $1.classPosition, number: $0) }
  }

  package func makeCursor() -> Cursor { Cursor(source: self) }

  package func accept(_ report: PartReport, of part: ObjectPart) {}

  /// Returns each part as one batch.
  package struct Cursor: ObjectCursor {
    package typealias Failure = Never

    fileprivate let source: ReplayedObjects
    private var run: Run?
    private var count = 0

    fileprivate init(source: ReplayedObjects) { self.source = source }

    package mutating func open(_ part: ObjectPart) {
      (run, count) = (source.runs[part.number], 0)
    }

    package mutating func next() -> ObjectBatch? {
      defer { run = nil }
      guard let run else { return nil }
      count = run.rows.count
      return source.values.batch(of: run.classPosition, run.rows)
    }

    package mutating func close() -> PartReport { PartReport(objectCount: count) }
  }
}

extension Instruction.TableKind {
  fileprivate var classKind: ObjectClass.Kind {
    switch self {
    case .topLevel: .topLevel
    case .embedded: .embedded
    case .asymmetric: .asymmetric
    }
  }
}

extension Instruction.PrimaryKeyColumn {
  fileprivate var property: Property {
    Property(name: Name(name.bytes), type: type.propertyType, isOptional: isNullable)
  }
}

extension Instruction.NewColumn {
  fileprivate func property(_ positions: [Instruction.InternedName: Int]) -> Property {
    Property(
      name: Name(name.bytes), type: type.propertyType, isOptional: isNullable,
      collection: collection.kind, target: target.flatMap { positions[$0] })
  }
}

extension Instruction.Collection {
  fileprivate var kind: CollectionKind? {
    switch self {
    case .none: nil
    case .list: .list
    case .dictionary: .dictionary
    case .set: .set
    }
  }
}

extension Instruction.ValueType {
  fileprivate var propertyType: PropertyType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectId: .objectId
    case .uuid: .uuid
    // The decoder accepts no other type for a property.
    case .null, .globalKey, .newObject, .dictionary, .erased, .list, .set: .mixed
    }
  }
}
