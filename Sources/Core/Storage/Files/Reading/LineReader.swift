/// Reads a file line by line.
package struct LineReader {
  private let file: FileDescriptor
  private let separator: UInt8
  /// Bytes read at a time.
  private let blockByteCount: Int
  private var offset = 0
  private var block: [UInt8] = []
  /// The first byte of `block` that no line has yet.
  private var start = 0

  /// - Parameters:
  ///   - separator: the byte that ends a line; the last line need not have it.
  ///   - blockByteCount: bytes read at a time.
  package init(
    _ file: FileDescriptor, separator: UInt8 = UInt8(ascii: "\n"), blockByteCount: Int = 1 << 18
  ) {
    (self.file, self.separator, self.blockByteCount) = (file, separator, blockByteCount)
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
        block = try file.read(at: offset, count: blockByteCount)
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
