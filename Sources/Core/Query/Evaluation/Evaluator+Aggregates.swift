import RealmModel
import RealmStorage

/// `@min`, `@max`, `@sum` and `@avg` (chapter 6, section 4.9).
extension Evaluator {
  func values(
    of aggregate: Aggregate, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> ValueColumn {
    let path = aggregate.path
    guard aggregate.isOfObjects else {
      guard !path.links.isEmpty else {
        return ValueColumn(values: try results(of: aggregate, frame, rows))
      }
      let linked = try follow(path.links, frame, rows)
      guard !linked.keys.isEmpty else { return filled([], aggregate, linked) }
      let objects = try objects(linked, from: frame)
      let results = try results(of: aggregate, objects.frame, objects.rows)
      return filled(results, aggregate, linked)
    }
    // The values of all objects of a row together; null links count as no objects.
    let linked = try follow(path.links, frame, rows)
    guard !linked.keys.isEmpty, case .property(let position, _) = path.end else {
      return ValueColumn(
        values: Array(repeating: Accumulator(aggregate).result, count: rows.count))
    }
    let objects = try objects(linked, from: frame)
    let column = try objects.frame.column(position)
    var reader = ElementReader(self, .values, limit: frame.limit)
    for row in objects.rows { try reader.append(column, row, []) }
    return ValueColumn(
      values: rows.indices.map { index in
        var accumulator = Accumulator(aggregate)
        for i in linked.range(of: index) { accumulator.add(reader.values[i]) }
        return accumulator.result
      })
  }

  /// One result for the collection of each object.
  private func results(
    of aggregate: Aggregate, _ frame: ObjectFrame, _ rows: [Int]
  ) throws(RealmFileError) -> [QueryValue] {
    guard case .property(let position, let steps) = aggregate.path.end else { return [] }
    let column = try frame.column(position)
    var results: [QueryValue] = []
    var reader = ElementReader(self, .values, limit: frame.limit)
    for row in rows {
      let start = reader.values.count
      try reader.append(column, row, steps[...])
      var accumulator = Accumulator(aggregate)
      for value in reader.values[start...] { accumulator.add(value) }
      results.append(accumulator.result)
    }
    return results
  }

  /// The results of linked objects. Over single links, an object with a null link has the result of an
  /// empty collection.
  private func filled(
    _ results: [QueryValue], _ aggregate: Aggregate, _ linked: LinkedObjects
  ) -> ValueColumn {
    guard !aggregate.path.followsSeveral else {
      return ValueColumn(values: results, ends: linked.ends)
    }
    let empty = Accumulator(aggregate).result
    return ValueColumn(
      values: linked.ends.indices.map { index in
        linked.range(of: index).first.map { results[$0] } ?? empty
      })
  }
}

/// Collects the values of an aggregate.
struct Accumulator {
  private let operation: AggregateSyntax.Operation
  private let type: ValueType
  private let isMixed: Bool
  private var count = 0
  /// The sum of ints: fewer than 2⁶³ of them cannot overflow.
  private var int: Int128 = 0
  private var double = 0.0
  private var decimal = Decimal128.zero
  private var extreme = QueryValue.null

  init(_ aggregate: Aggregate) {
    self.init(aggregate.operation, aggregate.type, isMixed: aggregate.isMixed)
  }

  /// - Parameters:
  ///   - type: the type of the values.
  ///   - isMixed: whether the values are compared and added as mixed values.
  init(_ operation: AggregateSyntax.Operation, _ type: ValueType, isMixed: Bool) {
    (self.operation, self.type, self.isMixed) = (operation, type, isMixed)
  }

  /// Adds a value. Nulls and NaNs are skipped, except for a float or double NaN among mixed values, which
  /// the reference treats like any other number.
  mutating func add(_ value: QueryValue) {
    switch operation {
    case .max: addExtreme(value, sign: 1)
    case .min: addExtreme(value, sign: -1)
    case .sum, .average:
      guard let number = value.number else { return }
      if type == .decimal || type == .mixed {
        guard !isSkipped(number) else { return }
        decimal = decimal + number.decimal
      } else {
        switch number {
        case .int(let number):
          int += Int128(number)
          double += Double(number)
        case .float(let number):
          guard !number.isNaN else { return }
          double += Double(number)
        case .double(let number):
          guard !number.isNaN else { return }
          double += number
        case .decimal: return
        }
      }
      count += 1
    }
  }

  private mutating func addExtreme(_ value: QueryValue, sign: Int) {
    if value.isNull { return }
    if let number = value.number, isSkipped(number) { return }
    if extreme.isNull || QueryValue.sortOrder(value, extreme) * sign > 0 { extreme = value }
  }

  /// Whether the number is a NaN that does not count.
  private func isSkipped(_ number: NumberOrder) -> Bool {
    switch number {
    case .int: false
    case .float(let number): number.isNaN && !isMixed
    case .double(let number): number.isNaN && !isMixed
    case .decimal(let number): number.isNaN
    }
  }

  /// Whether the result is a sum of ints that is no int.
  var hasOverflowed: Bool { operation == .sum && type == .int && Int64(exactly: int) == nil }

  /// A sum of ints wraps around.
  var result: QueryValue {
    switch operation {
    case .max, .min: return extreme
    case .sum:
      switch type {
      case .decimal, .mixed: return .decimal(decimal)
      case .int: return .int(Int64(truncatingIfNeeded: int))
      default: return .double(double)
      }
    case .average:
      guard count > 0 else { return .null }
      guard type == .decimal || type == .mixed else {
        return .double(double / Double(count))
      }
      return .decimal(decimal / NumberOrder.int(Int64(count)).decimal)
    }
  }
}
