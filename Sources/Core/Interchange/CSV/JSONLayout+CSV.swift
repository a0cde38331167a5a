import RealmModel
import RealmStorage

/// The layout of a CSV text.
extension JSONLayout {
  /// Finds the rows after the header.
  ///
  /// - Throws: `structure` for quotes in the wrong place, `truncated`, `tooLarge`.
  init(rowsOf file: TextFile, behind header: CSVHeader) throws(ImportError) {
    self.init(plain: [Run(name: nil, pointer: nil)])
    var part = header.end..<header.end
    var (count, parts): (Int, [Part]) = (0, [])
    try file.forEachRow(
      from: header.end, limit: (JSONParser.byteLimit, JSONParser.byteLimitText)
    ) { row, isBlank in
      if !isBlank { count += 1 }
      part = part.lowerBound..<row.upperBound
      if part.count >= JSONLayout.partByteCount {
        parts.append(Part(kind: .rows(run: 0), range: part))
        part = row.upperBound..<row.upperBound
      }
      return true
    }
    if !part.isEmpty { parts.append(Part(kind: .rows(run: 0), range: part)) }
    (self.parts, objectCount) = (parts, count)
  }
}
