package import RealmStorage

extension Leaf {
  /// The readable rows of a leaf that could not be decoded as a whole.
  package struct Readable {
    /// The values; null in the rows that cannot be read.
    package let batch: LeafValues
    /// Why single rows cannot be read; empty if no row, or every row, can be read.
    let failures: [Int: RealmFileError]
    /// Why the leaf could not be decoded as a whole.
    let failure: RealmFileError
    /// True if rows can be read one by one.
    let hasRows: Bool

    /// Why `row` cannot be read; nil if it can be read.
    package func failure(of row: Int) -> RealmFileError? { hasRows ? failures[row] : failure }

    /// The values of the readable rows only.
    var present: LeafValues {
      guard hasRows else { return ColumnBuilder(of: batch).batch }
      var builder = ColumnBuilder(of: batch)
      for row in 0..<batch.count where failures[row] == nil { builder.append(batch, row: row) }
      return builder.batch
    }
  }

  /// Reads the rows of a leaf of single values one by one, after
  /// ``decode(_:type:isNullable:isBiased:rows:enumeration:nodes:)`` failed. Most parameters are the same.
  ///
  /// - Parameters:
  ///   - rows: the number of rows that the leaf should have; nil if only the leaf knows it.
  ///   - failure: the error of that method.
  static func readable(
    _ node: Node, type: ColumnType, isNullable: Bool, isBiased: Bool, rows: Int?,
    enumeration: SliceColumn? = nil, nodes: NodeReader, because failure: RealmFileError
  ) -> Readable {
    var builder = ColumnBuilder(type: type)
    do throws(RealmFileError) {
      let values = try Rows(
        node, type: type, isNullable: isNullable, isBiased: isBiased, enumeration: enumeration,
        nodes)
      let count = rows ?? min(values.count, max(capacity, node.header.nodeByteCount))
      return readable(count, into: &builder, because: failure) {
        (row, builder) throws(RealmFileError) in
        builder.append(try values.value(row))
      }
    } catch {
      return .none(of: builder, rows: rows ?? 0, because: failure)
    }
  }

  /// Reads the rows of a leaf of collection roots one by one.
  static func readable(roots node: Node, rows: Int, because failure: RealmFileError) -> Readable {
    var builder = ColumnBuilder(of: .collection([]))
    do throws(RealmFileError) {
      _ = try CollectionRootsLeaf(node)
    } catch {
      // The same error as `failure`, which the reading of the whole leaf threw.
      return .none(of: builder, rows: rows, because: failure)
    }
    return readable(rows, into: &builder, because: failure) {
      (row, builder) throws(RealmFileError) in
      try check(row: row, of: node.count, at: node)
      builder.append(.collection([try node.ref(at: row)]))
    }
  }

  private static func readable(
    _ rows: Int, into builder: inout ColumnBuilder, because failure: RealmFileError,
    _ append: (Int, inout ColumnBuilder) throws(RealmFileError) -> Void
  ) -> Readable {
    var failures: [Int: RealmFileError] = [:]
    for row in 0..<rows {
      do throws(RealmFileError) {
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

  /// The values of a leaf, read one at a time. The nodes that are opened count for the current traversal.
  private struct Rows {
    let count: Int
    /// The value in a row; throws if the row does not exist or cannot be read.
    let value: (Int) throws(RealmFileError) -> MixedValue

    init(
      _ node: Node, type: ColumnType, isNullable: Bool, isBiased: Bool, enumeration: SliceColumn?,
      _ nodes: NodeReader
    ) throws(RealmFileError) {
      guard !node.isInner else { throw kindError(node, expected: "values") }
      func bytes(
        _ leaf: StringLeaf, _ wrap: @escaping (ByteSlice) -> MixedValue
      ) -> (Int, (Int) throws(RealmFileError) -> MixedValue) {
        (leaf.count, { row throws(RealmFileError) in try leaf.value(at: row).map(wrap) ?? .null })
      }
      func fixed(
        _ size: Int, _ wrap: @escaping (ByteSlice) -> MixedValue
      ) throws(RealmFileError) -> (Int, (Int) throws(RealmFileError) -> MixedValue) {
        let leaf = try FixedBytesLeaf(node, size: size)
        return (
          leaf.count, { row throws(RealmFileError) in try leaf.value(at: row).map(wrap) ?? .null }
        )
      }
      /// The values of a leaf that is one node: either all rows can be decoded or none.
      func whole(_ batch: LeafValues) -> (Int, (Int) throws(RealmFileError) -> MixedValue) {
        (
          batch.count,
          { row throws(RealmFileError) in
            try check(row: row, of: batch.count, at: node)
            return batch.value(at: row)
          }
        )
      }
      switch type {
      case .string:
        let leaf = try StringLeaf(strings: node, nodes, enumeration: enumeration)
        count = leaf.count
        value = { row throws(RealmFileError) in
          guard let string = try leaf.value(at: row) else { return .null }
          try leaf.checkTerminator(of: row)
          return .string(string)
        }
      case .binary: (count, value) = bytes(try StringLeaf(binaries: node, nodes)) { .binary($0) }
      case .objectId:
        (count, value) = try fixed(FixedBytesLeaf.objectIdSize) { .objectId($0) }
      case .uuid: (count, value) = try fixed(FixedBytesLeaf.uuidSize) { .uuid($0) }
      case .mixed:
        let leaf = try MixedLeaf(node, nodes)
        count = leaf.composites.count
        value = { row throws(RealmFileError) in try leaf.value(at: row) }
      case .decimal:
        let leaf = try DecimalLeaf(node)
        let values = try leaf.values(rows: nil)
        count = values.count
        value = { row throws(RealmFileError) in
          try check(row: row, of: values.count, at: node)
          try leaf.checkBits(of: values[row], inRow: row)
          return .decimal(values[row])
        }
      case .int, .bool, .float, .double, .timestamp, .link, .typedLink, .backlink:
        (count, value) = whole(
          try decode(
            node, type: type, isNullable: isNullable, isBiased: isBiased, rows: nil, nodes: nodes))
      }
    }
  }
}

extension Leaf.Readable {
  /// A result with as many rows as expected, none of them readable.
  fileprivate static func none(
    of builder: ColumnBuilder, rows: Int, because failure: RealmFileError
  ) -> Leaf.Readable {
    var builder = builder
    for _ in 0..<rows { builder.appendNull() }
    return Leaf.Readable(batch: builder.batch, failures: [:], failure: failure, hasRows: false)
  }

  /// The same result for the leaf of `column`.
  static func none(of column: Column, rows: Int, because failure: RealmFileError) -> Leaf.Readable {
    none(of: ColumnBuilder(column), rows: rows, because: failure)
  }
}
