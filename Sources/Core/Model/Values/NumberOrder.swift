/// A number of any type, compared by value (chapter 2, section 6.3; chapter 6, section 4.5).
package enum NumberOrder {
  case int(Int64)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)

  /// Nil if `value` is not a number.
  init?(_ value: MixedValue) {
    switch value {
    case .int(let number): self = .int(number)
    case .float(let number): self = .float(number)
    case .double(let number): self = .double(number)
    case .decimal(let number): self = .decimal(number)
    default: return nil
    }
  }

  /// -1, 0 or 1. NaNs come before all other numbers, ordered by their bits. A number and a decimal are compared
  /// as decimals.
  package static func compare(_ a: NumberOrder, _ b: NumberOrder) -> Int {
    switch (a, b) {
    case (.int(let x), .int(let y)): order(x, y)
    case (.int(let x), .float(let y)): compare(x, Double(y))
    case (.int(let x), .double(let y)): compare(x, y)
    case (.float(let x), .int(let y)): -compare(y, Double(x))
    case (.double(let x), .int(let y)): -compare(y, x)
    case (.float(let x), .float(let y)): compare(Double(x), Double(y))
    case (.float(let x), .double(let y)): compare(Double(x), y)
    case (.double(let x), .float(let y)): compare(x, Double(y))
    case (.double(let x), .double(let y)): compare(x, y)
    default: Decimal128.compare(a.decimal, b.decimal)
    }
  }

  /// The number as a decimal: a float with 7 significant digits, a double with 15.
  package var decimal: Decimal128 {
    switch self {
    case .int(let number): Decimal128(number)
    case .float(let number): Decimal128(rounding: Double(number), digits: 7)
    case .double(let number): Decimal128(rounding: number, digits: 15)
    case .decimal(let number): number
    }
  }

  static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : b < a ? 1 : 0 }

  private static func compare(_ a: Double, _ b: Double) -> Int {
    guard a.isNaN || b.isNaN else { return order(a, b) }
    guard a.isNaN && b.isNaN else { return a.isNaN ? -1 : 1 }
    return order(a.bitPattern, b.bitPattern)
  }

  /// Exact: compares small integers as doubles, and other integers with the truncated double.
  private static func compare(_ a: Int64, _ b: Double) -> Int {
    if b.isNaN { return 1 }
    if a.magnitude <= 1 << 53 { return order(Double(a), b) }
    if b >= 0x1p63 { return -1 }
    if b < -0x1p63 { return 1 }
    return order(a, Int64(b))
  }
}
