import RealmStorage

/// Takes the bytes of a word one by one.
protocol WordBytes {
  /// Bytes that were added.
  var byteCount: Int { get }
  mutating func add(_ byte: UInt8)
}

/// Splits a text into the words under which a full-text index keeps it (chapter 3, section 5.8).
struct FullTextTokenizer {
  /// The most bytes of a word; the rest of a longer one is left out.
  static let wordLimit = 64

  private enum Character {
    case separator
    /// Part of a word that leaves no bytes: × and ÷.
    case silent
    case byte(UInt8)
    /// The second byte of a character whose first is 0xC3.
    case letter(UInt8)
  }

  private let text: ByteSlice
  private var position = 0

  init(_ text: ByteSlice) { self.text = text }

  /// Adds the bytes of the next word, which may have none, to `word`; false behind the last one.
  mutating func next(into word: inout some WordBytes) -> Bool {
    var isInWord = false
    while position < text.count {
      // Most texts are ASCII.
      let (first, lower) = (text[position], text[position] | 0x20)
      if lower &- UInt8(ascii: "a") < 26 || first &- UInt8(ascii: "0") < 10 {
        // Bit 5 of a digit is set already.
        add(lower, to: &word)
        position += 1
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
        // Left out as a whole where one byte of it has no room.
        guard word.byteCount < FullTextTokenizer.wordLimit - 1 else { break }
        word.add(0xC3)
        word.add(byte)
      }
      isInWord = true
    }
    return isInWord
  }

  @inline(__always)
  private func add(_ byte: UInt8, to word: inout some WordBytes) {
    if word.byteCount < FullTextTokenizer.wordLimit { word.add(byte) }
  }

  /// The next character, which is no ASCII letter or digit.
  ///
  /// In a text that is not UTF-8 a first byte takes as many bytes after it as it announces, whatever they
  /// are, and the end of the text does not stop it. `position` is then behind the end.
  private mutating func character() -> Character {
    let byte = text[position]
    position += 1
    switch byte {
    case 0xC0...0xDF:
      // Behind a stored text is a zero byte.
      let second = position < text.count ? text[position] : 0
      position += 1
      return byte == 0xC3 ? FullTextTokenizer.folded(second) : .separator
    case 0xE0...0xEF: position += 2
    case 0xF0...0xF7: position += 3
    default: break
    }
    return .separator
  }

  /// U+00C0 to U+00FE in lower case and without diacritics.
  ///
  /// - Parameter second: the second byte, of which the six lowest bits count: 0 for U+00C0.
  private static func folded(_ second: UInt8) -> Character {
    let second = second & 0x3F | 0x80
    let (sharpS, umlautY): (UInt8, UInt8) = (0x9F, 0xBF)
    guard second != sharpS else { return .letter(second) }
    guard second != umlautY else { return .separator }
    // From À to Þ are 0x20 below à to þ.
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
