/// An IEEE 754-2008 decimal of 128 bits with binary integer encoding (chapter 2, section 3.11).
public struct Decimal128: Hashable, Sendable {
  /// Bits 0–63 of the coefficient.
  public let low: UInt64
  /// Sign, exponent (biased by 6176), and bits 64–112 of the coefficient.
  public let high: UInt64

  public init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  static let exponentBias: Int = 6176

  /// - Parameter exponent: unbiased, within ±6000. All smaller forms are within this range.
  init(isNegative: Bool, exponent: Int, coefficient: UInt64) {
    low = coefficient
    high =
      (isNegative ? 1 << 63 : 0) | UInt64(exponent + Decimal128.exponentBias) << 49
  }

  /// The NaN that represents null.
  public static let null = Decimal128(low: 0xAA, high: 0x7C00_0000_0000_0000)
  public static let zero = Decimal128(isNegative: false, exponent: 0, coefficient: 0)

  public var isNull: Bool { self == .null }
}
