package import RealmStorage

/// The two variants of leaves of strings and binaries. Their nodes look alike.
package enum BlobForm {
  /// Formats 10 and later.
  case current
  /// Formats up to 9 (chapter 5, sections 6.4 and 6.7). Null flags may be missing if no value is null; in the
  /// null flags of strings 0 means null; an empty string may lack its zero byte.
  case legacy
}

/// Strings and binaries of medium size (chapter 2, section 3.6): the end offset of each value, one blob
/// with all values, and a null flag per value.
package struct SmallBlobsLeaf {
  private static let slotCount = 3

  let node: Node
  package let ends: Node
  package let blob: Node
  /// Nil if no value is null.
  package let nulls: Node?
  /// 1 for strings, which end with a zero byte, 0 for binaries.
  package let terminator: Int
  /// The fewest bytes that a value other than null takes.
  private let leastByteCount: Int
  /// Whether the flag of a null value is 0 instead of 1.
  private let isNullZero: Bool

  /// - Parameter isLookUp: whether only a few rows are looked up. The traversal then does not count the nodes,
  ///   because it also visits the leaf itself.
  /// - Throws: `damaged` with rule `leaf.small-blobs`.
  package init(
    _ node: Node, _ nodes: NodeReader, terminator: Int, form: BlobForm = .current,
    isLookUp: Bool = false
  ) throws(RealmFileError) {
    let hasNulls = form == .current || node.count != SmallBlobsLeaf.slotCount - 1
    guard !hasNulls || node.count == SmallBlobsLeaf.slotCount else {
      throw .damaged(
        .leafSmallBlobs, at: node.ref,
        "the leaf has \(node.form), expected \(SmallBlobsLeaf.slotCount): offsets, bytes and null flags"
      )
    }
    ends = try nodes.node(at: try node.ref(at: 0), isLookUp: isLookUp)
    blob = try nodes.node(at: try node.ref(at: 1), isLookUp: isLookUp)
    nulls = hasNulls ? try nodes.node(at: try node.ref(at: 2), isLookUp: isLookUp) : nil
    guard ends.isIntegers, nulls?.isIntegers != false, nulls?.count ?? ends.count == ends.count,
      !blob.hasRefs
    else {
      throw .damaged(
        .leafSmallBlobs, at: node.ref,
        "found \(ends.form) as offsets, \(blob.form) as bytes and \(nulls?.form ?? "nothing") as null flags, expected "
          + "integers, bytes, and as many null flags as offsets")
    }
    (self.node, self.terminator) = (node, terminator)
    leastByteCount = form == .current ? terminator : 0
    isNullZero = form == .legacy && terminator == 1
  }

  /// Number of rows.
  var count: Int { ends.count }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.string-offsets`.
  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    try Leaf.check(count, rows: rows, at: ends)
    let ends = ends.integers()
    let flags = nulls?.integers()
    let bytes = blob.bytes
    var values: [ByteSlice?] = []
    values.reserveCapacity(ends.count)
    var start: Int64 = 0
    for row in 0..<ends.count {
      let isNull = flags.map { ($0[row] == 0) == isNullZero } ?? false
      values.append(try slice(bytes, row, from: start, to: ends[row], isNull: isNull))
      start = ends[row]
    }
    return SliceColumn(values)
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: count, at: ends)
    return try slice(
      blob.bytes, row, from: row == 0 ? 0 : ends.integer(at: row - 1), to: ends.integer(at: row),
      isNull: nulls.map { ($0.integer(at: row) == 0) == isNullZero } ?? false)
  }

  @inline(__always)
  private func slice(
    _ bytes: ByteSlice, _ row: Int, from start: Int64, to end: Int64, isNull: Bool
  ) throws(RealmFileError) -> ByteSlice? {
    guard start >= 0, end >= start, end <= bytes.count,
      isNull || end - start >= leastByteCount
    else {
      throw .damaged(
        .leafStringOffsets, at: ends.ref,
        "value \(row) spans bytes \(start) to \(end) of \(bytes.count)")
    }
    return isNull ? nil : bytes.part(Int(start)..<max(Int(start), Int(end) - terminator))
  }

  /// Appends a leaf of the values in `rows`, which together have at most 16 MB.
  package static func encode(
    _ values: SliceColumn, _ rows: Range<Int>, terminator: Int, into nodes: NodeBuffer
  ) -> Ref {
    var ends: [Int64] = []
    var nulls: [Int64] = []
    ends.reserveCapacity(rows.count)
    nulls.reserveCapacity(rows.count)
    var end = 0
    for row in rows {
      let value = values[row]
      // A null string takes one byte (its zero byte), a null binary none.
      end += (value?.count ?? 0) + terminator
      ends.append(Int64(end))
      nulls.append(value == nil ? 1 : 0)
    }
    let offsets = nodes.append(integers: ends)
    let blob = unsafe nodes.append(
      flags: Blob.flags(byteCount: end), count: end, payloadByteCount: end
    ) { payload in
      var start = 0
      for row in rows {
        let value = values[row]
        if let value { unsafe value.copy(to: payload, at: start) }
        start += (value?.count ?? 0) + terminator
      }
    }
    let flags = nodes.append(integers: nulls)
    return nodes.append(refs: [Int64(offsets), Int64(blob), Int64(flags)])
  }
}

/// Long strings and binaries (chapter 2, section 3.8): one ref per value, 0 for null.
package struct BigBlobsLeaf {
  package let node: Node
  package let terminator: Int
  package let nodes: NodeReader
  private let form: BlobForm
  private let isLookUp: Bool

  /// - Parameters:
  ///   - node: an array of refs with the context flag.
  ///   - isLookUp: as for ``SmallBlobsLeaf``.
  package init(
    _ node: Node, _ nodes: NodeReader, terminator: Int, form: BlobForm = .current,
    isLookUp: Bool = false
  ) {
    (self.node, self.nodes, self.terminator) = (node, nodes, terminator)
    (self.form, self.isLookUp) = (form, isLookUp)
  }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.blob`.
  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    try Leaf.check(node.count, rows: rows, at: node)
    var values: [ByteSlice?] = []
    values.reserveCapacity(node.count)
    for (row, element) in node.integers().enumerated() {
      values.append(try blob(at: try node.ref(of: element, at: row)))
    }
    return SliceColumn(values)
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: node.count, at: node)
    return try blob(at: try node.ref(at: row))
  }

  /// The size of the value in `row`, and its bytes up to `limit`, which is less than a piece has; nil for null.
  /// Reads only these bytes, and does not count them for the traversal.
  func start(
    at row: Int, limit: Int
  ) throws(RealmFileError) -> (bytes: ByteSlice, byteCount: Int)? {
    try Leaf.check(row: row, of: node.count, at: node)
    let ref = try node.ref(at: row)
    guard ref != 0 else { return nil }
    let (header, bytes) = try nodes.start(of: ref, limit: limit)
    guard header.hasRefs || header.widthType != .ignore else { return (bytes, header.count) }
    return try Blob.start(at: ref, header, nodes, limit: limit)
  }

  @inline(__always)
  private func blob(at ref: Ref) throws(RealmFileError) -> ByteSlice? {
    guard ref != 0 else { return nil }
    let value = try nodes.node(at: ref, isLookUp: isLookUp)
    // Fast path: nearly all values are one node.
    if !value.hasRefs, value.header.widthType == .ignore, value.count >= terminator {
      return value.bytes.part(0..<(value.count - terminator))
    }
    return try unusual(value)
  }

  /// The bytes of a value in pieces. Throws if the node is not a blob.
  @inline(never)
  private func unusual(_ value: Node) throws(RealmFileError) -> ByteSlice {
    if form == .legacy, value.count == 0, !value.hasRefs { return .empty }
    return try Blob(value, nodes, isLookUp: isLookUp).bytes(terminator: terminator)
  }

  /// Appends a leaf of the values in `rows`, each of which fits into a node.
  static func encode(
    _ values: SliceColumn, _ rows: Range<Int>, terminator: Int, into nodes: NodeBuffer
  ) -> Ref {
    var refs: [Int64] = []
    refs.reserveCapacity(rows.count)
    for row in rows {
      guard let value = values[row] else {
        refs.append(0)
        continue
      }
      refs.append(Int64(Blob.encode(value, terminator: terminator, into: nodes)))
    }
    return encode(blobs: refs, into: nodes)
  }

  /// Appends a leaf of values that are nodes already.
  ///
  /// - Parameter blobs: the ref of each value, 0 for null.
  package static func encode(blobs refs: [Int64], into nodes: NodeBuffer) -> Ref {
    nodes.append(refs: refs, kind: NodeEncoder.hasContext)
  }
}

