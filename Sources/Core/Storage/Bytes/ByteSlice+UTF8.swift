extension ByteSlice {
  /// Whether the bytes are well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF
  /// (table 3-7 of the Unicode standard).
  package var isValidUTF8: Bool { isASCII || hasOnlyUTF8 }

  /// Whether one of the bytes is 0.
  package var hasZero: Bool { unsafe withUnsafeBytes { unsafe $0.contains(0) } }

  /// Whether no byte is above 127. Reads whole words, the last of which overlaps the one before: most strings
  /// are short, and reading the rest byte by byte would take most of the time.
  @inline(__always)
  private var isASCII: Bool {
    var bits: UInt64 = 0
    if count >= 8 {
      let last = count &- 8
      var offset = 0
      while offset < last {
        bits |= unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        offset &+= 8
      }
      bits |= unsafe start.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    } else if count >= 4 {
      bits = unsafe UInt64(
        start.loadUnaligned(as: UInt32.self)
          | start.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else if count > 0 {
      // The first, middle and last of up to three bytes.
      bits = unsafe UInt64(
        start.load(as: UInt8.self) | start.load(fromByteOffset: count &>> 1, as: UInt8.self)
          | start.load(fromByteOffset: count &- 1, as: UInt8.self))
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  private var hasOnlyUTF8: Bool {
    var position = 0
    /// Whether the byte at `offset` exists and lies in `range`.
    @inline(__always)
    func has(_ range: ClosedRange<UInt8>, at offset: Int) -> Bool {
      guard offset < count else { return false }
      return unsafe range.contains(start.load(fromByteOffset: offset, as: UInt8.self))
    }
    while position < count {
      if count &- position >= 8 {
        let word = unsafe start.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          position &+= 8
          continue
        }
      }
      // Each step below covers bytes that exist, so position stays <= count.
      let lead = unsafe start.load(fromByteOffset: position, as: UInt8.self)
      if lead < 0x80 {
        position &+= 1
        continue
      }
      let second: ClosedRange<UInt8>
      let length: Int
      switch lead {
      case 0xC2...0xDF: (second, length) = (0x80...0xBF, 2)
      case 0xE0: (second, length) = (0xA0...0xBF, 3)
      case 0xED: (second, length) = (0x80...0x9F, 3)
      case 0xE1...0xEF: (second, length) = (0x80...0xBF, 3)
      case 0xF0: (second, length) = (0x90...0xBF, 4)
      case 0xF1...0xF3: (second, length) = (0x80...0xBF, 4)
      case 0xF4: (second, length) = (0x80...0x8F, 4)
      default: return false
      }
      guard has(second, at: position &+ 1) else { return false }
      if length > 2, !has(0x80...0xBF, at: position &+ 2) { return false }
      if length > 3, !has(0x80...0xBF, at: position &+ 3) { return false }
      position &+= length
    }
    return true
  }
}
