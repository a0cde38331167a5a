/// Which rows of a column are null, or have another mark: a bit a row, no words at all where none has.
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

  /// Marks `row`.
  mutating func insert(_ row: Int) {
    while words.count <= row >> 6 { words.append(0) }
    words[row >> 6] |= 1 << UInt64(row & 63)
  }

  /// Takes the marks of the rows from `start` on back.
  mutating func removeAll(from start: Int) {
    guard words.count > start >> 6 else { return }
    words.removeSubrange((start >> 6 + 1)...)
    words[start >> 6] &= (1 << UInt64(start & 63)) - 1
  }

  /// Marks the rows of `other`, which start at `offset` here.
  ///
  /// - Parameter count: number of rows of `other`.
  mutating func insert(_ other: NullMask, count: Int, at offset: Int) {
    guard !other.isEmpty else { return }
    for row in 0..<count where other[row] { insert(offset + row) }
  }
}
