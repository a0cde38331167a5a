import RealmModel
import RealmStorage

/// The text of the columns of one cluster, made column by column and taken object by object.
struct PreparedColumns: ~Copyable {
  private var text = TextBuffer(capacity: 1 << 16)
  /// Where the text of each value ends in `text`, the rows of a column one after another.
  private var ends: [Int] = []
  /// Where the ends of each column begin in `ends`, -1 for a column that is not prepared.
  private var columns: [Int] = []

  /// Forgets everything, for the next cluster.
  mutating func removeAll() {
    text.removeAll()
    ends.removeAll(keepingCapacity: true)
    columns.removeAll(keepingCapacity: true)
  }

  /// The next column is written in another way.
  mutating func skip() { columns.append(-1) }

  /// Prepares the next column: the name and what `write` appends for each of `count` rows, or null.
  @inline(__always)
  mutating func append(
    _ count: Int, _ name: [UInt8], _ nulls: NullMask, _ write: (Int, inout TextBuffer) -> Void
  ) {
    begin()
    for row in 0..<count {
      text.append(bytes: name)
      if nulls[row] { text.append("null") } else { write(row, &text) }
      ends.append(text.count)
    }
  }

  /// The same for a column of slices, nil for null.
  @inline(__always)
  mutating func append(
    _ values: [ByteSlice?], _ name: [UInt8], _ write: (ByteSlice, inout TextBuffer) -> Void
  ) {
    begin()
    for value in values {
      text.append(bytes: name)
      if let value { write(value, &text) } else { text.append("null") }
      ends.append(text.count)
    }
  }

  /// A column begins: one end more than rows, the first being where the text of row 0 starts.
  private mutating func begin() {
    columns.append(ends.count)
    ends.append(text.count)
  }

  /// Appends name and value of `row` in `column` to `output`.
  ///
  /// - Returns: false, with nothing appended, for a column that is not prepared.
  @inline(__always)
  func append(_ row: Int, of column: Int, to output: inout TextBuffer) -> Bool {
    let start = columns[column]
    guard start >= 0 else { return false }
    output.append(ends[start + row]..<ends[start + row + 1], of: text)
    return true
  }
}
