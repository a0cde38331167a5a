package import RealmStorage

/// Reads damaged leaves row by row, for requests that leave damage out.
extension Leaf {
  /// The rows of a leaf that could not be decoded as a whole.
  package struct Readable {
    /// The values; null in the rows that cannot be read.
    package let batch: LeafValues
    /// Why single rows cannot be read; empty if no row, or every row, can be read.
    let failures: [Int: RealmFileError]
    /// Why the leaf could not be decoded as a whole.
    let failure: RealmFileError
    /// Whether rows can be read one by one.
    let hasRows: Bool

    /// Why `row` cannot be read; nil if it can be read.
    package func failure(of row: Int) -> RealmFileError? { hasRows ? failures[row] : failure }

    /// The values of the readable rows only.
    var present: LeafValues {
      var builder = ColumnBuilder(of: batch)
      guard hasRows else { return builder.batch }
      for row in 0..<batch.count where failures[row] == nil { builder.append(batch, row: row) }
      return builder.batch
    }

    /// A result with as many rows as expected, none of them readable.
    fileprivate static func none(
      of builder: ColumnBuilder, rows: Int, because failure: RealmFileError
    ) -> Readable {
      var builder = builder
      for _ in 0..<rows { builder.appendNull() }
      return Readable(batch: builder.batch, failures: [:], failure: failure, hasRows: false)
    }

    /// The same result for the leaf of `column`.
    static func none(of column: Column, rows: Int, because failure: RealmFileError) -> Readable {
      none(of: ColumnBuilder(column), rows: rows, because: failure)
    }
  }

  /// Reads the rows of a leaf of single values one by one, after
  /// ``decode(_:type:isNullable:isBiased:rows:enumeration:nodes:)`` failed. Most parameters are the same. The
  /// nodes that are opened count for the current traversal.
  ///
  /// - Parameters:
  ///   - rows: the number of rows that the leaf should have; nil if only the leaf knows it.
  ///   - failure: the error of that method.
  static func readable(
    _ node: Node, type: ColumnType, isNullable: Bool, isBiased: Bool, rows: Int?,
    enumeration: SliceColumn? = nil, nodes: NodeReader, because failure: RealmFileError
  ) -> Readable {
    let builder = ColumnBuilder(type: type)
    /// - Parameter value: the value in a row; throws if the row does not exist or cannot be read.
    func reading(
      _ count: Int, _ value: (Int) throws(RealmFileError) -> MixedValue
    ) -> Readable {
      let count = rows ?? min(count, max(capacity, node.header.nodeByteCount))
      return readable(count, into: builder, because: failure) {
        (row, builder) throws(RealmFileError) in
        builder.append(try value(row))
      }
    }
    func readingBytes(
      _ size: Int, _ wrap: (ByteSlice) -> MixedValue
    ) throws(RealmFileError) -> Readable {
      let leaf = try FixedBytesLeaf(node, size: size)
      return reading(leaf.count) { row throws(RealmFileError) in
        try leaf.value(at: row).map(wrap) ?? .null
      }
    }
    do {
      guard !node.isInner else { throw kindError(node, expected: "values") }
      switch type {
      case .string:
        let leaf = try StringLeaf(strings: node, nodes, enumeration: enumeration)
        return reading(leaf.count) { row throws(RealmFileError) in
          guard let string = try leaf.value(at: row) else { return .null }
          try leaf.checkTerminator(of: row)
          return .string(string)
        }
      case .binary:
        let leaf = try StringLeaf(binaries: node, nodes)
        return reading(leaf.count) { row throws(RealmFileError) in
          try leaf.value(at: row).map { .binary($0) } ?? .null
        }
      case .objectId: return try readingBytes(FixedBytesLeaf.objectIdSize) { .objectId($0) }
      case .uuid: return try readingBytes(FixedBytesLeaf.uuidSize) { .uuid($0) }
      case .mixed:
        let leaf = try MixedLeaf(node, nodes)
        return reading(leaf.composites.count) { row throws(RealmFileError) in
          try leaf.value(at: row)
        }
      case .decimal:
        let leaf = try DecimalLeaf(node)
        let values = try leaf.values(rows: nil)
        return reading(values.count) { row throws(RealmFileError) in
          try check(row: row, of: values.count, at: node)
          try leaf.checkBits(of: values[row], inRow: row)
          return .decimal(values[row])
        }
      case .int, .bool, .float, .double, .timestamp, .link, .typedLink, .backlink:
        // One node, of which either all rows can be decoded or none.
        let values = try decode(
          node, type: type, isNullable: isNullable, isBiased: isBiased, rows: nil, nodes: nodes)
        return reading(values.count) { row throws(RealmFileError) in
          try check(row: row, of: values.count, at: node)
          return values.value(at: row)
        }
      }
    } catch {
      return .none(of: builder, rows: rows ?? 0, because: failure)
    }
  }

