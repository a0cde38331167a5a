import RealmModel
import RealmQuery
import RealmStorage

/// Applies the operations of a stage to batches of a class. Used by one thread.
struct ObjectChanges {
  let operations: [MigrationOperation]
  let context: MigrationContext
  /// The keys of the objects that deletions found, by number of the step.
  let deleted: [Int: KeyList]
  /// Nil if nothing is counted.
  let tally: StepTally?
  /// Returns the name of a step, for errors.
  let stepNames: @Sendable (Int) -> String?

  /// The objects between two operations.
  private struct Work {
    var keys: [ObjectKey]
    var columns: [ColumnValues?]
    /// Keep the memory of the values readable.
    var owners: [any Sendable]
    /// Number of the part, and position of each object in it.
    let part: Int
    var numbers: [Int]

    var count: Int { keys.count }
  }

  /// The objects after all operations.
  ///
  /// - Parameters:
  ///   - part: number of the part.
  ///   - first: number of objects of the part before the batch.
  /// - Returns: nil if no object is left.
  func apply(
    to batch: ObjectBatch, part: Int, first: Int
  ) throws(MigrationFailure) -> ObjectBatch? {
    guard !operations.isEmpty else { return batch }
    var work = Work(
      keys: batch.keys, columns: batch.columns, owners: [batch], part: part,
      numbers: Array(first..<first + batch.count))
    for operation in operations {
      try apply(operation, to: &work)
      if work.count == 0 { return nil }
    }
    return ObjectBatch(
      classPosition: batch.classPosition, count: work.count, keys: work.keys,
      columns: work.columns, owner: work.owners)
  }

  private func apply(
    _ operation: MigrationOperation, to work: inout Work
  ) throws(MigrationFailure) {
    let run = FormulaRun(columns: work.columns, context: context)
    let rows = Array(0..<work.count)
    do throws(FormulaFailure) {
      switch operation.change {
      case .add(let property, let formula):
        let column = try formula.map { (formula) throws(FormulaFailure) in
          try run.column(formula, for: property, rows: rows)
        }
        let added = column ?? property.defaultValues(count: work.count)
        work.columns.append(added)
        note(operation, work, rows: formula == nil ? [] : rows) { row in
          ([], [(property.name.text, run.shown(added, row: row))])
        }
      case .remove(let position):
        let removed = work.columns.remove(at: position)
        let name = operation.names[position]
        note(operation, work, rows: rows) { row in
          ([(name, run.shown(removed, row: row))], [])
        }
      case .replace(let position, let formula, let property):
        let column = try run.column(formula, for: property, rows: rows)
        replace(position, by: column, run, operation, &work, rows: rows)
      case .convert(let position, let old, let new):
        guard let column = work.columns[position] else { return }
        let converted = try convert(column, from: old, to: new, run)
        replace(position, by: converted, run, operation, &work, rows: rows)
      case .fill(let position, let formula, let property):
        try fill(position, formula, property, run, operation, &work)
      case .set(let choice, let values):
        let chosen =
          switch choice {
          case .all: rows
          case .meeting(let condition): try run.rows(rows, where: condition)
          case .keys(let keys): rows.filter { keys.contains(work.keys[$0]) }
          }
        try set(values, chosen, run, operation, &work)
      case .delete:
        let found = deleted[operation.step]
        let isDeleted = work.keys.map { found?.contains($0) ?? false }
        let gone = rows.filter { isDeleted[$0] }
        note(operation, work, rows: gone, isDeleted: true) { row in
          let before = zip(operation.names, work.columns).map { name, column in
            (name, run.shown(column, row: row))
          }
          return (before, [])
        }
        pick(rows.filter { !isDeleted[$0] }, &work)
      case .keep(let condition): pick(try run.rows(rows, where: condition), &work)
      }
    } catch {
      switch error {
      case .file(let error): throw .file(error)
      case .value(let row, let message): throw failure(.value(message), row, operation, work)
      case .null(let row, let message): throw failure(.null(message), row, operation, work)
      }
    }
    work.owners += run.owners
  }

  // MARK: Changes

  private func replace(
    _ position: Int, by column: ColumnValues, _ run: FormulaRun, _ operation: MigrationOperation,
    _ work: inout Work, rows: [Int]
  ) {
    let old = work.columns[position]
    work.columns[position] = column
    let name = operation.names[position]
    note(operation, work, rows: rows) { row in
      (
        [(name, run.shown(old, row: row))],
        [(name, run.shown(column, row: row))]
      )
    }
  }

  private func convert(
    _ column: ColumnValues, from old: Property, to new: Property, _ run: FormulaRun
  ) throws(FormulaFailure) -> ColumnValues {
    guard case .collection(let collection) = column else {
      guard old.type != new.type else {
        try run.checkNulls(column, new) { $0 }
        return column
      }
      return try run.converted(column, to: new) { $0 }
    }
    guard old.type != new.type || (old.isOptional && !new.isOptional) else { return column }
    guard collection.runs == nil else {
      throw .value(row: 0, message: ObjectChanges.tooManyElements)
    }
    var result = collection
    let owners = collection.owners
    if old.type == new.type {
      try run.checkNulls(collection.elements, new) { owners[$0] }
    } else {
      result.elements = try run.converted(collection.elements, to: new) { owners[$0] }
    }
    return .collection(result)
  }

  private static let tooManyElements =
    "the collection has more than \(BatchAssembler.elementLimit) elements, so its elements cannot be "
    + "changed"

