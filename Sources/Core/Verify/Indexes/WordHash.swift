import RealmModel
import RealmStorage

/// A hash of the chunks of a word, computed from its bytes or from a path of an index.
struct WordHash: WordBytes {
  /// A chunk that is only the terminator. It ends a word of whole chunks if a longer word begins with
  /// that word; the hash ignores it.
  private static let end: Int32 = 0x5800_0000
  private static let terminator: UInt32 = 0x58

  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// The bytes since the last whole chunk; the first byte is the most significant. `byteCount` counts all
  /// bytes of the word.
  private var chunk: UInt32 = 0
  private(set) var byteCount = 0

  /// The hash of null, which is chunk 0.
  static let null: UInt64 = {
    var hash = WordHash()
    hash.add(chunk: 0)
    return hash.value
  }()

  @inline(__always)
  private mutating func add(chunk: Int32) {
    value = mixed(value ^ UInt64(UInt32(bitPattern: chunk))) &+ 1
  }

  /// Adds the next byte of a word.
  @inline(__always)
  mutating func add(_ byte: UInt8) {
    chunk = chunk << 8 | UInt32(byte)
    byteCount &+= 1
    guard byteCount & 3 == 0 else { return }
    add(chunk: Int32(bitPattern: chunk))
    chunk = 0
  }

  @inline(__always)
  mutating func add(letters: ByteSlice) {
    var next = 0
    while byteCount & 3 != 0, next < letters.count {
      add(letters[next] | WordHash.lowerCase)
      next &+= 1
    }
    // Whole chunks at once.
    while letters.count &- next >= 4 {
      let bytes = letters.littleEndian32(at: next) | 0x2020_2020
      add(chunk: Int32(bitPattern: bytes.byteSwapped))
      byteCount &+= 4
      next &+= 4
    }
    while next < letters.count {
      add(letters[next] | WordHash.lowerCase)
      next &+= 1
    }
  }

  /// Ends the word. If the last chunk is not whole, the terminator follows its bytes.
  mutating func finish() {
    let rest = byteCount & 3
    guard rest > 0 else { return }
    let ended = chunk << 8 | WordHash.terminator
    add(chunk: Int32(bitPattern: ended << UInt32(24 - rest * 8)))
  }

  init() {}

  init(path: [Int32]) {
    let count = path.last == WordHash.end ? path.count - 1 : path.count
    for level in 0..<count { add(chunk: path[level]) }
  }

  /// The hash of the word with the chunks of `path`, then `last`.
  init(path: [Int32], _ last: Int32) {
    for chunk in path { add(chunk: chunk) }
    if last != WordHash.end { add(chunk: last) }
  }
}
