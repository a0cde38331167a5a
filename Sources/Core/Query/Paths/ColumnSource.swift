package import RealmModel
package import RealmStorage

/// A source of the values of paths for some objects. Its objects have a property for each path; their class
/// exists only in the result.
package final class ColumnSource: ObjectSource {
  package typealias Failure = RealmFileError

  private static let keysPerPart = 2 * ObjectBatch.capacity

  private let realm: Realm
  private let request: ObjectRequest
  private let keys: [ObjectKey]
  private let paths: [QueryPath]
  private let origin: Int
  package let schema: ObjectSchema
  package let classes: [Int]

  /// - Parameters:
  ///   - classPosition: the class of the objects.
  ///   - keys: keys of existing objects.
  ///   - paths: paths from this class; their names should differ.
  package init(_ realm: Realm, classPosition: Int, keys: [ObjectKey], paths: [QueryPath]) {
    (self.realm, self.keys, self.paths, origin) = (realm, keys, paths, classPosition)
    let schema = realm.schema.objects
    (self.schema, classes) = schema.adding(
      paths.map { $0.property(in: schema, of: classPosition) },
      named: schema.classes[classPosition].name)
    var request = ObjectRequest()
    request.properties[classPosition] = Set(paths.compactMap(\.wholeProperty))
    if schema.classes[classPosition].kind == .embedded { request.embedded = .asClass }
    self.request = request
  }

  package var objectCount: Int { keys.count }

  package func parts() -> [ObjectPart] {
    let count = (keys.count + ColumnSource.keysPerPart - 1) / ColumnSource.keysPerPart
    return (0..<count).map { ObjectPart(classPosition: classes[0], number: $0) }
  }

  package func makeCursor() throws(RealmFileError) -> ColumnCursor {
    ColumnCursor(
      self, try ObjectFetcher(realm, request), try Evaluator(realm, QueryPlan()), realm, paths,
      origin: realm.schema.tables[origin])
  }

  package func accept(_ report: PartReport, of part: ObjectPart) {}

  fileprivate func keys(of part: ObjectPart) -> ArraySlice<ObjectKey> {
    keys.dropFirst(part.number * ColumnSource.keysPerPart).prefix(ColumnSource.keysPerPart)
  }
}

extension ObjectSchema {
  /// The schema with one more class, and the position of this class. Its objects have no identity, like
  /// embedded objects.
  ///
  /// - Parameter primaryKey: position of the primary key, if there is one.
  package func adding(
    _ properties: [Property], named name: Name, primaryKey: Int? = nil
  ) -> (schema: ObjectSchema, classes: [Int]) {
    let added = ObjectClass(
      name: name, kind: .embedded, properties: properties, primaryKey: primaryKey)
    return (ObjectSchema(classes: classes + [added]), [classes.count])
  }
}

/// Reads the values of paths for parts of a ``ColumnSource``. Used by one thread.
package final class ColumnCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  private let source: ColumnSource
  private let fetcher: ObjectFetcher
  private let evaluator: Evaluator
  private let columns: PathColumns
  private let paths: [QueryPath]
  private let origin: Table
  /// The objects of the part that are still to be read.
  private var remaining: ArraySlice<ObjectKey> = []
  private var report = PartReport()

  fileprivate init(
    _ source: ColumnSource, _ fetcher: ObjectFetcher, _ evaluator: Evaluator, _ realm: Realm,
    _ paths: [QueryPath], origin: Table
  ) {
    (self.source, self.fetcher, self.evaluator) = (source, fetcher, evaluator)
    (self.paths, self.origin) = (paths, origin)
    columns = PathColumns(realm, evaluator)
  }

  package func open(_ part: ObjectPart) {
    (remaining, report) = (source.keys(of: part), PartReport())
  }

  /// - Throws: `damaged`, with class, property and object if they are known; the errors of an encrypted
  ///   realm; `unsupported` for an object with too many values.
  package func next() throws(RealmFileError) -> ObjectBatch? {
    guard !remaining.isEmpty else { return nil }
    var keys = Array(remaining.prefix(ObjectBatch.capacity))
    while true {
      do throws(RealmFileError) {
        let batch = try batch(keys)
        remaining = remaining.dropFirst(batch.count)
        report.objectCount += batch.count
        return batch
      } catch {
        guard ObjectFrame.isTooMany(error), keys.count > 1 else { throw error }
        keys.removeLast(keys.count / 2)
      }
    }
  }

  /// The values for the first of `keys`, as many as one batch can hold.
  private func batch(_ keys: [ObjectKey]) throws(RealmFileError) -> ObjectBatch {
    var keys = keys
    var whole: ObjectBatch?
    if paths.contains(where: { $0.wholeProperty != nil }) {
      let batch = try fetcher.fetch(keys, of: origin)
      keys = Array(keys.prefix(batch.count))
      whole = batch
    }
    let mark = evaluator.reader.mark()
    var values: [ColumnValues?] = []
    do throws(RealmFileError) {
      let frame = try evaluator.frame(keys, of: origin)
      for path in paths {
        if let position = path.wholeProperty {
          values.append(whole?.columns[position])
        } else {
          values.append(try columns.column(path, frame))
        }
      }
    } catch {
      evaluator.reader.release(to: mark)
      throw error
    }
    let owners: [any Sendable] = [evaluator.reader.hold(since: mark), whole as any Sendable]
    return ObjectBatch(
      classPosition: source.classes[0], count: keys.count, keys: [], columns: values,
      owner: owners)
  }

  package func close() -> PartReport { report }
}
