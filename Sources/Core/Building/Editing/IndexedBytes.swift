import RealmModel
import RealmStorage

/// The bytes of a value in a search index, which need no memory of a file.
struct IndexedBytes: Equatable, Sendable {
  /// Nil for null.
  let bytes: [UInt8]?

  init(_ data: IndexData) {
    bytes =
      switch data {
      case .null: nil
      case .short(let low, let high, let count):
        IndexData.bytes(low: low, high: high, count: Int(count))
      case .long(let slice): slice.bytes
      }
  }

  /// A word of a full-text index, which has no terminator inside.
  ///
  /// - Parameter path: the chunks up to the one with the end of the word.
  init(wordWith path: [Int32]) {
    let all = path.flatMap { chunk in
      (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bitPattern: chunk) >> UInt32(24 - 8 * $0)) }
    }
    let last = all.suffix(4)
    bytes = Array(all.dropLast(4) + last.prefix { $0 != IndexEntryList.terminator })
  }

  /// Calls `body` with the data of the value.
  func withData<R>(
    _ body: (IndexData) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    let slices = SliceColumn(copying: [bytes])
    defer { withExtendedLifetime(slices) {} }
    return try body(slices[0].map { IndexData($0) } ?? .null)
  }

  /// The chunk of a level (chapter 3, section 5.2).
  func chunk(_ level: Int) -> Int32 {
    let offset = 4 * level
    guard let bytes, offset <= bytes.count else { return 0 }
    var chunk: UInt32 = 0
    for i in offset..<(offset + 4) {
      let byte = i < bytes.count ? bytes[i] : i == bytes.count ? IndexEntryList.terminator : 0
      chunk = chunk << 8 | UInt32(byte)
    }
    return Int32(bitPattern: chunk)
  }

  /// Whether all bytes are in the chunks up to a level.
  func ends(at level: Int) -> Bool { 4 * level + 4 >= bytes?.count ?? 0 }
}

/// An entry that a search index gains or loses.
struct IndexChange: Sendable {
  let value: IndexedBytes
  let key: ObjectKey
  let isAdded: Bool
}
