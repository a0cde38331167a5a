import RealmStorage

/// Lays out lines as a table for a terminal. The lines have tabs between their fields, and the first one has
/// the names of the columns.
///
/// The first lines determine the widths of the columns; only they are kept in memory. Longer cells are cut.
final class TableSink: OutputSink {
  /// Number of lines that determine the widths.
  private static let sampleCount = 200
  /// Columns that do not fit into this width are left out.
  private static let leastWidth = 8
  private static let gap = "  "

  private let sink: any OutputSink
  private let palette: Palette
  /// Number of columns of the terminal; nil if lines may have any length.
  private let width: Int?
  /// The start of an incomplete line.
  private var rest: [UInt8] = []
  private var sample: [[String]] = []
  private var layout: Layout?

  init(_ sink: any OutputSink, width: Int?, _ palette: Palette) {
    (self.sink, self.width, self.palette) = (sink, width, palette)
  }

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    var lines = ""
    var start = 0
    for i in 0..<bytes.count where unsafe bytes[i] == UInt8(ascii: "\n") {
      unsafe rest.append(contentsOf: bytes[start..<i])
      start = i + 1
      let cells = TableSink.cells(rest)
      rest.removeAll(keepingCapacity: true)
      if let layout {
        lines += layout.line(cells, palette, isHeader: false)
      } else {
        sample.append(cells)
        if sample.count > TableSink.sampleCount { lines += layOut() }
      }
    }
    unsafe rest.append(contentsOf: bytes[start...])
    if !lines.isEmpty { try sink.write(lines) }
  }

  func publish() throws(RealmFileError) {
    if layout == nil { try sink.write(layOut()) }
    try sink.publish()
  }

  /// Determines the widths, and returns the lines so far.
  private func layOut() -> String {
    let made = Layout(sample, width: width)
    layout = made
    let lines = sample.enumerated().map { made.line($1, palette, isHeader: $0 == 0) }.joined()
    sample = []
    return lines
  }

  /// The fields of a line. A backslash in a field is doubled; other escapes stay visible.
  private static func cells(_ line: [UInt8]) -> [String] {
    line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self).split(separator: "\\\\", omittingEmptySubsequences: false)
        .joined(separator: "\\").printable
    }
  }

  /// The columns of a table.
  private struct Layout {
    private var columns: [(width: Int, alignment: Text.Alignment)] = []
    /// Whether columns were left out.
    private var isCut = false

    init(_ rows: [[String]], width: Int?) {
      let count = rows.map(\.count).max() ?? 0
      for i in 0..<count {
        let cells = rows.compactMap { i < $0.count ? $0[i] : nil }
        let isNumeric = cells.dropFirst().allSatisfy { $0.isEmpty || Double($0) != nil }
        columns.append((cells.map(\.displayWidth).max() ?? 0, isNumeric ? .right : .left))
      }
      if let width { fit(into: width) }
    }

    /// Makes the widest columns narrower, and leaves the last ones out if that is not enough.
    private mutating func fit(into width: Int) {
      var limit = columns.map(\.width).max() ?? 0
      while limit > TableSink.leastWidth, total(limit) > width { limit -= 1 }
      while total(limit) > width, columns.count > 1 {
        columns.removeLast()
        isCut = true
      }
      for i in columns.indices { columns[i].width = min(columns[i].width, limit) }
    }

    /// The width of the table whose columns have at most `limit` columns of the terminal.
    private func total(_ limit: Int) -> Int {
      let gaps = (columns.count - 1 + (isCut ? 1 : 0)) * TableSink.gap.count
      return columns.reduce(gaps + (isCut ? 1 : 0)) { $0 + min($1.width, limit) }
    }

    func line(_ cells: [String], _ palette: Palette, isHeader: Bool) -> String {
      var line: [String] = []
      for (i, column) in columns.enumerated() {
        let cell = Text.cut(i < cells.count ? cells[i] : "", to: column.width)
        line.append(Text.padded(cell, to: column.width, column.alignment))
      }
      if isCut { line.append("…") }
      var text = line.joined(separator: TableSink.gap)
      while text.last == " " { text.removeLast() }
      return (isHeader ? palette.bold(text) : text) + "\n"
    }
  }
}
