import RealmModel
import RealmStorage

/// The objects of a realm several times, as if several apps had the same data: primary keys differ from
/// copy to copy, and links stay within a copy.
///
/// Large realms for measurements are made this way. Objects get new keys, so classes without a primary
/// key must not be the targets of links.
struct RepeatedSource: ObjectSource {
  typealias Failure = RealmFileError

  private let source: RealmSource
  private let copies: Int
  /// The parts of `source`.
  private let originals: [ObjectPart]

  init(_ realm: Realm, copies: Int) throws {
    source = RealmSource(realm)
    originals = try source.parts()
    self.copies = copies
  }

  var schema: ObjectSchema { source.schema }
  var classes: [Int] { source.classes }
  var objectCount: Int { source.objectCount * copies }

  func parts() -> [ObjectPart] {
    var parts: [ObjectPart] = []
    for position in classes {
      for _ in 0..<copies {
        for part in originals where part.classPosition == position {
          parts.append(
            ObjectPart(classPosition: position, number: parts.count, clusters: part.clusters))
        }
      }
    }
    return parts
  }

  /// The copies that the parts belong to, by number.
  private var copyNumbers: [Int] {
    var numbers: [Int] = []
    for position in classes {
      let count = originals.count { $0.classPosition == position }
      for copy in 0..<copies { numbers += repeatElement(copy, count: count) }
    }
    return numbers
  }

  func makeCursor() throws(RealmFileError) -> RepeatedCursor {
    RepeatedCursor(try source.makeCursor(), schema, copyNumbers)
  }

  /// The reports of the parts are not added up, as each object is read several times.
  func accept(_ report: PartReport, of part: ObjectPart) {}
}

/// Reads the objects of parts, and makes the keys of each copy unique. Belongs to one thread.
struct RepeatedCursor: ObjectCursor {
  typealias Failure = RealmFileError

  private let cursor: RealmCursor
  private let schema: ObjectSchema
  private let copyNumbers: [Int]
  private var copy = 0

  init(_ cursor: RealmCursor, _ schema: ObjectSchema, _ copyNumbers: [Int]) {
    (self.cursor, self.schema, self.copyNumbers) = (cursor, schema, copyNumbers)
  }

  mutating func open(_ part: ObjectPart) {
    copy = copyNumbers[part.number]
    cursor.open(part)
  }

  mutating func close() -> PartReport { cursor.close() }

  mutating func next() throws(RealmFileError) -> ObjectBatch? {
    guard let batch = try cursor.next() else { return nil }
    let primaryKey = schema.classes[batch.classPosition].primaryKey
    let columns = batch.columns.enumerated().map { (position, column) -> ColumnValues? in
      switch column {
      case .scalar(let values) where position == primaryKey: return .scalar(shifted(values))
      case .link(var links):
        links.keys = []
        links.identities = links.identities.map(shifted)
        return .link(links)
      default: return column
      }
    }
    // Unchanged values are in memory that the batch keeps alive.
    return ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: [], columns: columns,
      owner: batch)
  }

  /// Keys of this copy, with a number or a string added.
  private func shifted(_ keys: ScalarColumn) -> ScalarColumn {
    guard copy > 0 else { return keys }
    switch keys {
    case .int(let values, let nulls):
      return .int(values.map { $0 &+ Int64(copy) << 32 }, nulls)
    case .string(let values): return .string(changed(values) { $0 + Array("-\(copy)".utf8) })
    case .objectId(let values): return .objectId(changed(values) { [UInt8(copy)] + $0.dropFirst() })
    case .uuid(let values): return .uuid(changed(values) { [UInt8(copy)] + $0.dropFirst() })
    default: return keys
    }
  }

  private func changed(_ values: SliceColumn, _ change: ([UInt8]) -> [UInt8]) -> SliceColumn {
    SliceColumn(copying: values.map { $0.map { change($0.bytes) } })
  }
}
