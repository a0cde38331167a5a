import RealmModel

/// `+ - * /` (chapter 6, section 4.13).
enum Arithmetic {
  typealias Operation = ArithmeticSyntax.Operation

  /// The type of the result: the larger of int, float, double and decimal128.
  static func resultType(_ a: ValueType, _ b: ValueType) -> ValueType {
    let order: [ValueType] = [.int, .float, .double, .decimal, .mixed]
    guard let x = order.firstIndex(of: a), let y = order.firstIndex(of: b) else { return .mixed }
    return order[max(x, y)]
  }

  /// The result; null if a side is null or not a number.
  static func result(_ a: QueryValue, _ operation: Operation, _ b: QueryValue) -> QueryValue {
    guard let x = a.number, let y = b.number else { return .null }
    switch (x, y) {
    case (.int(let x), .int(let y)): return .int(apply(operation, x, y))
    case (.decimal, _), (_, .decimal): return .decimal(apply(operation, x.decimal, y.decimal))
    case (.double, _), (_, .double): return .double(apply(operation, x.double, y.double))
    default: return .float(apply(operation, Float(x.double), Float(y.double)))
    }
  }

  /// Wraps around. A division by zero gives the largest number, or the smallest for a negative dividend.
  private static func apply(_ operation: Operation, _ a: Int64, _ b: Int64) -> Int64 {
    switch operation {
    case .add: a &+ b
    case .subtract: a &- b
    case .multiply: a &* b
    case .divide:
      b == 0 ? (a < 0 ? .min : .max) : a.dividedReportingOverflow(by: b).partialValue
    }
  }

  private static func apply<T: FloatingPoint>(_ operation: Operation, _ a: T, _ b: T) -> T {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }

  private static func apply(
    _ operation: Operation, _ a: Decimal128, _ b: Decimal128
  ) -> Decimal128 {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    }
  }
}

extension NumberOrder {
  /// The number as a double; NaN for a decimal, which is never converted.
  fileprivate var double: Double {
    switch self {
    case .int(let number): Double(number)
    case .float(let number): Double(number)
    case .double(let number): number
    case .decimal: .nan
    }
  }
}
