import RealmModel
import RealmStorage

/// A hash of a word's chunks, computed from the bytes of the word or from a path in an index.
struct WordHash: WordBytes {
  /// A chunk with nothing but the terminator. It ends a word of whole chunks if a longer word begins with
  /// that word. The hash ignores it.
  private static let end: Int32 = 0x5800_0000
  private static let terminator: UInt32 = 0x58

  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// The bytes since the last whole chunk. The first byte is the most significant.
  private var chunk: UInt32 = 0
  /// Number of all bytes of the word.
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

/// The words of one object, as hashes of their chunks.
struct ObjectWords {
  /// The most words that are compared with each other instead of sorted.
  private static let fewWords = 24

  /// The hashes, and room for more: removing elements from an array would take longer than all the rest.
  private var stored: [UInt64] = []
  private var count = 0
  /// The number of hashes at which duplicates are removed, because a list can repeat a word many times.
  private var crowd = 1 << 12
  /// Whether the reference can mistake an "X" in a word for the terminator, or leading zeros for null.
  private(set) var hasAmbiguousWord = false

  var hashes: ArraySlice<UInt64> { stored[..<count] }

  mutating func removeAll() {
    count = 0
    crowd = 1 << 12
    hasAmbiguousWord = false
  }

  private mutating func append(_ hash: UInt64) {
    if count < stored.count { stored[count] = hash } else { stored.append(hash) }
    count += 1
    guard count >= crowd else { return }
    removeDuplicates()
    crowd = max(crowd, 2 * count)
  }

  /// Adds the words of a string with a full-text index.
  mutating func append(wordsOf string: ByteSlice) {
    var tokenizer = FullTextTokenizer(string)
    var word = WordHash()
    while tokenizer.next(into: &word) {
      word.finish()
      append(word.value)
      word = WordHash()
    }
  }

  /// Adds an element of a list, which is one word; null has a hash of its own.
  mutating func append(element word: ByteSlice?) {
    guard let word else { return append(WordHash.null) }
    var hash = WordHash()
    for i in 0..<word.count { hash.add(word[i]) }
    hash.finish()
    append(hash.value)
    if word.count >= 4, word.isZero(0..<4) { hasAmbiguousWord = true }
    let lastChunk = max(0, (word.count - 1) & ~3)
    for i in lastChunk..<max(lastChunk, word.count) where word[i] == UInt8(ascii: "X") {
      hasAmbiguousWord = true
    }
  }

  /// Removes duplicates.
  mutating func removeDuplicates() {
    guard count > 1 else { return }
    var kept = 1
    if count > ObjectWords.fewWords {
      stored[..<count].sort()
      for i in 1..<count where stored[i] != stored[kept - 1] {
        stored[kept] = stored[i]
        kept += 1
      }
    } else {
      for i in 1..<count where !stored[..<kept].contains(stored[i]) {
        stored[kept] = stored[i]
        kept += 1
      }
    }
    count = kept
  }
}
