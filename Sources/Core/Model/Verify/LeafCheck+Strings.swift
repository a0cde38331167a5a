import RealmStorage

/// Strings and binaries (chapter 2, rules L6 to L9 and L16).
extension LeafCheck {
  /// Bytes of every piece of a split blob but the last (section 3.9).
  private static let pieceByteCount = 0xFF_FFF0

  /// - Parameter terminator: 1 for strings, which end with a zero byte, 0 for binaries.
  mutating func checkStrings(_ node: Node, terminator: Int) throws(RealmFileError) {
    if !node.hasRefs {
      checkShortStrings(node)
    } else if node.hasContext {
      try checkBigBlobs(node, terminator: terminator)
    } else {
      try checkSmallBlobs(node, terminator: terminator)
    }
  }

  mutating func checkText(_ node: Node, _ batch: ColumnBatch) {
    guard case .string(let values) = batch else { return }
    let rows = values.indices.filter { values[$0]?.isValidUTF8 == false }
    add(Defect(.leafUtf8, at: node.ref, rows: rows, of: values.count, "are not valid UTF-8"))
  }

  /// What is behind the string, and before the byte that says how much that is, is zero.
  private mutating func checkShortStrings(_ node: Node) {
    let (bytes, width) = (node.bytes, node.width)
    guard width > 1 else { return }
    var rows: [Int] = []
    for row in 0..<node.count {
      let end = row * width + width - 1
      // The codec made sure that this is at most the width, which stands for null.
      let padding = min(Int(bytes[end]), width - 1)
      for i in (end - padding)..<end where bytes[i] != 0 {
        rows.append(row)
        break
      }
    }
    add(
      Defect(
        .leafShortString, at: node.ref, rows: rows, of: node.count, "are not padded with zeros"))
  }

  private mutating func checkSmallBlobs(
    _ node: Node, terminator: Int
  ) throws(RealmFileError) {
    let offsets = try nodes.lookUp(try node.ref(at: 0))
    let blob = try nodes.lookUp(try node.ref(at: 1))
    let nulls = try nodes.lookUp(try node.ref(at: 2))
    let ends = offsets.integers()
    guard blob.header.widthType == .ignore, Int64(blob.count) == ends.last ?? 0 else {
      let size = "\(blob.count) bytes, the last value ends at \(ends.last ?? 0)"
      return add(Defect(.leafStringOffsets, at: blob.ref, size))
    }
    let flags = nulls.integers()
    let bytes = blob.bytes
    var (oddFlags, oddNulls, unterminated): ([Int], [Int], [Int]) = ([], [], [])
    var start: Int64 = 0
    // The codec made sure that the ends ascend and lie inside the bytes.
    for row in 0..<ends.count {
      let end = ends[row]
      if flags[row] != 0 && flags[row] != 1 { oddFlags.append(row) }
      if flags[row] != 0, end - start != Int64(terminator) { oddNulls.append(row) }
      if terminator == 1, end > start, bytes[Int(end) - 1] != 0 { unterminated.append(row) }
      start = end
    }
    let count = ends.count
    add(Defect(.leafSmallBlobs, at: nulls.ref, rows: oddFlags, of: count, "have no null flag"))
    add(
      Defect(
        .leafStringOffsets, at: offsets.ref, rows: oddNulls, of: count,
        "are null, but do not take \(terminator) bytes"))
    add(
      Defect(
        .leafTerminator, at: blob.ref, rows: unterminated, of: count, "do not end with a zero"))
  }

  private mutating func checkBigBlobs(_ node: Node, terminator: Int) throws(RealmFileError) {
    var unterminated: [Int] = []
    for row in 0..<node.count {
      let ref = try node.ref(at: row)
      guard ref != 0 else { continue }
      let value = try nodes.lookUp(ref)
      guard value.hasRefs else {
        if terminator == 1, value.count == 0 || value.bytes[value.count - 1] != 0 {
          unterminated.append(row)
        }
        continue
      }
      try checkPieces(value, row: row)
    }
    add(
      Defect(
        .leafTerminator, at: node.ref, rows: unterminated, of: node.count,
        "do not end with a zero"))
  }

  private mutating func checkPieces(_ value: Node, row: Int) throws(RealmFileError) {
    var isWhole = value.count >= 2
    for i in 0..<value.count {
      let piece = try nodes.lookUp(try value.ref(at: i))
      isWhole =
        isWhole && piece.header.widthType == .ignore && !piece.hasContext
        && (i == value.count - 1 || piece.count == LeafCheck.pieceByteCount)
    }
    if !isWhole { add(Defect(.leafBlob, at: value.ref, row: row)) }
  }
}
