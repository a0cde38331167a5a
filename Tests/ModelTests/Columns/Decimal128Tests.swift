import Testing

@testable import RealmModel

@Suite("Decimal128")
struct Decimal128Tests {
  /// 1.5 as the worked example of chapter 2, section 10.3 stores it.
  @Test("a small coefficient is canonical, a payload of a NaN is not")
  func canonical() {
    #expect(Decimal128(low: 15, high: 0x303E_0000_0000_0000).isCanonical)
    #expect(Decimal128(low: 0, high: 0x7C00_0000_0000_0000).isCanonical)
    #expect(!Decimal128(low: 1, high: 0x7C00_0000_0000_0000).isCanonical)
    #expect(Decimal128(low: 0, high: 0x7800_0000_0000_0000).isCanonical)
    #expect(!Decimal128(low: 7, high: 0xF800_0000_0000_0000).isCanonical)
  }

  @Test("the NaN with payload 0xAA is null, the default NaN is a value")
  func null() {
    #expect(Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000).isNull)
    #expect(!Decimal128(low: 0, high: 0x7C00_0000_0000_0000).isNull)
  }

  /// Rounded digit by digit, …449 became …45 and that …5.
  @Test("a double is rounded to 15 digits once")
  func roundsOnce() {
    let rounded = Decimal128(rounding: 0.11326571694195449, digits: 15)
    let below = Decimal128(isNegative: false, exponent: -15, coefficient: 113_265_716_941_954)
    #expect(Decimal128.compare(rounded, below) == 0)
    let half = Decimal128(rounding: 0.5, digits: 15)
    #expect(half == Decimal128(isNegative: false, exponent: -1, coefficient: 5))
  }
}
