package import RealmStorage
import Synchronization

/// The source of some objects of one class in a given order, such as those that a query found.
package final class KeyedSource: RealmObjectSource {
  private static let keysPerPart = 2 * ObjectBatch.capacity

  private let realm: Realm
  private let request: ObjectRequest
  private let keys: [ObjectKey]
  package let classes: [Int]
  private let duplicates = Mutex(0)

  /// - Parameter keys: keys of objects that exist.
  package init(
    _ realm: Realm, _ request: ObjectRequest = ObjectRequest(), classPosition: Int,
    keys: [ObjectKey]
  ) {
    (self.realm, self.request, self.keys) = (realm, request, keys)
    classes = [classPosition]
  }

  package var schema: ObjectSchema { realm.schema.objects }
  package var objectCount: Int { keys.count }
  package var duplicateMembers: Int { duplicates.withLock { $0 } }

  package func parts() -> [ObjectPart] {
    let count = (keys.count + KeyedSource.keysPerPart - 1) / KeyedSource.keysPerPart
    return (0..<count).map { ObjectPart(classPosition: classes[0], number: $0) }
  }

  package func makeCursor() throws(RealmFileError) -> KeyedCursor {
    KeyedCursor(self, try ObjectFetcher(realm, request), realm.schema.tables[classes[0]])
  }

  package func accept(_ report: PartReport, of part: ObjectPart) {
    duplicates.withLock { $0 += report.duplicateMembers }
  }

  fileprivate func keys(of part: ObjectPart) -> ArraySlice<ObjectKey> {
    keys.dropFirst(part.number * KeyedSource.keysPerPart).prefix(KeyedSource.keysPerPart)
  }
}

/// Reads the objects of parts of a ``KeyedSource``. Used by one thread.
package final class KeyedCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  private let source: KeyedSource
  private let fetcher: ObjectFetcher
  private let table: Table
  /// The objects of the part that are still to be read.
  private var remaining: ArraySlice<ObjectKey> = []
  private var report = PartReport()

  fileprivate init(_ source: KeyedSource, _ fetcher: ObjectFetcher, _ table: Table) {
    (self.source, self.fetcher, self.table) = (source, fetcher, table)
  }

  package func open(_ part: ObjectPart) {
    (remaining, report) = (source.keys(of: part), PartReport())
  }

  /// - Throws: `damaged`, with class, property and object if they are known; the errors of an encrypted
  ///   realm.
  package func next() throws(RealmFileError) -> ObjectBatch? {
    guard !remaining.isEmpty else { return nil }
    let batch = try fetcher.fetch(Array(remaining.prefix(ObjectBatch.capacity)), of: table)
    remaining = remaining.dropFirst(batch.count)
    report.objectCount += batch.count
    return batch
  }

  package func close() -> PartReport {
    report.duplicateMembers = fetcher.takeDuplicateMembers()
    return report
  }
}
