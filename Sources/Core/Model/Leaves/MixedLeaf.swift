package import RealmStorage

/// Values of any type (chapter 2, section 3.14): one composite element per row, and arrays for payloads that do
/// not fit into it.
///
/// ```
/// slot 0  composites: type code plus one in bits 0–4, payload slot in bits 5–7, value above
/// slot 1  integers, bits of floats and doubles, object keys
/// slot 2  pairs: dates, decimals, typed links
/// slot 3  strings, binaries, identifiers, as a leaf of strings
/// slot 4  roots of collections
/// slot 5  keys of collections
/// ```
package struct MixedLeaf {
  /// Slots of the leaf. Leaves written by formats up to 23 have four or five; a missing slot counts as 0.
  package enum Slot {
    static let composites = 0
    package static let ints = 1
    package static let pairs = 2
    package static let strings = 3
    package static let refs = 4
    package static let keys = 5
    package static let countWithoutKeys = 5
    package static let legalCounts = 4...6
  }

  /// A decoded composite element.
  package struct Composite {
    package let typeCode: Int
    package let payload: Int
    package let value: Int64

    package init(_ raw: Int64) {
      typeCode = Int(raw & 0x1F) - 1
      payload = Int(raw >> 5 & 7)
      value = raw >> 8
    }

    /// The encoded composite element. `value` has at most 56 bits.
    package static func raw(_ typeCode: Int, payload: Int, _ value: Int64) -> Int64 {
      value << 8 | Int64(payload << 5 | (typeCode + 1))
    }
  }

  /// Type codes of values that are no column types.
  package static let listCode = 19
  package static let dictionaryCode = 21

  package let node: Node
  package let composites: Node
  package let ints: Node?
  package let pairs: Node?
  package let strings: StringLeaf?
  package let refs: Node?

  /// Checks the node of a leaf. An array of 0 integers is a leaf without values: the reference leaves one when it
  /// loses the key of a nested list, and reads it as an empty list.
  ///
  /// - Parameter isLookUp: as for ``SmallBlobsLeaf``.
  /// - Throws: `damaged` with rule `leaf.kind` or `mixed.slots`.
  package init(_ node: Node, _ nodes: NodeReader, isLookUp: Bool = false) throws(RealmFileError) {
    if node.isIntegers, node.count == 0 {
      (self.node, composites) = (node, node)
      (ints, pairs, strings, refs) = (nil, nil, nil, nil)
      return
    }
    guard node.hasRefs, !node.hasContext, Slot.legalCounts.contains(node.count) else {
      throw Leaf.kindError(node, expected: "4 to 6 refs to the arrays of mixed values")
    }
    func child(_ slot: Int) throws(RealmFileError) -> Node? {
      guard slot < node.count, case let ref = try node.ref(at: slot), ref != 0 else { return nil }
      return try nodes.node(at: ref, isLookUp: isLookUp)
    }
    func integers(_ slot: Int) throws(RealmFileError) -> Node? {
      guard let child = try child(slot) else { return nil }
      guard child.isIntegers else { throw MixedLeaf.slotError(child, slot) }
      return child
    }
    self.node = node
    composites = try nodes.node(at: try node.ref(at: Slot.composites), isLookUp: isLookUp)
    guard composites.isIntegers else { throw MixedLeaf.slotError(composites, Slot.composites) }
    ints = try integers(Slot.ints)
    pairs = try integers(Slot.pairs)
    if let child = try child(Slot.strings) {
      strings = try StringLeaf(strings: child, nodes, isLookUp: isLookUp)
      // Each string belongs to a row of its own.
      guard strings?.count ?? 0 <= composites.count else {
        throw .damaged(
          .mixedSlots, at: child.ref,
          "the leaf has \(strings?.count ?? 0) strings for \(composites.count) values")
      }
    } else {
      strings = nil
    }
    refs = try child(Slot.refs)
    if let refs, !refs.hasRefs { throw MixedLeaf.slotError(refs, Slot.refs) }
  }

  private static func slotError(_ child: Node, _ slot: Int) -> RealmFileError {
    .damaged(
      .mixedSlots, at: child.ref,
      "slot \(slot) has \(child.form), expected \(slot == Slot.refs ? "refs" : "integers")")
  }

  /// All rows.
  ///
  /// - Parameter rows: the number of rows that the leaf must have; nil if only the leaf knows it.
  /// - Throws: `damaged` with rule `leaf.rows`, a rule of group `mixed`, or one of a leaf of strings.
  func values(rows: Int?) throws(RealmFileError) -> [MixedValue] {
    try Leaf.check(composites.count, rows: rows, at: composites)
    let slices = try strings?.values(rows: nil)
    var values: [MixedValue] = []
    values.reserveCapacity(composites.count)
    for raw in composites.integers() {
      values.append(
        try value(raw) { index throws(RealmFileError) in
          // `values(rows:)` decoded all strings.
          slices.flatMap { index < $0.count ? $0[index] : nil }
        })
    }
    return values
  }

  func value(at row: Int) throws(RealmFileError) -> MixedValue {
    try Leaf.check(row: row, of: composites.count, at: composites)
    return try value(composites.integer(at: row)) { index throws(RealmFileError) in
      try strings?.value(at: index)
    }
  }

  /// - Parameter string: returns the string at an index, which must exist.
  @inline(__always)
  private func value(
    _ raw: Int64, string: (Int) throws(RealmFileError) -> ByteSlice?
  ) throws(RealmFileError) -> MixedValue {
    guard raw != 0 else { return .null }
    let composite = Composite(raw)
    func int() throws(RealmFileError) -> Int64 { try element(ints, composite.value) }
    // Elements 2·index and 2·index + 1. The value of a composite has 56 bits, so doubling it cannot
    // overflow.
    func pair() throws(RealmFileError) -> (Int64, Int64) {
      (try element(pairs, composite.value * 2), try element(pairs, composite.value * 2 + 1))
    }
    // A null string counts as an empty value, unless `size` is given.
    func bytes(size: Int? = nil) throws(RealmFileError) -> ByteSlice {
      let count = strings?.count ?? 0
      guard composite.value >= 0, composite.value < count else {
        throw indexError(composite.value, count)
      }
      let bytes = try string(Int(composite.value)) ?? ByteSlice.empty
      if let size, bytes.count != size {
        throw .damaged(
          .mixedIdentifierSize, at: node.ref,
          "an identifier has \(bytes.count) bytes, expected \(size)")
      }
      return bytes
    }
    switch (composite.typeCode, composite.payload) {
    case (ColumnType.int.rawValue, 0): return .int(composite.value)
    case (ColumnType.int.rawValue, Slot.ints): return .int(try int())
    case (ColumnType.bool.rawValue, 0): return .bool(composite.value != 0)
    case (ColumnType.float.rawValue, Slot.ints):
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try int())))
    case (ColumnType.double.rawValue, Slot.ints):
      return .double(Double(bitPattern: UInt64(bitPattern: try int())))
    case (ColumnType.string.rawValue, Slot.strings): return .string(try bytes())
    case (ColumnType.binary.rawValue, Slot.strings): return .binary(try bytes())
    case (ColumnType.objectId.rawValue, Slot.strings):
      return .objectId(try bytes(size: FixedBytesLeaf.objectIdSize))
    case (ColumnType.uuid.rawValue, Slot.strings):
      return .uuid(try bytes(size: FixedBytesLeaf.uuidSize))
    case (ColumnType.timestamp.rawValue, Slot.pairs):
      let (seconds, nanoseconds) = try pair()
      return .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case (ColumnType.decimal.rawValue, Slot.pairs):
      let (low, high) = try pair()
      return .decimal(Decimal128(low: UInt64(bitPattern: low), high: UInt64(bitPattern: high)))
    case (ColumnType.typedLink.rawValue, Slot.pairs):
      let (table, object) = try pair()
      return .typedLink(TableKey(Int(table)), ObjectKey(object))
    case (ColumnType.link.rawValue, Slot.ints): return .link(ObjectKey(try int()))
    case (MixedLeaf.listCode, Slot.refs): return .list(try root(composite.value))
    case (MixedLeaf.dictionaryCode, Slot.refs): return .dictionary(try root(composite.value))
    default:
      throw .damaged(
        .mixedType, at: node.ref,
        "found type \(composite.typeCode) with a payload in slot \(composite.payload), expected the slot of a "
          + "known type")
    }
  }

  private func element(_ node: Node?, _ index: Int64) throws(RealmFileError) -> Int64 {
    guard let node, index >= 0, index < node.count else {
      throw indexError(index, node?.count ?? 0)
    }
    return node.integer(at: Int(index))
  }

  private func root(_ index: Int64) throws(RealmFileError) -> Ref {
    guard let refs, index >= 0, index < refs.count else {
      throw indexError(index, refs?.count ?? 0)
    }
    return try refs.ref(at: Int(index))
  }

  private func indexError(_ index: Int64, _ count: Int) -> RealmFileError {
    .damaged(
      .mixedIndex, at: node.ref,
      "found a value with payload \(index), expected a position less than \(count)")
  }
}
