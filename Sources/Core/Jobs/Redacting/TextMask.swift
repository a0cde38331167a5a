import RealmModel
import RealmStorage

/// Replaces strings and binaries by noise of the same length. Letters become letters of as many bytes, digits become
/// digits; spaces and punctuation stay, unless there is nothing else.
struct TextMask: Sendable {
  let originals: OriginalTexts
  /// The attempts that give primary keys their masks, if it is not the first one, by ``MaskDomain/firstCode(of:)``.
  var attempts: [UInt64: UInt8] = [:]

  /// The last attempts take any printable character, because few strings are left.
  private static let strictAttempts: UInt8 = 64

  /// Appends the mask of a string.
  func append(_ text: ByteSlice, _ domain: MaskDomain, to masks: inout [UInt8]) {
    var domain = domain
    if domain.isOfIdentities, !attempts.isEmpty {
      // A collection can need further attempts.
      domain.attempt &+= attempts[domain.firstCode(of: text)] ?? 0
    }
    var writer = MaskWriter(domain.code(of: text))
    let isStrict = domain.attempt < TextMask.strictAttempts
    // Most strings begin with a letter or a digit.
    let isBare = !(0..<text.count).contains { TextMask.isMasked(text[$0]) }
    var i = 0
    while i < text.count {
      let wordEnd = domain.isByWord ? TextMask.endOfWord(at: i, in: text) : i
      if wordEnd > i {
        append(word: text.part(i..<wordEnd), domain, &writer, to: &masks)
        i = wordEnd
        continue
      }
      let length = TextMask.length(ofCharacterAt: i, in: text)
      let characters = TextMask.characters(
        for: text[i], length: length, isStrict: isStrict, keepsOthers: !isBare)
      writer.append(from: characters, avoiding: originals, to: &masks)
      i += length
    }
  }

  /// Appends the mask of a word, which is one word for a full-text index, too. The mask depends on what the index
  /// stores, so words that differ only in case stay so. Where words differ in diacritics, their masks differ.
  private func append(
    word: ByteSlice, _ domain: MaskDomain, _ writer: inout MaskWriter,
    to masks: inout [UInt8]
  ) {
    var words = HashedWords(domain.hash(.word))
    var tokenizer = FullTextTokenizer(word)
    while tokenizer.next(into: &words) {}
    writer.begin(word: words.value)
    defer { writer.endWord() }
    var i = 0
    while i < word.count {
      let length = TextMask.length(ofCharacterAt: i, in: word)
      writer.append(
        from: length == 2
          ? .accentedLetters(withCaseOf: word[i + 1])
          : TextMask.characters(for: word[i], length: length, isStrict: true, keepsOthers: true),
        avoiding: originals, to: &masks)
      i += length
    }
  }

  /// Appends the mask of a binary.
  func append(binary bytes: ByteSlice, _ domain: MaskDomain, to masks: inout [UInt8]) {
    var hash = domain.hash(.binary)
    hash.add(bytes)
    var writer = MaskWriter(hash.value)
    for _ in 0..<bytes.count { writer.append(from: .bytes, avoiding: originals, to: &masks) }
  }

  // MARK: Characters

  /// The end of the word of a full-text index (chapter 3, section 5.8) that begins at an offset; the offset itself if
  /// none does.
  private static func endOfWord(at offset: Int, in bytes: ByteSlice) -> Int {
    var end = offset
    while end < bytes.count {
      if isLetter(bytes[end]) || isDigit(bytes[end]) {
        end += 1
      } else if bytes[end] == 0xC3, length(ofCharacterAt: end, in: bytes) == 2,
        bytes[end + 1] != 0xBF
      {
        // À to þ. ÿ is not part of a word.
        end += 2
      } else {
        break
      }
    }
    return end
  }

  /// Whether a byte belongs to a letter or a digit.
  private static func isMasked(_ byte: UInt8) -> Bool {
    byte >= 0x80 || isLetter(byte) || isDigit(byte)
  }

  @inline(__always)
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  /// Number of bytes of the character at an offset; 1 for a byte that is not part of valid UTF-8.
  @inline(__always)
  private static func length(ofCharacterAt offset: Int, in bytes: ByteSlice) -> Int {
    let first = bytes[offset]
    return first < 0x80 ? 1 : length(ofCharacter: first, at: offset, in: bytes)
  }

  private static func length(
    ofCharacter first: UInt8, at offset: Int, in bytes: ByteSlice
  ) -> Int {
    let length =
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard offset + length <= bytes.count,
      (offset + 1..<offset + length).allSatisfy({ bytes[$0] & 0xC0 == 0x80 })
    else { return 1 }
    return length
  }

  /// The characters that can replace one.
  @inline(__always)
  private static func characters(
    for byte: UInt8, length: Int, isStrict: Bool, keepsOthers: Bool
  ) -> MaskCharacters {
    switch length {
    // Latin Extended-A, CJK Unified Ideographs and their Extension B: letters without exception.
    case 2: return MaskCharacters(first: 0x100, count: 0x80, length: 2)
    case 3: return MaskCharacters(first: 0x4E00, count: 0x51A6, length: 3)
    case 4: return MaskCharacters(first: 0x20000, count: 0xA6D7, length: 4)
    default: break
    }
    guard isStrict else { return .printable }
    if isLetter(byte) || byte >= 0x80 {
      let first: UInt32 = byte & 0x20 != 0 || byte >= 0x80 ? 0x61 : 0x41
      return MaskCharacters(first: first, count: 26, length: 1)
    }
    if isDigit(byte) { return MaskCharacters(first: 0x30, count: 10, length: 1) }
    return keepsOthers ? MaskCharacters(first: UInt32(byte), count: 1, length: 1) : .printable
  }
}

extension MaskDomain {
  /// What the noise in place of a string depends on.
  @inline(__always)
  fileprivate func code(of text: ByteSlice) -> UInt64 {
    var hash = hash(.text)
    hash.add(text)
    return hash.value
  }

  /// The code of a string in the first attempt.
  func firstCode(of text: ByteSlice) -> UInt64 {
    var domain = self
    domain.attempt = 0
    return domain.code(of: text)
  }
}
