import RealmModel

/// `+ - * /` with the rules of expressions: an operation without an exact result in its type fails.
enum FormulaArithmetic {
  typealias Operation = ArithmeticSyntax.Operation

  /// Why there is no result.
  enum Failure: Error {
    case overflow
    case divisionByZero
    case notNumbers
    /// The number does not convert to the type of the other one without rounding.
    case inexact(QueryValue, ValueType)
  }

  /// The result for two numbers, in the larger of both types.
  static func result(
    _ a: QueryValue, _ operation: Operation, _ b: QueryValue, _ conversion: FormulaConversion
  ) throws(Failure) -> QueryValue {
    switch (a, b) {
    case (.int(let x), .int(let y)): return .int(try int(x, operation, y))
    case (.double(let x), .double(let y)): return .double(try binary(x, operation, y))
    case (.float(let x), .float(let y)): return .float(try binary(x, operation, y))
    case (.decimal(let x), .decimal(let y)): return .decimal(try decimal(x, operation, y))
    default: break
    }
    guard let x = a.numericType, let y = b.numericType else { throw .notNumbers }
    let largest = Arithmetic.resultType(x, y)
    func converted(_ value: QueryValue) throws(Failure) -> QueryValue {
      do throws(FormulaConversion.Failure) {
        return try conversion.assigned(value, to: largest)
      } catch {
        throw .inexact(value, largest)
      }
    }
    return try result(converted(a), operation, converted(b), conversion)
  }

  private static func int(
    _ a: Int64, _ operation: Operation, _ b: Int64
  ) throws(Failure) -> Int64 {
    if operation == .divide, b == 0 { throw .divisionByZero }
    let (result, overflows) =
      switch operation {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      case .divide: a.dividedReportingOverflow(by: b)
      }
    guard !overflows else { throw .overflow }
    return result
  }

  private static func binary<T: BinaryFloatingPoint>(
    _ a: T, _ operation: Operation, _ b: T
  ) throws(Failure) -> T {
    if operation == .divide, b == 0 { throw .divisionByZero }
    let result =
      switch operation {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      case .divide: a / b
      }
    guard result.isFinite || !a.isFinite || !b.isFinite else { throw .overflow }
    return result
  }

  private static func decimal(
    _ a: Decimal128, _ operation: Operation, _ b: Decimal128
  ) throws(Failure) -> Decimal128 {
    if operation == .divide, b.exactInteger == 0 { throw .divisionByZero }
    let result =
      switch operation {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      case .divide: a / b
      }
    guard result.isFinite || !a.isFinite || !b.isFinite else { throw .overflow }
    return result
  }

  /// The number with the other sign.
  static func negative(_ value: QueryValue) throws(Failure) -> QueryValue {
    switch value {
    case .int(let number): return .int(try int(0, .subtract, number))
    case .float(let number): return .float(-number)
    case .double(let number): return .double(-number)
    case .decimal(let number): return .decimal(NumberOrder.int(0).decimal - number)
    default: throw .notNumbers
    }
  }
}

extension QueryValue {
  /// The type of a number; nil for another value.
  fileprivate var numericType: ValueType? {
    switch self {
    case .int: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    default: nil
    }
  }
}
