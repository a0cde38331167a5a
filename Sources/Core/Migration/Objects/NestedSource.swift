import RealmModel
import RealmStorage
import Synchronization

/// The source of the objects of a realm with embedded objects inside their owners, so that embedded objects without an
/// owner are left out. The objects of one class can become embedded (chapter 3, section 9.5): the first link to an
/// object then owns it, and further links get copies.
final class NestedSource: ObjectSource {
  typealias Failure = MigrationFailure

  let schema: ObjectSchema
  fileprivate let base: RealmSource
  fileprivate let realm: Realm
  /// Position of the class whose objects become embedded; nil for none.
  fileprivate let embedded: Int?
  /// The object keys of the link targets, once for each link. Takes 16 bytes each, within a memory budget.
  private let links: Mutex<SortedRuns>
  /// Why the sink could not read a large collection.
  private let found = Mutex<MigrationError?>(nil)

  /// Largest number of bytes of keys in memory.
  private static let budget = 64 << 20

  /// - Parameter schema: the schema of the result, with the same positions of classes and properties.
  init(_ realm: Realm, _ schema: ObjectSchema, embedding position: Int?) {
    (self.realm, self.schema, embedded) = (realm, schema, position)
    links = Mutex(SortedRuns(width: 2, budget: MemoryBudget(limit: NestedSource.budget)))
    let old = realm.schema.objects
    var request = ObjectRequest()
    (request.links, request.embedded, request.normalization) = (.keys, .nested, .format24)
    base = RealmSource(
      realm, request,
      classes: (old.topLevelClasses + old.keptInternalClasses()).filter { $0 != position })
  }

  var classes: [Int] { base.classes }
  var objectCount: Int { base.objectCount }

  func parts() throws(MigrationFailure) -> [ObjectPart] {
    try inMigration(base.parts())
  }

  func makeCursor() throws(MigrationFailure) -> NestedCursor {
    let cursor = try inMigration(base.makeCursor())
    let embedding = try inMigration(embedded.map(makeEmbedding))
    return NestedCursor(cursor, embedding)
  }

  private func makeEmbedding(_ position: Int) throws(RealmFileError) -> ObjectEmbedding {
    try ObjectEmbedding(realm, position) { [self] (keys) throws(RealmFileError) in
      try links.withLock { (runs) throws(RealmFileError) in
        try runs.append(keys.flatMap { [UInt64(bitPattern: $0.raw), 0] })
      }
    } fail: { [self] error in
      found.withLock { $0 = $0 ?? error }
    }
  }

  /// Number of links to objects of the class, and of their different targets. May be called once, after all parts.
  func linkCounts() throws(RealmFileError) -> (links: Int, objects: Int) {
    try links.withLock { (runs) throws(RealmFileError) in
      try runs.finish()
      var (links, objects, last): (Int, Int, UInt64?) = (0, 0, nil)
      while case let words = try runs.next(), !words.isEmpty {
        for i in stride(from: 0, to: words.count, by: 2) {
          links += 1
          if words[i] != last { objects += 1 }
          last = words[i]
        }
      }
      return (links, objects)
    }
  }

  /// Why the sink could not read a large collection; nil if it could.
  var failure: MigrationError? { found.withLock { $0 } }

  func accept(_ report: PartReport, of part: ObjectPart) throws(MigrationFailure) {
    try inMigration(base.accept(report, of: part))
  }
}

/// The cursor of a nested stage. Used by one thread.
final class NestedCursor: ObjectCursor {
  typealias Failure = MigrationFailure

  private let base: RealmCursor
  private let embedding: ObjectEmbedding?

  fileprivate init(_ base: RealmCursor, _ embedding: ObjectEmbedding?) {
    (self.base, self.embedding) = (base, embedding)
  }

  func open(_ part: ObjectPart) { base.open(part) }

  func next() throws(MigrationFailure) -> ObjectBatch? {
    guard let batch = try inMigration(base.next()) else {
      return nil
    }
    return try embedding?.embed(in: batch) ?? batch
  }

  func close() -> PartReport { base.close() }
}
