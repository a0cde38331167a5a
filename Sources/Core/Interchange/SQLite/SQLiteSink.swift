package import RealmModel
package import RealmStorage
import Synchronization

/// The file of a database being written.
package struct DatabaseFile: Sendable {
  /// Path of the unfinished file.
  let unfinishedPath: String
  /// Path of the result, for errors.
  let path: String

  package init(unfinishedPath: String, path: String) {
    (self.unfinishedPath, self.path) = (unfinishedPath, path)
  }
}

/// An export into a new SQLite database.
package enum SQLiteExport {
  /// Writes the objects of `source` into a new database. Not synced.
  ///
  /// - Parameters:
  ///   - file: an empty file, which becomes the database.
  ///   - schemaVersion: becomes the `user_version` of the database, if it fits.
  ///   - options: how dates and ids are stored, and for which library the tables are.
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key. Object keys then identify
  ///     all objects, also in the links of the source.
  ///   - jobs: number of threads that make rows; one at a time inserts them. So many sort the entries of indexes.
  ///   - steps: how much is inserted at a time.
  ///   - progress: receives the number of finished objects. Called from different threads, one call at a
  ///     time.
  /// - Throws: the errors of the source; `cannotCreate` and `inputOutput` for the file; `damaged` for two
  ///   objects with the same primary key; `unsupported` for objects that a database cannot hold.
  package static func write<Source: ObjectSource>(
    _ source: Source, to file: DatabaseFile, options: TableOptions = TableOptions(),
    schemaVersion: UInt64?, hasUniqueKeys: Bool = true, jobs: Int,
    _ steps: TextSteps = TextSteps(), progress: @escaping @Sendable (Int) -> Void
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    let sink: SQLiteSink
    do throws(RealmFileError) {
      sink = try SQLiteSink(
        file, options, schemaVersion: schemaVersion, hasUniqueKeys: hasUniqueKeys, jobs: jobs, steps
      )
    } catch {
      throw .sink(error)
    }
    return try ObjectRoad(from: source, to: sink, jobs: jobs).run(progress: progress)
  }
}

/// Writes objects into a new SQLite database (`docs/formats.md`), in one transaction.
final class SQLiteSink: ObjectSink {
  typealias Failure = RealmFileError

  private struct State {
    var classes: [Int] = []
    /// Number of objects by position of their class.
    var counts: [Int: Int] = [:]
    var layout: TableLayout?
    /// The statements that insert into the tables, made on first use.
    var insertions: [SQLiteInsertion?] = []
    var losses = FormatLosses()
  }

  private let database: SQLiteDatabase
  private let options: TableOptions
  private let schemaVersion: UInt64?
  private let hasUniqueKeys: Bool
  private let jobs: Int
  private let steps: TextSteps
  private let state = Mutex(State())

  /// - Parameters:
  ///   - file: an empty file, which becomes the database. It is not synced, and incomplete until ``finish()``
  ///     returns.
  ///   - schemaVersion: becomes the `user_version` of the database, if it fits. Room's databases start at 1.
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key.
  ///   - jobs: number of threads that sort the entries of indexes.
  ///   - steps: how much is inserted at a time.
  /// - Throws: `cannotCreate`.
  init(
    _ file: DatabaseFile, _ options: TableOptions, schemaVersion: UInt64?, hasUniqueKeys: Bool,
    jobs: Int, _ steps: TextSteps
  ) throws(RealmFileError) {
    database = try SQLiteDatabase(file)
    (self.options, self.hasUniqueKeys) = (options, hasUniqueKeys)
    (self.jobs, self.steps) = (jobs, steps)
    self.schemaVersion = options.reader == .room ? 1 : schemaVersion
  }

  /// - Throws: `unsupported` for a class with too many properties; `inputOutput`.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(RealmFileError) {
    let layout = try TableLayout(
      schema, classes: classes, .sqlite(options, columnLimit: database.columnLimit),
      hasUniqueKeys: hasUniqueKeys)
    state.withLock { state in
      (state.classes, state.layout) = (classes, layout)
      state.insertions = Array(repeating: nil, count: layout.tables.count)
      state.losses.add(.changedNames, count: layout.changedNameCount)
    }
    try database.run("BEGIN")
    for table in layout.tables { try database.run(SQLiteText.creation(of: table, layout.form)) }
    if let version = schemaVersion.flatMap(Int32.init(exactly:)) {
      try database.run("PRAGMA user_version = \(version)")
    }
  }

  func makeEncoder() -> SQLiteEncoder {
    SQLiteEncoder(state.withLock { $0.layout }, steps)
  }

  func accept(
    _ output: TableRows, of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      state.counts[part.classPosition, default: 0] += output.objectCount
      state.losses += output.losses
      guard let layout = state.layout else { return }
      for group in output.groups {
        let table = layout.tables[group.table]
        let insertion = try insertion(into: table, group.table, &state)
        let width = table.filledColumns.count
        try unsafe output.withUnsafeText { (text) throws(RealmFileError) in
          var cell = group.firstCell
          for _ in 0..<group.rowCount {
            let next = cell + width
            try unsafe insertion.insert(output.cells[cell..<next], text)
            cell = next
          }
        }
      }
    }
  }

  private func insertion(
    into table: TableLayout.Table, _ position: Int, _ state: inout State
  ) throws(RealmFileError) -> SQLiteInsertion {
    if let known = state.insertions[position] { return known }
    let made = try database.insertion(
      into: table.name, columns: table.filledColumns.map(\.name))
    state.insertions[position] = made
    return made
  }

  func finish() throws(RealmFileError) -> WrittenObjects {
    try state.withLock { (state) throws(RealmFileError) in
      try database.beginIndexes(jobs: jobs)
      for table in state.layout?.tables ?? [] {
        for index in table.indexes { try database.run(SQLiteText.creation(of: index, table)) }
      }
      try database.run("COMMIT")
      state.insertions = []
      try database.close()
      return WrittenObjects(
        counts: state.classes.compactMap { position in
          state.layout.map { ($0.schema.classes[position], state.counts[position] ?? 0) }
        }, losses: state.losses)
    }
  }
}

/// Makes the rows of parts. Used by one thread.
final class SQLiteEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  private let encoder: TableEncoder?
  private var relief: PartRelief<TableRows>?

  private let steps: TextSteps

  init(_ layout: TableLayout?, _ steps: TextSteps) {
    self.steps = steps
    encoder = layout.map { TableEncoder($0, steps) }
  }

  func begin(_ part: ObjectPart, _ outlet: PartOutlet<TableRows, RealmFileError>) {
    let relief = PartRelief(outlet, handOverByteCount: steps.handOverByteCount)
    self.relief = relief
    encoder?.begin(part) { (rows) throws(RealmFileError) in
      guard relief.isDue(rows.byteCount) else { return }
      try relief.handOver(rows)
      rows.removeAll()
    }
  }

  func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    if relief?.isStopped != true { try encoder?.encode(batch) }
  }

  func end() -> TableRows {
    relief = nil
    return encoder?.end() ?? TableRows(.sqlite(TableOptions()))
  }

  static func weight(of output: TableRows) -> Int { output.byteCount }
}
