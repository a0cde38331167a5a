import RealmModel
import RealmStorage

/// The leaves of a column of a damaged realm: those of its one tree, or of the two that dates and mixed values have.
struct LegacyColumnMaps: Sendable {
  private(set) var first: LegacyLeafMap
  private(set) var second: LegacyLeafMap?

  /// A column none of whose rows can be read.
  init(lost error: RealmFileError, of column: LegacyColumn) {
    first = LegacyLeafMap(lost: error)
    switch column.kind {
    case .timestamps, .mixed: second = LegacyLeafMap(lost: error)
    default: second = nil
    }
  }

  /// - Throws: errors that are not damage.
  init(
    _ column: LegacyColumn, root: Ref, _ reader: LegacyReader
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try self.init(reading: column, root: root, reader)
    } catch {
      guard error.isDamage else { throw error }
      self.init(lost: error, of: column)
    }
  }

  private init(
    reading column: LegacyColumn, root: Ref, _ reader: LegacyReader
  ) throws(RealmFileError) {
    let nodes = reader.nodes
    func map(
      _ root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool = false
    ) throws(RealmFileError) -> LegacyLeafMap {
      try LegacyLeafMap(root: root, content, isNullable: isNullable, nodes)
    }
    switch column.kind {
    case .values(let content, _):
      first = try map(root, content, isNullable: column.isNullable)
    case .enumerated(let strings):
      // Without the strings, their positions are useless.
      _ = try reader.strings(at: strings, isNullable: column.isNullable)
      first = try map(root, .ints)
    case .timestamps:
      let parts = try LegacyParts.timestamps(root, nodes)
      first = try map(parts.seconds, .ints, isNullable: true)
      second = try map(parts.nanoseconds, .nanoseconds)
    case .mixed:
      let parts = try LegacyParts.mixed(root, nodes)
      first = try map(parts.types, .ints)
      second = try map(parts.data, .elements)
    case .link: first = try map(root, .links)
    case .linkList, .subtable: first = try map(root, .refs)
    case .backlinks: first = try map(root, .elements)
    case .unreadable(let error): throw error
    }
  }

  /// Number of rows; nil if it is unknown, or if the two trees differ.
  var rowCount: Int? {
    guard let second, second.rowCount != first.rowCount else { return first.rowCount }
    return first.rowCount == nil || second.rowCount == nil
      ? first.rowCount ?? second.rowCount : nil
  }

  /// Why leaves and nodes are lost.
  var failures: [RealmFileError] { first.errors + (second?.errors ?? []) }

  /// Whether every row can be read.
  var isWhole: Bool { first.isWhole && second?.isWhole ?? true && rowCount != nil }

  /// The rows that can be read, in ascending order.
  var rows: [Range<Int>] {
    let rows = first.leaves.map(\.rows)
    guard let second else { return rows }
    var both: [Range<Int>] = []
    var others = second.leaves.map(\.rows)[...]
    for range in rows {
      while let other = others.first, other.upperBound <= range.lowerBound {
        others.removeFirst()
      }
      for other in others.prefix(while: { $0.lowerBound < range.upperBound }) {
        both.append(range.clamped(to: other))
      }
    }
    return both
  }
}
