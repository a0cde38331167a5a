import CText
package import RealmStorage

/// The lowest bit of each of the eight bytes of a word. Multiplied by a byte, it repeats the byte
/// eight times.
private let lowBits: UInt64 = 0x0101_0101_0101_0101
/// The highest bit of each of the eight bytes of a word.
private let highBits: UInt64 = 0x8080_8080_8080_8080

/// Sets the highest bit of each byte of `word` that is below 0x20, `"` or `\`.
///
/// All bytes are subtracted at once, so a borrow can mark a wrong byte, but only above a correctly
/// marked one: the lowest mark is always correct, and no mark means that there is no such byte.
@inline(__always)
private func marksOfSpecialBytes(in word: UInt64) -> UInt64 {
  let quotes = (word ^ (0x22 &* lowBits)) &- lowBits
  let backslashes = (word ^ (0x5C &* lowBits)) &- lowBits
  let control = word &- 0x20 &* lowBits
  // Both characters have their highest bit clear, so one mask serves all three cases.
  return (control | quotes | backslashes) & ~word & highBits
}

/// The `count` bytes at `start`, 1 to 7, in the lowest bytes of a word that is padded with letters.
@inline(__always)
private func wordOfFewBytes(at start: UnsafeRawPointer, count: Int) -> UInt64 {
  /// The byte at `offset`, shifted to its place.
  @inline(__always)
  func byte(_ offset: Int) -> UInt64 {
    unsafe UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) &<< UInt64(offset &* 8)
  }
  let filling = 0x61 &* lowBits &<< UInt64(count &* 8)
  if count < 4 {
    // First, middle and last byte: all of them, some twice.
    return filling | byte(0) | byte(count / 2) | byte(count &- 1)
  }
  let first = unsafe start.loadUnaligned(as: UInt32.self).littleEndian
  // Overlaps the first four bytes, with the same bits.
  let last = unsafe start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self).littleEndian
  return filling | UInt64(first) | UInt64(last) &<< UInt64((count &- 4) &* 8)
}

/// The letter after the backslash for the seven characters that have one; otherwise 0.
@inline(__always)
private func escapeLetter(_ byte: UInt8) -> UInt8 {
  switch byte {
  case 0x08: 0x62
  case 0x09: 0x74
  case 0x0A: 0x6E
  case 0x0C: 0x66
  case 0x0D: 0x72
  case 0x22: 0x22
  case 0x5C: 0x5C
  default: 0
  }
}

/// Writes `byte`, escaped if necessary, and returns the number of bytes written: 1, 2 or 6.
///
/// - Parameter isStrict: whether control characters without a letter become `\u00XX`.
@inline(__always)
private func write(
  escaped byte: UInt8, isStrict: Bool, to target: UnsafeMutableRawPointer
) -> Int {
  let letter = escapeLetter(byte)
  if letter != 0 {
    unsafe target.storeBytes(of: 0x5C, as: UInt8.self)
    unsafe target.storeBytes(of: letter, toByteOffset: 1, as: UInt8.self)
    return 2
  }
  guard isStrict, byte < 0x20 else {
    unsafe target.storeBytes(of: byte, as: UInt8.self)
    return 1
  }
  // `\u00` and two digits.
  unsafe target.copyMemory(from: ("\\u00" as StaticString).utf8Start, byteCount: 4)
  unsafe target.storeBytes(of: 0x30 + (byte >> 4), toByteOffset: 4, as: UInt8.self)
  let digit = byte & 15
  let character = digit < 10 ? 0x30 + digit : 0x57 + digit
  unsafe target.storeBytes(of: character, toByteOffset: 5, as: UInt8.self)
  return 6
}

extension TextBuffer {
  /// Appends `text` as the content of a JSON string in the format of realm-core (chapter 6, section
  /// 1.3 "Strings"): `"` `\` and five control characters are escaped; all other bytes are copied,
  /// even those that JSON forbids.
  package mutating func append(coreEscaped text: ByteSlice) {
    unsafe append(escaping: text.start, byteCount: text.count, isStrict: false)
  }

  /// Appends `text` as the content of a JSON string: like ``append(coreEscaped:)``, and with
  /// `\u00XX` for every other control character below 0x20.
  ///
  /// Bytes from 0x7F on are copied. The caller must know whether they are UTF-8
  /// (`ByteSlice.isValidUTF8`).
  package mutating func append(jsonEscaped text: ByteSlice) {
    unsafe append(escaping: text.start, byteCount: text.count, isStrict: true)
  }

