extension ByteSlice {
  /// True where the bytes are valid UTF-8: no surrogates, nothing longer than it need be.
  public var isValidUTF8: Bool {
    unsafe withUnsafeBytes { bytes in
      var i = 0
      let count = bytes.count
      while i < count {
        // Eight characters of ASCII at a time: most text is nothing else.
        if i <= count &- 8 {
          let word = unsafe bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self)
          if word & 0x8080_8080_8080_8080 == 0 {
            i &+= 8
            continue
          }
        }
        let length = unsafe ByteSlice.characterByteCount(bytes, at: i)
        guard length > 0 else { return false }
        i &+= length
      }
      return true
    }
  }

  /// Bytes of the character at `i`, which must exist; 0 where there is none that is valid (RFC 3629,
  /// section 4).
  @unsafe
  private static func characterByteCount(_ bytes: UnsafeRawBufferPointer, at i: Int) -> Int {
    let first = unsafe bytes[i]
    if first < 0x80 { return 1 }
    /// True where the byte `k` behind the first is in `range`.
    func follows(_ k: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
      unsafe i + k < bytes.count && range.contains(bytes[i + k])
    }
    switch first {
    case 0xC2...0xDF: return follows(1) ? 2 : 0
    case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : 0
    case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : 0
    case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : 0
    case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : 0
    case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : 0
    case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : 0
    default: return 0
    }
  }
}
