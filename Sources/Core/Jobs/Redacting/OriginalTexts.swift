import RealmModel
import RealmStorage

/// What masks of strings must avoid: four bytes of every original string, which then occurs nowhere; and masks of
/// primary keys that other keys have.
struct OriginalTexts: Sendable {
  /// One bit for each hash of four bytes. Other bytes with the same hash are avoided too, which does no harm.
  private var words: [UInt64] = []
  /// The attempts that gave primary keys their masks, by hash of the key, if it was not the first one.
  private(set) var attempts: [UInt64: UInt8] = [:]

  static let length = 4
  private static let bitCount = 27

  private static func bit(_ word: UInt32) -> Int {
    Int((word &* 0x9E37_79B1) >> UInt32(32 - bitCount))
  }

  /// Whether a mask must not contain these four bytes, the first one the highest.
  func contains(_ word: UInt32) -> Bool {
    let bit = OriginalTexts.bit(word)
    return !words.isEmpty && words[bit >> 6] >> UInt64(bit & 63) & 1 != 0
  }

  /// Adds an original string. Shorter ones than four bytes are not avoided.
  mutating func add(_ text: ByteSlice) { add(text.count) { text[$0] } }

  /// Adds the words of an original string as a full-text index stores them.
  mutating func add(wordsOf text: ByteSlice) {
    for word in FullTextWords.words(of: text) { add(word.count) { word[$0] } }
  }

  private mutating func add(_ count: Int, _ byte: (Int) -> UInt8) {
    guard count >= OriginalTexts.length else { return }
    if words.isEmpty { words = Array(repeating: 0, count: 1 << (OriginalTexts.bitCount - 6)) }
    var (first, word): (UInt32, UInt32) = (0, 0)
    for i in 0..<count {
      word = word << 8 | UInt32(byte(i))
      if i == OriginalTexts.length - 1 { first = word }
      if i >= OriginalTexts.length - 1, contains(word) { return }
    }
    let bit = OriginalTexts.bit(first)
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }

  /// Notes which attempt gives a primary key its mask.
  mutating func setAttempt(_ attempt: UInt8, of text: ByteSlice) {
    attempts[text.contentHash] = attempt
  }
}