  /// Appends `text` as the content of a JSON string.
  package mutating func append(jsonEscaped text: String) {
    var text = text
    text.withUTF8 { utf8 in
      guard let start = utf8.baseAddress else { return }
      unsafe append(escaping: start, byteCount: utf8.count, isStrict: true)
    }
  }

  /// Appends `text` with quotes as a JSON string, in the format of realm-core or, if `isStrict`, of
  /// JSON: like ``append(coreEscaped:)`` or ``append(jsonEscaped:)``.
  package mutating func append(quoted text: ByteSlice, isStrict: Bool) {
    unsafe append(escaping: text.start, byteCount: text.count, isStrict: isStrict, isQuoted: true)
  }

  /// Appends `byteCount` bytes from `start`, escaped where necessary, and with quotes if `isQuoted`.
  ///
  /// Nearly all strings need no escape. So they are copied in steps of constant size, the last one overlapping
  /// the step before, and the collected marks are tested once, at the end.
  @inline(__always)
  private mutating func append(
    escaping start: UnsafeRawPointer, byteCount: Int, isStrict: Bool, isQuoted: Bool = false
  ) {
    guard byteCount > 0, byteCount <= TextBuffer.plainByteCount else {
      return unsafe append(
        lookingAt: start, byteCount: byteCount, isStrict: isStrict, isQuoted: isQuoted)
    }
    let place = unsafe room(for: byteCount &+ 2)
    let target = unsafe isQuoted ? place + 1 : place
    let hasSpecialBytes: Bool
    if byteCount >= 16 {
      hasSpecialBytes = unsafe ctext_copy(start, target, byteCount) != 0
    } else if byteCount >= 8 {
      let last = byteCount &- 8
      let first = unsafe start.loadUnaligned(as: UInt64.self)
      let second = unsafe start.loadUnaligned(fromByteOffset: last, as: UInt64.self)
      unsafe target.storeBytes(of: first, as: UInt64.self)
      unsafe target.storeBytes(of: second, toByteOffset: last, as: UInt64.self)
      hasSpecialBytes = marksOfSpecialBytes(in: first) | marksOfSpecialBytes(in: second) != 0
    } else {
      let word = unsafe wordOfFewBytes(at: start, count: byteCount)
      // Up to seven excess bytes, allowed by invariant 2.
      unsafe target.storeBytes(of: word.littleEndian, as: UInt64.self)
      hasSpecialBytes = marksOfSpecialBytes(in: word) != 0
    }
    guard !hasSpecialBytes else {
      return unsafe append(
        lookingAt: start, byteCount: byteCount, isStrict: isStrict, isQuoted: isQuoted)
    }
    if isQuoted {
      unsafe place.storeBytes(of: 0x22, as: UInt8.self)
      unsafe target.storeBytes(of: 0x22, toByteOffset: byteCount, as: UInt8.self)
    }
    unsafe didWrite(isQuoted ? byteCount &+ 2 : byteCount)
  }

  /// Largest size of a string that is copied before it is tested.
  static var plainByteCount: Int { 4096 }

