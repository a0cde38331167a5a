package import RealmStorage

/// The largest byte counts of a string and of a binary (chapter 2, sections 3.6 and 3.8).
@usableFromInline
package enum BlobLimits {
  @inlinable package static var string: Int { binary - 1 }
  @inlinable package static var binary: Int { Blob.pieceByteCount }
  /// Maximum bytes of a binary in the medium form.
  package static let smallBinary = 64
}

/// A leaf of strings or binaries in any form. The node shows which form it has (chapter 2, sections 3.5 to 3.8).
package enum StringLeaf {
  case short(ShortStringLeaf)
  case small(SmallBlobsLeaf)
  case big(BigBlobsLeaf)
  case enumerated(EnumeratedLeaf)

  /// A leaf of strings.
  ///
  /// - Parameters:
  ///   - enumeration: the distinct values of an enumerated column. In such a column, leaves of tombstones can
  ///     have one of the other forms (chapter 3, section 12, no. 14).
  ///   - isLookUp: as for ``SmallBlobsLeaf``.
  /// - Throws: `damaged` with rule `leaf.kind` or `leaf.small-blobs`.
  @inline(__always)
  package init(
    strings node: Node, _ nodes: NodeReader, enumeration: SliceColumn? = nil,
    form: BlobForm = .current, isLookUp: Bool = false
  ) throws(RealmFileError) {
    if let enumeration, node.isIntegers {
      self = .enumerated(EnumeratedLeaf(node, enumeration))
    } else if node.hasRefs {
      self = try StringLeaf(blobs: node, nodes, terminator: 1, form, isLookUp: isLookUp)
    } else {
      self = .short(try ShortStringLeaf(node))
    }
  }

  /// A leaf of binaries, which have no short form, and no zero byte at their end.
  ///
  /// - Throws: `damaged` with rule `leaf.kind` or `leaf.small-blobs`.
  package init(
    binaries node: Node, _ nodes: NodeReader, form: BlobForm = .current, isLookUp: Bool = false
  ) throws(RealmFileError) {
    guard node.hasRefs else { throw Leaf.kindError(node, expected: "refs to binaries") }
    self = try StringLeaf(blobs: node, nodes, terminator: 0, form, isLookUp: isLookUp)
  }

  private init(
    blobs node: Node, _ nodes: NodeReader, terminator: Int, _ form: BlobForm, isLookUp: Bool
  ) throws(RealmFileError) {
    self =
      node.hasContext
      ? .big(BigBlobsLeaf(node, nodes, terminator: terminator, form: form, isLookUp: isLookUp))
      : .small(
        try SmallBlobsLeaf(node, nodes, terminator: terminator, form: form, isLookUp: isLookUp))
  }

  package var node: Node {
    switch self {
    case .short(let leaf): leaf.node
    case .small(let leaf): leaf.node
    case .big(let leaf): leaf.node
    case .enumerated(let leaf): leaf.node
    }
  }

  /// Number of rows.
  package var count: Int {
    switch self {
    case .short(let leaf): leaf.node.count
    case .small(let leaf): leaf.count
    case .big(let leaf): leaf.node.count
    case .enumerated(let leaf): leaf.node.count
    }
  }

  /// All rows.
  ///
  /// - Parameter rows: the number of rows that the leaf must have; nil if only the leaf knows it.
  package consuming func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    switch self {
    case .short(let leaf): try leaf.values(rows: rows)
    case .small(let leaf): try leaf.values(rows: rows)
    case .big(let leaf): try leaf.values(rows: rows)
    case .enumerated(let leaf): try leaf.values(rows: rows)
    }
  }

  /// Nil for null.
  @inline(__always)
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    switch self {
    case .short(let leaf): try leaf.value(at: row)
    case .small(let leaf): try leaf.value(at: row)
    case .big(let leaf): try leaf.value(at: row)
    case .enumerated(let leaf): try leaf.value(at: row)
    }
  }

  /// Maximum bytes of a string in the short form, and in the medium form (section 3.5).
  private static let (shortLimit, smallStringLimit) = (15, 63)

  /// Appends a leaf of the strings in `rows`, of up to ``BlobLimits/string`` bytes each, in the form that
  /// the reference chooses for these values.
  package static func encode(
    strings values: SliceColumn, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    let longest = longest(values, rows)
    if longest <= shortLimit {
      return ShortStringLeaf.encode(values, rows, longest: longest, into: nodes)
    }
    return longest <= smallStringLimit
      ? SmallBlobsLeaf.encode(values, rows, terminator: 1, into: nodes)
      : BigBlobsLeaf.encode(values, rows, terminator: 1, into: nodes)
  }

  /// Like ``encode(strings:_:into:)``, for binaries of up to ``BlobLimits/binary`` bytes each.
  static func encode(
    binaries values: SliceColumn, _ rows: Range<Int>, into nodes: NodeBuffer
  ) -> Ref {
    longest(values, rows) <= BlobLimits.smallBinary
      ? SmallBlobsLeaf.encode(values, rows, terminator: 0, into: nodes)
      : BigBlobsLeaf.encode(values, rows, terminator: 0, into: nodes)
  }

  /// Byte count of the longest value; -1 if all values are null.
  private static func longest(_ values: SliceColumn, _ rows: Range<Int>) -> Int {
    var longest = -1
    for row in rows {
      if let value = values[row] { longest = max(longest, value.count) }
    }
    return longest
  }
}

/// Strings as positions in the column's list of distinct strings (chapter 2, section 3.7).
package struct EnumeratedLeaf {
  let node: Node
  /// The distinct strings of the column.
  let strings: SliceColumn

  /// - Parameter node: of packed integers.
  init(_ node: Node, _ strings: SliceColumn) { (self.node, self.strings) = (node, strings) }

  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.enumeration`.
  func values(rows: Int?) throws(RealmFileError) -> SliceColumn {
    try Leaf.check(node.count, rows: rows, at: node)
    var values: [ByteSlice?] = []
    values.reserveCapacity(node.count)
    for position in node.integers() { values.append(try string(position)) }
    return SliceColumn(values)
  }

  /// Nil for null.
  func value(at row: Int) throws(RealmFileError) -> ByteSlice? {
    try Leaf.check(row: row, of: node.count, at: node)
    return try string(node.integer(at: row))
  }

  @inline(__always)
  private func string(_ position: Int64) throws(RealmFileError) -> ByteSlice? {
    guard position >= 0, position < strings.count else {
      throw .damaged(
        .leafEnumeration, at: node.ref,
        "found position \(position) in the list of distinct strings, expected less than \(strings.count)"
      )
    }
    return strings[Int(position)]
  }
}
