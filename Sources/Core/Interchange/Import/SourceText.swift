import RealmModel

/// A text of a source: where its records are, and to which classes they belong.
struct SourceText: Sendable {
  let file: TextFile
  let layout: JSONLayout
  /// The names of the columns; nil if the text is JSON.
  let header: CSVHeader?
  /// The class of each run of the layout; empty before the schema is known.
  var runClasses: [Int] = []
  /// The columns of a CSV text; empty before the schema is known.
  var columns: [CSVColumn] = []

  init(_ file: TextFile, _ layout: JSONLayout, header: CSVHeader? = nil) {
    (self.file, self.layout, self.header) = (file, layout, header)
  }

  /// Creates the converter from rows to records for one thread; nil if the text is JSON.
  func makeRecords() -> CSVRecords? { header == nil ? nil : CSVRecords(columns) }
}
