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
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key. Object keys then identify
  ///     all objects, also in the links of the source.
  ///   - jobs: number of threads that make rows; one at a time inserts them.
  ///   - steps: how much is inserted at a time.
  ///   - progress: receives the number of finished objects. Called from different threads, one call at a
  ///     time.
  /// - Throws: the errors of the source; `cannotCreate` and `inputOutput` for the file; `damaged` for two
  ///   objects with the same primary key; `unsupported` for objects that a database cannot hold.
  package static func write<Source: ObjectSource>(
    _ source: Source, to file: DatabaseFile, schemaVersion: UInt64?, hasUniqueKeys: Bool = true,
    jobs: Int, _ steps: TextSteps = TextSteps(), progress: @escaping @Sendable (Int) -> Void
  ) throws(RoadError<Source.Failure, RealmFileError>) -> WrittenObjects {
    let sink: SQLiteSink
    do throws(RealmFileError) {
      sink = try SQLiteSink(file, schemaVersion: schemaVersion, hasUniqueKeys: hasUniqueKeys, steps)
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
    var schema = ObjectSchema(classes: [])
    var classes: [Int] = []
    /// Number of objects by position of their class.
    var counts: [Int: Int] = [:]
    var layout: SQLiteLayout?
    /// The statements that insert into the tables, made on first use.
    var insertions: [SQLiteInsertion?] = []
    var losses = FormatLosses()
  }

  private let database: SQLiteDatabase
  private let schemaVersion: UInt64?
  private let hasUniqueKeys: Bool
  private let steps: TextSteps
  private let state = Mutex(State())

  /// - Parameters:
  ///   - file: an empty file, which becomes the database. It is not synced, and incomplete until ``finish()``
  ///     returns.
  ///   - schemaVersion: becomes the `user_version` of the database, if it fits.
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key.
  ///   - steps: how much is inserted at a time.
  /// - Throws: `cannotCreate`.
  init(
    _ file: DatabaseFile, schemaVersion: UInt64?, hasUniqueKeys: Bool, _ steps: TextSteps
  ) throws(RealmFileError) {
    database = try SQLiteDatabase(file)
    (self.schemaVersion, self.hasUniqueKeys, self.steps) = (schemaVersion, hasUniqueKeys, steps)
  }

  /// - Throws: `unsupported` for a class with too many properties; `inputOutput`.
  func begin(_ schema: ObjectSchema, classes: [Int]) throws(RealmFileError) {
    let schema = hasUniqueKeys ? schema : schema.withoutPrimaryKeys
    let layout = try SQLiteLayout(schema, classes: classes, columnLimit: database.columnLimit)
    state.withLock { state in
      (state.schema, state.classes, state.layout) = (schema, classes, layout)
      state.insertions = Array(repeating: nil, count: layout.tables.count)
      state.losses.add(.changedNames, count: layout.changedNameCount)
    }
    try database.run("BEGIN")
    for table in layout.tables { try database.run(SQLiteLayout.creation(of: table)) }
    if let version = schemaVersion.flatMap(Int32.init(exactly:)) {
      try database.run("PRAGMA user_version = \(version)")
    }
  }

  func makeEncoder() -> SQLiteEncoder {
    state.withLock { state in SQLiteEncoder(state.layout, state.schema, steps) }
  }

  func accept(
    _ output: SQLiteRows, of part: ObjectPart, isLast: Bool
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      state.counts[part.classPosition, default: 0] += output.objectCount
      state.losses += output.losses
      guard let layout = state.layout else { return }
      for group in output.groups {
        let table = layout.tables[group.table]
        let insertion = try insertion(into: table, group.table, &state)
        try unsafe output.withUnsafeText { (text) throws(RealmFileError) in
          var cell = group.firstCell
          for _ in 0..<group.rowCount {
            let next = cell + table.columns.count
            try unsafe insertion.insert(output.cells[cell..<next], text)
            cell = next
          }
        }
      }
    }
  }

  private func insertion(
    into table: SQLiteLayout.Table, _ position: Int, _ state: inout State
  ) throws(RealmFileError) -> SQLiteInsertion {
    if let known = state.insertions[position] { return known }
    let made = try database.insertion(into: table.name, columnCount: table.columns.count)
    state.insertions[position] = made
    return made
  }

  func finish() throws(RealmFileError) -> WrittenObjects {
    try state.withLock { (state) throws(RealmFileError) in
      for sql in state.layout?.indexCreations() ?? [] { try database.run(sql) }
      try database.run("COMMIT")
      state.insertions = []
      try database.close()
      return WrittenObjects(
        counts: state.classes.map { (state.schema.classes[$0], state.counts[$0] ?? 0) },
        losses: state.losses)
    }
  }
}

extension ObjectSchema {
  /// The schema with an indexed property in place of each primary key.
  fileprivate var withoutPrimaryKeys: ObjectSchema {
    ObjectSchema(classes: classes.map(\.withoutPrimaryKey), appClasses: appClasses)
  }
}

extension ObjectClass {
  fileprivate var withoutPrimaryKey: ObjectClass {
    guard let primaryKey else { return self }
    var properties = properties
    let key = properties[primaryKey]
    properties[primaryKey] = Property(
      name: key.name, type: key.type, isOptional: key.isOptional, index: .search)
    return ObjectClass(name: name, isInternal: isInternal, kind: kind, properties: properties)
  }
}