  private func fill(
    _ position: Int, _ formula: Formula?, _ property: Property, _ run: FormulaRun,
    _ operation: MigrationOperation, _ work: inout Work
  ) throws(FormulaFailure) {
    guard let column = work.columns[position] else { return }
    let (values, owners): (ColumnValues, [Int])
    if case .collection(let collection) = column {
      guard collection.runs == nil else {
        throw .value(row: 0, message: ObjectChanges.tooManyElements)
      }
      (values, owners) = (collection.elements, collection.owners)
    } else {
      (values, owners) = (column, Array(0..<work.count))
    }
    guard let formula else { return try run.checkNulls(values, property) { owners[$0] } }
    let nulls = (0..<values.count).filter { values.isNull($0) }
    guard !nulls.isEmpty else { return }
    let made = try run.column(formula, for: property.asSingle, rows: nulls.map { owners[$0] })
    let filled = values.replacing(nulls, by: made)
    let result: ColumnValues
    if case .collection(var collection) = column {
      collection.elements = filled
      if property.collection == .set {
        try run.checkDiffer(nulls, in: collection) { owners[$0] }
      }
      result = .collection(collection)
    } else {
      result = filled
    }
    replace(
      position, by: result, run, operation, &work,
      rows: Set(nulls.map { owners[$0] }).sorted())
  }

  private func set(
    _ values: [(position: Int, formula: Formula, property: Property)], _ rows: [Int],
    _ run: FormulaRun, _ operation: MigrationOperation, _ work: inout Work
  ) throws(FormulaFailure) {
    guard !rows.isEmpty else { return }
    let before = work.columns
    for (position, formula, property) in values {
      let made = try run.column(formula, for: property, rows: rows)
      guard let old = work.columns[position] else { continue }
      work.columns[position] = rows.count == work.count ? made : old.replacing(rows, by: made)
    }
    let after = work
    let changed = rows.filter { row in
      values.contains { value in
        guard let old = before[value.position], let new = after.columns[value.position] else {
          return false
        }
        return !new.isSame(row, as: old)
      }
    }
    note(operation, work, rows: changed) { row in
      func shown(_ columns: [ColumnValues?]) -> [(String, String)] {
        values.map { value in
          (operation.names[value.position], run.shown(columns[value.position], row: row))
        }
      }
      return (shown(before), shown(after.columns))
    }
  }

  private func pick(_ rows: [Int], _ work: inout Work) {
    guard rows.count < work.count else { return }
    let picks = rows.map { RowPick(source: 0, row: $0) }
    if !rows.isEmpty {
      work.columns = work.columns.map { $0.map { ColumnValues.picking(picks, of: [$0]) } }
    }
    work.keys = rows.map { work.keys[$0] }
    work.numbers = rows.map { work.numbers[$0] }
  }

  // MARK: Reports

  /// Counts objects that the operation changed or deleted, and takes samples.
  ///
  /// - Parameter values: returns the values of an object before and after, with their properties.
  private func note(
    _ operation: MigrationOperation, _ work: Work, rows: [Int],
    isDeleted: Bool = false,
    values: (Int) -> (before: [(String, String)], after: [(String, String)])
  ) {
    guard let tally, !rows.isEmpty else { return }
    var count = StepTally.Count()
    (count.changed, count.deleted) = isDeleted ? (0, rows.count) : (rows.count, 0)
    if tally.listsKeys { count.keys = rows.map { work.keys[$0] } }
    count.samples = rows.prefix(tally.sampleLimit).map { row in
      let (before, after) = values(row)
      return StepTally.Sample(
        place: StepTally.Place(part: work.part, number: work.numbers[row]),
        sample: MigrationSample(
          identity: identity(row, operation, work),
          before: before.map { .init(property: $0.0, value: $0.1) },
          after: after.map { .init(property: $0.0, value: $0.1) }))
    }
    tally.add(count, to: operation.step)
  }

  /// The primary key of an object; its object key if there is none.
  private func identity(_ row: Int, _ operation: MigrationOperation, _ work: Work) -> String {
    guard let position = operation.primaryKey, position < work.columns.count,
      let column = work.columns[position]
    else { return "\(work.keys[row].raw)" }
    return FormulaRun(columns: [], context: context).text(of: column, row: row)
  }

  private func failure(
    _ kind: MigrationError.Kind, _ row: Int, _ operation: MigrationOperation, _ work: Work
  ) -> MigrationFailure {
    var error = MigrationError(kind, className: operation.className)
    error.step = stepNames(operation.step)
    error.property = operation.property
    if row < work.count {
      error.identity = identity(row, operation, work)
      error.objectKey = work.keys[row].raw
    }
    return .migration(error)
  }
}

extension FormulaRun {
  /// A value for a report.
  fileprivate func shown(_ column: ColumnValues?, row: Int) -> String {
    column.map { text(of: $0, row: row) } ?? "null"
  }
}

extension CollectionColumn {
  /// The row of the collection of each element.
  fileprivate var owners: [Int] {
    ends.indices.flatMap { row in Array(repeating: row, count: range(of: row).count) }
  }
}

extension Property {
  /// The property of one element of the collection.
  fileprivate var asSingle: Property {
    Property(name: name, type: type, isOptional: isOptional, target: target)
  }
}

extension ColumnValues {
  fileprivate func isNull(_ row: Int) -> Bool {
    switch self {
    case .scalar(let column): column[row].isNull
    case .link(let column): column.nulls[row]
    case .embedded(let column): column.rows[row] < 0
    case .mixed(let column): column.values[row].isNull
    case .collection: false
    }
  }

  /// The column with other values in `rows`.
  fileprivate func replacing(_ rows: [Int], by values: ColumnValues) -> ColumnValues {
    var picks = (0..<count).map { RowPick(source: 0, row: $0) }
    for (i, row) in rows.enumerated() { picks[row] = RowPick(source: 1, row: i) }
    return ColumnValues.picking(picks, of: [self, values])
  }
}
