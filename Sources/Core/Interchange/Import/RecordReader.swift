import RealmModel
import RealmStorage

/// Reads the records of a part of an input, one after the other. Used by one thread.
struct RecordReader {
  private let input: SourceInput
  private let part: JSONLayout.Part
  private let parser: JSONParser
  /// Reads the rows of CSV; nil for JSON.
  private var rows: CSVRows?
  private let records: CSVRecords?
  /// The memory that the values of the records refer to.
  let block: TextBlock
  /// Offset where the search for the next record starts.
  private var offset: Int
  /// Number of the next element of an array.
  private var element = 0
  /// Offset of the last record in the file.
  private(set) var start: Int
  /// Whether the end of the last record is known, so that the next one is readable even after an error.
  private(set) var hasEnd = true
  /// JSON pointer to the last record; empty for lines and rows.
  private(set) var pointer = ""

  /// - Parameters:
  ///   - parser: the parser of the thread.
  ///   - records: converts the rows of CSV to records; nil for JSON.
  /// - Throws: `file`.
  init(
    _ input: SourceInput, _ part: JSONLayout.Part, _ parser: JSONParser, _ records: CSVRecords?
  ) throws(ImportError) {
    (self.input, self.part, self.parser, self.records) = (input, part, parser, records)
    block = try input.file.block(part.range)
    (offset, start) = (part.range.lowerBound, part.range.lowerBound)
    if case .elements(_, let first) = part.kind { element = first }
    if case .rows = part.kind { rows = CSVRows(block) }
  }

  /// The next record; nil after the last one.
  ///
  /// - Throws: errors of the record as a whole.
  mutating func next() throws(ImportError) -> JSONRecord? {
    if let records { return try nextRow(records) }
    guard let range = nextRange() else { return nil }
    (start, offset) = (range.lowerBound, range.upperBound)
    if case .elements(let run, _) = part.kind {
      pointer = "\(input.layout.runs[run].pointer ?? "")/\(element)"
    }
    element += 1
    do throws(ImportError) {
      return try parser.parse(block, range)
    } catch {
      var error = error
      error.pointer = pointer
      throw error
    }
  }

  private mutating func nextRow(_ records: CSVRecords) throws(ImportError) -> JSONRecord? {
    hasEnd = false
    guard let range = try rows?.next(), let fields = rows?.fields else { return nil }
    hasEnd = true
    start = range.lowerBound
    return try records.record(fields, range, in: block)
  }

  /// The range of the next record; nil after the last one.
  private func nextRange() -> Range<Int>? {
    var start = offset
    while start < block.range.upperBound,
      JSONScan.isSpace(block[start]) || part.isElements && block[start] == UInt8(ascii: ",")
    {
      start += 1
    }
    guard start < block.range.upperBound else { return nil }
    let end: Int?
    if part.isElements {
      var scan = JSONScan()
      end = scan.end(in: block, from: start)
    } else {
      end = block.firstOffset(of: UInt8(ascii: "\n"), from: start)
    }
    return start..<(end ?? block.range.upperBound)
  }

  /// The error of a value in the last record, with its place in the input.
  func error(_ error: ValueError, in record: JSONRecord) -> ImportError {
    input.file.error(error, in: record, prefix: pointer)
  }
}

extension JSONLayout.Part {
  fileprivate var isElements: Bool { if case .elements = kind { true } else { false } }

  /// The number of the run that the part belongs to; nil if each line names its class.
  var run: Int? {
    switch kind {
    case .lines(let run), .elements(let run, _), .rows(let run): run
    case .wrappedLines, .changes: nil
    }
  }
}
