package import RealmStorage

/// Rows of text in aligned columns, for people. Control characters in cells are made visible.
package struct Table {
  private let alignments: [Text.Alignment]
  private var rows: [[String]] = []

  /// - Parameter alignments: one per column.
  package init(_ alignments: [Text.Alignment]) { self.alignments = alignments }

  /// - Parameter cells: one per column.
  package mutating func append(_ cells: [String]) {
    precondition(cells.count == alignments.count, "a row has a cell for each column")
    rows.append(cells.map(\.printable))
  }

  /// The lines, each with a line feed and no trailing spaces.
  ///
  /// - Parameters:
  ///   - indent: put before each line.
  ///   - style: colours a padded cell, given its row and column.
  package func text(
    indent: String = "",
    style: (_ cell: String, _ row: Int, _ column: Int) -> String = { cell, _, _ in cell }
  ) -> String {
    let widths = alignments.indices.map { column in
      rows.map { $0[column].displayWidth }.max() ?? 0
    }
    return rows.enumerated().map { number, cells in
      let last = cells.lastIndex { !$0.isEmpty } ?? 0
      let line = cells[...last].enumerated().map { column, cell in
        // The last cell needs no spaces after it.
        let isOpen = column == last && alignments[column] == .left
        let padded = isOpen ? cell : Text.padded(cell, to: widths[column], alignments[column])
        return style(padded, number, column)
      }
      return indent + line.joined(separator: "  ") + "\n"
    }.joined()
  }
}
