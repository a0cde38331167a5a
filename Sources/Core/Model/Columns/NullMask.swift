import RealmStorage

/// Which rows of a batch are null: a bit a row, no words at all where none is.
public struct NullMask: Sendable {
  private var rows: BitSet

  /// No row is null.
  public init() { rows = BitSet() }

  /// - Parameters:
  ///   - count: number of rows.
  ///   - isNull: asked once a row.
  @inline(__always)
  init(count: Int, where isNull: (Int) -> Bool) {
    var words: [UInt64] = []
    for row in 0..<count where isNull(row) {
      if words.isEmpty { words = Array(repeating: 0, count: (count + 63) / 64) }
      words[row >> 6] |= 1 << UInt64(row & 63)
    }
    rows = BitSet(words: words)
  }

  public var isEmpty: Bool { rows.isEmpty }

  /// True where `row` is null. Rows behind the end are not.
  @inline(__always)
  public subscript(row: Int) -> Bool { rows.contains(row) }
}
