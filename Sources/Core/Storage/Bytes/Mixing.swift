/// Steele, Lea and Flood's finalizer (2014): every bit of the result depends on every bit of `value`.
@usableFromInline @inline(__always)
package func mixed(_ value: UInt64) -> UInt64 {
  var z = value
  z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
  z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
  return z ^ z >> 31
}
