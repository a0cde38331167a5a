/// Reads a file line by line.
package struct LineReader {
  /// Bytes read at a time.
  private static let blockByteCount = 1 << 18

  private let file: FileDescriptor
  private let separator: UInt8
  private var offset = 0
  private var block: [UInt8] = []
  /// The first byte of `block` that no line has yet.
  private var start = 0

  /// - Parameter separator: the byte that ends a line; the last line need not have it.
  package init(_ file: FileDescriptor, separator: UInt8 = UInt8(ascii: "\n")) {
    (self.file, self.separator) = (file, separator)
  }

  /// The next line without its separator; nil at the end.
  ///
  /// - Parameter limit: of a longer line only the first `limit` bytes are returned.
  /// - Throws: `inputOutput`.
  package mutating func next(limit: Int) throws(RealmFileError) -> [UInt8]? {
    var line: [UInt8] = []
    var isEnd = true
    while true {
      if start == block.count {
        block = try file.read(at: offset, count: LineReader.blockByteCount)
        (start, offset) = (0, offset + block.count)
        guard !block.isEmpty else { return isEnd ? nil : line }
      }
      isEnd = false
      let end = block[start...].firstIndex(of: separator)
      line += block[start..<(end ?? block.count)].prefix(limit - line.count)
      start = (end ?? block.count - 1) + 1
      if end != nil { return line }
    }
  }
}
