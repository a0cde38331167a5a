import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Index bytes")
struct IndexDataTests {
  private func text(_ text: String) -> MixedValue { .string(lastingSlice(Array(text.utf8))) }

  private func chunks(_ value: MixedValue, _ count: Int = 3) -> [UInt32] {
    (0..<count).map { UInt32(bitPattern: IndexData(value).chunk(at: $0 * 4)) }
  }

  /// The table of chapter 3, section 5.2.
  @Test("chunk keys of the specification")
  func table() {
    #expect(chunks(.null) == [0, 0, 0])
    #expect(chunks(text(""), 2) == [0x5800_0000, 0])
    #expect(chunks(text("a"), 2) == [0x6158_0000, 0])
    #expect(chunks(text("abc"), 2) == [0x6162_6358, 0])
    #expect(chunks(text("abcX")) == [0x6162_6358, 0x5800_0000, 0])
    #expect(chunks(text("abcd")) == [0x6162_6364, 0x5800_0000, 0])
    #expect(chunks(text("été")) == [0xC3A9_74C3, 0xA958_0000, 0])
    #expect(IndexData(text("été")).chunk(at: 0) == -1_012_304_701)
    #expect(chunks(.int(5)) == [0x0500_0000, 0, 0x5800_0000])
    #expect(chunks(.int(256)) == [0x0001_0000, 0, 0x5800_0000])
    #expect(chunks(.int(-1)) == [0xFFFF_FFFF, 0xFFFF_FFFF, 0x5800_0000])
  }

  @Test("strings of every length end with the terminator", arguments: 0...40)
  func lengths(length: Int) {
    let bytes = (0..<length).map { UInt8($0 + 1) }
    let data = IndexData(.string(lastingSlice(bytes)))
    let padded = bytes + [0x58, 0, 0, 0]
    for offset in stride(from: 0, through: length, by: 4) {
      let expected = padded[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
      #expect(UInt32(bitPattern: data.chunk(at: offset)) == expected)
    }
    #expect(data.chunk(at: length / 4 * 4 + 4) == 0)
    let wide = padded + [UInt8](repeating: 0, count: 16)
    for offset in [0, 8] {
      #expect(data.word(at: offset) == wide[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  @Test("numbers of a mixed property that are whole count as integers")
  func numbers() {
    #expect(IndexData(.double(5)) == IndexData(.int(5)))
    #expect(IndexData(.float(-3)) == IndexData(.int(-3)))
    #expect(IndexData(.bool(true)) == IndexData(.int(1)))
    #expect(IndexData(.double(0x1p40)) != IndexData(.int(1 << 40)))
    #expect(IndexData(.double(.nan)) == .short(low: Double.nan.bitPattern, high: 0, count: 8))
    // 5.25: coefficient 525, exponent -2.
    let decimal = Decimal128(low: 525, high: UInt64(6176 - 2) << 49)
    #expect(IndexData(.decimal(decimal)) == IndexData(.int(5)))
    #expect(decimal.truncated == 5)
    #expect(Decimal128(low: 1, high: UInt64(6176 + 19) << 49).truncated == nil)
    #expect(
      Decimal128(low: 1, high: UInt64(6176 + 18) << 49).truncated == 1_000_000_000_000_000_000)
    #expect(Decimal128(low: 0, high: 0x7C00_0000_0000_0000).truncated == nil)
  }

  @Test("times, links and nested collections")
  func others() {
    #expect(
      chunks(.timestamp(seconds: 1, nanoseconds: 2), 4)
        == [0x0100_0000, 0, 0x0200_0000, 0x5800_0000])
    #expect(
      chunks(.typedLink(TableKey(3), ObjectKey(4)), 4)
        == [0x0300_0000, 0x0400_0000, 0, 0x5800_0000])
    #expect(IndexData(.typedLink(TableKey(3), ObjectKey(-5))) == .null)
    #expect(IndexData(.list(0)) == IndexData(text("__List__")))
    #expect(IndexData(.dictionary(0)) == IndexData(text("__Dictionary__")))
  }
}