  /// Reads the rows of a leaf of collection roots one by one.
  static func readable(roots node: Node, rows: Int, because failure: RealmFileError) -> Readable {
    let builder = ColumnBuilder(of: .collection([]))
    do {
      _ = try CollectionRootsLeaf(node)
    } catch {
      // This error equals `failure`, which reading the whole leaf threw.
      return .none(of: builder, rows: rows, because: failure)
    }
    return readable(rows, into: builder, because: failure) {
      (row, builder) throws(RealmFileError) in
      try check(row: row, of: node.count, at: node)
      builder.append(.collection([try node.ref(at: row)]))
    }
  }

  private static func readable(
    _ rows: Int, into builder: ColumnBuilder, because failure: RealmFileError,
    _ append: (Int, inout ColumnBuilder) throws(RealmFileError) -> Void
  ) -> Readable {
    var builder = builder
    var failures: [Int: RealmFileError] = [:]
    for row in 0..<rows {
      do {
        try append(row, &builder)
      } catch {
        failures[row] = error
        builder.appendNull()
      }
    }
    let hasRows = failures.count < rows
    return Readable(
      batch: builder.batch, failures: hasRows ? failures : [:], failure: failure, hasRows: hasRows)
  }

  // MARK: Bits

  /// Checks bits that decoding ignores, but that show damage where nothing else does: the zero byte at the end of
  /// a string (chapter 2, section 3.6), and bits of a decimal that no library writes (section 3.11).
  ///
  /// - Parameter values: all rows of the leaf `node`.
  /// - Throws: `damaged` with rule `leaf.terminator` or `leaf.kind` for the first such value.
  static func checkBits(
    of values: LeafValues, in node: Node, _ nodes: NodeReader
  ) throws(RealmFileError) {
    guard case .scalar(let scalars) = values else { return }
    switch scalars {
    // Integers are positions in a list of distinct strings.
    case .string(let strings) where !node.isIntegers:
      let leaf = try StringLeaf(strings: node, nodes, isLookUp: true)
      for row in strings.indices where strings[row] != nil { try leaf.checkTerminator(of: row) }
    case .decimal(let numbers):
      let leaf = try DecimalLeaf(node)
      for row in numbers.indices { try leaf.checkBits(of: numbers[row], inRow: row) }
    default: return
    }
  }
}

extension StringLeaf {
  /// Checks that a string ends with a zero byte. A string in pieces is not checked.
  ///
  /// - Precondition: ``value(at:)`` returned a string for `row`.
  /// - Throws: `damaged` with rule `leaf.terminator`.
  fileprivate func checkTerminator(of row: Int) throws(RealmFileError) {
    let (last, ref): (UInt8, Ref)
    switch self {
    case .short, .enumerated: return
    case .small(let leaf):
      (last, ref) = (leaf.blob.bytes[Int(leaf.ends.integer(at: row)) - 1], leaf.blob.ref)
    case .big(let leaf):
      let value = try leaf.nodes.lookUp(try leaf.node.ref(at: row))
      guard !value.hasRefs else { return }
      (last, ref) = (value.bytes[value.count - 1], value.ref)
    }
    guard last != 0 else { return }
    throw .damaged(
      .leafTerminator, at: ref, "string \(row) ends with the byte \(last), expected 0")
  }
}
