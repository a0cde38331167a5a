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
    let nodes = reader.nodes
    func tree(_ root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool = false) -> LegacyTree {
      LegacyTree(root: root, content, isNullable: isNullable, nodes)
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
      second = tree(nanoseconds, .ints)
      form = .timestamps
    case .mixed:
      let parts = try LegacyParts.mixed(root, nodes)
      first = tree(parts.types, .ints)
      second = tree(parts.data, .elements)
      form = .mixed(
        try LegacyMixedCells(
          root: root, binaries: parts.binaries, timestamps: parts.timestamps, nodes))
    case .link: first = tree(root, .links)
    case .linkList, .subtable: first = tree(root, .refs)
    case .backlinks: first = tree(root, .elements)
    }
  }

  /// The values in `rows`: scalars, rows of targets, roots of lists and subtables, or mixed values. A table in a mixed
  /// value is a list at the ref of its top array.
  ///
  /// - Parameter skip: receives the position in `rows` of each mixed value that cannot be read, and the reason. The
  ///   value becomes null.
  /// - Throws: `damaged` with a rule of group `btree`, `leaf` or `mixed`; the errors of `skip`.
  package mutating func values(
    _ rows: Range<Int>,
    skip: (Int, RealmFileError) throws(RealmFileError) -> Void = {
      (_, error) throws(RealmFileError) in throw error
    }
  ) throws(RealmFileError) -> LeafValues {
    let values = try first.values(rows)
    switch form {
    case .one: return values
    case .timestamps:
      guard case .scalar(.int(let seconds, let nulls)) = values,
        case .scalar(.int(let nanoseconds, _))? = try second?.values(rows)
      else { return values }
      return .scalar(.timestamp(seconds, nanoseconds, nulls))
    case .mixed(var cells):
      guard case .scalar(.int(let types, _)) = values,
        case .scalar(.int(let data, _))? = try second?.values(rows)
      else { return values }
      var mixed: [MixedValue] = []
      mixed.reserveCapacity(types.count)
      cells.forgetLeaves()
      for (row, (type, element)) in zip(types, data).enumerated() {
        do {
          mixed.append(try cells.value(type, element))
        } catch {
          try skip(row, error)
          mixed.append(.null)
        }
      }
      form = .mixed(cells)
      return .mixed(mixed)
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