/// A long value (chapter 2, section 3.9): a node of bytes, or an array of pieces if no node can hold the value.
@usableFromInline
package struct Blob {
  /// Byte count of every piece except the last.
  @inlinable static var pieceByteCount: Int { 0xFF_FFF0 }

  /// The flags of a node of bytes, as the reference writes them.
  static func flags(byteCount: Int) -> UInt8 { byteCount == 0 ? 0x10 : 0x11 }

  /// Appends a value that fits into a node together with `terminator` zero bytes after it.
  fileprivate static func encode(
    _ value: ByteSlice, terminator: Int, into nodes: NodeBuffer
  ) -> Ref {
    let size = value.count + terminator
    return unsafe nodes.append(flags: flags(byteCount: size), count: size, payloadByteCount: size) {
      unsafe value.copy(to: $0, at: 0)
    }
  }

  /// Appends a value of any length without a terminator.
  ///
  /// - Parameter afterPiece: called after each piece of a value in pieces.
  package static func encode(
    _ bytes: [UInt8], into nodes: NodeBuffer, afterPiece: () throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Ref {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(RealmFileError) in
      guard let start = bytes.baseAddress else {
        return encode(.empty, terminator: 0, into: nodes)
      }
      let value = unsafe ByteSlice(start: start, count: bytes.count)
      guard value.count > pieceByteCount else { return encode(value, terminator: 0, into: nodes) }
      var pieces: [Int64] = []
      for start in stride(from: 0, to: value.count, by: pieceByteCount) {
        let piece = value.part(start..<min(start + pieceByteCount, value.count))
        pieces.append(Int64(encode(piece, terminator: 0, into: nodes)))
        try afterPiece()
      }
      return nodes.append(refs: pieces, kind: NodeEncoder.hasContext)
    }
  }

  package let node: Node
  package let nodes: NodeReader
  private let isLookUp: Bool

  package init(_ node: Node, _ nodes: NodeReader, isLookUp: Bool) throws(RealmFileError) {
    let isBlob =
      node.hasRefs ? node.hasContext && !node.isInner : node.header.widthType == .ignore
    guard isBlob else {
      throw .damaged(
        .leafBlob, at: node.ref, "the value is \(node.form), expected bytes or refs to pieces")
    }
    (self.node, self.nodes, self.isLookUp) = (node, nodes, isLookUp)
  }

  /// The value without the `terminator` zero bytes at its end.
  func bytes(terminator: Int) throws(RealmFileError) -> ByteSlice {
    let bytes = node.hasRefs ? try nodes.joined(at: node.ref, pieces) : node.bytes
    guard bytes.count >= terminator else {
      throw .damaged(
        .leafBlob, at: node.ref, "the string has no bytes, expected a zero byte at its end")
    }
    return bytes.part(0..<(bytes.count - terminator))
  }

  /// Checks a number of pieces. All but the last are full, so a larger number would count a piece twice.
  private static func check(
    pieceCount: Int, at ref: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) {
    guard pieceCount - 1 <= nodes.logicalSize / pieceByteCount else {
      throw .damaged(
        .leafBlob, at: ref,
        "the value has \(pieceCount) pieces of \(pieceByteCount) bytes, but the file has \(nodes.logicalSize) bytes"
      )
    }
  }

  /// The size of a value in pieces, and its bytes up to `limit`, all of which are in the first piece.
  fileprivate static func start(
    at ref: Ref, _ header: NodeHeader, _ nodes: NodeReader, limit: Int
  ) throws(RealmFileError) -> (bytes: ByteSlice, byteCount: Int) {
    try check(pieceCount: header.count, at: ref, nodes)
    let array = try Blob(try nodes.lookUp(ref), nodes, isLookUp: true).node
    guard array.count > 0 else { return (.empty, 0) }
    let first = try nodes.start(of: try array.ref(at: 0), limit: limit)
    let last = try nodes.start(of: try array.ref(at: array.count - 1), limit: 0).header
    return (first.bytes, (array.count - 1) * pieceByteCount + last.payloadByteCount)
  }

  private func pieces() throws(RealmFileError) -> [ByteSlice] {
    try Blob.check(pieceCount: node.count, at: node.ref, nodes)
    var pieces: [ByteSlice] = []
    for i in 0..<node.count {
      let piece = try nodes.node(at: try node.ref(at: i), isLookUp: isLookUp)
      // Joining copies the pieces. If they could have any size, a small file could demand any amount of memory.
      guard !piece.hasRefs, i == node.count - 1 || piece.bytes.count == Blob.pieceByteCount else {
        throw .damaged(
          .leafBlob, at: piece.ref,
          "piece \(i) of \(node.count) has \(piece.form), expected \(Blob.pieceByteCount) bytes"
            + (i == node.count - 1 ? " or fewer" : ""))
      }
      pieces.append(piece.bytes)
    }
    return pieces
  }
}
