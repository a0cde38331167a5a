import RealmStorage

/// The hash under which a dictionary of format 22 keeps an entry (chapter 2, section 8.3): CityHash64 of the key's bytes, or
/// 32-bit MurmurHash2 on platforms of 32 bits. An integer is its own hash.
package enum DictionaryHash {
  /// The upper bit is left free, for entries whose hash is taken.
  private static let mask: UInt64 = 0x7FFF_FFFF_FFFF_FFFF

  /// The object key of the entry with `key`, unless another entry has the same hash.
  package static func objectKey(of key: MixedValue, _ platform: WriterPlatform) -> ObjectKey {
    let hash: UInt64 =
      switch key {
      case .string(let text):
        platform.hasWideHashes ? CityHash.hash(text) : UInt64(MurmurHash.hash(text))
      case .int(let number):
        platform.hasWideHashes
          ? UInt64(bitPattern: number) : UInt64(UInt32(truncatingIfNeeded: number))
      default: 0
      }
    return ObjectKey(Int64(hash & mask))
  }

  /// The object keys of entries whose hash is taken are −2 − h, from the hash h on.
  package static func collidingKey(_ hash: ObjectKey, attempt: UInt64) -> ObjectKey {
    ObjectKey(-2 - Int64((UInt64(hash.raw) + attempt) & mask))
  }
}

/// CityHash64, version 1.0: the hash function of strings in libc++.
private enum CityHash {
  private static let k0: UInt64 = 0xC3A5_C85C_97CB_3127
  private static let k1: UInt64 = 0xB492_B66F_BE98_F273
  private static let k2: UInt64 = 0x9AE1_6A3B_2F90_404F
  private static let k3: UInt64 = 0xC949_D7C7_509E_6557
  private static let multiplier: UInt64 = 0x9DDF_EA08_EB38_2D69

  static func hash(_ bytes: ByteSlice) -> UInt64 {
    switch bytes.count {
    case 0...16: shortest(bytes)
    case 17...32: short(bytes)
    case 33...64: medium(bytes)
    default: long(bytes)
    }
  }

  private static func shortest(_ bytes: ByteSlice) -> UInt64 {
    let count = bytes.count
    if count > 8 {
      let (a, b) = (bytes.littleEndian(at: 0), bytes.littleEndian(at: count - 8))
      return mix(a, rotate(b &+ UInt64(count), count)) ^ b
    }
    if count >= 4 {
      let (a, b) = (bytes.littleEndian32(at: 0), bytes.littleEndian32(at: count - 4))
      return mix(UInt64(count) &+ UInt64(a << 3), UInt64(b))
    }
    guard count > 0 else { return k2 }
    let y = UInt64(bytes[0]) + UInt64(bytes[count >> 1]) << 8
    let z = UInt64(count) + UInt64(bytes[count - 1]) << 2
    return shift(y &* k2 ^ z &* k3) &* k2
  }

  private static func short(_ bytes: ByteSlice) -> UInt64 {
    let count = bytes.count
    let a = bytes.littleEndian(at: 0) &* k1
    let b = bytes.littleEndian(at: 8)
    let c = bytes.littleEndian(at: count - 8) &* k2
    let d = bytes.littleEndian(at: count - 16) &* k0
    return mix(
      rotate(a &- b, 43) &+ rotate(c, 30) &+ d,
      a &+ rotate(b ^ k3, 20) &- c &+ UInt64(count))
  }

  private static func medium(_ bytes: ByteSlice) -> UInt64 {
    let count = bytes.count
    let first = half(
      bytes, at: 0,
      z: bytes.littleEndian(at: 24),
      a: bytes.littleEndian(at: 0)
        &+ (UInt64(count) &+ bytes.littleEndian(at: count - 16)) &* k0)
    let last = half(
      bytes, at: count - 32,
      z: bytes.littleEndian(at: 24) &+ bytes.littleEndian(at: count - 8),
      a: bytes.littleEndian(at: 16) &+ bytes.littleEndian(at: count - 32))
    let r = shift((first.0 &+ last.1) &* k2 &+ (last.0 &+ first.1) &* k0)
    return shift(r &* k0 &+ first.1) &* k2
  }

