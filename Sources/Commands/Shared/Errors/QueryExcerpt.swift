import RealmStorage

/// A place in a query as two lines for a terminal: the query, and marks below the place.
///
/// Line feeds, tabs and other control characters are shown as escapes, so the query is one line. A long
/// query is cut around the place.
struct QueryExcerpt {
  private static let indent = "  "
  /// Number of columns for the query.
  private static let width = 76
  /// Number of columns before the place, if the query must be cut.
  private static let before = 30

  /// Number of the line in the query, from 1.
  let line: Int
  /// Number of the first character in its line, from 1.
  let column: Int
  /// The two lines.
  let text: String

  /// - Parameters:
  ///   - text: the query.
  ///   - range: the place in it, in bytes. If it is empty, one mark is after the character before it.
  init(_ text: String, _ range: Range<Int>) {
    var cells: [Cell] = []
    var (offset, line, column) = (0, 1, 1)
    // The column of the first marked cell, and the column after the last one.
    var (start, end): (Int?, Int) = (nil, 0)
    var width = 0
    for character in text {
      let next = offset + character.utf8.count
      if next <= range.lowerBound {
        (line, column) = character.isNewline ? (line + 1, 1) : (line, column + 1)
      } else if offset < max(range.upperBound, range.lowerBound + 1) {
        if start == nil { start = width }
      }
      let cell = Cell(character)
      cells.append(cell)
      width += cell.width
      if next > range.lowerBound, offset < range.upperBound { end = width }
      offset = next
    }
    (self.line, self.column) = (line, column)
    let first = start ?? width
    self.text = QueryExcerpt.lines(
      cells, width: width, marked: first..<max(end, first + 1))
  }

  /// What is shown of a character.
  private struct Cell {
    let text: String
    let width: Int

    init(_ character: Character) {
      switch character {
      case "\n": text = "\\n"
      case "\t": text = "\\t"
      case "\r": text = "\\r"
      case "\r\n": text = "\\r\\n"
      default: text = String(character).printable
      }
      width = text.displayWidth
    }
  }

  private static func lines(_ cells: [Cell], width: Int, marked: Range<Int>) -> String {
    let isCut = width > QueryExcerpt.width
    // The first column that is shown, and the one after the last.
    let from = isCut ? max(0, min(marked.lowerBound - before, width - QueryExcerpt.width)) : 0
    let to = isCut ? from + QueryExcerpt.width : width
    var (line, position) = ("", 0)
    // The first column that is shown; a wide character that would be cut in half is left out.
    var shownFrom: Int?
    for cell in cells {
      if position >= from, position + cell.width <= to {
        if shownFrom == nil { shownFrom = position }
        line += cell.text
      }
      position += cell.width
    }
    let cutBefore = from > 0 ? "…" : ""
    let indent = marked.lowerBound - (shownFrom ?? 0) + cutBefore.displayWidth
    let count = min(marked.upperBound, max(to, marked.lowerBound + 1)) - marked.lowerBound
    let marks = "^" + String(repeating: "~", count: max(0, count - 1))
    return QueryExcerpt.indent + cutBefore + line + (to < width ? "…" : "") + "\n"
      + QueryExcerpt.indent + String(repeating: " ", count: max(0, indent)) + marks + "\n"
  }
}
