package import RealmStorage

/// Decodes the leaves of formats 2 to 9 (chapter 5, section 6). Most have the layout that later formats use for
/// the same values; this type selects the layout and handles the differences.
package enum LegacyLeaf {
  /// What a leaf holds.
  package enum Content: Sendable {
    case ints
    case bools
    /// Old dates, in seconds.
    case seconds
    /// The nanoseconds of dates.
    case nanoseconds
    case floats
    case doubles
    case strings
    /// Positions in the distinct strings of the column.
    case enumerated(SliceColumn)
    case binaries
    /// Rows of the targets of links plus one, 0 for no link.
    case links
    /// Rows of the targets in a list of links.
    case targets
    /// Refs of link lists or subtables.
    case refs
    /// Elements of a mixed column, each a tagged number or a ref.
    case elements
  }

  /// Decodes all values of a leaf.
  ///
  /// - Parameter isNullable: whether the column has the attribute for null. Without it, a null marker in a
  ///   column of strings or binaries means an empty value.
  /// - Throws: `damaged` with a rule of group `leaf`; the errors of opening a node.
  package static func decode(
    _ node: Node, _ content: Content, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) -> LeafValues {
    guard !node.isInner else { throw Leaf.kindError(node, expected: "values") }
    switch content {
    case .ints, .bools, .seconds, .nanoseconds:
      return .scalar(try integers(node, content, isNullable: isNullable))
    case .floats:
      let (values, nulls) = try FloatLeaf(node).values(rows: nil)
      return .scalar(.float(values, isNullable ? nulls : NullMask()))
    case .doubles:
      let (values, nulls) = try DoubleLeaf(node).values(rows: nil)
      return .scalar(.double(values, isNullable ? nulls : NullMask()))
    case .strings, .enumerated, .binaries:
      let values = try bytes(node, content, nodes).values(rows: nil)
      let filled = isNullable ? values : filled(values)
      if case .binaries = content { return .scalar(.binary(filled)) }
      return .scalar(.string(filled))
    case .links: return .link(try LinkLeaf(node, isBiased: true).values(rows: nil))
    case .targets: return .link(try LinkLeaf(node, isBiased: false).values(rows: nil))
    case .refs:
      try Leaf.check(node.count, rows: nil, at: node)
      return .collection(try CollectionRootsLeaf(node).values(rows: node.count))
    case .elements:
      guard node.hasRefs else { throw Leaf.kindError(node, expected: "tagged numbers and refs") }
      try Leaf.check(node.count, rows: nil, at: node)
      return .scalar(.int(node.integers(), NullMask()))
    }
  }

  /// Decodes the rows of a leaf of strings or binaries one by one, after ``decode(_:_:isNullable:_:)`` failed: long
  /// values have nodes of their own.
  ///
  /// - Parameter check: throws for a long string that is doubtful.
  /// - Returns: the values, with nulls in place of those that cannot be read, and why these cannot be read.
  /// - Throws: `damaged` if all values are in one node, which cannot be read; the errors of an encrypted source.
  package static func readable(
    _ node: Node, _ content: Content, isNullable: Bool, _ nodes: NodeReader,
    check: (ByteSlice, Ref) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> (values: LeafValues, failures: [Int: RealmFileError]) {
    guard case .big(let leaf) = try bytes(node, content, nodes, isLookUp: true) else {
      throw Leaf.kindError(node, expected: "refs to long values")
    }
    let isBinary = if case .binaries = content { true } else { false }
    var (builder, failures) = (
      ColumnBuilder(type: isBinary ? .binary : .string), [Int: RealmFileError]()
    )
    for row in 0..<node.count {
      do throws(RealmFileError) {
        let value = try StringLeaf.big(leaf).value(at: row)
        if let value, !isBinary { try check(value, try node.ref(at: row)) }
        let filled = isNullable ? value : value ?? .empty
        builder.append(filled.map { isBinary ? .binary($0) : .string($0) } ?? .null)
      } catch {
        guard error.isDamage else { throw error }
        failures[row] = error
        builder.appendNull()
      }
    }
    return (builder.batch, failures)
  }

  private static func integers(
    _ node: Node, _ content: Content, isNullable: Bool
  ) throws(RealmFileError) -> ScalarColumn {
    let (values, nulls): ([Int64], NullMask)
    // An empty leaf of nullable integers may lack the null value in front.
    if isNullable, node.count > 0 {
      (values, nulls) = try NullableIntegerLeaf(node).values(rows: nil)
    } else {
      (values, nulls) = (try IntegerLeaf(node).values(rows: nil), NullMask())
    }
    switch content {
    case .bools: return .bool(values.map { $0 != 0 }, nulls)
    case .seconds:
      return .timestamp(values, Array(repeating: 0, count: values.count), nulls)
    default: return .int(values, nulls)
    }
  }

  private static func bytes(
    _ node: Node, _ content: Content, _ nodes: NodeReader, isLookUp: Bool = false
  ) throws(RealmFileError) -> StringLeaf {
    switch content {
    case .enumerated(let strings):
      guard node.isIntegers else { throw Leaf.kindError(node, expected: "positions") }
      return try StringLeaf(strings: node, nodes, enumeration: strings, isLookUp: isLookUp)
    case .binaries:
      return try StringLeaf(binaries: node, nodes, form: .legacy, isLookUp: isLookUp)
    default: return try StringLeaf(strings: node, nodes, form: .legacy, isLookUp: isLookUp)
    }
  }

  /// The same values with empty ones in place of nulls.
  private static func filled(_ values: SliceColumn) -> SliceColumn {
    guard values.slices.contains(where: { $0 == nil }) else { return values }
    return SliceColumn(values.slices.map { $0 ?? .empty })
  }

  /// Looks up the value in `row` of a leaf of integers, strings or binaries. Opens only the nodes that it needs,
  /// and does not count them.
  ///
  /// - Throws: same as ``decode(_:_:isNullable:_:)``; `damaged` with rule `leaf.rows` if `row` does not exist.
  package static func value(
    _ node: Node, _ content: Content, row: Int, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) -> MixedValue {
    guard !node.isInner else { throw Leaf.kindError(node, expected: "values") }
    switch content {
    case .ints where isNullable:
      return try NullableIntegerLeaf(node).value(at: row).map { .int($0) } ?? .null
    case .ints, .nanoseconds: return .int(try IntegerLeaf(node).value(at: row))
    case .strings, .enumerated, .binaries:
      let value = try bytes(node, content, nodes, isLookUp: true).value(at: row)
      let filled = isNullable ? value : value ?? .empty
      if case .binaries = content { return filled.map { .binary($0) } ?? .null }
      return filled.map { .string($0) } ?? .null
    default: throw Leaf.kindError(node, expected: "values of a type that can be looked up")
    }
  }

  /// Number of rows of a leaf. Does not count the nodes that it opens.
  ///
  /// - Throws: same as ``decode(_:_:isNullable:_:)``.
  package static func count(
    _ node: Node, _ content: Content, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) -> Int {
    switch content {
    case .ints, .bools, .seconds, .nanoseconds:
      return isNullable ? max(0, node.count - 1) : node.count
    case .strings, .enumerated, .binaries:
      return try bytes(node, content, nodes, isLookUp: true).count
    case .floats, .doubles, .links, .targets, .refs, .elements: return node.count
    }
  }
}

extension LegacyLeaf.Content {
  /// No values, of the type that ``LegacyLeaf/decode(_:_:isNullable:_:)`` returns.
  package var noValues: LeafValues {
    switch self {
    case .ints, .nanoseconds, .elements: .scalar(.int([], NullMask()))
    case .bools: .scalar(.bool([], NullMask()))
    case .seconds: .scalar(.timestamp([], [], NullMask()))
    case .floats: .scalar(.float([], NullMask()))
    case .doubles: .scalar(.double([], NullMask()))
    case .strings, .enumerated: .scalar(.string(SliceColumn([])))
    case .binaries: .scalar(.binary(SliceColumn([])))
    case .links, .targets: .link([])
    case .refs: .collection([])
    }
  }
}
