import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// The vectors of chapter 3, sections 4.3 and 4.4.
@Suite("Global keys")
struct GlobalKeyTests {
  private func unresolved(_ value: MixedValue) -> Int64? {
    GlobalKey(primaryKey: value)?.hashedKey.unresolved.raw
  }

  @Test("the key of a tombstone is derived from the primary key")
  func hashed() {
    func text(_ text: String) -> MixedValue { .string(lastingSlice(Array(text.utf8))) }
    #expect(unresolved(text("abc")) == -3_062_736_124_511_164_843)
    #expect(unresolved(text("missing")) == -473_302_717_188_276_572)
    #expect(unresolved(text("hello")) == -2_515_477_941_069_477_036)
    #expect(
      unresolved(.objectId(lastingSlice(hexadecimalBytes("0102030405060708090a0b0c"))))
        == -2_148_803_544_837_642_536)
    #expect(
      unresolved(.uuid(lastingSlice(hexadecimalBytes("3b241101e2bb42558caf4136c566a963"))))
        == -2_569_698_059_596_443_534)
    #expect(unresolved(.int(100)) == -102)
    #expect(unresolved(.int(-3)) == -4_611_686_018_427_387_903)
    #expect(unresolved(.null) == -2)
    #expect(GlobalKey(primaryKey: .bool(true)) == nil)
  }

  @Test(
    "a squeezed key gives its two halves",
    arguments: [
      (0x12_3456_0178, 1, 0x1234_5678), (0x12_3456_FF78, 0xFF, 0x1234_5678),
      (0x112_3456_0078, 0x100, 0x1234_5678), (0x3FFF_FF12_3456_FF78, 0x3FFF_FFFF, 0x1234_5678),
      (65536, 0, 256), (65580, 0, 300), (255, 0, 255),
    ] as [(Int64, UInt64, UInt64)])
  func squeezed(key: Int64, high: UInt64, low: UInt64) {
    let global = GlobalKey(squeezed: ObjectKey(key))
    #expect(global?.high == high)
    #expect(global?.low == low)
  }
}
