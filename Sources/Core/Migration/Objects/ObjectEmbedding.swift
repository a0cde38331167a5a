import RealmModel
import RealmStorage

/// Replaces links to the objects of a class by the objects. Used by one thread.
final class ObjectEmbedding: @unchecked Sendable {
  /// Largest number of elements in the objects that become embedded in one batch, or in one run of a large collection.
  /// All of them are in memory at once.
  private static let elementLimit = 1 << 22

  private let realm: Realm
  /// Position of the class.
  private let position: Int
  private let fetcher: ObjectFetcher
  private let note: ([ObjectKey]) throws(RealmFileError) -> Void
  private let fail: (MigrationError) -> Void
  /// Number of elements in the objects that became embedded in the current batch.
  private var elementCount = 0
  /// Number of embedded objects and nested collections around the current value.
  private var depth = 0

  /// - Parameters:
  ///   - note: receives the object keys of link targets, once for each link.
  ///   - fail: receives why a large collection cannot be read. The sink, which reads it, gets only an error of files.
  init(
    _ realm: Realm, _ position: Int, note: @escaping ([ObjectKey]) throws(RealmFileError) -> Void,
    fail: @escaping (MigrationError) -> Void
  ) throws(RealmFileError) {
    (self.realm, self.position, self.note, self.fail) = (realm, position, note, fail)
    var request = ObjectRequest()
    (request.links, request.embedded, request.normalization) = (.keys, .nested, .format24)
    fetcher = try ObjectFetcher(realm, request)
  }

  private var className: String { realm.schema.objects.classes[position].name.text }

  /// Puts objects in place of the links to them.
  ///
  /// - Throws: `mixedLink`, `tooMany`, `tooDeep`; the errors of reading objects.
  func embed(in batch: ObjectBatch) throws(MigrationFailure) -> ObjectBatch {
    (elementCount, depth) = (0, 0)
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
        EmbeddedColumn(
          rows: owned.rows,
          objects: try descend { () throws(MigrationFailure) in try objects(in: owned.objects) }))
    case .mixed(let mixed): return .mixed(try checked(mixed))
    case .collection(let collection): return .collection(try elements(of: collection))
    }
  }

  private func elements(
    of collection: CollectionColumn
  ) throws(MigrationFailure) -> CollectionColumn {
    if let runs = collection.runs {
      return CollectionColumn(runs: EmbeddingRuns(runs, self, depth: depth))
    }
    return CollectionColumn(
      ends: collection.ends, elements: try values(collection.elements), keys: collection.keys)
  }

  /// Puts objects in place of the links in a run of a large collection.
  ///
  /// - Parameter depth: number of embedded objects and nested collections around the run.
  fileprivate func run(
    _ run: CollectionColumn, depth: Int
  ) throws(RealmFileError) -> CollectionColumn {
    (elementCount, self.depth) = (0, depth)
    do throws(MigrationFailure) {
      return try elements(of: run)
    } catch {
      switch error {
      case .file(let error): throw error
      case .migration(let error):
        fail(error)
        throw RealmFileError(.unsupported(error.description))
      }
    }
  }

  /// Calls `body` one level deeper.
  private func descend<R>(_ body: () throws(MigrationFailure) -> R) throws(MigrationFailure) -> R {
    guard depth < BatchAssembler.nestingLimit else {
      throw .migration(MigrationError(.tooDeep(BatchAssembler.nestingLimit), className: className))
    }
    depth += 1
    defer { depth -= 1 }
    return try body()
  }

  private func objects(of links: LinkColumn) throws(MigrationFailure) -> EmbeddedColumn {
    var (rows, keys): ([Int], [ObjectKey]) = ([], [])
    for row in 0..<links.count {
      // The target of an unresolved link has no values to embed.
      guard !links.nulls[row], !links.unresolved[row], row < links.keys.count else {
        rows.append(-1)
        continue
      }
      rows.append(keys.count)
      keys.append(links.keys[row])
    }
    guard !keys.isEmpty else {
      let none = ObjectBatch(
        classPosition: position, count: 0, keys: [], columns: [], owner: nil)
      return EmbeddedColumn(rows: rows, objects: none)
    }
    return EmbeddedColumn(
      rows: rows, objects: try descend { () throws(MigrationFailure) in try fetch(keys) })
  }

  /// Reads the objects with `keys`, at least one, and the objects that these own.
  private func fetch(_ keys: [ObjectKey]) throws(MigrationFailure) -> ObjectBatch {
    var batches: [ObjectBatch] = []
    var picks: [RowPick] = []
    try inMigration(note(keys))
    var remaining = keys[...]
    while !remaining.isEmpty {
      let some = Array(remaining.prefix(ObjectBatch.capacity))
      let batch = try inMigration(fetcher.fetch(some, of: realm.schema.tables[position]))
      guard !batch.columns.contains(where: { $0?.hasRuns ?? false }) else {
        throw tooMany(
          "a collection of an object that would be embedded has more than "
            + "\(BatchAssembler.elementLimit) elements")
      }
      elementCount += batch.elementCount
      guard elementCount <= ObjectEmbedding.elementLimit else {
        throw tooMany(
          "the objects that would be embedded in \(ObjectBatch.capacity) objects have more than "
            + "\(ObjectEmbedding.elementLimit) elements together")
      }
      picks += (0..<batch.count).map { RowPick(source: batches.count, row: $0) }
      // The objects may link to further objects of the class.
      batches.append(try objects(in: batch))
      remaining = remaining.dropFirst(batch.count)
    }
    return ObjectBatch.picking(picks, of: batches, keys: [])
  }

  private func tooMany(_ what: String) -> MigrationFailure {
    .migration(MigrationError(.tooMany(what), className: className))
  }

  /// Checks that no mixed value links to an object of the class. Large collections are checked when they are read.
  ///
  /// - Throws: `mixedLink`, `tooDeep`.
  private func checked(_ mixed: MixedColumn) throws(MigrationFailure) -> MixedColumn {
    guard !mixed.links.contains(where: { $0.target == position && !$0.isUnresolved }) else {
      throw .migration(MigrationError(.mixedLink, className: className))
    }
    func nested(
      _ collection: CollectionColumn?
    ) throws(MigrationFailure) -> CollectionColumn? {
      guard let collection else { return nil }
      return try descend { () throws(MigrationFailure) in try elements(of: collection) }
    }
    var checked = mixed
    (checked.lists, checked.dictionaries) = (
      try nested(mixed.lists), try nested(mixed.dictionaries)
    )
    return checked
  }
}

/// The runs of a large collection, with objects in place of the links to them.
private final class EmbeddingRuns: CollectionRuns, @unchecked Sendable {
  private let runs: any CollectionRuns
  private let embedding: ObjectEmbedding
  private let depth: Int

  init(_ runs: any CollectionRuns, _ embedding: ObjectEmbedding, depth: Int) {
    (self.runs, self.embedding, self.depth) = (runs, embedding, depth)
  }

  func restarted() -> any CollectionRuns {
    EmbeddingRuns(runs.restarted(), embedding, depth: depth)
  }

  func nextKeys() throws(RealmFileError) -> ScalarColumn? { try runs.nextKeys() }

  func next() throws(RealmFileError) -> CollectionColumn? {
    try runs.next().map { (run) throws(RealmFileError) in try embedding.run(run, depth: depth) }
  }
}

extension ObjectBatch {
  /// Number of objects, and of elements of all their collections.
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
