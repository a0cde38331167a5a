import CSQLite
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A new SQLite database in a file that no other process has open. Used by one thread at a time.
@safe
final class SQLiteDatabase: @unchecked Sendable {
  /// Size of SQLite's cache in bytes while rows are inserted.
  private static let cacheByteCount = 32 << 20
  /// Its size while indexes are made. A thread also sorts so many bytes of entries at a time: SQLite sorts linked lists,
  /// which is slow where they do not fit in the processor's cache.
  private static let sortedByteCount = 8 << 20
  /// Most threads that sort, so that together they take as much memory as the cache before.
  private static let mostSortingThreads = 4
  private var handle: OpaquePointer?
  /// Path of the result, for errors.
  private let path: String

  /// - Parameter file: an empty file, which becomes the database. It is not synced, and incomplete until
  ///   ``close()`` returns.
  /// - Throws: `cannotCreate`.
  init(_ file: DatabaseFile) throws(RealmFileError) {
    path = file.path
    // No locks: no other process knows the name of the file.
    let state = unsafe sqlite3_open_v2(
      file.unfinishedPath, &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, "unix-none")
    try check(state)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(TableEncoder.rowLimit))
    try run("PRAGMA journal_mode = OFF")
    try run("PRAGMA synchronous = OFF")
    try setCache(SQLiteDatabase.cacheByteCount)
  }

  private func setCache(_ byteCount: Int) throws(RealmFileError) {
    try run("PRAGMA cache_size = -\(byteCount >> 10)")
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Largest number of columns of a table.
  var columnLimit: Int { Int(unsafe sqlite3_limit(handle, SQLITE_LIMIT_COLUMN, -1)) }

  /// Runs one or more SQL statements.
  ///
  /// - Throws: see ``error``.
  func run(_ sql: String) throws(RealmFileError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Makes a statement that inserts rows of values for `columns` into `table`.
  ///
  /// - Throws: see ``error``.
  func insertion(into table: String, columns: [String]) throws(RealmFileError) -> SQLiteInsertion {
    let names = columns.map(TableNames.quoted).joined(separator: ",")
    let values = Array(repeating: "?", count: columns.count).joined(separator: ",")
    var statement: OpaquePointer?
    try check(
      unsafe sqlite3_prepare_v2(
        handle, "INSERT INTO \(TableNames.quoted(table)) (\(names)) VALUES (\(values))", -1,
        &statement, nil))
    return unsafe SQLiteInsertion(statement, into: self)
  }

  /// Prepares for ``run(_:)`` with statements that create indexes. The database does not depend on the number of threads.
  ///
  /// - Throws: see ``error``.
  func beginIndexes(jobs: Int) throws(RealmFileError) {
    try setCache(SQLiteDatabase.sortedByteCount)
    // Threads beside this one, which reads the rows and also sorts.
    try run("PRAGMA threads = \(max(0, min(jobs, SQLiteDatabase.mostSortingThreads) - 1))")
  }

  /// Closes the file. No statement may be left.
  ///
  /// - Throws: see ``error``.
  func close() throws(RealmFileError) {
    try check(unsafe sqlite3_close(handle))
    unsafe handle = nil
  }

  /// Checks the result of a call.
  ///
  /// - Throws: ``error`` if the call failed.
  func check(_ state: Int32) throws(RealmFileError) {
    switch state {
    case SQLITE_OK, SQLITE_DONE, SQLITE_ROW: return
    default: throw error
    }
  }

  /// The error of the last call: `inputOutput`, `cannotCreate`; `damaged` if two objects have the same primary
  /// key, or a required property is null; `unsupported` with SQLite's message for other errors.
  private var error: RealmFileError {
    let message = unsafe String(cString: sqlite3_errmsg(handle))
    let number = unsafe sqlite3_system_errno(handle)
    let kind: RealmFileError.Kind
    switch unsafe sqlite3_errcode(handle) {
    case SQLITE_FULL: kind = .inputOutput(SystemError(ENOSPC, "write the output"))
    case SQLITE_IOERR:
      kind = .inputOutput(SystemError(number == 0 ? EIO : number, "write the output"))
    case SQLITE_NOMEM: kind = .inputOutput(SystemError(ENOMEM, "write the output"))
    case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY:
      kind = .cannotCreate(SystemError(number == 0 ? EACCES : number, "create the file"))
    case SQLITE_CONSTRAINT:
      let isNull = unsafe Int(sqlite3_extended_errcode(handle)) == csqlite_constraint_not_null
      return RealmFileError(
        .damaged(isNull ? .leafNull : .keyDuplicate), detail: "SQLite says: \(message)")
    case SQLITE_TOOBIG: return TableEncoder.rowTooLarge.adding(path: path)
    default: kind = .unsupported("SQLite says: \(message)")
    }
    return RealmFileError(kind, path: path)
  }
}

/// A statement that inserts rows into a table. Used by the thread that has the database.
@safe
final class SQLiteInsertion {
  private let statement: OpaquePointer?
  private let database: SQLiteDatabase

  @unsafe
  fileprivate init(_ statement: OpaquePointer?, into database: SQLiteDatabase) {
    unsafe self.statement = statement
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(statement) }

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - cells: a value for each column.
  ///   - text: the bytes that `cells` refer to.
  /// - Throws: the errors of the database.
  func insert(
    _ cells: ArraySlice<TableCell>, _ text: UnsafeRawBufferPointer
  ) throws(RealmFileError) {
    var column: Int32 = 0
    for cell in cells {
      column += 1
      let state =
        switch cell {
        case .null: unsafe sqlite3_bind_null(statement, column)
        case .integer(let number): unsafe sqlite3_bind_int64(statement, column, number)
        case .real(let number): unsafe sqlite3_bind_double(statement, column, number)
        case .text(let range):
          unsafe sqlite3_bind_text64(
            statement, column,
            UnsafeRawBufferPointer(rebasing: text[range]).bindMemory(to: CChar.self).baseAddress,
            UInt64(range.count), nil, UInt8(SQLITE_UTF8))
        case .blob(let range):
          unsafe sqlite3_bind_blob64(
            statement, column, UnsafeRawBufferPointer(rebasing: text[range]).baseAddress,
            UInt64(range.count), nil)
        }
      try database.check(state)
    }
    let state = unsafe sqlite3_step(statement)
    // The reset reports the same failure again.
    unsafe sqlite3_reset(statement)
    try database.check(state)
  }
}
