import RealmStorage

/// Writes the mask of a string or a binary, character by character.
struct MaskWriter {
  /// The most characters of several bytes to try for a place.
  private static let tries: UInt32 = 64

  private var noise: MaskNoise
  /// The noise of the string, while a word has its own.
  private var outerNoise: MaskNoise
  /// Whether a word is written, whose bytes must differ from the originals in more than case.
  private var isInWord = false
  /// The last four bytes, the last one the lowest, and the same in lower case.
  private var (last, lower): (UInt32, UInt32) = (0, 0)
  private var byteCount = 0

  /// - Parameter code: what the noise depends on.
  init(_ code: UInt64) {
    noise = MaskNoise(code)
    outerNoise = noise
  }

  mutating func begin(word code: UInt64) {
    (outerNoise, noise, isInWord) = (noise, MaskNoise(code), true)
  }

  mutating func endWord() { (noise, isInWord) = (outerNoise, false) }

  /// Appends one of the characters, if possible one after which the last four bytes are not among the originals;
  /// any printable character in place of a single byte if only that is possible.
  @inline(__always)
  mutating func append(
    from characters: MaskCharacters, avoiding originals: OriginalTexts,
    to masks: inout [UInt8]
  ) {
    let start = characters.count > 1 ? noise.next(below: characters.count) : 0
    if characters.length == 1, append(characters.encoding(start), originals, to: &masks) { return }
    find(from: characters, start, originals, to: &masks)
  }

  /// Appends the first of the characters from `start` on that is possible.
  private mutating func find(
    from characters: MaskCharacters, _ start: UInt32, _ originals: OriginalTexts,
    to masks: inout [UInt8]
  ) {
    let isByte = characters.length == 1
    let tries = isByte ? characters.count : min(characters.count, MaskWriter.tries)
    for i in 0..<tries {
      let encoding = characters.encoding((start + i) % characters.count)
      if append(encoding, length: characters.length, originals, to: &masks) { return }
    }
    guard isByte else {
      return write(characters.encoding(start), length: characters.length, to: &masks)
    }
    let printable = MaskCharacters.printable
    let other = noise.next(below: printable.count)
    for i in 0..<printable.count {
      let encoding = printable.encoding((other + i) % printable.count)
      if append(encoding, originals, to: &masks) { return }
    }
    write(printable.encoding(other), length: 1, to: &masks)
  }

  /// - Parameter encoding: its last byte is the lowest.
  /// - Returns: false if the character makes an original. Then nothing is appended.
  private mutating func append(
    _ encoding: UInt32, length: Int, _ originals: OriginalTexts, to masks: inout [UInt8]
  ) -> Bool {
    let (before, count) = (self, masks.count)
    for i in (0..<length).reversed() {
      let byte = encoding >> UInt32(8 * i) & 0xFF
      guard append(byte, originals, to: &masks) else {
        self = before
        masks.removeLast(masks.count - count)
        return false
      }
    }
    return true
  }

  /// - Returns: false if the byte makes an original. Then nothing is appended.
  @inline(__always)
  private mutating func append(
    _ byte: UInt32, _ originals: OriginalTexts, to masks: inout [UInt8]
  ) -> Bool {
    let last = last &<< 8 | byte
    if byteCount >= OriginalTexts.length - 1 {
      if originals.contains(last) { return false }
      if isInWord, originals.contains(lower &<< 8 | MaskWriter.lowerCase(byte)) { return false }
    }
    write(byte, to: &masks)
    return true
  }

  private mutating func write(_ encoding: UInt32, length: Int, to masks: inout [UInt8]) {
    for i in (0..<length).reversed() { write(encoding >> UInt32(8 * i) & 0xFF, to: &masks) }
  }

  @inline(__always)
  private mutating func write(_ byte: UInt32, to masks: inout [UInt8]) {
    last = last &<< 8 | byte
    lower = lower &<< 8 | MaskWriter.lowerCase(byte)
    byteCount &+= 1
    masks.append(UInt8(truncatingIfNeeded: byte))
  }

  @inline(__always)
  private static func lowerCase(_ byte: UInt32) -> UInt32 {
    (byte | 0x20) &- 0x61 < 26 ? byte | 0x20 : byte
  }
}

/// Pseudorandom numbers: the generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
/// Who finds out where it starts knows the hash of one value, and nothing of the key or of other hashes.
struct MaskNoise {
  private var state: UInt64
  /// The bits that are left, and how many.
  private var (bits, count): (UInt64, Int) = (0, 0)

  init(_ start: UInt64) { state = start }

  /// A number below `limit`, which is at most 2¹⁶.
  @inline(__always)
  mutating func next(below limit: UInt32) -> UInt32 {
    if count == 0 {
      // Odd, with evenly spread bits: 2⁶⁴ divided by the golden ratio.
      state &+= 0x9E37_79B9_7F4A_7C15
      (bits, count) = (mixed(state), 64)
    }
    let piece = UInt32(truncatingIfNeeded: bits & 0xFFFF)
    bits &>>= 16
    count &-= 16
    return (piece &* limit) &>> 16
  }
}
