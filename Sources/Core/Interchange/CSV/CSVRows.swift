import RealmStorage

/// A field in a row of CSV.
package struct CSVField {
  /// Offset of the field in the file.
  package let offset: Int
  /// The place of the content without quotes in memory, as a range in the file.
  package let content: Range<Int>
  package let isQuoted: Bool

  var isEmpty: Bool { content.isEmpty }
}

/// Reads rows of CSV (RFC 4180) from memory. Removes quotes in place, so a block can be read only once.
package struct CSVRows {
  private let block: TextBlock
  /// Offset where the search for the next row starts.
  private var offset: Int
  /// The fields of the last row.
  package private(set) var fields: [CSVField] = []

  /// - Parameter block: whole rows.
  package init(_ block: TextBlock) {
    self.block = block
    offset = block.range.lowerBound
  }

  /// Reads the next row. Skips blank lines.
  ///
  /// - Returns: the range of the row without the line end; nil after the last row.
  /// - Throws: `structure`; `truncated` for a field without a closing quote; `encoding`.
  package mutating func next() throws(ImportError) -> Range<Int>? {
    let bytes = block.bytes(block.range)
    let base = block.range.lowerBound
    var i = offset - base
    while i < bytes.count, CSVRows.isLineEnd(bytes[i]) { i += 1 }
    guard i < bytes.count else { return nil }
    let start = i
    fields.removeAll(keepingCapacity: true)
    while true {
      i = try appendField(bytes, from: i, base)
      guard i < bytes.count, bytes[i] == UInt8(ascii: ",") else { break }
      i += 1
    }
    offset = base + i
    return (base + start)..<offset
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  /// Reads a field.
  ///
  /// - Returns: the position after the field: of a comma, of a line end, or the end of the block.
  private mutating func appendField(
    _ bytes: ByteSlice, from start: Int, _ base: Int
  ) throws(ImportError) -> Int {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else {
      var i = start
      while i < bytes.count, bytes[i] != UInt8(ascii: ","), !CSVRows.isLineEnd(bytes[i]) {
        if bytes[i] == UInt8(ascii: "\"") {
          throw ImportError(CSVScan.Failure.strayQuote(at: base + i))
        }
        i += 1
      }
      try append(start..<i, from: start, isQuoted: false, bytes, base)
      return i
    }
    var i = start + 1
    // The content moves over the removed quotes: two quotes become one.
    var end = i
    while true {
      guard i < bytes.count else {
        throw ImportError(CSVScan.Failure.openQuote, offset: base + start)
      }
      let byte = bytes[i]
      if byte == UInt8(ascii: "\"") {
        guard i + 1 < bytes.count, bytes[i + 1] == byte else { break }
        i += 1
      }
      if end < i { block.set(byte, at: base + end) }
      (i, end) = (i + 1, end + 1)
    }
    i += 1
    guard i == bytes.count || bytes[i] == UInt8(ascii: ",") || CSVRows.isLineEnd(bytes[i]) else {
      throw ImportError(CSVScan.Failure.afterQuote(at: base + i))
    }
    try append((start + 1)..<end, from: start, isQuoted: true, bytes, base)
    return i
  }

  private mutating func append(
    _ content: Range<Int>, from start: Int, isQuoted: Bool, _ bytes: ByteSlice, _ base: Int
  ) throws(ImportError) {
    let text = bytes.part(content)
    guard text.isValidUTF8 else {
      throw ImportError(
        .encoding("in another encoding"),
        offset: base + content.lowerBound + JSONParser.firstMalformed(text))
    }
    fields.append(
      CSVField(
        offset: base + start,
        content: (base + content.lowerBound)..<(base + content.upperBound), isQuoted: isQuoted))
  }
}

extension ImportError {
  init(_ failure: CSVScan.Failure) { self.init(failure.kind, offset: failure.offset) }
}
