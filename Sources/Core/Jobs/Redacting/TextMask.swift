import RealmModel
import RealmStorage

/// Replaces strings and binaries by noise of the same length. Letters become letters of as many bytes, digits become
/// digits; spaces and punctuation stay, unless there is nothing else. Used by one thread.
struct TextMask {
  let code: MessageCode
  let originals: OriginalTexts

  /// The last attempts take any printable character, because few strings are left.
  private static let strictAttempts: UInt8 = 64

  /// Pseudorandom numbers.
  private struct Noise {
    private var state: UInt64
    private let key: UInt64

    init(_ code: (UInt64, UInt64)) { (state, key) = code }

    /// A number below `count`.
    mutating func next(below count: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: mixed(mixed(state) ^ key) >> 1) % count
    }
  }

  /// - Parameter append: appends what the numbers depend on, besides the domain and the kind.
  private func noise(
    _ domain: MaskDomain, _ kind: UInt8, _ append: (inout [UInt8]) -> Void
  ) throws(RealmFileError) -> Noise {
    var message = domain.bytes + [domain.attempt, kind]
    append(&message)
    return Noise(try code.code(of: message))
  }

  /// The mask of a string.
  func text(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var noise = try noise(domain, 20) { bytes.append(to: &$0) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    let isBare = !(0..<bytes.count).contains { TextMask.isMasked(bytes[$0]) }
    let isStrict = domain.attempt < TextMask.strictAttempts
    var i = 0
    while i < bytes.count {
      let wordEnd = domain.isByWord ? TextMask.endOfWord(at: i, in: bytes) : i
      if wordEnd > i {
        try append(word: bytes.part(i..<wordEnd), domain, to: &result)
        i = wordEnd
        continue
      }
      let length = TextMask.length(ofCharacterAt: i, in: bytes)
      let range = TextMask.range(
        of: bytes[i], length: length, isStrict: isStrict, keepsOthers: !isBare)
      append(from: range, orPrintableTo: &result, &noise)
      i += length
    }
    return result
  }

  /// Appends the mask of a word, which is one word for a full-text index, too. The mask depends on what the index
  /// stores, so words that differ only in case stay so. Where words differ in diacritics, their masks differ.
  private func append(
    word: ByteSlice, _ domain: MaskDomain, to result: inout [UInt8]
  ) throws(RealmFileError) {
    var noise = try noise(domain, 22) { $0 += FullTextWords.words(of: word).joined() }
    var i = 0
    while i < word.count {
      let length = TextMask.length(ofCharacterAt: i, in: word)
      let range =
        length == 2
        ? TextMask.accentedLetters(withCaseOf: word[i + 1])
        : TextMask.range(of: word[i], length: length, isStrict: true, keepsOthers: true)
      append(from: range, orPrintableTo: &result, &noise, ignoresCase: true)
      i += length
    }
  }

  /// The mask of a binary.
  func binary(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var noise = try noise(domain, 21) { bytes.append(to: &$0) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for _ in 0..<bytes.count { _ = append(from: TextMask.bytes, to: &result, &noise) }
    return result
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

  /// Consecutive characters with encodings of the same length.
  private struct Characters {
    let first: UInt32
    let count: Int
    /// Number of bytes.
    let length: Int
  }

  private static let printable = Characters(first: 0x21, count: 0x7E - 0x20, length: 1)
  private static let bytes = Characters(first: 0, count: 256, length: 1)

  /// Whether a byte belongs to a letter or a digit.
  private static func isMasked(_ byte: UInt8) -> Bool {
    byte >= 0x80 || isLetter(byte) || isDigit(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { UInt8(0x61)...0x7A ~= byte | 0x20 }
  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(0x30)...0x39 ~= byte }

  /// Number of bytes of the character at an offset; 1 for a byte that is not part of valid UTF-8.
  private static func length(ofCharacterAt offset: Int, in bytes: ByteSlice) -> Int {
    let length =
      switch bytes[offset] {
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

  /// À to Ö, or à to ö, which a full-text index takes for parts of words.
  ///
  /// - Parameter second: the second byte of a character with the first byte 0xC3.
  private static func accentedLetters(withCaseOf second: UInt8) -> Characters {
    Characters(first: second & 0x20 != 0 ? 0xE0 : 0xC0, count: 23, length: 2)
  }

  /// The characters that can replace one.
  private static func range(
    of byte: UInt8, length: Int, isStrict: Bool, keepsOthers: Bool
  ) -> Characters {
    switch length {
    // Latin Extended-A, CJK Unified Ideographs and their Extension B: letters without exception.
    case 2: return Characters(first: 0x100, count: 0x80, length: 2)
    case 3: return Characters(first: 0x4E00, count: 0x51A6, length: 3)
    case 4: return Characters(first: 0x20000, count: 0xA6D7, length: 4)
    default: break
    }
    guard isStrict else { return printable }
    if byte >= 0x80 || isLetter(byte) {
      return Characters(first: byte & 0x20 != 0 || byte >= 0x80 ? 0x61 : 0x41, count: 26, length: 1)
    }
    if isDigit(byte) { return Characters(first: 0x30, count: 10, length: 1) }
    return keepsOthers ? Characters(first: UInt32(byte), count: 1, length: 1) : printable
  }

  /// The most characters to try for a place.
  private static let tries = 64

  /// Appends one of the characters, if possible one after which the last four bytes are not among the originals;
  /// any printable character in place of a single byte if only that is possible.
  ///
  /// - Parameter ignoresCase: whether the last four bytes must differ from the originals in more than case.
  private func append(
    from characters: Characters, orPrintableTo result: inout [UInt8], _ noise: inout Noise,
    ignoresCase: Bool = false
  ) {
    if append(from: characters, to: &result, &noise, ignoresCase: ignoresCase) { return }
    guard characters.length == 1 else { return }
    result.removeLast()
    _ = append(from: TextMask.printable, to: &result, &noise, ignoresCase: ignoresCase)
  }

  /// - Returns: false if the character that was appended makes an original.
  private func append(
    from characters: Characters, to result: inout [UInt8], _ noise: inout Noise,
    ignoresCase: Bool = false
  ) -> Bool {
    let start = noise.next(below: characters.count)
    for i in 0..<min(characters.count, TextMask.tries) {
      let character = characters.first + UInt32((start + i) % characters.count)
      append(character, characters.length, to: &result)
      if isAllowed(result, newCount: characters.length, ignoresCase: ignoresCase) { return true }
      result.removeLast(characters.length)
    }
    append(characters.first + UInt32(start), characters.length, to: &result)
    return false
  }

  private func append(_ character: UInt32, _ length: Int, to result: inout [UInt8]) {
    guard length > 1 else { return result.append(UInt8(truncatingIfNeeded: character)) }
    let leads: [UInt32] = [0, 0, 0xC0, 0xE0, 0xF0]
    result.append(
      UInt8(truncatingIfNeeded: leads[length] | character >> UInt32(6 * (length - 1))))
    for i in (0..<length - 1).reversed() {
      result.append(UInt8(truncatingIfNeeded: 0x80 | character >> UInt32(6 * i) & 0x3F))
    }
  }

  /// Whether no four bytes that end with one of the last `newCount` bytes are among the originals, nor in lower case
  /// if `ignoresCase`.
  private func isAllowed(_ bytes: [UInt8], newCount: Int, ignoresCase: Bool) -> Bool {
    func word(at start: Int, _ form: (UInt8) -> UInt8) -> UInt32 {
      let high = UInt32(form(bytes[start])) << 8 | UInt32(form(bytes[start + 1]))
      return high << 16 | UInt32(form(bytes[start + 2])) << 8 | UInt32(form(bytes[start + 3]))
    }
    for end in bytes.count - newCount..<bytes.count where end >= OriginalTexts.length - 1 {
      if originals.contains(word(at: end - 3) { $0 }) { return false }
      guard ignoresCase else { continue }
      if originals.contains(word(at: end - 3) { TextMask.isLetter($0) ? $0 | 0x20 : $0 }) {
        return false
      }
    }
    return true
  }
}
