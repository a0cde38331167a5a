import RealmStorage

/// A file to import, or a text in memory. Several threads can read blocks of it at any position.
package final class ImportFile: Sendable {
  /// Path as the user wrote it, or the name of the text, for errors.
  package let path: String
  private let content: Content
  /// The range of the content in the file, without a byte order mark.
  package let range: Range<Int>
  let steps: ImportSteps

  private enum Content {
    case file(FileDescriptor)
    case text([UInt8])
  }

  /// A text in memory.
  ///
  /// - Parameter name: stands for the path in errors.
  init(text: [UInt8], name: String) {
    (content, path, range, steps) = (.text(text), name, text.indices, ImportSteps())
  }

  /// - Parameters:
  ///   - path: path of a file, or `-` for standard input.
  ///   - mayBeEmpty: whether a file of 0 bytes is accepted.
  ///   - steps: how much of the file is in memory at a time.
  /// - Throws: `empty`, `isRealm`, `encoding`; `file` if the input cannot be read.
  package init(
    path: String, mayBeEmpty: Bool = false, steps: ImportSteps = ImportSteps()
  ) throws(ImportError) {
    self.steps = steps
    self.path = path == InputFile.standardInput ? "standard input" : path
    let name = self.path
    let (file, size, start) = try ImportFile.reading(name) { () throws(RealmFileError) in
      let file = try InputFile.open(path)
      return (file, try file.size(), try file.read(at: 0, count: FileHeader.byteCount))
    }
    content = .file(file)
    guard size > 0 || mayBeEmpty else { throw ImportError(.empty, path: name) }
    // No text has a zero byte, and each header of a realm has some.
    guard !FileHeader.hasMnemonic(start) || !start.contains(0) else {
      throw ImportError(.isRealm, path: name)
    }
    if let other = ImportFile.encoding(Array(start.prefix(4))) {
      throw ImportError(.encoding(other), path: name)
    }
    let isMarked = start.starts(with: [0xEF, 0xBB, 0xBF])
    range = (isMarked ? 3 : 0)..<size
  }

  /// The encoding of a file with this start, if it is not UTF-8; otherwise nil.
  private static func encoding(_ start: [UInt8]) -> String? {
    if start.starts(with: [0xFF, 0xFE, 0, 0]) || start.starts(with: [0, 0, 0xFE, 0xFF]) {
      return "UTF-32"
    }
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    // JSON starts with an ASCII character. A zero byte next to it means that characters have several
    // bytes.
    if start.count >= 2, (start[0] == 0) != (start[1] == 0) {
      return start.count == 4 && start[1] == start[2] ? "UTF-32" : "UTF-16"
    }
    if start.starts(with: [0x1F, 0x8B]) { return "compressed by gzip" }
    if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return "compressed by zstd" }
    return nil
  }

  private static func reading<R>(
    _ path: String, _ body: () throws(RealmFileError) -> R
  ) throws(ImportError) -> R {
    do throws(RealmFileError) {
      return try body()
    } catch {
      throw ImportError(.file(error.adding(path: path)), path: path)
    }
  }

  /// Reads a part of the file.
  ///
  /// - Throws: `file`, also if the file has become shorter.
  func block(_ range: Range<Int>) throws(ImportError) -> TextBlock {
    try ImportFile.reading(path) { () throws(RealmFileError) in
      let block = TextBlock(range)
      guard case .file(let file) = content else {
        if case .text(let text) = content { block.fill(Array(text[range])) }
        return block
      }
      let count = try unsafe file.read(at: range.lowerBound, into: block.buffer)
      guard count == range.count else { throw RealmFileError(.shrankWhileReading) }
      return block
    }
  }

  /// Reads the next block of a reader of the whole file that has come to `offset`.
  ///
  /// - Throws: same as ``block(_:)``.
  func step(from offset: Int) throws(ImportError) -> TextBlock {
    try block(offset..<min(offset + steps.blockByteCount, range.upperBound))
  }

  /// Reads the file from `start`, block by block, until `body` returns a value.
  func search<R>(
    from start: Int, _ body: (TextBlock) -> R?
  ) throws(ImportError) -> R? {
    var offset = start
    while offset < range.upperBound {
      let block = try step(from: offset)
      if let result = body(block) { return result }
      offset = block.range.upperBound
    }
    return nil
  }

  // MARK: Places for messages

  /// Line and column of several bytes, both counted from 1, found in one pass. A line feed, a carriage return,
  /// or both end a line.
  ///
  /// - Returns: the places in the order of `offsets`.
  private func places(
    of offsets: [Int]
  ) throws(ImportError) -> [(line: Int, column: Int)] {
    var places = Array(repeating: (line: 1, column: 1), count: offsets.count)
    let order = offsets.indices.sorted { offsets[$0] < offsets[$1] }
    var next = 0
    var (line, column, isAfterReturn) = (1, 1, false)
    _ = try search(from: range.lowerBound) { (block) -> Bool? in
      for offset in block.range {
        while next < order.count, offsets[order[next]] <= offset {
          places[order[next]] = (line, column)
          next += 1
        }
        guard next < order.count else { return true }
        let byte = block[offset]
        if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && !isAfterReturn {
          (line, column) = (line + 1, 1)
        } else if byte & 0xC0 != 0x80, byte != UInt8(ascii: "\n") {
          column += 1
        }
        isAfterReturn = byte == UInt8(ascii: "\r")
      }
      return nil
    }
    // Offsets at the end of the file.
    for i in order[next...] { places[i] = (line, column) }
    return places
  }

  /// Largest number of bytes of a wrong value in a message.
  private static let shownByteCount = 60

  /// The start of the value at `offset`, for messages; a string or number at most up to its end.
  ///
  /// - Parameter isField: whether the value is a CSV field, which ends at a comma or at the end of the
  ///   line.
  func excerpt(at offset: Int, isField: Bool = false) -> String? {
    let end = min(offset + ImportFile.shownByteCount, range.upperBound)
    guard range.contains(offset) else { return nil }
    let bytes: [UInt8]
    do throws(ImportError) {
      bytes = try block(offset..<end).copy
    } catch {
      // The file cannot be read again. The error of the value is more important; it is reported without
      // an excerpt.
      return nil
    }
    let shown = isField ? ImportFile.fieldCount(bytes) : ImportFile.valueCount(bytes)
    var text = bytes[..<shown]
    // Removes an incomplete character.
    while let last = text.last, shown == bytes.count, last & 0x80 != 0, end < range.upperBound {
      text.removeLast()
      if last & 0xC0 == 0xC0 { break }
    }
    guard !text.isEmpty else { return nil }
    return String(decoding: text, as: UTF8.self)
      + (shown == bytes.count && end < range.upperBound ? "…" : "")
  }

  /// Byte count of the JSON value at the start of `bytes`, or of its part in `bytes`.
  private static func valueCount(_ bytes: [UInt8]) -> Int {
    var (shown, isString, isEscaped, depth) = (0, false, false, 0)
    scan: for byte in bytes {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isString
      case UInt8(ascii: "\""): isString.toggle()
      case _ where isString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: " "):
        if depth == 0 { break scan }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { break scan }
        depth -= 1
      default: break
      }
      shown += 1
      if !isString, depth == 0, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "}") { break }
    }
    return shown
  }

  /// Byte count of the CSV field at the start of `bytes`, or of its part in `bytes`.
  private static func fieldCount(_ bytes: [UInt8]) -> Int {
    var isQuoted = false
    for (i, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      let isEnd = [UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
      if isEnd, !isQuoted { return i }
    }
    return bytes.count
  }

  /// The error of a value in a record, with its place in the file.
  ///
  /// - Parameter prefix: JSON pointer to the record.
  func error(_ error: ValueError, in record: JSONRecord, prefix: String = "") -> ImportError {
    var result = ImportError(
      error.kind, offset: record.offset(error.token), className: error.className,
      property: error.property)
    result.pointer = prefix + record.pointer(to: error.token)
    result.found = excerpt(at: record.offset(error.token), isField: record.isRow)
    return result
  }

  /// The error with its line and column. An error with a path stays unchanged, because its place can be in
  /// another file.
  func located(_ error: ImportError) -> ImportError { located([error])[0] }

  /// The errors with their lines and columns, as by ``located(_:)``, in one pass over the file.
  func located(_ errors: [ImportError]) -> [ImportError] {
    var errors = errors
    let open = errors.indices.filter { errors[$0].path.isEmpty }
    for i in open { errors[i].path = path }
    let placed = open.filter { errors[$0].offset != nil }
    guard !placed.isEmpty else { return errors }
    do throws(ImportError) {
      let places = try places(of: placed.map { errors[$0].offset ?? 0 })
      for (i, place) in zip(placed, places) {
        (errors[i].line, errors[i].column) = (place.line, place.column)
      }
    } catch {
      // The file cannot be read again: the errors keep only their offsets.
    }
    return errors
  }

  // MARK: Rows of CSV

  /// Passes the rows of CSV to `body`, in order and each with its line end, until `body` returns false.
  ///
  /// Reads the file once from `start`, which must be the start of a row: a line end between quotes does not end
  /// a row, and only the bytes before it show whether it is between quotes.
  ///
  /// - Parameters:
  ///   - limit: largest number of bytes of a row, and the message about it.
  ///   - body: receives the range of a row, and whether the row is only a line end.
  /// - Throws: `structure` for quotes in the wrong place, `truncated`, `tooLarge`.
  func forEachRow(
    from start: Int, limit: (byteCount: Int, text: String),
    _ body: (_ row: Range<Int>, _ isBlank: Bool) -> Bool
  ) throws(ImportError) {
    var scan = CSVScan()
    var (offset, rowStart) = (start, start)
    while offset < range.upperBound {
      let block = try step(from: offset)
      do throws(CSVScan.Failure) {
        while let end = try scan.rowEnd(in: block, from: offset) {
          let row = rowStart..<end
          guard body(row, row.count == 1) else { return }
          (offset, rowStart) = (end, end)
        }
      } catch {
        throw ImportError(error)
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
