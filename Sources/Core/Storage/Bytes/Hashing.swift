/// A 64-bit number mixed so that every bit of the result depends on every bit of `value`: the finalizer of
/// Steele, Lea and Flood (2014).
@usableFromInline @inline(__always)
package func mixed(_ value: UInt64) -> UInt64 {
  var z = value
  z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
  return z ^ z >> 31
}

extension ByteSlice {
  /// A hash of the bytes, the same in every run of the program. It does not protect against bytes that
  /// were crafted to collide.
  package var contentHash: UInt64 {
    // Odd, with evenly spread bits: 2⁶⁴ divided by the golden ratio.
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    var hash = UInt64(truncatingIfNeeded: count) &* factor
    var offset = 0
    while offset + 8 <= count {
      // Wrapping: a hash uses all bits.
      let word = unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = (hash ^ word) &* factor
      hash ^= hash >> 32
      offset += 8
    }
    var last: UInt64 = 0
    while offset < count {
      last = last << 8 | UInt64(self[offset])
      offset += 1
    }
    hash = (hash ^ last) &* factor
    return hash ^ hash >> 29
  }
}
