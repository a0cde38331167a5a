import RealmModel
import RealmStorage

/// A value of a row. Strings and blobs are a range of the bytes that come with the rows.
enum SQLiteCell {
  case null
  case integer(Int64)
  case real(Double)
  case text(Range<Int>)
  case blob(Range<Int>)
}

/// Rows of tables on their way to the database. Used by one thread at a time.
final class SQLiteRows: @unchecked Sendable {
  /// Rows of one table, one after the other.
  struct Group {
    /// Position in ``SQLiteLayout/tables``.
    let table: Int
    let firstCell: Int
    var rowCount: Int
  }

  private(set) var groups: [Group] = []
  private(set) var cells: [SQLiteCell] = []
  private var text = TextBuffer()
  /// Number of objects that end in these rows.
  var objectCount = 0
  /// The values that SQLite cannot represent exactly.
  var losses = FormatLosses()

  /// Size of the rows in memory.
  var byteCount: Int { text.count &+ cells.count &* MemoryLayout<SQLiteCell>.stride }

  func removeAll() {
    groups.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: false)
    (objectCount, losses) = (0, FormatLosses())
  }

  /// Calls `body` with the bytes that cells refer to.
  func withUnsafeText<E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> Void) throws(E) {
    try unsafe text.withUnsafeBytes(body)
  }

  // MARK: Rows

  /// Adds rows of nulls to a table.
  ///
  /// - Returns: position of their first cell.
  func add(_ rowCount: Int, to table: Int, columnCount: Int) -> Int {
    let first = cells.count
    groups.append(Group(table: table, firstCell: first, rowCount: rowCount))
    cells.append(contentsOf: repeatElement(.null, count: rowCount * columnCount))
    return first
  }

  /// Adds one row to a table.
  func add(_ row: [SQLiteCell], to table: Int) {
    if let last = groups.last, last.table == table {
      groups[groups.count - 1].rowCount += 1
    } else {
      groups.append(Group(table: table, firstCell: cells.count, rowCount: 1))
    }
    cells.append(contentsOf: row)
  }

  @inline(__always)
  func set(_ cell: SQLiteCell, at position: Int) { cells[position] = cell }

  // MARK: Values

  /// A string that `write` appends, which must be valid UTF-8.
  func text(_ write: (inout TextBuffer) -> Void) -> SQLiteCell {
    let start = text.count
    write(&text)
    return .text(start..<text.count)
  }

  /// A string; as a blob if it is not UTF-8, so that no byte is lost.
  func string(_ value: ByteSlice) -> SQLiteCell {
    let start = text.count
    text.append(value)
    return value.isValidUTF8 ? .text(start..<text.count) : .blob(start..<text.count)
  }

  func blob(_ value: ByteSlice) -> SQLiteCell {
    let start = text.count
    text.append(value)
    return .blob(start..<text.count)
  }

  /// A number; null for NaN, which SQLite does not store.
  func real(_ value: Double) -> SQLiteCell {
    guard !value.isNaN else {
      losses.add(.notFiniteNumbers)
      return .null
    }
    return .real(value)
  }

  /// A date with nine digits after the point, so that strings sort like times.
  func date(seconds: Int64, nanoseconds: Int64) -> SQLiteCell {
    let start = text.count
    guard text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds, allDigits: true) else {
      losses.add(.outlyingDates)
      return .null
    }
    return .text(start..<text.count)
  }

  /// A scalar; null for a link or a collection.
  func plain(_ value: BatchValue) -> SQLiteCell {
    switch value {
    case .int(let number): .integer(number)
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .float(let number): real(Double(number))
    case .double(let number): real(number)
    case .string(let bytes): string(bytes)
    case .binary(let bytes): blob(bytes)
    case .timestamp(let seconds, let nanoseconds): date(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number):
      text { $0.append(canonicalDecimal128Low: number.low, high: number.high) }
    case .objectId(let bytes): text { $0.append(hex: bytes) }
    case .uuid(let bytes): text { $0.append(uuid: bytes) }
    case .null, .link, .list, .dictionary: .null
    }
  }
}

extension ColumnValues {
  /// At least the bytes of the strings and binaries in the rows themselves. A large collection in a mixed
  /// value counts as more than any limit.
  var directByteCount: Int {
    switch self {
    case .scalar(.string(let values)), .scalar(.binary(let values)):
      values.slices.reduce(0) { $0 + ($1?.count ?? 0) }
    case .link(let column): column.identities.map { ColumnValues.scalar($0).directByteCount } ?? 0
    case .mixed(let column):
      column.values.reduce(0) { $0 + $1.byteCount }
        + column.links.reduce(0) { $0 + ($1.identity?.byteCount ?? 0) }
        + (column.lists?.byteCountOfElements ?? 0)
        + (column.dictionaries?.byteCountOfElements ?? 0)
    case .scalar, .embedded, .collection: 0
    }
  }
}

extension CollectionColumn {
  fileprivate var byteCountOfElements: Int {
    if runs != nil { return 1 << 40 }
    return elements.directByteCount + (keys.map { ColumnValues.scalar($0).directByteCount } ?? 0)
  }
}

extension BatchValue {
  fileprivate var byteCount: Int {
    switch self {
    case .string(let bytes), .binary(let bytes): bytes.count
    default: 0
    }
  }
}
