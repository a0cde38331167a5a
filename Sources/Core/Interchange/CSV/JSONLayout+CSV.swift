import RealmModel
import RealmStorage

/// The layout of a CSV text.
extension JSONLayout {
  /// Finds the rows after the header. Reads the text once from the start: a line end between quotes does
  /// not end a row, and only the preceding text shows whether a line end is between quotes.
  ///
  /// - Throws: `structure` for quotes in the wrong place, `truncated`, `tooLarge`.
  init(rowsOf file: TextFile, behind header: CSVHeader) throws(ImportError) {
    self.init(plain: [Run(name: nil, pointer: nil)])
    var scan = CSVScan()
    var (offset, rowStart, partStart) = (header.end, header.end, header.end)
    func add(upTo end: Int) {
      parts.append(Part(kind: .rows(run: 0), range: partStart..<end))
      partStart = end
    }
    while offset < file.range.upperBound {
      let block = try file.block(
        offset..<min(offset + TextFile.stepByteCount, file.range.upperBound))
      let bytes = block.bytes(block.range)
      var position = 0
      do throws(CSVScan.Failure) {
        while let end = try scan.rowEnd(in: bytes, position..<bytes.count) {
          // A row of one byte is only a line end.
          if offset + end > rowStart + 1 { objectCount += 1 }
          (position, rowStart) = (end, offset + end)
          if rowStart - partStart >= JSONLayout.partByteCount { add(upTo: rowStart) }
        }
      } catch {
        throw ImportError(error.kind, offset: offset + error.position)
      }
      offset = block.range.upperBound
      guard offset - rowStart <= JSONParser.byteLimit else {
        throw ImportError(.tooLarge(JSONParser.byteLimitText), offset: rowStart)
      }
    }
    guard !scan.isQuoted else { throw ImportError(CSVScan.Failure.openQuote, offset: rowStart) }
    if offset > rowStart { objectCount += 1 }
    if offset > partStart { add(upTo: offset) }
  }
}
