public import RealmStorage

/// A set of rows of a column, usually the rows that are null. It has one bit per row, or no storage if it is
/// empty.
@usableFromInline
package struct NullMask: Sendable {
  @usableFromInline private(set) var rows: BitSet
  /// Whether no row is null, as in most batches.
  @usableFromInline
  package private(set) var isEmpty: Bool

  /// No row is null.
  package init() { (rows, isEmpty) = (BitSet(), true) }

  /// - Parameters:
  ///   - count: number of rows.
  ///   - isNull: called once per row.
  @inline(__always)
  package init(count: Int, where isNull: (Int) -> Bool) {
    var words: [UInt64] = []
    for row in 0..<count where isNull(row) {
      if words.isEmpty { words = Array(repeating: 0, count: (count + 63) / 64) }
      words[row >> 6] |= 1 << UInt64(row & 63)
    }
    rows = BitSet(words: words)
    isEmpty = words.isEmpty
  }

  /// Whether `row` is null; false for rows past the end.
  @inlinable
  @inline(__always)
  package subscript(row: Int) -> Bool { !isEmpty && rows.contains(row) }

  /// Marks `row`.
  package mutating func insert(_ row: Int) {
    rows.insert(row)
    isEmpty = false
  }

  /// Removes the marks of the rows from `start` on.
  mutating func removeAll(from start: Int) {
    rows.removeAll(from: start)
    isEmpty = rows.isEmpty
  }
}
