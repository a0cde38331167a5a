import RealmStorage

/// Numbers of one to ten bytes: seven bits each, the lowest first; the highest bit of a byte is set if another one
/// follows.
enum CompactNumber {
  /// Reads the number at `offset` of `bytes`, and moves `offset` past it.
  ///
  /// - Returns: nil if the number does not end in `bytes`; `offset` is then of no use.
  @inline(__always)
  static func read(_ bytes: ByteSlice, at offset: inout Int) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    return nil
  }
}

extension ByteStore {
  /// Appends a ``CompactNumber``.
  func append(compact number: UInt64) {
    guard number >= 0x80 else { return append(UInt8(number)) }
    var (low, high): (UInt64, UInt64) = (0, 0)
    var (rest, count) = (number, UInt64(0))
    while true {
      let byte = rest >= 0x80 ? rest & 0x7F | 0x80 : rest
      if count < 8 { low |= byte << (8 * count) } else { high |= byte << (8 * count - 64) }
      count += 1
      guard rest >= 0x80 else { break }
      rest >>= 7
    }
    append(low, high, count: Int(count))
  }
}
