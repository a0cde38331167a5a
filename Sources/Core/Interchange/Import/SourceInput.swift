/// An input of a source: where its records are, and to which classes they belong.
struct SourceInput: Sendable {
  let file: ImportFile
  let layout: JSONLayout
  /// The names of the columns; nil for JSON.
  let header: CSVHeader?
  /// The class of each run of the layout; empty before the schema is known.
  var runClasses: [Int] = []
  /// The columns of CSV; empty before the schema is known.
  var columns: [CSVColumn] = []

  init(_ file: ImportFile, _ layout: JSONLayout, header: CSVHeader? = nil) {
    (self.file, self.layout, self.header) = (file, layout, header)
  }

  /// Creates the converter from rows to records for one thread; nil for JSON.
  func makeRecords() -> CSVRecords? { header == nil ? nil : CSVRecords(columns) }
}
