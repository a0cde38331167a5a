package import RealmStorage

/// Dates (chapter 2, section 3.10): a leaf of nullable integers with the seconds, and a leaf of integers
/// with the nanoseconds.
package struct TimestampLeaf {
  package let node: Node
  package let seconds: NullableIntegerLeaf
  let nanoseconds: Node

  /// - Parameter isLookUp: as for ``SmallBlobsLeaf``.
  /// - Throws: `damaged` with rule `leaf.kind` or `leaf.timestamp`.
  package init(_ node: Node, _ nodes: NodeReader, isLookUp: Bool = false) throws(RealmFileError) {
    guard node.hasRefs, node.count == 2 else {
      throw Leaf.kindError(node, expected: "refs to seconds and nanoseconds")
    }
    self.node = node
    seconds = try NullableIntegerLeaf(
      try nodes.node(at: try node.ref(at: 0), isLookUp: isLookUp))
    nanoseconds = try nodes.node(at: try node.ref(at: 1), isLookUp: isLookUp)
    guard nanoseconds.isIntegers, nanoseconds.count == seconds.node.count - 1 else {
      throw .damaged(
        .leafTimestamp, at: nanoseconds.ref,
        "the leaf has \(nanoseconds.count) nanoseconds for \(seconds.node.count - 1) seconds")
    }
  }

  func values(rows: Int?) throws(RealmFileError) -> ([Int64], [Int64], NullMask) {
    let (values, nulls) = try seconds.values(rows: rows)
    return (values, nanoseconds.integers(), nulls)
  }

  func value(at row: Int) throws(RealmFileError) -> MixedValue {
    guard let whole = try seconds.value(at: row) else { return .null }
    return .timestamp(seconds: whole, nanoseconds: nanoseconds.integer(at: row))
  }

  /// Appends a leaf of the values in `rows`. A null has 0 nanoseconds.
  static func encode(
    _ seconds: [Int64], _ nanoseconds: [Int64], _ nulls: NullMask, _ rows: Range<Int>,
    into nodes: NodeBuffer
  ) -> Ref {
    let whole = NullableIntegerLeaf.encode(seconds, nulls, rows, into: nodes)
    let parts =
      nulls.isEmpty
      ? nodes.append(integers: nanoseconds, rows: rows)
      : nodes.append(integers: rows.map { nulls[$0] ? 0 : nanoseconds[$0] })
    return nodes.append(refs: [Int64(whole), Int64(parts)])
  }

  /// Whether seconds and nanoseconds can be those of a date: less than a second of nanoseconds, of the same sign.
  package static func isDate(seconds: Int64, nanoseconds: Int64) -> Bool {
    nanoseconds.magnitude < 1_000_000_000
      && (seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0))
  }
}
