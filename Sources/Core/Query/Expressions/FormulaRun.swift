package import RealmModel
import RealmStorage

/// Evaluates expressions for the objects of one batch, a column at a time. Used by one thread.
package final class FormulaRun {
  /// The values of the properties before the step that the expressions belong to.
  let columns: [ColumnValues?]
  let context: any FormulaContext
  let conversion: FormulaConversion
  /// Owners of the results' bytes.
  package private(set) var owners: [any Sendable] = []

  /// - Parameter columns: a column for each property of the class.
  package init(columns: [ColumnValues?], context: any FormulaContext) {
    (self.columns, self.context) = (columns, context)
    conversion = FormulaConversion(context: context)
  }

  /// The objects in `rows` that match a condition.
  package func rows(
    _ rows: [Int], where condition: Formula
  ) throws(FormulaFailure) -> [Int] {
    let flags = try values(condition.condition, rows)
    var chosen: [Int] = []
    for (i, row) in rows.enumerated() where try flag(flags[i], row) == true { chosen.append(row) }
    return chosen
  }

  /// The values of an expression for the objects in `rows`, as values of `property`.
  ///
  /// - Throws: a failure of the expression, or a value that does not fit the property.
  package func column(
    _ formula: Formula, for property: Property, rows: [Int]
  ) throws(FormulaFailure) -> ColumnValues {
    owners.append(formula)
    let target = ValueType(property)
    var values = try values(formula.value(for: target), rows)
    for (i, row) in rows.enumerated() {
      values[i] = try converting(row) { () throws(FormulaConversion.Failure) in
        try conversion.assigned(values[i], to: target)
      }
      guard property.isOptional || !values[i].isNull else {
        throw FormulaRun.isNull(property, row)
      }
    }
    return FormulaColumn.make(values, property)
  }

  /// The values of a column converted to the type of `property`, as by the conversion functions.
  ///
  /// - Parameter owner: row of the object that a row of the column belongs to.
  package func converted(
    _ column: ColumnValues, to property: Property, owner: (Int) -> Int
  ) throws(FormulaFailure) -> ColumnValues {
    let target = ValueType(property)
    let rows = Array(0..<column.count)
    let values = rows.map { FormulaColumn.value(of: column, row: $0) }
    let converted =
      target == .mixed
      ? values : try self.converted(values, to: target, rows: rows.map { owner($0) })
    let result = FormulaColumn.make(converted, property)
    try checkNulls(result, property, owner: owner)
    return result
  }

  /// Checks that a column has no null if `property` is not optional.
  ///
  /// - Parameter owner: row of the object that a row of the column belongs to.
  package func checkNulls(
    _ column: ColumnValues, _ property: Property, owner: (Int) -> Int
  ) throws(FormulaFailure) {
    guard !property.isOptional else { return }
    for row in 0..<column.count where FormulaColumn.value(of: column, row: row).isNull {
      throw FormulaRun.isNull(property, owner(row))
    }
  }

  private static func isNull(_ property: Property, _ row: Int) -> FormulaFailure {
    .null(row: row, message: "the value is null, but \(property.name.text) is not optional")
  }

  /// Checks that elements of sets differ from the other members.
  ///
  /// - Parameters:
  ///   - rows: the elements to check, by row in the elements of `sets`.
  ///   - owner: row of the object that an element belongs to.
  package func checkDiffer(
    _ rows: [Int], in sets: CollectionColumn, owner: (Int) -> Int
  ) throws(FormulaFailure) {
    for row in rows {
      let value = FormulaColumn.value(of: sets.elements, row: row)
      for other in sets.range(of: owner(row)) where other != row {
        guard
          QueryValue.areEqual(value, FormulaColumn.value(of: sets.elements, row: other))
        else { continue }
        throw .value(
          row: owner(row),
          message: "the set already has the member \(conversion.text(of: value)), so null cannot "
            + "become this value")
      }
    }
  }

  /// The value of a column in `row`, for messages and samples.
  package func text(of column: ColumnValues, row: Int) -> String {
    guard case .collection(let collection) = column else {
      return conversion.text(of: FormulaColumn.value(of: column, row: row))
    }
    guard collection.runs == nil else {
      return "more than \(BatchAssembler.elementLimit) elements"
    }
    let count = collection.range(of: row).count
    return count == 1 ? "1 element" : "\(count) elements"
  }

  // MARK: Values

  /// The values of a part of an expression, one for each of `rows`.
  func values(_ node: FormulaNode, _ rows: [Int]) throws(FormulaFailure) -> [QueryValue] {
    guard !rows.isEmpty else { return [] }
    switch node {
    case .constant(let value): return Array(repeating: value, count: rows.count)
    case .path(let path): return try values(path, rows)
    case .arithmetic(let left, let operation, let right):
      return try arithmetic(try values(left, rows), operation, try values(right, rows), rows)
    case .negative(let operand):
      var values = try values(operand, rows)
      for (i, row) in rows.enumerated() where !values[i].isNull {
        values[i] = try calculating(values[i], .subtract, nil, row) {
          (value) throws(FormulaArithmetic.Failure) in try FormulaArithmetic.negative(value)
        }
      }
      return values
    case .comparison(let left, let test, let right):
      let (a, b) = (try values(left, rows), try values(right, rows))
      return rows.indices.map { test.result(a[$0], b[$0]) }
    case .membership(let operand, let elements):
      let value = try values(operand, rows)
      var found = Array(repeating: false, count: rows.count)
      for element in elements {
        let other = try values(element, rows)
        for i in rows.indices where QueryValue.areEqual(value[i], other[i]) { found[i] = true }
      }
      return found.map { .bool($0) }
    case .and(let all): return try chain(all, rows, decisive: false)
    case .or(let all): return try chain(all, rows, decisive: true)
    case .not(let operand):
      let values = try values(operand, rows)
      var result: [QueryValue] = []
      for (i, row) in rows.enumerated() {
        result.append(try flag(values[i], row).map { .bool(!$0) } ?? .null)
      }
      return result
    case .choice(let condition, let then, let otherwise):
      return try choice(condition, then, otherwise, rows)
    case .call(let function, let arguments): return try call(function, arguments, rows)
    }
  }

  /// Evaluates terms of `&&` or `||`, up to the first one that decides.
  ///
  /// - Parameter decisive: the value of a term that decides the result.
  private func chain(
    _ terms: [FormulaNode], _ rows: [Int], decisive: Bool
  ) throws(FormulaFailure) -> [QueryValue] {
    var result = Array(repeating: QueryValue.bool(!decisive), count: rows.count)
    var open = Array(rows.indices)
    for term in terms {
      let values = try values(term, open.map { rows[$0] })
      var stillOpen: [Int] = []
      for (value, i) in zip(values, open) {
        switch try flag(value, rows[i]) {
        case nil: result[i] = .null
        case decisive?: result[i] = .bool(decisive)
        default: stillOpen.append(i)
        }
      }
      open = stillOpen
    }
    return result
  }

  private func choice(
    _ condition: FormulaNode, _ then: FormulaNode, _ otherwise: FormulaNode, _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    let flags = try values(condition, rows)
    var (yes, no): ([Int], [Int]) = ([], [])
    for (i, row) in rows.enumerated() {
      switch try flag(flags[i], row) {
      case true?: yes.append(i)
      case false?: no.append(i)
      case nil: continue
      }
    }
    var result = Array(repeating: QueryValue.null, count: rows.count)
    for (value, i) in zip(try values(then, yes.map { rows[$0] }), yes) { result[i] = value }
    for (value, i) in zip(try values(otherwise, no.map { rows[$0] }), no) { result[i] = value }
    return result
  }

  /// The value of a condition; nil for null.
  private func flag(_ value: QueryValue, _ row: Int) throws(FormulaFailure) -> Bool? {
    switch value {
    case .bool(let flag): return flag
    case .null: return nil
    default:
      throw .value(row: row, message: "\(conversion.text(of: value)) is not true or false")
    }
  }

  // MARK: Arithmetic

  private func arithmetic(
    _ a: [QueryValue], _ operation: ArithmeticSyntax.Operation, _ b: [QueryValue], _ rows: [Int]
  ) throws(FormulaFailure) -> [QueryValue] {
    var result: [QueryValue] = []
    result.reserveCapacity(rows.count)
    var joined: [[UInt8]?] = []
    for (i, row) in rows.enumerated() {
      if a[i].isNull || b[i].isNull {
        result.append(.null)
      } else if operation == .add, case .string(let x) = a[i], case .string(let y) = b[i] {
        if joined.isEmpty { joined = Array(repeating: nil, count: rows.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(x.count + y.count)
        x.append(to: &bytes)
        y.append(to: &bytes)
        joined[i] = bytes
        result.append(.null)
      } else {
        result.append(
          try calculating(a[i], operation, b[i], row) {
            (value) throws(FormulaArithmetic.Failure) in
            try FormulaArithmetic.result(value, operation, b[i], conversion)
          })
      }
    }
    for (i, slice) in keep(joined).enumerated() {
      if let slice { result[i] = .string(slice) }
    }
    return result
  }

  /// Runs a calculation; its failure names the operands.
  private func calculating(
    _ a: QueryValue, _ operation: ArithmeticSyntax.Operation, _ b: QueryValue?, _ row: Int,
    _ body: (QueryValue) throws(FormulaArithmetic.Failure) -> QueryValue
  ) throws(FormulaFailure) -> QueryValue {
    do throws(FormulaArithmetic.Failure) {
      return try body(a)
    } catch {
      let sign =
        switch operation {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        case .divide: "/"
        }
      let first = conversion.text(of: a)
      let calculation = b.map { "\(first) \(sign) \(conversion.text(of: $0))" } ?? "\(sign)\(first)"
      let problem =
        switch error {
        case .overflow: "the result of \(calculation) is too large for its type"
        case .divisionByZero: "\(calculation) divides by zero"
        case .notNumbers: "\(calculation) needs two numbers"
        case .inexact(let value, let type):
          "\(calculation): \(conversion.text(of: value)) cannot be a "
            + "\(type.name(in: ObjectSchema(classes: []))) without rounding"
        }
      throw .value(row: row, message: problem)
    }
  }

  // MARK: Bytes

  /// Copies bytes so that values can refer to them.
  func keep(_ bytes: [[UInt8]?]) -> [ByteSlice?] {
    guard !bytes.isEmpty else { return [] }
    let column = SliceColumn(copying: bytes)
    owners.append(column)
    return column.slices
  }

  func converting<Value>(
    _ row: Int, _ body: () throws(FormulaConversion.Failure) -> Value
  ) throws(FormulaFailure) -> Value {
    do throws(FormulaConversion.Failure) {
      return try body()
    } catch {
      throw .value(row: row, message: error.message)
    }
  }

  // MARK: Paths

  /// The values of a property of the objects or of linked objects, one for each of `rows`.
  private func values(_ path: FormulaPath, _ rows: [Int]) throws(FormulaFailure) -> [QueryValue] {
    guard let column = columns[path.first] else {
      return Array(repeating: .null, count: rows.count)
    }
    var values = rows.map { FormulaColumn.value(of: column, row: $0) }
    for place in path.rest { values = try follow(values, to: place) }
    return values
  }

  /// The values of the property at `place` of the linked objects; null for no link.
  private func follow(
    _ links: [QueryValue], to place: FormulaPlace
  ) throws(FormulaFailure) -> [QueryValue] {
    var keys = Set<ObjectKey>()
    for case .link(_, let key) in links { keys.insert(key) }
    var found: [ObjectKey: QueryValue] = [:]
    var remaining = keys.sorted { $0.raw < $1.raw }[...]
    while !remaining.isEmpty {
      let some = Array(remaining.prefix(ObjectBatch.capacity))
      let batch: ObjectBatch
      do throws(RealmFileError) {
        batch = try context.objects(some, ofClass: place.classPosition)
      } catch {
        throw .file(error)
      }
      // A batch has at least one object.
      guard batch.count > 0, let column = batch.columns[place.property] else { break }
      owners.append(batch)
      for row in 0..<batch.count {
        found[some[row]] = FormulaColumn.value(of: column, row: row)
      }
      remaining = remaining.dropFirst(batch.count)
    }
    return links.map { link in
      if case .link(_, let key) = link { found[key] ?? .null } else { .null }
    }
  }
}
