import RealmLegacy
import RealmModel
import RealmStorage

/// Columns of dates and of mixed values, which consist of several trees; subtables, and tables in mixed
/// values.
extension LegacyTableCheck {
  private static let nanosecondsPerSecond: Int64 = 1_000_000_000

  /// Checks the values of a column that consists of several trees, in batches of rows. The pages of a batch
  /// are released after it.
  mutating func checkRows(
    _ column: LegacyColumn, root: Ref, rows: Int, owner: Int?
  ) throws(RealmFileError) {
    var columnReader = try LegacyColumnReader(column, root: root, reader)
    for first in stride(from: 0, to: rows, by: BatchAssembler.elementLimit / 64) {
      let mark = nodes.mark()
      defer { columnReader.endScope(nodes.hold(since: mark)) }
      let range = first..<min(first + BatchAssembler.elementLimit / 64, rows)
      let values = try columnReader.values(range) { (row, error) throws(RealmFileError) in
        try findings.add(error.adding(objectKey: Int64(owner ?? first + row)))
      }
      switch values {
      case .scalar(.timestamp(let seconds, let nanoseconds, let nulls)):
        for (i, part) in nanoseconds.enumerated() {
          if !nulls[i] {
            checkDate(seconds[i], part, at: root, object: owner ?? first + i)
          } else if !column.isNullable {
            findings.add(
              .leafTimestamp, at: root, object: Int64(owner ?? first + i),
              "the value is null, expected a date: the property is required")
          }
        }
      case .mixed(let values):
        for (i, value) in values.enumerated() {
          let object = owner ?? first + i
          switch value {
          case .list(let table):
            try attempt(object: object) { (check) throws(RealmFileError) in
              try check.checkTable(at: table, owner: object)
            }
          case .timestamp(let seconds, let nanoseconds):
            checkDate(seconds, Int64(nanoseconds), at: root, object: object)
          case .string(let string) where !string.isValidUTF8:
            findings.add(
              .leafUtf8, at: root, object: Int64(object), "the string is not valid UTF-8")
          default: continue
          }
        }
      default: continue
      }
    }
  }

  private mutating func checkDate(_ seconds: Int64, _ part: Int64, at root: Ref, object: Int) {
    guard
      part.magnitude >= LegacyTableCheck.nanosecondsPerSecond
        || part != 0 && seconds != 0 && (part < 0) != (seconds < 0)
    else { return }
    findings.add(
      .leafTimestamp, at: root, object: Int64(object),
      "the date has \(seconds) seconds and \(part) nanoseconds")
  }

  /// Runs `body`, which checks a table at `ref`, one level deeper.
  private mutating func descend(
    at ref: Ref, _ body: (inout LegacyTableCheck) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let outer = room
    var room = outer
    defer { self.room = outer }
    try room.descend(at: ref) { (inner) throws(RealmFileError) in
      self.room = inner
      try body(&self)
    }
  }

  /// Checks a table in a mixed value.
  private mutating func checkTable(at ref: Ref, owner: Int) throws(RealmFileError) {
    let table = try LegacyTable(
      at: ref, name: Name("in a mixed value"),
      LegacySpecReader(nodes: nodes, tableCount: realm.tables.count))
    try descend(at: ref) { (check) throws(RealmFileError) in
      for column in table.spec.columns {
        try check.check(column, root: table.roots[column.slot], rows: table.rowCount, owner: owner)
      }
    }
  }

  /// Checks the subtable at `ref` of the object `owner`.
  mutating func checkSubtable(
    _ spec: LegacySpec, at ref: Ref, owner: Int
  ) throws(RealmFileError) {
    let roots = try LegacyTable.roots(at: ref, spec, nodes)
    let rows = try LegacyTable.rowCount(spec, roots, at: ref, nodes)
    try descend(at: ref) { (check) throws(RealmFileError) in
      for column in spec.columns {
        try check.check(column, root: roots[column.slot], rows: rows, owner: owner)
      }
    }
  }
}
