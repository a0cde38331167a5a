public import RealmStorage

/// Receives the bytes of a word one by one.
@usableFromInline
package protocol WordBytes {
  /// Number of bytes received.
  var byteCount: Int { get }
  mutating func add(_ byte: UInt8)
  /// Adds ASCII letters and digits, the letters in lower case.
  mutating func add(letters: ByteSlice)
}

extension WordBytes {
  /// The bit that makes an ASCII letter lower case. In a digit it is set already.
  @inlinable package static var lowerCase: UInt8 { 0x20 }

  mutating func add(letters: ByteSlice) {
    for i in 0..<letters.count { add(letters[i] | Self.lowerCase) }
  }
}

/// Splits a string into the words that a full-text index stores (chapter 3, section 5.8).
@usableFromInline
package struct FullTextTokenizer {
  /// Maximum bytes of a word; longer words are cut.
  @usableFromInline
  static let wordLimit = 64

  @usableFromInline
  enum Character {
    case separator
    /// A character that is part of a word but adds no bytes: × and ÷.
    case silent
    case byte(UInt8)
    /// The second byte of a character with the first byte 0xC3.
    case letter(UInt8)
  }

  @usableFromInline let text: ByteSlice
  @usableFromInline var position = 0

  package init(_ text: ByteSlice) { self.text = text }

  /// Adds the bytes of the next word, which can be empty, to `word`.
  ///
  /// - Returns: false after the last word.
  @inlinable
  package mutating func next(into word: inout some WordBytes) -> Bool {
    var isInWord = false
    while position < text.count {
      // Fast path: most strings are ASCII.
      let end = endOfLetters()
      if end > position {
        let room = FullTextTokenizer.wordLimit &- word.byteCount
        if room > 0 { word.add(letters: text.part(position..<min(end, position + room))) }
        position = end
        // Any other ASCII character is a separator.
        if position < text.count, text[position] < 0x80 {
          position += 1
          return true
        }
        isInWord = true
        continue
      }
      switch character() {
      case .separator:
        if isInWord { return true }
        continue
      case .silent: break
      case .byte(let byte): add(byte, to: &word)
      case .letter(let byte):
        // A character of two bytes is left out if its second byte does not fit.
        guard word.byteCount < FullTextTokenizer.wordLimit - 1 else { break }
        word.add(0xC3)
        word.add(byte)
      }
      isInWord = true
    }
    return isInWord
  }

  /// The position of the next byte that is not an ASCII letter or digit.
  @usableFromInline
  func endOfLetters() -> Int {
    var end = position
    while end + 8 <= text.count {
      let count = FullTextTokenizer.letterCount(text.littleEndian(at: end))
      end += count
      if count < 8 { return end }
    }
    while end < text.count,
      (text[end] | 0x20) &- UInt8(ascii: "a") < 26 || text[end] &- UInt8(ascii: "0") < 10
    {
      end += 1
    }
    return end
  }

  /// The number of ASCII letters and digits at the start of eight bytes, from the lowest byte on.
  private static func letterCount(_ bytes: UInt64) -> Int {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // The highest bit of each byte of `low` is 0, so no sum carries into the next byte.
    let low = bytes & ~high
    let lower = low | 0x20 * ones
    func isIn(_ range: ClosedRange<UInt64>, _ bytes: UInt64) -> UInt64 {
      (bytes &+ (0x80 - range.lowerBound) &* ones) & ~(bytes &+ (0x7F - range.upperBound) &* ones)
    }
    let letters = isIn(0x61...0x7A, lower) | isIn(0x30...0x39, low)
    return (~(letters & ~bytes) & high).trailingZeroBitCount / 8
  }

  @inlinable
  @inline(__always)
  func add(_ byte: UInt8, to word: inout some WordBytes) {
    if word.byteCount < FullTextTokenizer.wordLimit { word.add(byte) }
  }

  /// Reads the next character, which is not an ASCII letter or digit.
  ///
  /// If the string is not valid UTF-8, the first byte of a character takes as many of the following bytes as it
  /// announces, whatever they are. `position` can then be past the end.
  @usableFromInline
  mutating func character() -> Character {
    let byte = text[position]
    position += 1
    switch byte {
    case 0xC0...0xDF:
      // A stored string ends with a zero byte.
      let second = position < text.count ? text[position] : 0
      position += 1
      return byte == 0xC3 ? FullTextTokenizer.folded(second) : .separator
    case 0xE0...0xEF: position += 2
    case 0xF0...0xF7: position += 3
    default: break
    }
    return .separator
  }

  /// A character from U+00C0 to U+00FE, in lower case and without diacritics.
  ///
  /// - Parameter second: the second byte of the character. Only its six lowest bits count: 0 is U+00C0.
  private static func folded(_ second: UInt8) -> Character {
    let second = second & 0x3F | 0x80
    let (sharpS, umlautY): (UInt8, UInt8) = (0x9F, 0xBF)
    guard second != sharpS else { return .letter(second) }
    guard second != umlautY else { return .separator }
    // À to Þ are 0x20 below à to þ.
    switch second | 0x20 {
    case 0xA0...0xA4: return .byte(UInt8(ascii: "a"))
    case 0xA7: return .byte(UInt8(ascii: "c"))
    case 0xA8...0xAB: return .byte(UInt8(ascii: "e"))
    case 0xAC...0xAF: return .byte(UInt8(ascii: "i"))
    case 0xB1: return .byte(UInt8(ascii: "n"))
    case 0xB2...0xB6: return .byte(UInt8(ascii: "o"))
    case 0xB7: return .silent
    case 0xB9...0xBC: return .byte(UInt8(ascii: "u"))
    case 0xBD: return .byte(UInt8(ascii: "y"))
    case let other: return .letter(other)
    }
  }
}

/// Collects the bytes of a word.
private struct WordCopy: WordBytes {
  var bytes: [UInt8] = []
  var byteCount: Int { bytes.count }
  mutating func add(_ byte: UInt8) { bytes.append(byte) }
}

/// The words of a string as a full-text index stores them.
package enum FullTextWords {
  /// The words of `text`, each as often as it occurs.
  package static func words(of text: ByteSlice) -> [[UInt8]] {
    var tokenizer = FullTextTokenizer(text)
    var words: [[UInt8]] = []
    var word = WordCopy()
    while tokenizer.next(into: &word) {
      words.append(word.bytes)
      word = WordCopy()
    }
    return words
  }
}
