import RealmModel
import RealmStorage

/// A keyed hash of 64 bits: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). Without the key
/// of 128 bits, nobody can tell its results from random numbers.
struct MaskHash: Sendable {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  init(key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736F_6D65_7073_6575
    v1 = key.1 ^ 0x646F_7261_6E64_6F6D
    v2 = key.0 ^ 0x6C79_6765_6E65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word &<< count | word &>> (64 &- count)
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v2 &+= v3
    v1 = MaskHash.rotated(v1, 13) ^ v0
    v3 = MaskHash.rotated(v3, 16) ^ v2
    v0 = MaskHash.rotated(v0, 32) &+ v3
    v2 &+= v1
    v3 = MaskHash.rotated(v3, 21) ^ v0
    v1 = MaskHash.rotated(v1, 17) ^ v2
    v2 = MaskHash.rotated(v2, 32)
  }

  /// Adds eight bytes of the message.
  @inline(__always)
  mutating func add(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  /// Adds the last bytes of the message, and their number.
  @inline(__always)
  mutating func add(_ bytes: ByteSlice) {
    var offset = 0
    while offset + 8 <= bytes.count {
      add(bytes.littleEndian(at: offset))
      offset += 8
    }
    var last: UInt64 = 0
    var end = bytes.count
    while end > offset {
      end -= 1
      last = last &<< 8 | UInt64(bytes[end])
    }
    add(last, count: bytes.count)
  }

  /// Adds the last word of the message.
  ///
  /// - Parameters:
  ///   - last: up to seven bytes.
  ///   - count: number of bytes of the message.
  @inline(__always)
  mutating func add(_ last: UInt64, count: Int) {
    add(last | UInt64(truncatingIfNeeded: count) &<< 56)
  }

  /// The hash of what was added.
  @inline(__always)
  var value: UInt64 {
    var end = self
    end.v2 ^= 0xFF
    for _ in 0..<4 { end.round() }
    return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
  }
}

/// Adds the bytes of words to a hash.
struct HashedWords: WordBytes {
  private var hash: MaskHash
  private(set) var byteCount = 0
  /// The last bytes, fewer than eight.
  private var last: UInt64 = 0

  init(_ hash: MaskHash) { self.hash = hash }

  @inline(__always)
  mutating func add(_ byte: UInt8) {
    last |= UInt64(byte) &<< UInt64(8 &* (byteCount & 7))
    byteCount += 1
    guard byteCount & 7 == 0 else { return }
    hash.add(last)
    last = 0
  }

  mutating func add(letters: ByteSlice) {
    for i in 0..<letters.count { add(letters[i] | HashedWords.lowerCase) }
  }

  /// The hash of all bytes.
  var value: UInt64 {
    var end = hash
    end.add(last, count: byteCount)
    return end.value
  }
}
