import RealmModel
import RealmStorage

/// What masks of strings must avoid: four bytes of every original string, which then occurs nowhere.
struct OriginalTexts: Sendable {
  static let length = 4
  private static let (bitCount, frontBitCount): (UInt32, UInt32) = (27, 19)

  /// One bit for each hash of four bytes. Other bytes with the same hash are avoided too, which does no harm.
  private var words: [UInt64] = []
  /// One bit for all hashes that begin in the same way: most that masks ask for are not there, and this needs no more
  /// than the memory next to the processor.
  private var front: [UInt64] = []

  @inline(__always)
  private static func hash(_ word: UInt32) -> UInt32 { word &* 0x9E37_79B1 }

  /// The position of the bit for a hash, if there are 2 to the power of `count` bits.
  @inline(__always)
  private static func bit(_ hash: UInt32, of count: UInt32) -> Int { Int(hash &>> (32 &- count)) }

  /// Whether a mask must not contain these four bytes, the first one the highest.
  @inline(__always)
  func contains(_ word: UInt32) -> Bool {
    guard !front.isEmpty else { return false }
    let hash = OriginalTexts.hash(word)
    let first = OriginalTexts.bit(hash, of: OriginalTexts.frontBitCount)
    guard front[first >> 6] &>> UInt64(first & 63) & 1 != 0 else { return false }
    let bit = OriginalTexts.bit(hash, of: OriginalTexts.bitCount)
    return words[bit >> 6] &>> UInt64(bit & 63) & 1 != 0
  }

  /// Adds four bytes of an original string.
  mutating func insert(_ word: UInt32) {
    if front.isEmpty {
      words = Array(repeating: 0, count: 1 << (OriginalTexts.bitCount - 6))
      front = Array(repeating: 0, count: 1 << (OriginalTexts.frontBitCount - 6))
    }
    let hash = OriginalTexts.hash(word)
    let first = OriginalTexts.bit(hash, of: OriginalTexts.frontBitCount)
    front[first >> 6] |= 1 << UInt64(first & 63)
    let bit = OriginalTexts.bit(hash, of: OriginalTexts.bitCount)
    words[bit >> 6] |= 1 << UInt64(bit & 63)
  }
}

/// Finds what to add to the texts that are known, so that each string of a part of the objects has four bytes among
/// them. Used by one thread.
final class OriginalsOfPart {
  private let known: OriginalTexts
  /// What the part adds.
  private(set) var words: Set<UInt32> = []
  /// A bit for each hash of ``words``: most strings that have none of them are not looked for there.
  private var front = [UInt64](repeating: 0, count: 64)

  init(known: OriginalTexts) { self.known = known }

  private static func bit(_ word: UInt32) -> Int { Int((word &* 0x9E37_79B1) &>> 20) }

  private func contains(_ word: UInt32) -> Bool {
    if known.contains(word) { return true }
    let bit = OriginalsOfPart.bit(word)
    return front[bit >> 6] &>> UInt64(bit & 63) & 1 != 0 && words.contains(word)
  }

  private func insert(_ word: UInt32) {
    let bit = OriginalsOfPart.bit(word)
    front[bit >> 6] |= 1 << UInt64(bit & 63)
    words.insert(word)
  }

  /// Adds an original string. Shorter ones than four bytes are not avoided.
  func add(_ text: ByteSlice) {
    guard text.count >= OriginalTexts.length else { return }
    var (first, word): (UInt32, UInt32) = (0, 0)
    for i in 0..<text.count {
      word = word &<< 8 | UInt32(text[i])
      guard i >= OriginalTexts.length - 1 else { continue }
      if contains(word) { return }
      if i == OriginalTexts.length - 1 { first = word }
    }
    insert(first)
  }

  /// Adds the words of an original string as a full-text index stores them.
  func add(wordsOf text: ByteSlice) {
    var tokenizer = FullTextTokenizer(text)
    var word = Word(part: self)
    while tokenizer.next(into: &word) {
      if let first = word.toAdd { insert(first) }
      word.begin()
    }
  }

  /// A word of a full-text index, of which only the last four bytes are kept.
  private struct Word: WordBytes {
    let part: OriginalsOfPart
    private(set) var byteCount = 0
    private var (first, last): (UInt32, UInt32) = (0, 0)
    private var isKnown = false

    init(part: OriginalsOfPart) { self.part = part }

    mutating func begin() { (byteCount, isKnown) = (0, false) }

    mutating func add(_ byte: UInt8) {
      byteCount += 1
      last = last &<< 8 | UInt32(byte)
      guard byteCount >= OriginalTexts.length, !isKnown else { return }
      if byteCount == OriginalTexts.length { first = last }
      isKnown = part.contains(last)
    }

    mutating func add(letters: ByteSlice) {
      for i in 0..<letters.count { add(letters[i] | Word.lowerCase) }
    }

    /// The first four bytes, if they are to be added.
    var toAdd: UInt32? { byteCount >= OriginalTexts.length && !isKnown ? first : nil }
  }
}
