import RealmStorage

/// A text to import. Several threads can read blocks of it at any position.
package final class TextFile: Sendable {
  /// Path as the user wrote it, for errors.
  package let path: String
  private let file: FileDescriptor
  /// The range of the text in the file, without a byte order mark.
  package let range: Range<Int>

  /// Number of bytes per step when the whole text is read.
  static let stepByteCount = 1 << 20

  /// - Parameters:
  ///   - path: path of a file, or `-` for standard input.
  ///   - mayBeEmpty: whether a file of 0 bytes is accepted.
  /// - Throws: `empty`, `encoding`; `file` if the input cannot be read.
  package init(path: String, mayBeEmpty: Bool = false) throws(ImportError) {
    self.path = path == InputFile.standardInput ? "standard input" : path
    let name = self.path
    let (file, size, start) = try TextFile.reading(name) { () throws(RealmFileError) in
      let file = try InputFile.open(path)
      return (file, try file.size(), try file.read(at: 0, count: 4))
    }
    self.file = file
    guard size > 0 || mayBeEmpty else { throw ImportError(.empty, path: name) }
    if let other = TextFile.encoding(start) { throw ImportError(.encoding(other), path: name) }
    let isMarked = start.starts(with: [0xEF, 0xBB, 0xBF])
    range = (isMarked ? 3 : 0)..<size
  }

  /// The encoding of a text with this start, if it is not UTF-8; otherwise nil.
  private static func encoding(_ start: [UInt8]) -> String? {
    if start.starts(with: [0xFF, 0xFE, 0, 0]) || start.starts(with: [0, 0, 0xFE, 0xFF]) {
      return "UTF-32"
    }
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    // JSON starts with an ASCII character. A zero byte next to it shows that characters have several
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

  /// Reads a part of the text.
  ///
  /// - Throws: `file`, also if the file has become shorter.
  func block(_ range: Range<Int>) throws(ImportError) -> TextBlock {
    try TextFile.reading(path) { () throws(RealmFileError) in
      let block = TextBlock(range)
      let count = try unsafe file.read(at: range.lowerBound, into: block.buffer)
      guard count == range.count else { throw RealmFileError(.shrankWhileReading) }
      return block
    }
  }

  /// Reads the text from `start` on, step by step, until `body` returns a value.
  func search<R>(
    from start: Int, _ body: (ByteSlice, _ offset: Int) -> R?
  ) throws(ImportError) -> R? {
    var offset = start
    while offset < range.upperBound {
      let block = try block(offset..<min(offset + TextFile.stepByteCount, range.upperBound))
      if let result = body(block.bytes(block.range), offset) { return result }
      offset = block.range.upperBound
    }
    return nil
  }

  // MARK: Places for messages

  /// Line and column of a byte, both counted from 1.
  package func place(of offset: Int) throws(ImportError) -> (line: Int, column: Int) {
    try places(of: [offset])[0]
  }

  /// Line and column of several bytes, found in one pass. A line feed, a carriage return, or both end a
  /// line.
  ///
  /// - Returns: the places in the order of `offsets`.
  private func places(
    of offsets: [Int]
  ) throws(ImportError) -> [(line: Int, column: Int)] {
    var places = Array(repeating: (line: 1, column: 1), count: offsets.count)
    let order = offsets.indices.sorted { offsets[$0] < offsets[$1] }
    var next = 0
    var (line, column, isAfterReturn) = (1, 1, false)
    _ = try search(from: range.lowerBound) { (bytes, start) -> Bool? in
      for i in 0..<bytes.count {
        while next < order.count, offsets[order[next]] <= start + i {
          places[order[next]] = (line, column)
          next += 1
        }
        guard next < order.count else { return true }
        let byte = bytes[i]
        if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && !isAfterReturn {
          (line, column) = (line + 1, 1)
        } else if byte & 0xC0 != 0x80, byte != UInt8(ascii: "\n") {
          column += 1
        }
        isAfterReturn = byte == UInt8(ascii: "\r")
      }
      return nil
    }
    // Offsets at the end of the text.
    for i in order[next...] { places[i] = (line, column) }
    return places
  }

  /// The most bytes of a wrong value that a message shows.
  private static let shownByteCount = 60

  /// The start of the value at `offset`, for messages: at most up to the end of a string or number.
  ///
  /// - Parameter isField: whether the value is a CSV field, which ends at a comma or at the end of the
  ///   line.
  func excerpt(at offset: Int, isField: Bool = false) -> String? {
    let end = min(offset + TextFile.shownByteCount, range.upperBound)
    guard range.contains(offset) else { return nil }
    let bytes: [UInt8]
    do throws(ImportError) {
      bytes = try block(offset..<end).copy
    } catch {
      // Reading the text again failed. The error of the value is more important; it is reported without
      // an excerpt.
      return nil
    }
    let shown = isField ? TextFile.fieldCount(bytes) : TextFile.valueCount(bytes)
    var text = bytes[..<shown]
    // Removes a character that was cut in the middle.
    while let last = text.last, shown == bytes.count, last & 0x80 != 0, end < range.upperBound {
      text.removeLast()
      if last & 0xC0 == 0xC0 { break }
    }
    guard !text.isEmpty else { return nil }
    return String(decoding: text, as: UTF8.self)
      + (shown == bytes.count && end < range.upperBound ? "…" : "")
  }

  /// Byte count of the JSON value at the start of `bytes`, as far as `bytes` contains it.
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

  /// Byte count of the CSV field at the start of `bytes`, as far as `bytes` contains it.
  private static func fieldCount(_ bytes: [UInt8]) -> Int {
    var isQuoted = false
    for (i, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      let isEnd = [UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
      if isEnd, !isQuoted { return i }
    }
    return bytes.count
  }

  /// The error with its line and column. An error with a path keeps its place, because the place can be
  /// in another file.
  func located(_ error: ImportError) -> ImportError { located([error])[0] }

  /// The errors with their lines and columns, found in one pass; like ``located(_:)`` for each of them.
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
      // The text cannot be read again: keep the first errors, with their offsets only.
    }
    return errors
  }
}
