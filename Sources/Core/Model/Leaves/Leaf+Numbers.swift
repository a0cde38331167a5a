import RealmStorage

/// Integers, booleans, floating point and links (chapter 2, sections 3.1 to 3.4 and 3.13).
extension Leaf {
  static func int(
    _ node: Node, isNullable: Bool, rows: Int?
  ) throws(RealmFileError) -> ColumnBatch {
    guard node.isIntegers else { throw .damaged(.leafKind, at: node.ref) }
    guard isNullable else {
      try check(node.count, rows: rows, at: node)
      return .int(node.integers(), NullMask())
    }
    let (values, nulls) = try nullableIntegers(node, rows: rows)
    return .int(values, nulls)
  }

  /// Integers with null: element 0 is the null value of the leaf, row i is element i + 1.
  private static func nullableIntegers(
    _ node: Node, rows: Int?
  ) throws(RealmFileError) -> ([Int64], NullMask) {
    guard node.isIntegers, node.count >= 1 else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count - 1, rows: rows, at: node)
    let null = node.integer(at: 0)
    let values = node.integers(from: 1)
    return (values, NullMask(count: values.count) { values[$0] == null })
  }

  /// 0 is false, 3 is null, everything else is true.
  static func bool(_ node: Node, rows: Int?) throws(RealmFileError) -> ColumnBatch {
    guard node.isIntegers else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count, rows: rows, at: node)
    let values = node.integers()
    return .bool(values.map { $0 != 0 }, NullMask(count: values.count) { values[$0] == 3 })
  }

  /// The one bit pattern of a null float; every other NaN is a value.
  private static let nullFloat: UInt32 = 0x7FC0_00AA
  /// The one bit pattern of a null double.
  private static let nullDouble: UInt64 = 0x7FF8_0000_0000_00AA

  static func float(_ node: Node, rows: Int?) throws(RealmFileError) -> ColumnBatch {
    try check(node.count, rows: rows, at: node)
    let bits = try node.values(of: UInt32.self)
    return .float(
      bits.map { Float(bitPattern: $0) }, NullMask(count: bits.count) { bits[$0] == nullFloat })
  }

  static func double(_ node: Node, rows: Int?) throws(RealmFileError) -> ColumnBatch {
    try check(node.count, rows: rows, at: node)
    let bits = try node.values(of: UInt64.self)
    return .double(
      bits.map { Double(bitPattern: $0) }, NullMask(count: bits.count) { bits[$0] == nullDouble })
  }

  /// Object keys: plus one in clusters, as they are in collections.
  static func links(
    _ node: Node, isBiased: Bool, rows: Int?
  ) throws(RealmFileError) -> [ObjectKey] {
    guard node.isIntegers else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count, rows: rows, at: node)
    // Wrapping: the smallest key does not exist, so its predecessor is nobody's key either.
    return node.integers().map { ObjectKey(isBiased ? $0 &- 1 : $0) }
  }

  /// Pairs of table key and object key, both plus one; both 0 for null.
  static func typedLinks(_ node: Node, rows: Int?) throws(RealmFileError) -> [MixedValue] {
    guard node.isIntegers, node.count & 1 == 0 else { throw .damaged(.leafKind, at: node.ref) }
    try check(node.count / 2, rows: rows, at: node)
    let values = node.integers()
    return stride(from: 0, to: values.count, by: 2).map { i in
      guard values[i] != 0 else { return .null }
      return .typedLink(
        TableKey(Int((values[i] &- 1) & 0x7FFF_FFFF)), ObjectKey(values[i + 1] &- 1))
    }
  }

  /// Seconds, a leaf of nullable integers, and nanoseconds, a leaf of integers (section 3.10).
  static func timestamp(
    _ node: Node, _ nodes: NodeReader, rows: Int?
  ) throws(RealmFileError) -> ColumnBatch {
    guard node.hasRefs, node.count == 2 else { throw .damaged(.leafKind, at: node.ref) }
    let (seconds, nulls) = try nullableIntegers(try nodes.node(at: node.ref(at: 0)), rows: rows)
    let nanoseconds = try nodes.node(at: node.ref(at: 1))
    guard nanoseconds.isIntegers, nanoseconds.count == seconds.count else {
      throw .damaged(.leafTimestamp, at: nanoseconds.ref)
    }
    return .timestamp(seconds, nanoseconds.integers(), nulls)
  }
}
