import RealmModel

/// A file of a source: where its records are, and of which classes.
struct SourceText: Sendable {
  let file: TextFile
  let layout: JSONLayout
  /// The names of the columns; nil where the text is JSON.
  let header: CSVHeader?
  /// The class of each run of the layout; none before the schema is known.
  var runClasses: [Int] = []
  /// The columns of a text of CSV, once the schema is known.
  var columns: [CSVColumn] = []

  init(_ file: TextFile, _ layout: JSONLayout, header: CSVHeader? = nil) {
    (self.file, self.layout, self.header) = (file, layout, header)
  }

  /// What makes records of its rows; nil where the text is JSON. For one thread.
  func makeRecords() -> CSVRecords? { header == nil ? nil : CSVRecords(columns) }
}
