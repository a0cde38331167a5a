import RealmModel
import RealmStorage

/// Replaces links to the objects of one class by the objects themselves. Used by one thread.
final class ObjectEmbedding: @unchecked Sendable {
  /// The most elements of collections in the objects that a batch receives.
  private static let elementLimit = 1 << 22

  private let realm: Realm
  /// Position of the class.
  private let position: Int
  private let fetcher: ObjectFetcher
  /// Receives the keys of the objects that were read.
  private let tell: ([ObjectKey]) throws(RealmFileError) -> Void
  /// Elements in the objects that were read for the current batch.
  private var elementCount = 0

  /// - Parameter tell: receives the key of the target of each link.
  init(
    _ realm: Realm, _ position: Int, tell: @escaping ([ObjectKey]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    (self.realm, self.position, self.tell) = (realm, position, tell)
    var request = ObjectRequest()
    (request.links, request.embedded, request.normalization) = (.keys, .nested, .format24)
    fetcher = try ObjectFetcher(realm, request)
  }

  private var className: String { realm.schema.objects.classes[position].name.text }

  /// The batch with the objects in the place of links to them.
  ///
  /// - Throws: `mixedLink`, `tooMany`; the errors of reading objects.
  func embed(in batch: ObjectBatch) throws(MigrationFailure) -> ObjectBatch {
    elementCount = 0
    return try objects(in: batch)
  }

  private func objects(in batch: ObjectBatch) throws(MigrationFailure) -> ObjectBatch {
    var columns: [ColumnValues?] = []
    for column in batch.columns {
      columns.append(try column.map { (column) throws(MigrationFailure) in try values(column) })
    }
    return ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: batch.keys, columns: columns,
      owner: batch)
  }

  private func values(_ column: ColumnValues) throws(MigrationFailure) -> ColumnValues {
    switch column {
    case .scalar: return column
    case .link(let links):
      return links.target == position ? .embedded(try objects(of: links)) : column
    case .embedded(let owned):
      return .embedded(
        EmbeddedColumn(rows: owned.rows, objects: try objects(in: owned.objects)))
    case .mixed(let mixed):
      try check(mixed)
      return column
    case .collection(let collection): return .collection(try elements(of: collection))
    }
  }

  private func elements(
    of collection: CollectionColumn
  ) throws(MigrationFailure) -> CollectionColumn {
    if let runs = collection.runs { return CollectionColumn(runs: EmbeddingRuns(runs, self)) }
    return CollectionColumn(
      ends: collection.ends, elements: try values(collection.elements), keys: collection.keys)
  }

  /// A run of a large collection.
  fileprivate func run(_ run: CollectionColumn) throws(RealmFileError) -> CollectionColumn {
    do throws(MigrationFailure) {
      elementCount = 0
      return try elements(of: run)
    } catch {
      switch error {
      case .file(let error): throw error
      // A run throws errors of files only.
      case .migration(let error): throw RealmFileError(.unsupported(error.description))
      }
    }
  }

  private func objects(of links: LinkColumn) throws(MigrationFailure) -> EmbeddedColumn {
    var (rows, keys): ([Int], [ObjectKey]) = ([], [])
    for row in 0..<links.count {
      // A link to a deleted object leads to nothing that could be embedded.
      guard !links.nulls[row], !links.unresolved[row], row < links.keys.count else {
        rows.append(-1)
        continue
      }
      rows.append(keys.count)
      keys.append(links.keys[row])
    }
    return EmbeddedColumn(rows: rows, objects: try fetch(keys))
  }

  /// The objects with `keys`, with the objects that they own.
  private func fetch(_ keys: [ObjectKey]) throws(MigrationFailure) -> ObjectBatch {
    var batches: [ObjectBatch] = []
    var picks: [RowPick] = []
    try inMigration { () throws(RealmFileError) in try tell(keys) }
    var remaining = keys[...]
    while !remaining.isEmpty {
      let some = Array(remaining.prefix(ObjectBatch.capacity))
      let batch = try inMigration { () throws(RealmFileError) in
        try fetcher.fetch(some, of: realm.schema.tables[position])
      }
      guard batch.count > 0 else { break }
      elementCount += batch.elementCount
      guard elementCount <= ObjectEmbedding.elementLimit,
        !batch.columns.contains(where: { $0?.hasRuns ?? false })
      else { throw tooMany() }
      picks += (0..<batch.count).map { RowPick(source: batches.count, row: $0) }
      // The objects may hold links to objects that become embedded in other classes' objects.
      batches.append(try objects(in: batch))
      remaining = remaining.dropFirst(batch.count)
    }
    guard !batches.isEmpty else {
      return ObjectBatch(classPosition: position, count: 0, keys: [], columns: [], owner: nil)
    }
    return ObjectBatch.picking(picks, of: batches, keys: [])
  }

  private func tooMany() -> MigrationFailure {
    .migration(
      MigrationError(
        .tooMany("the objects that would be embedded together have more than 65536 elements"),
        className: className))
  }

  /// - Throws: `mixedLink` if a mixed value links to an object of the class.
  private func check(_ mixed: MixedColumn) throws(MigrationFailure) {
    guard !mixed.links.contains(where: { $0.target == position && !$0.isUnresolved }) else {
      throw .migration(MigrationError(.mixedLink, className: className))
    }
    for nested in [mixed.lists, mixed.dictionaries] {
      if let nested, nested.runs == nil, case .mixed(let inner) = nested.elements {
        try check(inner)
      }
    }
  }
}

/// The runs of a large collection, with the objects in the place of links to them.
private final class EmbeddingRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let embedding: ObjectEmbedding

  init(_ runs: any CollectionRuns, _ embedding: ObjectEmbedding) {
    (self.runs, self.embedding) = (runs, embedding)
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map { (run) throws(RealmFileError) in try embedding.run(run) }
  }
}

extension ObjectBatch {
  /// Number of elements of all collections.
  fileprivate var elementCount: Int { columns.reduce(count) { $0 + ($1?.elementCount ?? 0) } }
}

extension ColumnValues {
  fileprivate var elementCount: Int {
    switch self {
    case .scalar, .link: 0
    case .embedded(let column): column.objects.elementCount
    case .mixed(let column):
      (column.lists?.elements.count ?? 0) + (column.dictionaries?.elements.count ?? 0)
    case .collection(let column): column.elements.count + column.elements.elementCount
    }
  }
}
