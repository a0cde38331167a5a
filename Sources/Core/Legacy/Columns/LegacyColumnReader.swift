package import RealmModel
package import RealmStorage

/// Reads the values of a column in the order of the rows. Used by one thread.
package struct LegacyColumnReader {
  private enum Form {
    case one
    case timestamps
    indirect case mixed(LegacyMixedCells)
  }

  private var form: Form
  private let first: LegacyTree
  private var second: LegacyTree?

  /// - Parameter root: root of the column, which holds values.
  /// - Throws: `damaged` with a rule of group `leaf` or `mixed`.
  package init(_ column: LegacyColumn, root: Ref, _ reader: LegacyReader) throws(RealmFileError) {
    try self.init(column, root: root, reader, nil)
  }

  /// - Parameter maps: the leaves of the column in a damaged realm; nil for a column that is read as a whole or not
  ///   at all.
  init(
    _ column: LegacyColumn, root: Ref, _ reader: LegacyReader, _ maps: LegacyColumnMaps?
  ) throws(RealmFileError) {
    let nodes = reader.nodes
    func tree(
      _ root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool = false, target: Int? = nil,
      isSecond: Bool = false
    ) -> LegacyTree {
      LegacyTree(
        root: root, content, isNullable: isNullable, reader, target: target,
        map: isSecond ? maps?.second : maps?.first)
    }
    form = .one
    switch column.kind {
    case .values(let content, _): first = tree(root, content, isNullable: column.isNullable)
    case .enumerated(let strings):
      let content = LegacyLeaf.Content.enumerated(
        try reader.strings(at: strings, isNullable: column.isNullable))
      first = tree(root, content, isNullable: column.isNullable)
    case .timestamps:
      let (seconds, nanoseconds) = try LegacyParts.timestamps(root, nodes)
      first = tree(seconds, .ints, isNullable: true)
      second = tree(nanoseconds, .nanoseconds, isSecond: true)
      form = .timestamps
    case .mixed:
      let parts = try LegacyParts.mixed(root, nodes)
      first = tree(parts.types, .ints)
      second = tree(parts.data, .elements, isSecond: true)
      form = .mixed(
        try LegacyMixedCells(
          root: root, binaries: parts.binaries, timestamps: parts.timestamps, nodes))
    case .link(let target): first = tree(root, .links, target: target)
    case .linkList, .subtable: first = tree(root, .refs)
    case .backlinks: first = tree(root, .elements)
    case .unreadable(let error): throw error
    }
  }

  /// The values in `rows`: scalars, rows of targets, roots of lists and subtables, or mixed values. A table in a mixed
  /// value is a list at the ref of its top array.
  ///
  /// - Parameter skip: receives the position in `rows` of each value that cannot be read, and the reason. The value
  ///   becomes null. Without maps, these are only mixed values.
  /// - Throws: `damaged` with a rule of group `btree`, `leaf` or `mixed`; the errors of `skip`.
  package mutating func values(
    _ rows: Range<Int>,
    skip: (Int, RealmFileError) throws(RealmFileError) -> Void = {
      (_, error) throws(RealmFileError) in throw error
    }
  ) throws(RealmFileError) -> LeafValues {
    if case .one = form { return try first.values(rows, skip: skip) }
    // Of a row that lacks one of its values, the other one says nothing.
    var lost = Set<Int>()
    func skipOnce(_ row: Int, _ error: RealmFileError) throws(RealmFileError) {
      if lost.insert(row).inserted { try skip(row, error) }
    }
    let values = try first.values(rows, skip: skipOnce)
    switch form {
    case .one: return values
    case .timestamps:
      guard case .scalar(.int(let seconds, var nulls)) = values,
        case .scalar(.int(let nanoseconds, _))? = try second?.values(rows, skip: skipOnce)
      else { return values }
      for row in lost { nulls.insert(row) }
      try skipContradictions(seconds, nanoseconds, &nulls, skipOnce)
      return .scalar(.timestamp(seconds, nanoseconds, nulls))
    case .mixed(var cells):
      guard case .scalar(.int(let types, _)) = values,
        case .scalar(.int(let data, _))? = try second?.values(rows, skip: skipOnce)
      else { return values }
      var mixed: [MixedValue] = []
      mixed.reserveCapacity(types.count)
      cells.forgetLeaves()
      for (row, (type, element)) in zip(types, data).enumerated() {
        guard !lost.contains(row) else {
          mixed.append(.null)
          continue
        }
        do {
          mixed.append(try cells.value(type, element))
        } catch {
          try skip(row, located(error))
          mixed.append(.null)
        }
      }
      form = .mixed(cells)
      return .mixed(mixed)
    }
  }

  /// The error about a mixed value at the leaf with its type, which is doubtful.
  private func located(_ error: RealmFileError) -> RealmFileError {
    guard first.isDoubted, case .damaged(let rule) = error.kind,
      rule == .mixedType || rule == .mixedIndex
    else { return error }
    var error = error
    error.offset = first.leafRef
    return error
  }

  /// Leaves out the dates of a damaged realm whose seconds and nanoseconds contradict each other.
  private func skipContradictions(
    _ seconds: [Int64], _ nanoseconds: [Int64], _ nulls: inout NullMask,
    _ skip: (Int, RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    guard first.isDoubted else { return }
    for row in seconds.indices
    where !nulls[row]
      && !TimestampLeaf.isDate(seconds: seconds[row], nanoseconds: nanoseconds[row])
      || nulls[row] && nanoseconds[row] != 0
    {
      nulls.insert(row)
      try skip(
        row,
        .damaged(
          .leafTimestamp, at: first.leafRef,
          "the date has \(seconds[row]) seconds and \(nanoseconds[row]) nanoseconds"))
    }
  }

  /// Holds that keep the leaves readable from which the next rows may come.
  var holds: [Hold] { [first.hold, second?.hold].compactMap(\.self) }

  /// Called when a scope ends.
  ///
  /// - Parameter hold: keeps the values readable that were read in it.
  package func endScope(_ hold: Hold) {
    first.endScope(hold)
    second?.endScope(hold)
  }
}