  private static func half(
    _ bytes: ByteSlice, at start: Int, z: UInt64, a: UInt64
  ) -> (UInt64, UInt64) {
    var a = a
    let b = rotate(a &+ z, 52)
    var c = rotate(a, 37)
    a = a &+ bytes.littleEndian(at: start + 8)
    c = c &+ rotate(a, 7)
    a = a &+ bytes.littleEndian(at: start + 16)
    return (a &+ z, b &+ rotate(a, 31) &+ c)
  }

  private static func long(_ bytes: ByteSlice) -> UInt64 {
    let count = bytes.count
    var x = bytes.littleEndian(at: count - 40)
    var y = bytes.littleEndian(at: count - 16) &+ bytes.littleEndian(at: count - 56)
    var z = mix(
      bytes.littleEndian(at: count - 48) &+ UInt64(count), bytes.littleEndian(at: count - 24))
    var v = weak(bytes, at: count - 64, UInt64(count), z)
    var w = weak(bytes, at: count - 32, y &+ k1, x)
    x = x &* k1 &+ bytes.littleEndian(at: 0)
    for start in stride(from: 0, to: (count - 1) & ~63, by: 64) {
      x = rotate(x &+ y &+ v.0 &+ bytes.littleEndian(at: start + 8), 37) &* k1
      y = rotate(y &+ v.1 &+ bytes.littleEndian(at: start + 48), 42) &* k1
      x ^= w.1
      y = y &+ v.0 &+ bytes.littleEndian(at: start + 40)
      z = rotate(z &+ w.0, 33) &* k1
      v = weak(bytes, at: start, v.1 &* k1, x &+ w.0)
      w = weak(bytes, at: start + 32, z &+ w.1, y &+ bytes.littleEndian(at: start + 16))
      swap(&z, &x)
    }
    return mix(mix(v.0, w.0) &+ shift(y) &* k1 &+ z, mix(v.1, w.1) &+ x)
  }

  private static func weak(
    _ bytes: ByteSlice, at start: Int, _ a: UInt64, _ b: UInt64
  ) -> (UInt64, UInt64) {
    var a = a &+ bytes.littleEndian(at: start)
    let z = bytes.littleEndian(at: start + 24)
    var b = rotate(b &+ a &+ z, 21)
    let c = a
    a = a &+ bytes.littleEndian(at: start + 8) &+ bytes.littleEndian(at: start + 16)
    b = b &+ rotate(a, 44)
    return (a &+ z, b &+ c)
  }

  private static func mix(_ u: UInt64, _ v: UInt64) -> UInt64 {
    var a = (u ^ v) &* multiplier
    a = shift(a)
    return shift((v ^ a) &* multiplier) &* multiplier
  }

  private static func shift(_ value: UInt64) -> UInt64 { value ^ value >> 47 }

  private static func rotate(_ value: UInt64, _ count: Int) -> UInt64 {
    value >> UInt64(count) | value << UInt64(64 - count)
  }
}

/// MurmurHash2 of 32 bits, with the number of bytes as its seed.
private enum MurmurHash {
  private static let multiplier: UInt32 = 0x5BD1_E995

  static func hash(_ bytes: ByteSlice) -> UInt32 {
    var hash = UInt32(truncatingIfNeeded: bytes.count)
    var start = 0
    while start + 4 <= bytes.count {
      var word = bytes.littleEndian32(at: start) &* multiplier
      word ^= word >> 24
      hash = hash &* multiplier ^ word &* multiplier
      start += 4
    }
    if start < bytes.count {
      for i in start..<bytes.count { hash ^= UInt32(bytes[i]) << UInt32(8 * (i - start)) }
      hash = hash &* multiplier
    }
    hash ^= hash >> 13
    hash = hash &* multiplier
    return hash ^ hash >> 15
  }
}
