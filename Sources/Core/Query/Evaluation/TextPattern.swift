import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pattern that strings are compared with: exactly, or ignoring the case of ASCII and Latin-1 letters
/// (chapter 6, section 4.10).
struct TextPattern: Sendable {
  private let bytes: ByteSlice
  private let ignoresCase: Bool
  /// Up to this length, trying the pattern at each place of a string is fastest.
  private static let shortCount = 32

  /// - Parameter bytes: must stay readable as long as the pattern lives.
  init(_ bytes: ByteSlice, ignoresCase: Bool) {
    (self.bytes, self.ignoresCase) = (bytes, ignoresCase)
  }

  func equals(_ text: ByteSlice) -> Bool {
    text.count == bytes.count && matches(text, at: 0)
  }

  func isPrefix(of text: ByteSlice) -> Bool {
    text.count >= bytes.count && matches(text, at: 0)
  }

  func isSuffix(of text: ByteSlice) -> Bool {
    text.count >= bytes.count && matches(text, at: text.count - bytes.count)
  }

  /// Whether the pattern occurs anywhere in `text`.
  func isPart(of text: ByteSlice) -> Bool {
    guard !bytes.isEmpty else { return true }
    guard text.count >= bytes.count else { return false }
    guard bytes.count <= TextPattern.shortCount else { return isLongPart(of: text) }
    guard ignoresCase else { return isExactPart(of: text) }
    let last = text.count - bytes.count
    return unsafe text.withUnsafeBytes { text in
      unsafe bytes.withUnsafeBytes { pattern in
        let first = TextPattern.folded(unsafe pattern[0], after: 0)
        for start in 0...last
        where unsafe TextPattern.folded(text[start], after: 0) == first
          && TextPattern.areEqual(text, start, pattern)
        {
          return true
        }
        return false
      }
    }
  }

  /// Whether the pattern occurs in `text`, case included. It is not empty and not longer than `text`.
  private func isExactPart(of text: ByteSlice) -> Bool {
    var next = unsafe text.start
    let end = unsafe text.start + (text.count - bytes.count + 1)
    let first = Int32(bytes[0])
    while unsafe next < end {
      guard let found = unsafe memchr(next, first, end - next) else { return false }
      // In bounds: from here on there are at least as many bytes as in the pattern.
      if unsafe memcmp(found, bytes.start, bytes.count) == 0 { return true }
      unsafe next = UnsafeRawPointer(found) + 1
    }
    return false
  }

  /// Whether the pattern, which is not empty, occurs in `text`. Takes time proportional to the length of
  /// `text`, whatever repeats in it (Knuth, Morris and Pratt).
  private func isLongPart(of text: ByteSlice) -> Bool {
    // For each prefix of the pattern, the length of its longest proper suffix that is a prefix too.
    var ends = [0]
    ends.reserveCapacity(bytes.count)
    var length = 0
    for i in 1..<bytes.count {
      let byte = folded(bytes, i)
      while length > 0, folded(bytes, length) != byte { length = ends[length - 1] }
      if folded(bytes, length) == byte { length += 1 }
      ends.append(length)
    }
    length = 0
    for i in 0..<text.count {
      let byte = folded(text, i)
      while length > 0, folded(bytes, length) != byte { length = ends[length - 1] }
      if folded(bytes, length) == byte { length += 1 }
      if length == bytes.count { return true }
    }
    return false
  }

  /// The byte at `i`, in lower case if case is ignored.
  @inline(__always)
  private func folded(_ text: ByteSlice, _ i: Int) -> UInt8 {
    guard ignoresCase else { return text[i] }
    return TextPattern.folded(text[i], after: i > 0 ? text[i - 1] : 0)
  }

  @inline(__always)
  private func matches(_ text: ByteSlice, at start: Int) -> Bool {
    unsafe text.withUnsafeBytes { text in
      unsafe bytes.withUnsafeBytes { pattern in
        guard ignoresCase else {
          // Without bytes, nothing is read through the pointers.
          guard pattern.count > 0, let x = text.baseAddress, let y = pattern.baseAddress else {
            return true
          }
          // Most strings differ in the first byte, and a call takes longer than comparing it.
          return unsafe x.load(fromByteOffset: start, as: UInt8.self)
            == y.load(as: UInt8.self) && memcmp(x + start, y, pattern.count) == 0
        }
        return unsafe TextPattern.areEqual(text, start, pattern)
      }
    }
  }

  /// Whether the bytes of `text` from `start` on, which must be enough, are those of `pattern`, ignoring case.
  @inline(__always)
  private static func areEqual(
    _ text: UnsafeRawBufferPointer, _ start: Int, _ pattern: UnsafeRawBufferPointer
  ) -> Bool {
    var (before, patternBefore): (UInt8, UInt8) = (0, 0)
    for i in 0..<pattern.count {
      let (byte, expected) = unsafe (text[start + i], pattern[i])
      guard folded(byte, after: before) == folded(expected, after: patternBefore) else {
        return false
      }
      (before, patternBefore) = (byte, expected)
    }
    return true
  }

  /// The byte in lower case, if it is an ASCII letter or the second byte of a letter from U+00C0 to U+00DE
  /// other than ×.
  @inline(__always)
  private static func folded(_ byte: UInt8, after before: UInt8) -> UInt8 {
    if byte &- UInt8(ascii: "A") < 26 { return byte | 0x20 }
    if before == 0xC3, byte >= 0x80, byte <= 0x9E, byte != 0x97 { return byte | 0x20 }
    return byte
  }

  // MARK: Wildcards

  /// Whether all of `text` matches the pattern, in which `*` stands for any bytes and `?` for one UTF-8
  /// character.
  ///
  /// If a part does not match, the search returns to the last `*` only, so the time is at most the product of
  /// both lengths.
  func isLike(_ text: ByteSlice) -> Bool {
    unsafe text.withUnsafeBytes { text in
      unsafe bytes.withUnsafeBytes { pattern in unsafe isLike(text, pattern) }
    }
  }

  private func isLike(
    _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer
  ) -> Bool {
    var (position, next) = (0, 0)
    var star: (next: Int, position: Int)?
    while position < text.count {
      if next < pattern.count, unsafe pattern[next] == UInt8(ascii: "*") {
        next += 1
        star = (next, position)
        continue
      }
      if next < pattern.count, unsafe pattern[next] == UInt8(ascii: "?") {
        position = min(
          text.count, position + TextPattern.length(ofCharacter: unsafe text[position]))
        next += 1
        continue
      }
      if next < pattern.count, unsafe isEqual(text, position, pattern, next) {
        position += 1
        next += 1
        continue
      }
      guard let last = star else { return false }
      star = (last.next, last.position + 1)
      (next, position) = (last.next, last.position + 1)
    }
    // Like the reference, which allows one `*` at the end of the string, not more.
    if next < pattern.count, unsafe pattern[next] == UInt8(ascii: "*") { next += 1 }
    return next == pattern.count
  }

  @inline(__always)
  private func isEqual(
    _ text: UnsafeRawBufferPointer, _ i: Int, _ pattern: UnsafeRawBufferPointer, _ j: Int
  ) -> Bool {
    guard ignoresCase else { return unsafe text[i] == pattern[j] }
    return unsafe TextPattern.folded(text[i], after: i > 0 ? text[i - 1] : 0)
      == TextPattern.folded(pattern[j], after: j > 0 ? pattern[j - 1] : 0)
  }

  /// The number of bytes of the character whose first byte is `first`.
  private static func length(ofCharacter first: UInt8) -> Int {
    switch first {
    case 0xC0...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF7: 4
    default: 1
    }
  }
}
