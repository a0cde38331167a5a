/// Which rows of a batch are null: a bit a row, no words at all where none is.
public struct NullMask: Sendable {
  private var words: [UInt64]

  /// No row is null.
  public init() { words = [] }

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
    self.words = words
  }

  public var isEmpty: Bool { words.isEmpty }

  /// True where `row` is null. Rows behind the end are not.
  @inline(__always)
  public subscript(row: Int) -> Bool {
    guard !words.isEmpty, row >> 6 < words.count else { return false }
    return words[row >> 6] >> UInt64(row & 63) & 1 != 0
  }
}
