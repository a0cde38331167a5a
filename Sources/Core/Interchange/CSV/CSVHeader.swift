import RealmModel
import RealmStorage

/// The first row of CSV: the names of the properties.
final class CSVHeader: Sendable {
  /// The name of each column, and its offset in the file.
  let columns: [(name: ByteSlice, offset: Int)]
  /// Offset of the first row after the header.
  let end: Int
  /// The memory that the names refer to.
  private let block: TextBlock

  /// Largest size of a header in bytes.
  private static let byteLimit = 16 << 20

  /// - Throws: `empty`, `tooLarge`; `structure` for a name that is empty or occurs twice.
  init(of file: ImportFile) throws(ImportError) {
    let range = try CSVHeader.row(file)
    end = range.upperBound
    block = try file.block(range)
    var rows = CSVRows(block)
    guard try rows.next() != nil else { throw ImportError(.empty) }
    var columns: [(name: ByteSlice, offset: Int)] = []
    var names = Set<[UInt8]>()
    for (i, field) in rows.fields.enumerated() {
      guard !field.isEmpty else {
        throw ImportError(
          .structure("column \(i + 1) has no name; the first line names the properties"),
          offset: field.offset)
      }
      let name = block.bytes(field.content)
      guard names.insert(name.bytes).inserted else {
        throw ImportError(
          .structure("two columns are named \(name.text)"), offset: field.offset)
      }
      columns.append((name, field.offset))
    }
    self.columns = columns
  }

  /// The range of the first row that is not blank.
  private static func row(_ file: ImportFile) throws(ImportError) -> Range<Int> {
    var first: Range<Int>?
    try file.forEachRow(
      from: file.range.lowerBound,
      limit: (byteLimit, "a header has at most \(byteLimit >> 20) MB")
    ) { row, isBlank in
      if !isBlank { first = row }
      return isBlank
    }
    guard let first else { throw ImportError(.empty) }
    return first
  }
}