  /// Copies while it searches for bytes to escape, eight at a time.
  @inline(never)
  private mutating func append(
    lookingAt start: UnsafeRawPointer, byteCount: Int, isStrict: Bool, isQuoted: Bool
  ) {
    if isQuoted { append(0x22) }
    defer { if isQuoted { append(0x22) } }
    /// Size of the pieces that are copied between two requests for room; each byte may become six.
    let pieceByteCount = 4096
    var position = 0
    while position < byteCount {
      // position < byteCount: neither difference nor sum overflows; at most 6 * 4096 + 8.
      let end = position &+ min(byteCount &- position, pieceByteCount)
      let target = unsafe room(for: (end &- position) &* 6 &+ 8)
      var written = 0
      while position < end {
        // Eight bytes more than counted may be written: the 8 in the request above.
        let rest = end &- position
        let word: UInt64
        if rest >= 8 {
          word = unsafe UInt64(
            littleEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        } else {
          word = unsafe wordOfFewBytes(at: start + position, count: rest)
        }
        unsafe target.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
        let marks = marksOfSpecialBytes(in: word)
        // The usual case has constant steps: the next word is loaded before this one is tested.
        if marks == 0 {
          guard rest > 8 else {
            written &+= rest
            position = end
            break
          }
          written &+= 8
          position &+= 8
          continue
        }
        // The lowest mark is on a byte of the string, because the padding of a word has no marks.
        let plain = marks.trailingZeroBitCount >> 3
        let byte = unsafe start.load(fromByteOffset: position &+ plain, as: UInt8.self)
        position &+= plain &+ 1
        written &+= plain
        written &+= unsafe write(escaped: byte, isStrict: isStrict, to: target + written)
      }
      unsafe didWrite(written)
    }
  }
}

/// The two letters of RFC 4648, section 4, for each value of twelve bits: the first one in the lower byte.
private let base64Pairs: [UInt16] = {
  let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  return (0..<4096).map { UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8 }
}()

extension TextBuffer {
  /// Appends `bytes` in base64 with padding and without line breaks (chapter 6, section 1.3
  /// "Base64").
  package mutating func append(base64 bytes: ByteSlice) {
    let length = (bytes.count + 2) / 3 * 4
    let target = unsafe room(for: length)
    unsafe base64Pairs.withUnsafeBufferPointer { pairs in
      /// The letters of 24 bits, the first in the lowest byte.
      @inline(__always)
      func letters(_ group: UInt32) -> UInt32 {
        // Twelve bits are below the number of pairs.
        let first = unsafe pairs[Int(group &>> 12 & 0xFFF)]
        return unsafe UInt32(first) | UInt32(pairs[Int(group & 0xFFF)]) << 16
      }
      /// The byte at `offset`, which the loops below keep in range.
      @inline(__always)
      func byte(_ offset: Int) -> UInt32 {
        unsafe UInt32(bytes.start.load(fromByteOffset: offset, as: UInt8.self))
      }

      // Four bytes are written for each three bytes read, and for the rest: `length` in total.
      var (position, written) = (0, 0)
      while bytes.count &- position >= 3 {
        let group = byte(position) << 16 | byte(position &+ 1) << 8 | byte(position &+ 2)
        unsafe target.storeBytes(
          of: letters(group).littleEndian, toByteOffset: written, as: UInt32.self)
        position &+= 3
        written &+= 4
      }
      let rest = bytes.count &- position
      guard rest > 0 else { return }
      let group = byte(position) << 16 | (rest == 2 ? byte(position &+ 1) << 8 : 0)
      // An equals sign for each missing byte.
      let padding: UInt32 = rest == 2 ? 0x3D00_0000 : 0x3D3D_0000
      let known: UInt32 = rest == 2 ? 0x00FF_FFFF : 0x0000_FFFF
      unsafe target.storeBytes(
        of: (letters(group) & known | padding).littleEndian, toByteOffset: written, as: UInt32.self)
    }
    unsafe didWrite(length)
  }

  /// Appends `bytes` in base64.
  package mutating func append(base64 bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      let slice = unsafe ByteSlice(start: start, count: buffer.count)
      append(base64: slice)
    }
  }
}

/// Whether realm-core's query serializer writes the single byte `byte` between quotes: letters, digits,
/// space and all other ASCII characters except the two quotes and the backslash.
@inline(__always)
private func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x27 && byte != 0x5C
}

/// Number of bytes of the sequence that starts with `lead`, by its highest bits alone. The sequences of five
/// and six bytes of original UTF-8 count; a continuation byte is a sequence of one byte.
@inline(__always)
private func sequenceLength(lead: UInt8) -> Int {
  switch lead {
  case 0xC0...0xDF: 2
  case 0xE0...0xEF: 3
  case 0xF0...0xF7: 4
  case 0xF8...0xFB: 5
  case 0xFC...0xFD: 6
  default: 1
  }
}

extension TextBuffer {
  /// Appends a dictionary key in the JSON format of realm-core (chapter 6, section 1.4 "Dictionary
  /// keys"): `"key"`, or `B64"…"` if a character is not printable by its rules.
  ///
  /// The rules do not require valid UTF-8: in a longer sequence, only the highest bit of each byte after the
  /// first counts. An empty key is `""`.
  package mutating func append(coreKey key: ByteSlice) {
    if TextBuffer.isPrintableByCore(key) {
      append(0x22)
      append(key)
    } else {
      append("B64\"")
      append(base64: key)
    }
    append(0x22)
  }

  /// Whether ``append(coreKey:)`` writes `key` unchanged.
  private static func isPrintableByCore(_ key: ByteSlice) -> Bool {
    var position = 0
    while position < key.count {
      let lead = key[position]
      let length = sequenceLength(lead: lead)
      if length == 1 {
        guard isPlain(lead) else { return false }
      } else {
        guard length <= key.count - position else { return false }
        for offset in 1..<length where key[position + offset] < 0x80 { return false }
      }
      position += length
    }
    return true
  }
}
