import RealmModel
import RealmStorage

/// Turns rows of batches into changes, and counts them. Belongs to one part.
struct ChangeCollector {
  private let schemas: SchemaPair
  private let pair: ClassPair
  private let request: RealmDiff.Request
  /// The numbers so far, without equal objects.
  private(set) var counts: ClassDifference
  private(set) var changes: [ObjectChange] = []

  init(_ schemas: SchemaPair, _ pair: ClassPair, _ request: RealmDiff.Request) {
    (self.schemas, self.pair, self.request) = (schemas, pair, request)
    counts = ClassDifference(pair.name)
  }

  private var hasRoom: Bool { changes.count < request.changeLimit }

  mutating func removed(_ batch: ObjectBatch, _ row: Int) throws(RealmFileError) {
    counts.removed += 1
    guard hasRoom else { return }
    var values: [ObjectChange.Value] = []
    for property in request.includesObjects ? pair.properties : [] {
      guard let position = property.old else { continue }
      values.append(
        ObjectChange.Value(
          name: schemas.old.classes[batch.classPosition].properties[position].name,
          old: try batch.value(ofProperty: position, row: row), new: nil, oldPosition: position,
          newPosition: nil))
    }
    try append(.removed, identity(schemas.old, batch, row), values)
  }

  mutating func added(_ batch: ObjectBatch, _ row: Int) throws(RealmFileError) {
    counts.added += 1
    guard hasRoom else { return }
    var values: [ObjectChange.Value] = []
    for property in request.includesObjects ? pair.properties : [] {
      guard let position = property.new else { continue }
      values.append(
        ObjectChange.Value(
          name: schemas.new.classes[batch.classPosition].properties[position].name, old: nil,
          new: try common(batch.value(ofProperty: position, row: row)), oldPosition: nil,
          newPosition: position))
    }
    try append(.added, identity(schemas.new, batch, row), values)
  }

  /// - Parameter properties: the properties that differ.
  mutating func changed(
    _ old: ObjectBatch, _ oldRow: Int, _ new: ObjectBatch, _ newRow: Int,
    _ properties: [PropertyPair]
  ) throws(RealmFileError) {
    counts.changed += 1
    guard hasRoom else { return }
    let (oldClass, newClass) = (
      schemas.old.classes[old.classPosition], schemas.new.classes[new.classPosition]
    )
    var values: [ObjectChange.Value] = []
    for property in properties {
      let name =
        property.old.map { oldClass.properties[$0].name }
        ?? property.new.map { newClass.properties[$0].name } ?? Name("")
      var (before, after): (RealmValue?, RealmValue?)
      if let position = property.old {
        before = try old.value(ofProperty: position, row: oldRow)
      }
      if let position = property.new {
        after = try common(new.value(ofProperty: position, row: newRow))
      }
      values.append(
        ObjectChange.Value(
          name: name, old: before, new: after, oldPosition: property.old,
          newPosition: property.new))
    }
    try append(.changed, identity(schemas.new, new, newRow), values)
  }

  /// Sorts the changes from position `start` on by object key if that is the identity of the objects.
  mutating func sortByObjectKey(from start: Int) {
    let hasPrimaryKey = [
      pair.old.map { schemas.old.classes[$0] }, pair.new.map { schemas.new.classes[$0] },
    ].contains { $0?.primaryKey != nil }
    guard pair.matching == .objectKey, !hasPrimaryKey else { return }
    changes[start...].sort { a, b in
      guard case .int(let x) = a.identity, case .int(let y) = b.identity else { return false }
      return x < y
    }
  }

  private mutating func append(
    _ kind: ObjectChange.Kind, _ identity: RealmValue, _ values: [ObjectChange.Value]
  ) throws(RealmFileError) {
    changes.append(
      ObjectChange(
        className: pair.name, identity: identity, kind: kind, values: values,
        classes: (pair.old, pair.new)))
  }

  private func identity(
    _ schema: ObjectSchema, _ batch: ObjectBatch, _ row: Int
  ) throws(RealmFileError) -> RealmValue {
    guard let position = schema.classes[batch.classPosition].primaryKey else {
      return .int(batch.keys[row].raw)
    }
    return try batch.value(ofProperty: position, row: row)
  }

  /// A value of the new realm with links in the common numbering of classes.
  private func common(_ value: RealmValue) -> RealmValue {
    switch value {
    case .link(var link):
      link.classPosition = schemas.commonPositions[link.classPosition]
      return .link(link)
    case .object(let values): return .object(values.map(common))
    case .list(let values): return .list(values.map(common))
    case .dictionary(let entries):
      return .dictionary(entries.map { RealmEntry(key: $0.key, value: common($0.value)) })
    default: return value
    }
  }
}
