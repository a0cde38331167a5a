import RealmModel
import RealmStorage

/// A word of a full-text index: its first 16 bytes as two integers, and the rest.
struct IndexWord: WordBytes {
  static let shortCount = 16

  private(set) var low: UInt64 = 0
  private(set) var high: UInt64 = 0
  private(set) var rest: [UInt8] = []
  private(set) var byteCount = 0

  /// The word as index data. Only its first 15 bytes may be read.
  var data: IndexData {
    .short(low: low, high: high, count: UInt8(min(byteCount, IndexWord.shortCount)))
  }

  mutating func add(_ byte: UInt8) {
    switch byteCount {
    case 0..<8: low |= UInt64(byte) << UInt64(byteCount * 8)
    case 8..<IndexWord.shortCount: high |= UInt64(byte) << UInt64(byteCount * 8 - 64)
    default: rest.append(byte)
    }
    byteCount += 1
  }

  mutating func add(letters: ByteSlice) {
    guard byteCount == 0, case .short(let first, let second, _) = IndexData(letters) else {
      for i in 0..<letters.count { add(letters[i] | IndexWord.lowerCase) }
      return
    }
    low = IndexWord.lowerCased(first, count: letters.count)
    high = IndexWord.lowerCased(second, count: letters.count - 8)
    byteCount = letters.count
  }

  /// The `count` lowest bytes of `word`, which are ASCII letters and digits, in lower case.
  private static func lowerCased(_ word: UInt64, count: Int) -> UInt64 {
    guard count > 0 else { return 0 }
    return (word | 0x2020_2020_2020_2020) & (count < 8 ? 1 << UInt64(8 * count) - 1 : .max)
  }

  mutating func removeAll() {
    if !rest.isEmpty { rest.removeAll(keepingCapacity: true) }
    (low, high, byteCount) = (0, 0, 0)
  }
}
