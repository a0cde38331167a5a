import RealmModel
import RealmStorage

/// Evaluates conditions for the objects of frames. Used by one thread.
struct Evaluator {
  let reader: PropertyReader
  let plan: QueryPlan
  /// For nested conditions, of which a query has at most ``Parser/nestingLimit`` levels.
  private var stack = StackRoom()

  init(_ realm: Realm, _ plan: QueryPlan) throws(RealmFileError) {
    self.init(try PropertyReader(realm), plan)
  }

  init(_ reader: PropertyReader, _ plan: QueryPlan) { (self.reader, self.plan) = (reader, plan) }

  var schema: Schema { reader.realm.schema }

  /// A frame of the objects with `keys`, all of which exist.
  func frame(_ keys: [ObjectKey], of table: Table) throws(RealmFileError) -> ObjectFrame {
    ObjectFrame(try reader.rows(keys, of: table), reader)
  }

  /// The linked objects of `frame`, each once, and the row of each link's object.
  func objects(
    _ linked: LinkedObjects, from frame: ObjectFrame
  ) throws(RealmFileError) -> (frame: ObjectFrame, rows: [Int]) {
    let distinct = DistinctKeys(linked.keys)
    let rows = try reader.rows(distinct.keys, of: linked.table)
    return (ObjectFrame(rows, reader, limit: frame.limit), distinct.rows)
  }

  /// The rows of `mask` that match the condition.
  func rows(
    matching condition: Condition, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    guard !mask.isEmpty else { return mask }
    // The copy of the evaluator would take a tenth of the time of a simple condition.
    guard !stack.isEnough else { return try evaluate(condition, frame, mask) }
    return try stack.deeper { (stack) throws(RealmFileError) in
      var evaluator = self
      evaluator.stack = stack
      return try evaluator.evaluate(condition, frame, mask)
    }
  }

  private func evaluate(
    _ condition: Condition, _ frame: ObjectFrame, _ mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    switch condition {
    case .constant(let value): return value ? mask : .none
    case .not(let inner): return mask - (try rows(matching: inner, frame, in: mask))
    case .and(let all):
      var left = mask
      for part in all where !left.isEmpty { left = try rows(matching: part, frame, in: left) }
      return left
    case .or(let all):
      var found = RowMask.none
      for part in all { found = found | (try rows(matching: part, frame, in: mask - found)) }
      return found
    case .comparison(let comparison): return try rows(matching: comparison, frame, in: mask)
    case .text(let text):
      return try splitting(frame, mask) { (frame, mask) throws(RealmFileError) in
        try rows(matching: text, frame, in: mask)
      }
    case .geoWithin(let path, let shape):
      return try splitting(frame, mask) { (frame, mask) throws(RealmFileError) in
        try rows(of: path, within: shape, frame, in: mask)
      }
    case .linked(let linked):
      return try splitting(frame, mask) { (frame, mask) throws(RealmFileError) in
        try rows(matching: linked, frame, in: mask)
      }
    }
  }

  /// Runs `body`; if the objects of `mask` have too many values together, runs it for each half.
  private func splitting(
    _ frame: ObjectFrame, _ mask: RowMask,
    _ body: (ObjectFrame, RowMask) throws(RealmFileError) -> RowMask
  ) throws(RealmFileError) -> RowMask {
    do throws(RealmFileError) {
      return try body(frame, mask)
    } catch {
      guard ObjectFrame.isTooMany(error), frame.rows.count > 1 else { throw error }
    }
    let all = mask.rows
    var found = RowMask.none
    let middle = (all.count + 1) / 2
    for half in [all[..<middle], all[middle...]] where !half.isEmpty {
      try plan.cancellation?.check()
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let part = try self.frame(half.map { frame.keys[$0] }, of: frame.table)
      let matching = try splitting(part, RowMask(count: half.count), body)
      for row in matching { found.insert(half[half.startIndex + row]) }
    }
    return found
  }

  private func rows(
    matching comparison: Comparison, _ frame: ObjectFrame, in mask: RowMask
  ) throws(RealmFileError) -> RowMask {
    try splitting(frame, mask) { (frame, mask) throws(RealmFileError) in
      if let found = try directRows(matching: comparison, frame) { return found & mask }
      if let found = try countRows(matching: comparison, frame, in: mask) { return found }
      let rows = mask.rows
      let left = try values(of: comparison.left, frame, rows)
      let right = try values(of: comparison.right, frame, rows)
      let matcher = ValueMatcher(comparison, left, right)
      var found = RowMask.none
      for (i, row) in rows.enumerated() where matcher.matches(i) { found.insert(row) }
      return found
    }
  }
}
