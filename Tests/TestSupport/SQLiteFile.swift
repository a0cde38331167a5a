import CSQLite

/// A database as SQLite itself reads it, value by value.
public struct SQLiteFile {
  /// Why SQLite refuses something.
  public struct Problem: Error {
    public let message: String
    public init(message: String) { self.message = message }
  }

  private let path: String

  public init(_ path: String) { self.path = path }

  /// The rows that `sql` selects, each as a string such as `1|1.5|'text'|x'00FF'|NULL`.
  public func rows(_ sql: String) throws -> [String] {
    var (database, statement): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    defer {
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_close(database)
    }
    guard unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK
    else { throw Problem(message: unsafe String(cString: sqlite3_errmsg(database))) }
    var rows: [String] = []
    while true {
      switch unsafe sqlite3_step(statement) {
      case SQLITE_ROW:
        let count = unsafe sqlite3_column_count(statement)
        rows.append((0..<count).map { unsafe text(statement, $0) }.joined(separator: "|"))
      case SQLITE_DONE: return rows
      default: throw Problem(message: unsafe String(cString: sqlite3_errmsg(database)))
      }
    }
  }

  /// The errors that SQLite finds.
  public func problems() throws -> [String] {
    try rows("PRAGMA integrity_check").filter { $0 != "'ok'" } + rows("PRAGMA foreign_key_check")
  }

  /// The names of the tables, sorted.
  public func tables() throws -> [String] {
    try rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .map { String($0.dropFirst().dropLast()) }
  }

  private func text(_ statement: OpaquePointer?, _ column: Int32) -> String {
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return unsafe "\(sqlite3_column_int64(statement, column))"
    case SQLITE_FLOAT: return unsafe "\(sqlite3_column_double(statement, column))"
    case SQLITE_NULL: return "NULL"
    case let type:
      let start = unsafe sqlite3_column_blob(statement, column)
      let count = unsafe Int(sqlite3_column_bytes(statement, column))
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
      guard type == SQLITE_BLOB else { return unsafe "'\(String(decoding: bytes, as: UTF8.self))'" }
      let digits = Array("0123456789ABCDEF")
      return unsafe "x'"
        + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
    }
  }
}
