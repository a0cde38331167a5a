import RealmModel
import RealmStorage

/// A value of a row. Strings and blobs are a range of the bytes that come with the rows.
enum TableCell {
  case null
  case integer(Int64)
  case real(Double)
  case text(Range<Int>)
  case blob(Range<Int>)
}

/// Rows of tables on their way to the database. Used by one thread at a time.
final class TableRows: @unchecked Sendable {
  /// Rows of one table, one after the other.
  struct Group {
    /// Position in ``TableLayout/tables``.
    let table: Int
    let firstCell: Int
    var rowCount: Int
  }

  private(set) var groups: [Group] = []
  private(set) var cells: [TableCell] = []
  private var text = TextBuffer()
  /// The form of the values.
  let form: TableForm
  /// Number of objects that end in these rows.
  var objectCount = 0
  /// The values that the database cannot represent exactly.
  var losses = FormatLosses()

  init(_ form: TableForm) { self.form = form }

  /// Size of the rows in memory.
  var byteCount: Int { text.count &+ cells.count &* MemoryLayout<TableCell>.stride }

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

  /// Number of bytes that cells refer to.
  var textByteCount: Int { text.count }

  /// Changes the bytes behind those that cells refer to.
  func edit(_ body: (inout TextBuffer) -> Void) { body(&text) }

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
  func add(_ row: [TableCell], to table: Int) {
    if let last = groups.last, last.table == table {
      groups[groups.count - 1].rowCount += 1
    } else {
      groups.append(Group(table: table, firstCell: cells.count, rowCount: 1))
    }
    cells.append(contentsOf: row)
  }

  @inline(__always)
  func set(_ cell: TableCell, at position: Int) { cells[position] = cell }

  // MARK: Values

  /// A string that `write` appends, which must be valid UTF-8.
  func text(_ write: (inout TextBuffer) -> Void) -> TableCell {
    let start = text.count
    write(&text)
    return .text(start..<text.count)
  }

  /// A string; as a blob, or repaired, if it is not UTF-8.
  func string(_ value: ByteSlice) -> TableCell {
    guard !value.isValidUTF8 else { return bytes(value, isText: true) }
    guard form.isTextStrict else { return bytes(value, isText: false) }
    losses.add(.invalidText)
    return text { $0.append(value.text) }
  }

  func blob(_ value: ByteSlice) -> TableCell { bytes(value, isText: false) }

  private func bytes(_ value: ByteSlice, isText: Bool) -> TableCell {
    let start = text.count
    text.append(value)
    return isText ? .text(start..<text.count) : .blob(start..<text.count)
  }

  /// A number; null for a NaN that the database does not have.
  func real(_ value: Double) -> TableCell {
    guard !value.isNaN || form.hasNaN else {
      losses.add(.notFiniteNumbers)
      return .null
    }
    return .real(value)
  }

  func date(seconds: Int64, nanoseconds: Int64) -> TableCell {
    let start = text.count
    switch form.dates {
    case .options(.iso):
      if text.append(isoDateSeconds: seconds, nanoseconds: nanoseconds, allDigits: true) {
        return .text(start..<text.count)
      }
    case .postgres:
      if text.append(postgresDateSeconds: seconds, nanoseconds: nanoseconds) {
        if nanoseconds % 1000 != 0 { losses.add(.cutDates) }
        return .text(start..<text.count)
      }
    case .options(.unixMilliseconds):
      let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
      let (sum, exceeds) = whole.addingReportingOverflow(nanoseconds / 1_000_000)
      if !overflows, !exceeds {
        if nanoseconds % 1_000_000 != 0 { losses.add(.cutDates) }
        return .integer(sum)
      }
    case .options(.unix):
      if !DateText.isSecondsNumber(seconds: seconds, nanoseconds: nanoseconds) {
        losses.add(.cutDates)
      }
      return .real(Double(seconds) + Double(nanoseconds) / 1e9)
    }
    losses.add(.outlyingDates)
    return .null
  }

  /// A scalar; null for a link or a collection.
  func plain(_ value: BatchValue) -> TableCell {
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
    case .objectId(let bytes):
      form.ids == .blob ? blob(bytes) : text { $0.append(hex: bytes) }
    case .uuid(let bytes):
      form.ids == .blob ? blob(bytes) : text { $0.append(uuid: bytes) }
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
  /// Like ``ColumnValues/directByteCount``, for collections in the rows themselves.
  var byteCountOfElements: Int {
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
