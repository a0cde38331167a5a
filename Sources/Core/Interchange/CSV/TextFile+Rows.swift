import RealmStorage

extension TextFile {
  /// Passes the rows of a CSV text to `body`, in order and each with its line end, until `body` returns false.
  ///
  /// Reads the text once from `start`, which must be the start of a row: a line end between quotes does not end a
  /// row, and only the preceding text shows whether a line end is between quotes.
  ///
  /// - Parameters:
  ///   - limit: maximum bytes of a row, and the sentence about it.
  ///   - body: receives the range of a row, and whether the row is only a line end.
  /// - Throws: `structure` for quotes in the wrong place, `truncated`, `tooLarge`.
  func forEachRow(
    from start: Int, limit: (byteCount: Int, text: String),
    _ body: (_ row: Range<Int>, _ isBlank: Bool) -> Bool
  ) throws(ImportError) {
    var scan = CSVScan()
    var (offset, rowStart) = (start, start)
    while offset < range.upperBound {
      let block = try block(offset..<min(offset + TextFile.stepByteCount, range.upperBound))
      let bytes = block.bytes(block.range)
      var position = 0
      do throws(CSVScan.Failure) {
        while let end = try scan.rowEnd(in: bytes, position..<bytes.count) {
          let row = rowStart..<(offset + end)
          guard body(row, row.count == 1) else { return }
          (position, rowStart) = (end, row.upperBound)
        }
      } catch {
        throw ImportError(error.kind, offset: offset + error.position)
      }
      offset = block.range.upperBound
      guard offset - rowStart <= limit.byteCount else {
        throw ImportError(.tooLarge(limit.text), offset: rowStart)
      }
    }
    guard !scan.isQuoted else { throw ImportError(CSVScan.Failure.openQuote, offset: rowStart) }
    // The last row may have no line end.
    if offset > rowStart { _ = body(rowStart..<offset, false) }
  }
}
