import RealmModel
import RealmStorage

/// The text of the columns of one cluster, made column by column and taken object by object.
///
/// The kind of the values is looked at once a column this way, not once a value.
struct PreparedColumns: ~Copyable {
  /// Bytes of text that are kept at one time. A column with more of it, where strings are long, is
  /// written when its objects are.
  private static let limit = 4 << 20

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
    append(count, name) { row, text in
      if nulls[row] { text.append("null") } else { write(row, &text) }
      return true
    }
  }

  /// The same for a column of slices, nil for null, where no byte becomes more than six.
  @inline(__always)
  mutating func append(
    _ values: SliceColumn, _ name: [UInt8], _ write: (ByteSlice, inout TextBuffer) -> Void
  ) {
    append(values.count, name) { row, text in
      guard let value = values[row] else {
        text.append("null")
        return true
      }
      guard value.count < PreparedColumns.limit / 6 else { return false }
      write(value, &text)
      return true
    }
  }

  /// The same for values of any kind; `write` returns false for a value that it cannot prepare.
  ///
  /// - Returns: false where the column is not prepared.
  @inline(__always)
  @discardableResult
  mutating func append<E: Error>(
    _ count: Int, _ name: [UInt8], _ write: (Int, inout TextBuffer) throws(E) -> Bool
  ) throws(E) -> Bool {
    // One end more than rows, the first being where the text of row 0 starts.
    let (start, textStart) = (ends.count, text.count)
    ends.append(textStart)
    for row in 0..<count {
      text.append(bytes: name)
      guard try write(row, &text), text.count <= PreparedColumns.limit else {
        text.cut(to: textStart)
        ends.removeSubrange(start...)
        skip()
        return false
      }
      ends.append(text.count)
    }
    columns.append(start)
    return true
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
