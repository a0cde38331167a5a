package import RealmJobs
package import RealmModel
package import RealmStorage

/// One version of a realm that pages show. Threads share it.
package final class RealmView: Sendable {
  /// The realm as it is in the file.
  package let readable: ReadableRealm
  /// The objects: of the realm itself or, for formats 2 to 9, of a copy in the current format.
  package let realm: Realm
  let results = QueryResults()

  /// - Parameter jobs: number of threads that read a realm of an old format.
  /// - Throws: the errors of reading the schema; ``RebuildError`` for objects of an old format that no realm of the
  ///   current one can hold.
  package init(_ snapshot: Snapshot, jobs: Int) throws {
    readable = try ReadableRealm(snapshot)
    realm = try readable.current(jobs: jobs)
  }

  var snapshot: Snapshot { readable.snapshot }
  package var schema: ObjectSchema { realm.objectSchema }
  var version: Int { snapshot.top.version }

  func table(_ position: Int) -> Table { realm.schema.tables[position] }
}
