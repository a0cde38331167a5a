import RealmStorage

/// Strings and binaries in their leaf kinds (chapter 2, sections 3.5 to 3.9).
extension Leaf {
  /// Strings, in whichever kind the leaf has: short, small blobs or big blobs.
  static func strings(
    _ node: Node, _ nodes: NodeReader, rows: Int?
  ) throws(RealmFileError) -> SliceColumn {
    if node.hasRefs {
      return node.hasContext
        ? try bigBlobs(node, nodes, rows: rows, terminator: 1)
        : try smallBlobs(node, nodes, rows: rows, terminator: 1)
    }
    guard node.header.widthType == .multiply else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count, rows: rows, at: node)
    return try SliceColumn(shortStringsOf: node)
  }

  /// Binaries: small or big blobs, without terminators.
  static func binaries(
    _ node: Node, _ nodes: NodeReader, rows: Int?
  ) throws(RealmFileError) -> SliceColumn {
    guard node.hasRefs else { throw .damaged(.leafKind, at: node.ref) }
    return node.hasContext
      ? try bigBlobs(node, nodes, rows: rows, terminator: 0)
      : try smallBlobs(node, nodes, rows: rows, terminator: 0)
  }

  /// Positions in the column's list of distinct values (section 3.7); `node` has integers.
  static func enumerated(
    _ node: Node, _ values: SliceColumn, rows: Int?
  ) throws(RealmFileError) -> SliceColumn {
    try check(node.count, rows: rows, at: node)
    var strings: [ByteSlice?] = []
    strings.reserveCapacity(node.count)
    for position in node.integers() {
      guard position >= 0, position < values.count else {
        throw .damaged(.leafEnumeration, at: node.ref)
      }
      strings.append(values[Int(position)])
    }
    return SliceColumn(strings)
  }

  /// - Throws: `damaged` with rule `leaf.short-string` where `row`, which must exist, claims more
  ///   padding than the block has bytes.
  @inline(__always)
  static func checkShortString(_ node: Node, row: Int) throws(RealmFileError) {
    guard node.width == 0 || Int(node.bytes[(row + 1) * node.width - 1]) <= node.width else {
      throw .damaged(.leafShortString, at: node.ref)
    }
  }

  /// The block of `width` bytes of `row`, which was checked: the last byte is the number of padding
  /// zeros before it, or the width itself for null. Width 0: null.
  @inline(__always)
  static func shortString(_ bytes: ByteSlice, width: Int, row: Int) -> ByteSlice? {
    guard width > 0 else { return nil }
    let start = row * width
    let padding = Int(bytes[start + width - 1])
    return padding < width ? bytes.part(start..<(start + width - 1 - padding)) : nil
  }

  /// End offsets, one blob with all values, null flags.
  private static func smallBlobs(
    _ node: Node, _ nodes: NodeReader, rows: Int?, terminator: Int
  ) throws(RealmFileError) -> SliceColumn {
    guard node.count == 3 else { throw .damaged(.leafSmallBlobs, at: node.ref) }
    let offsets = try nodes.node(at: node.ref(at: 0))
    let blob = try nodes.node(at: node.ref(at: 1))
    let nulls = try nodes.node(at: node.ref(at: 2))
    guard offsets.isIntegers, nulls.isIntegers, nulls.count == offsets.count, !blob.hasRefs else {
      throw .damaged(.leafSmallBlobs, at: node.ref)
    }
    try check(offsets.count, rows: rows, at: offsets)
    let ends = offsets.integers()
    let isNull = nulls.integers()
    let bytes = blob.bytes
    var values: [ByteSlice?] = []
    values.reserveCapacity(ends.count)
    var start = 0
    for row in 0..<ends.count {
      guard ends[row] >= start, ends[row] <= bytes.count else {
        throw .damaged(.leafStringOffsets, at: offsets.ref)
      }
      let end = Int(ends[row])
      if isNull[row] != 0 {
        values.append(nil)
      } else {
        guard end - start >= terminator else {
          throw .damaged(.leafStringOffsets, at: offsets.ref)
        }
        values.append(bytes.part(start..<(end - terminator)))
      }
      start = end
    }
    return SliceColumn(values)
  }

  /// A ref a value, 0 for null.
  private static func bigBlobs(
    _ node: Node, _ nodes: NodeReader, rows: Int?, terminator: Int
  ) throws(RealmFileError) -> SliceColumn {
    try check(node.count, rows: rows, at: node)
    var values: [ByteSlice?] = []
    values.reserveCapacity(node.count)
    for row in 0..<node.count {
      let ref = try node.ref(at: row)
      values.append(ref == 0 ? nil : try blob(at: ref, nodes, terminator: terminator))
    }
    return SliceColumn(values)
  }

  /// Bytes of every piece of a value but the last.
  private static let fullPieceByteCount = 0xFF_FFF0

  /// One value: a blob node, or an array of pieces where it is longer than a node holds
  /// (section 3.9).
  static func blob(
    at ref: Ref, _ nodes: NodeReader, terminator: Int
  ) throws(RealmFileError) -> ByteSlice {
    let node = try nodes.node(at: ref)
    let bytes: ByteSlice
    if node.hasRefs {
      guard node.hasContext, !node.isInner else { throw .damaged(.leafBlob, at: ref) }
      var pieces: [ByteSlice] = []
      for i in 0..<node.count {
        let piece = try nodes.node(at: node.ref(at: i))
        // Joining copies: small pieces would let a small file ask for any amount of memory.
        guard !piece.hasRefs, i == node.count - 1 || piece.bytes.count == fullPieceByteCount else {
          throw .damaged(.leafBlob, at: piece.ref)
        }
        pieces.append(piece.bytes)
      }
      bytes = nodes.join(pieces)
    } else {
      guard node.header.widthType == .ignore else { throw .damaged(.leafBlob, at: ref) }
      bytes = node.bytes
    }
    guard bytes.count >= terminator else { throw .damaged(.leafBlob, at: ref) }
    return bytes.part(0..<(bytes.count - terminator))
  }
}
