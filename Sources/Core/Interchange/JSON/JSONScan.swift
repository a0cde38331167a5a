import RealmStorage

/// Finds the end of JSON values without decoding them: counts brackets and skips strings. The parser checks
/// everything else.
struct JSONScan {
  private var depth = 0
  private var isString = false
  private var isEscaped = false
  /// True in a number or a word, which ends before the next separator.
  private var isWord = false

  /// True before the first byte of a value.
  private var isAtStart = true

  /// Scans the bytes of `block` from `offset` on, which follow those of the last call.
  ///
  /// - Returns: the end of the value in the file; nil if it continues after the block.
  mutating func end(in block: TextBlock, from offset: Int) -> Int? {
    let bytes = block.bytes(from: offset)
    return end(in: bytes).map { offset + $0 }
  }

  private mutating func end(in bytes: ByteSlice) -> Int? {
    var i = 0
    while i < bytes.count {
      let byte = bytes[i]
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
          if depth == 0 { return i + 1 }
        }
        i += 1
        continue
      }
      if isWord {
        guard !JSONScan.endsWord(byte) else { return i }
        i += 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return i + 1 }
      default: isWord = depth == 0 && isAtStart
      }
      isAtStart = false
      i += 1
    }
    return nil
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "}")
  }
}

/// Walks over a document of any size, value by value.
struct JSONDocumentWalk {
  private let file: ImportFile
  private var block: TextBlock
  /// Current offset in the file: in the block, or at its end.
  private(set) var offset: Int

  /// - Parameter start: offset of the document.
  init(_ file: ImportFile, from start: Int) throws(ImportError) {
    self.file = file
    offset = start
    block = try file.step(from: start)
  }

  private var isAtEnd: Bool { offset == file.range.upperBound }

  /// Reads the next block if the current offset is at the end of this one.
  private mutating func fill() throws(ImportError) {
    if offset == block.range.upperBound { block = try file.step(from: offset) }
  }

  /// Skips white space.
  ///
  /// - Returns: the next byte; nil at the end of the file.
  mutating func next() throws(ImportError) -> UInt8? {
    while !isAtEnd {
      try fill()
      let byte = block[offset]
      guard JSONScan.isSpace(byte) else { return byte }
      offset += 1
    }
    return nil
  }

  /// Skips white space, then `byte`.
  ///
  /// - Returns: false if another byte comes next.
  mutating func take(_ byte: Unicode.Scalar) throws(ImportError) -> Bool {
    guard try next() == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }

  /// Skips white space and `byte`, which must come next.
  ///
  /// - Throws: `truncated`, `notJSON`.
  mutating func expect(_ byte: Unicode.Scalar) throws(ImportError) {
    guard try !take(byte) else { return }
    guard !isAtEnd else {
      throw ImportError(.truncated("\"\(byte)\" is missing"), offset: offset)
    }
    throw ImportError(.notJSON("expected \"\(byte)\""), offset: offset)
  }

  /// Skips a value.
  ///
  /// - Returns: the range of the value in the file.
  /// - Throws: `truncated`, `tooLarge`, `notJSON`.
  mutating func value() throws(ImportError) -> Range<Int> {
    guard let first = try next() else {
      throw ImportError(.truncated("a value is missing"), offset: offset)
    }
    if first == UInt8(ascii: "}") || first == UInt8(ascii: "]") || first == UInt8(ascii: ",") {
      throw ImportError(.notJSON("expected a value"), offset: offset)
    }
    let start = offset
    var scan = JSONScan()
    while !isAtEnd {
      try fill()
      if let end = scan.end(in: block, from: offset) {
        offset = end
        return start..<end
      }
      offset = block.range.upperBound
      guard offset - start <= JSONParser.byteLimit else {
        throw ImportError(.tooLarge(JSONParser.byteLimitText), offset: start)
      }
    }
    throw ImportError(.truncated("an array, object or string is not closed"), offset: offset)
  }

  /// Skips a string.
  ///
  /// - Returns: the range of the string in the file.
  mutating func string() throws(ImportError) -> Range<Int> {
    guard try next() == UInt8(ascii: "\"") else {
      guard !isAtEnd else {
        throw ImportError(.truncated("the name of a member is missing"), offset: offset)
      }
      throw ImportError(.notJSON("expected the name of a member"), offset: offset)
    }
    return try value()
  }

  /// Walks over the members of an object.
  ///
  /// - Parameter body: receives the range of the name, and must skip the value.
  mutating func members(
    _ body: (inout JSONDocumentWalk, Range<Int>) throws(ImportError) -> Void
  ) throws(ImportError) {
    try expect("{")
    if try take("}") { return }
    while true {
      let name = try string()
      try expect(":")
      try body(&self, name)
      if try take("}") { return }
      try expect(",")
    }
  }

  /// Walks over the elements of an array.
  mutating func elements(_ body: (Range<Int>) throws(ImportError) -> Void) throws(ImportError) {
    try expect("[")
    if try take("]") { return }
    while true {
      try body(try value())
      if try take("]") { return }
      try expect(",")
    }
  }
}
