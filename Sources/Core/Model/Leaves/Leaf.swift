package import RealmStorage

/// What all leaf layouts have in common, and the choice of a layout by the type of a column (chapter 2, section
/// 3).
///
/// Each layout is a type, which alone knows how its leaves are stored. Its initializer checks the node of a
/// leaf; its methods decode all rows, look up one row, and encode a leaf.
@usableFromInline
package enum Leaf {
  /// Maximum number of values in a leaf of a B+tree or of a cluster (chapter 2, sections 4.1 and 5). Without this
  /// bound, a leaf of width 0 would turn eight bytes into sixteen million rows.
  @inlinable package static var capacity: Int { 1000 }

  /// Checks the number of rows.
  ///
  /// - Parameter rows: the number of rows that the leaf must have. If it is nil, only the leaf knows the number,
  ///   and the capacity limits it. A list that is one leaf of any size, such as the backlinks before format 24 (section
  ///   3.15), has at least a bit for each value.
  /// - Throws: `damaged` with rule `leaf.rows` or `leaf.capacity`.
  @inline(__always)
  package static func check(_ found: Int, rows: Int?, at node: Node) throws(RealmFileError) {
    if let rows {
      guard found == rows else { throw rowsError(found, rows: rows, at: node) }
    } else {
      guard found <= max(capacity, 8 * node.header.nodeByteCount) else {
        throw .damaged(
          .leafCapacity, at: node.ref,
          "the leaf has \(found) values in \(node.header.nodeByteCount) bytes, expected at most \(capacity)"
        )
      }
    }
  }

  static func rowsError(_ found: Int, rows: Int, at node: Node) -> RealmFileError {
    .damaged(
      .leafRows, at: node.ref, "the leaf has \(found) rows, but the cluster has \(rows) objects")
  }

  /// - Throws: `damaged` with rule `leaf.rows` if `row` does not exist.
  @inline(__always)
  static func check(row: Int, of count: Int, at node: Node) throws(RealmFileError) {
    guard row >= 0, row < count else {
      throw .damaged(
        .leafRows, at: node.ref, "the leaf has \(count) rows, expected at least \(row + 1)")
    }
  }

  /// The error for a leaf whose form does not fit the type of its column.
  package static func kindError(_ node: Node, expected: String) -> RealmFileError {
    .damaged(.leafKind, at: node.ref, "the leaf has \(node.form), expected \(expected)")
  }

  /// Decodes a leaf of single values of `type`.
  ///
  /// - Parameters:
  ///   - isNullable: selects one of the two encodings of integers (section 3.0).
  ///   - isBiased: true for links in clusters, which are stored plus one; false for links in collections.
  ///   - rows: the number of rows that the leaf must have; nil if only the leaf knows it.
  ///   - enumeration: the distinct values of an enumerated string column.
  /// - Throws: `damaged` with a rule of group `leaf`; the errors of opening a node.
  package static func decode(
    _ node: Node, type: ColumnType, isNullable: Bool, isBiased: Bool, rows: Int?,
    enumeration: SliceColumn? = nil, nodes: NodeReader
  ) throws(RealmFileError) -> LeafValues {
    guard !node.isInner else { throw kindError(node, expected: "values") }
    switch type {
    case .int:
      guard isNullable else {
        return .scalar(.int(try IntegerLeaf(node).values(rows: rows), NullMask()))
      }
      let (values, nulls) = try NullableIntegerLeaf(node).values(rows: rows)
      return .scalar(.int(values, nulls))
    case .bool:
      let (values, nulls) = try BoolLeaf(node).values(rows: rows)
      return .scalar(.bool(values, nulls))
    case .float:
      let (values, nulls) = try FloatLeaf(node).values(rows: rows)
      return .scalar(.float(values, nulls))
    case .double:
      let (values, nulls) = try DoubleLeaf(node).values(rows: rows)
      return .scalar(.double(values, nulls))
    case .string:
      return .scalar(
        .string(
          try StringLeaf(strings: node, nodes, enumeration: enumeration).values(rows: rows)))
    case .binary: return .scalar(.binary(try StringLeaf(binaries: node, nodes).values(rows: rows)))
    case .timestamp:
      let (seconds, nanoseconds, nulls) = try TimestampLeaf(node, nodes).values(rows: rows)
      return .scalar(.timestamp(seconds, nanoseconds, nulls))
    case .decimal: return .scalar(.decimal(try DecimalLeaf(node).values(rows: rows)))
    case .objectId:
      return .scalar(
        .objectId(
          try FixedBytesLeaf(node, size: FixedBytesLeaf.objectIdSize).values(rows: rows)))
    case .uuid:
      return .scalar(
        .uuid(try FixedBytesLeaf(node, size: FixedBytesLeaf.uuidSize).values(rows: rows)))
    case .link: return .link(try LinkLeaf(node, isBiased: isBiased).values(rows: rows))
    case .typedLink: return .mixed(try TypedLinkLeaf(node).values(rows: rows))
    case .mixed: return .mixed(try MixedLeaf(node, nodes).values(rows: rows))
    case .backlink: throw kindError(node, expected: "values of a property")
    }
  }

  /// Appends a leaf of the scalars in `rows`, in the form that the reference chooses for these values.
  ///
  /// - Parameter isNullable: selects one of the two encodings of integers.
  package static func encode(
    _ column: ScalarColumn, _ rows: Range<Int>, isNullable: Bool, _ format: FileFormat,
    into nodes: NodeBuffer
  ) -> Ref {
    switch column {
    case .int(let values, let nulls):
      isNullable
        ? NullableIntegerLeaf.encode(values, nulls, rows, into: nodes)
        : IntegerLeaf.encode(values, rows, into: nodes)
    case .bool(let values, let nulls): BoolLeaf.encode(values, nulls, rows, into: nodes)
    case .float(let values, let nulls): FloatLeaf.encode(values, nulls, rows, into: nodes)
    case .double(let values, let nulls): DoubleLeaf.encode(values, nulls, rows, into: nodes)
    case .string(let values): StringLeaf.encode(strings: values, rows, into: nodes)
    case .binary(let values): StringLeaf.encode(binaries: values, rows, into: nodes)
    case .timestamp(let seconds, let nanoseconds, let nulls):
      TimestampLeaf.encode(seconds, nanoseconds, nulls, rows, into: nodes)
    case .decimal(let values): DecimalLeaf.encode(values, rows, format, into: nodes)
    case .objectId(let values):
      FixedBytesLeaf.encode(values, rows, size: FixedBytesLeaf.objectIdSize, into: nodes)
    case .uuid(let values):
      FixedBytesLeaf.encode(values, rows, size: FixedBytesLeaf.uuidSize, into: nodes)
    }
  }

  /// Looks up the value in `row`, for columns that can be a primary key or have an index. Opens only the nodes
  /// that it needs, and does not count them.
  ///
  /// - Throws: `damaged` with a rule of group `leaf` or `mixed`.
  package static func value(
    of column: Column, in node: Node, row: Int, enumeration: SliceColumn?, _ nodes: NodeReader
  ) throws(RealmFileError) -> MixedValue {
    guard !node.isInner else { throw kindError(node, expected: "values") }
    switch column.type {
    case .int:
      guard column.isNullable else { return .int(try IntegerLeaf(node).value(at: row)) }
      return try NullableIntegerLeaf(node).value(at: row).map { .int($0) } ?? .null
    case .bool: return try BoolLeaf(node).value(at: row).map { .bool($0) } ?? .null
    case .string:
      let leaf = try StringLeaf(strings: node, nodes, enumeration: enumeration, isLookUp: true)
      return try leaf.value(at: row).map { .string($0) } ?? .null
    case .timestamp: return try TimestampLeaf(node, nodes, isLookUp: true).value(at: row)
    case .objectId:
      let leaf = try FixedBytesLeaf(node, size: FixedBytesLeaf.objectIdSize)
      return try leaf.value(at: row).map { .objectId($0) } ?? .null
    case .uuid:
      let leaf = try FixedBytesLeaf(node, size: FixedBytesLeaf.uuidSize)
      return try leaf.value(at: row).map { .uuid($0) } ?? .null
    case .mixed: return try MixedLeaf(node, nodes, isLookUp: true).value(at: row)
    case .binary, .float, .double, .decimal, .link, .typedLink, .backlink:
      throw kindError(node, expected: "values of a type that can be looked up")
    }
  }
}

extension NodeReader {
  /// Opens a node as a step of a traversal, or for a look-up, which can open the same node many times.
  @inline(__always)
  func node(at ref: Ref, isLookUp: Bool) throws(RealmFileError) -> Node {
    isLookUp ? try lookUp(ref) : try node(at: ref)
  }
}
