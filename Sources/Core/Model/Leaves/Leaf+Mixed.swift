import RealmStorage

/// Values of any type (chapter 2, section 3.14).
extension Leaf {
  /// Positions in a mixed leaf; those a leaf lacks count as 0. Files touched by formats up to 23
  /// have four or five.
  enum MixedSlot {
    static let composite = 0
    static let ints = 1
    static let pairs = 2
    static let strings = 3
    static let refs = 4
    static let keys = 5
    static let countWithoutKeys = 5
    static let legalCounts = 4...6
  }

  /// A composite element: type code plus one in bits 0–4, payload slot in bits 5–7, value above.
  struct Composite {
    let typeCode: Int
    let payload: Int
    let value: Int64

    init(_ raw: Int64) {
      typeCode = Int(raw & 0x1F) - 1
      payload = Int(raw >> 5 & 7)
      value = raw >> 8
    }
  }

  /// Type codes that occur as values only.
  private static let (listCode, dictionaryCode) = (19, 21)

  static func mixed(
    _ node: Node, _ nodes: NodeReader, rows: Int?
  ) throws(RealmFileError) -> [MixedValue] {
    guard node.hasRefs, !node.hasContext, MixedSlot.legalCounts.contains(node.count) else {
      throw .damaged(.leafKind, at: node.ref)
    }
    let compositeNode = try nodes.node(at: node.ref(at: MixedSlot.composite))
    guard compositeNode.isIntegers else { throw .damaged(.mixedSlots, at: compositeNode.ref) }
    try check(compositeNode.count, rows: rows, at: compositeNode)
    let composites = compositeNode.integers()
    let payloads = try MixedPayloads(
      ints: integers(node, MixedSlot.ints, nodes),
      pairs: integers(node, MixedSlot.pairs, nodes),
      strings: try strings(node, nodes, atMost: composites.count),
      refs: try nodes.child(of: node, at: MixedSlot.refs), ref: node.ref)

    var values: [MixedValue] = []
    values.reserveCapacity(composites.count)
    for raw in composites {
      guard raw != 0 else {
        values.append(.null)
        continue
      }
      let composite = Composite(raw)
      values.append(try value(composite, payloads))
    }
    return values
  }

  private static func integers(
    _ node: Node, _ slot: Int, _ nodes: NodeReader
  ) throws(RealmFileError) -> Node? {
    guard let child = try nodes.child(of: node, at: slot) else { return nil }
    guard child.isIntegers else { throw .damaged(.mixedSlots, at: child.ref) }
    return child
  }

  /// The string payload: every entry belongs to one row, so there are no more entries than rows.
  private static func strings(
    _ node: Node, _ nodes: NodeReader, atMost limit: Int
  ) throws(RealmFileError) -> SliceColumn {
    guard let child = try nodes.child(of: node, at: MixedSlot.strings) else {
      return SliceColumn([])
    }
    let strings = try strings(child, nodes, rows: nil)
    guard strings.count <= limit else { throw .damaged(.mixedSlots, at: child.ref) }
    return strings
  }

  private static func value(
    _ composite: Composite, _ payloads: MixedPayloads
  ) throws(RealmFileError) -> MixedValue {
    switch (composite.typeCode, composite.payload) {
    case (ColumnType.int.rawValue, 0): return .int(composite.value)
    case (ColumnType.int.rawValue, MixedSlot.ints):
      return .int(try payloads.int(composite.value))
    case (ColumnType.bool.rawValue, 0): return .bool(composite.value != 0)
    case (ColumnType.float.rawValue, MixedSlot.ints):
      let bits = UInt32(truncatingIfNeeded: try payloads.int(composite.value))
      return .float(Float(bitPattern: bits))
    case (ColumnType.double.rawValue, MixedSlot.ints):
      return .double(Double(bitPattern: UInt64(bitPattern: try payloads.int(composite.value))))
    case (ColumnType.string.rawValue, MixedSlot.strings):
      return .string(try payloads.string(composite.value))
    case (ColumnType.binary.rawValue, MixedSlot.strings):
      return .binary(try payloads.string(composite.value))
    case (ColumnType.objectId.rawValue, MixedSlot.strings):
      return .objectId(try payloads.string(composite.value, size: 12))
    case (ColumnType.uuid.rawValue, MixedSlot.strings):
      return .uuid(try payloads.string(composite.value, size: 16))
    case (ColumnType.timestamp.rawValue, MixedSlot.pairs):
      let (seconds, nanoseconds) = try payloads.pair(composite.value)
      return .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case (ColumnType.decimal.rawValue, MixedSlot.pairs):
      let (low, high) = try payloads.pair(composite.value)
      return .decimal(Decimal128(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
    case (ColumnType.typedLink.rawValue, MixedSlot.pairs):
      let (table, object) = try payloads.pair(composite.value)
      return .typedLink(TableKey(Int(table)), ObjectKey(object))
    case (ColumnType.link.rawValue, MixedSlot.ints):
      return .link(ObjectKey(try payloads.int(composite.value)))
    case (listCode, MixedSlot.refs): return .list(try payloads.ref(composite.value))
    case (dictionaryCode, MixedSlot.refs): return .dictionary(try payloads.ref(composite.value))
    default: throw .damaged(.mixedType, at: payloads.ref)
    }
  }
}

/// The payload arrays of a mixed leaf, looked up with checked indexes.
private struct MixedPayloads {
  let ints: Node?
  let pairs: Node?
  let strings: SliceColumn
  let refs: Node?
  /// Ref of the leaf, for errors.
  let ref: Ref

  private func element(_ node: Node?, _ index: Int64) throws(RealmFileError) -> Int64 {
    guard let node, index >= 0, index < node.count else {
      throw .damaged(.mixedIndex, at: ref)
    }
    return node.integer(at: Int(index))
  }

  func int(_ index: Int64) throws(RealmFileError) -> Int64 { try element(ints, index) }

  /// Elements 2·index and 2·index + 1. A composite value has 56 bits: doubling cannot overflow.
  func pair(_ index: Int64) throws(RealmFileError) -> (Int64, Int64) {
    (try element(pairs, index * 2), try element(pairs, index * 2 + 1))
  }

  /// A null among the strings counts as an empty value, unless a size is demanded.
  func string(_ index: Int64, size: Int? = nil) throws(RealmFileError) -> ByteSlice {
    guard index >= 0, index < strings.count else { throw .damaged(.mixedIndex, at: ref) }
    let bytes = strings[Int(index)] ?? ByteSlice.empty
    guard size == nil || bytes.count == size else {
      throw .damaged(.mixedIdentifierSize, at: ref)
    }
    return bytes
  }

  func ref(_ index: Int64) throws(RealmFileError) -> Ref {
    guard let refs, refs.hasRefs, index >= 0, index < refs.count else {
      throw .damaged(.mixedIndex, at: ref)
    }
    return try refs.ref(at: Int(index))
  }
}
