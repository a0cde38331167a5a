import RealmModel
package import RealmStorage

/// The rows of a table in a damaged realm, of which each column says something else.
///
/// The table has as many rows as most of its columns, backlinks among them. Of two numbers that equally many columns
/// have, the one of more undamaged columns counts, then the smaller one. A column with another number of rows is lost:
/// nothing shows which of its values belongs to which row. A row exists if at least one column has a value for it that
/// can be read.
package struct LegacyRows: Sendable {
  /// Number of rows; 0 if no column says it.
  let count: Int
  /// Why the number of rows is unknown; nil if it is known.
  package let unknownCount: RealmFileError?
  /// The leaves of each column, by its position.
  let columns: [LegacyColumnMaps]
  /// The rows with at least one readable value, in ascending order and not adjacent.
  package let present: [Range<Int>]

  /// - Parameter lost: why the roots of columns cannot be read, by position.
  /// - Throws: errors that are not damage.
  init(
    _ spec: LegacySpec, _ roots: [Ref], lost: [Int: RealmFileError], _ reader: LegacyReader
  ) throws(RealmFileError) {
    var columns: [LegacyColumnMaps] = []
    for column in spec.columns {
      let maps =
        if let error = lost[column.position] { LegacyColumnMaps(lost: error, of: column) } else {
          try LegacyColumnMaps(column, root: roots[column.slot], reader)
        }
      columns.append(maps)
    }
    let stated = LegacyRows.count(of: columns, reader.nodes)
    let count = stated ?? 0
    unknownCount = stated == nil ? LegacyRows.failure(of: columns, spec, roots) : nil
    for (i, column) in spec.columns.enumerated() {
      guard let own = columns[i].rowCount, own != count else { continue }
      columns[i] = LegacyColumnMaps(
        lost: .damaged(
          .leafRows, at: roots[column.slot],
          "the column has \(own) rows, but the table has \(count)"), of: column)
    }
    (self.count, self.columns) = (count, columns)
    present = LegacyRows.union(columns.flatMap(\.rows))
  }

  /// Why columns do not say how many rows there are; nil if there are no columns.
  private static func failure(
    of columns: [LegacyColumnMaps], _ spec: LegacySpec, _ roots: [Ref]
  ) -> RealmFileError? {
    if let failure = columns.lazy.flatMap(\.failures).first { return failure }
    return spec.columns.first.map {
      .damaged(.leafRows, at: roots[$0.slot], "no column has a possible number of rows")
    }
  }

  /// A table without rows.
  init(noColumns: ()) { (count, unknownCount, columns, present) = (0, nil, [], []) }

  /// - Returns: nil if no column has a number that is possible.
  private static func count(of columns: [LegacyColumnMaps], _ nodes: NodeReader) -> Int? {
    struct Votes {
      var all = 0
      var whole = 0
    }
    var votes: [Int: Votes] = [:]
    for column in columns {
      guard let count = column.rowCount, LegacyTable.canHave(rowCount: count, nodes) else {
        continue
      }
      votes[count, default: Votes()].all += 1
      if column.isWhole { votes[count, default: Votes()].whole += 1 }
    }
    return votes.max {
      ($0.value.all, $0.value.whole, $1.key) < ($1.value.all, $1.value.whole, $0.key)
    }?.key
  }

  private static func union(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var union: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = union.last, range.lowerBound <= last.upperBound {
        union[union.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        union.append(range)
      }
    }
    return union
  }

  /// Why leaves and nodes of the columns are lost.
  package var failures: [RealmFileError] { columns.flatMap(\.failures) }

  /// The leaves of a column, and the rows that they have.
  package func leaves(ofColumn position: Int) -> [(ref: Ref, rows: Range<Int>)] {
    (columns[position].first.leaves + (columns[position].second?.leaves ?? [])).map {
      ($0.ref, $0.rows)
    }
  }

  /// Whether the row exists.
  package func contains(_ row: Int) -> Bool {
    var (low, high) = (0, present.count)
    while low < high {
      let middle = (low + high) / 2
      if present[middle].lowerBound <= row { low = middle + 1 } else { high = middle }
    }
    return low > 0 && present[low - 1].contains(row)
  }

  /// The first rows from `row` on that exist, without a gap; nil if there are none.
  func next(from row: Int) -> Range<Int>? {
    var (low, high) = (0, present.count)
    while low < high {
      let middle = (low + high) / 2
      if present[middle].upperBound <= row { low = middle + 1 } else { high = middle }
    }
    return low < present.count
      ? max(row, present[low].lowerBound)..<present[low].upperBound : nil
  }

  /// Number of rows that exist.
  package var presentCount: Int { present.reduce(0) { $0 + $1.count } }
}
