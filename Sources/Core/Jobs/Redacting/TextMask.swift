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

  private func noise(
    _ bytes: ByteSlice, _ domain: MaskDomain, _ kind: UInt8
  ) throws(RealmFileError) -> Noise {
    var message = domain.bytes + [domain.attempt, kind]
    bytes.append(to: &message)
    return Noise(try code.code(of: message))
  }

  /// The mask of a string.
  func text(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var noise = try noise(bytes, domain, 20)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    let isBare = !(0..<bytes.count).contains { TextMask.isMasked(bytes[$0]) }
    let isStrict = domain.attempt < TextMask.strictAttempts
    var i = 0
    while i < bytes.count {
      let length = TextMask.length(ofCharacterAt: i, in: bytes)
      let range = TextMask.range(
        of: bytes[i], length: length, isStrict: isStrict, keepsOthers: !isBare)
      if !append(from: range, to: &result, &noise), length == 1 {
        // Few letters are left after the last three: any character.
        result.removeLast()
        _ = append(from: TextMask.printable, to: &result, &noise)
      }
      i += length
    }
    return result
  }

  /// The mask of a binary.
  func binary(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var noise = try noise(bytes, domain, 21)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for _ in 0..<bytes.count { _ = append(from: TextMask.bytes, to: &result, &noise) }
    return result
  }

  // MARK: Characters

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

  /// Appends one of the characters, if possible one after which the last four bytes are not among the originals.
  ///
  /// - Returns: false if it is not possible.
  private func append(
    from characters: Characters, to result: inout [UInt8], _ noise: inout Noise
  ) -> Bool {
    let start = noise.next(below: characters.count)
    for i in 0..<min(characters.count, TextMask.tries) {
      let character = characters.first + UInt32((start + i) % characters.count)
      append(character, characters.length, to: &result)
      if isAllowed(result, newCount: characters.length) { return true }
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

  /// Whether no four bytes that end with one of the last `newCount` bytes are among the originals.
  private func isAllowed(_ bytes: [UInt8], newCount: Int) -> Bool {
    for end in bytes.count - newCount..<bytes.count where end >= OriginalTexts.length - 1 {
      let word = bytes[end - 3...end].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if originals.contains(word) { return false }
    }
    return true
  }
}
