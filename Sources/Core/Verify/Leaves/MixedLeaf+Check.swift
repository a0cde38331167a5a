import RealmModel
import RealmStorage

/// The rules for mixed values that decoding does not check (chapter 2, rules M1 to M7).
extension MixedLeaf {
  /// Checks the leaf.
  ///
  /// - Parameters:
  ///   - values: the result of ``values(rows:)``.
  ///   - isInCluster: true for a leaf of a cluster, false for a leaf of a collection.
  ///   - collectionKeys: keys of the collections found so far in the leaves of the same collection.
  func check(
    _ values: [MixedValue], format: FileFormat, isInCluster: Bool, collectionKeys: inout Set<Int64>,
    _ nodes: NodeReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    if node.count == 0 {
      findings.add(
        .mixedSlots, .warning, at: node.ref,
        "the leaf has no slots, and so no values, expected 4 or 6 slots")
    } else if node.count == Slot.countWithoutKeys {
      findings.add(
        .mixedSlots, .warning, at: node.ref, "the leaf has 5 slots, expected 4 or 6")
    }
    if node.count > format.mixedSlotCount {
      findings.add(
        .mixedFormat, at: node.ref,
        "the leaf has \(node.count) slots in format \(format.number), expected \(format.mixedSlotCount)"
      )
    }
    let composites = composites.integers()
    checkPayloads(composites, &findings)
    try checkCollections(
      composites, format: format, isInCluster: isInCluster, &collectionKeys, nodes, &findings)
    if let strings { try StringLeaf.check(strings.node, terminator: 1, nodes, &findings) }
    var (invalid, dates) = (RowCount(), RowCount())
    for (row, value) in values.enumerated() {
      switch value {
      case .string(let bytes): if !bytes.isValidUTF8 { invalid.add(row) }
      case .timestamp(let seconds, let nanoseconds):
        if !TimestampLeaf.isDate(seconds: seconds, nanoseconds: nanoseconds) { dates.add(row) }
      default: break
      }
    }
    invalid.report(
      .leafUtf8, at: node.ref, of: values.count, "values are not valid UTF-8", &findings)
    dates.report(
      .leafTimestamp, at: node.ref, of: values.count, "values are impossible dates", &findings)
  }

  /// Checks that every payload belongs to one row, and that values without payload are in range.
  private func checkPayloads(_ composites: [Int64], _ findings: inout Findings) {
    let counts = [
      Slot.ints: ints?.count, Slot.pairs: pairs.map { $0.count / 2 }, Slot.strings: strings?.count,
      Slot.refs: refs?.count,
    ]
    // A leaf has at most one payload per row. Further payloads get no mark.
    var isUsed = counts.compactMapValues { count in
      count.map { Array(repeating: false, count: min($0, composites.count + 1)) }
    }
    var (outOfRange, shared) = (RowCount(), RowCount())
    for (row, raw) in composites.enumerated() where raw != 0 {
      let composite = Composite(raw)
      guard composite.payload != 0 else {
        let isInRange =
          composite.typeCode == ColumnType.bool.rawValue
          ? composite.value == 0 || composite.value == 1
          : Int32(exactly: composite.value) != nil
        if !isInRange { outOfRange.add(row) }
        continue
      }
      let index = Int(composite.value)
      // Decoding the leaf proved that the payload exists. One beyond the marks counts as shared: with more
      // payloads than rows, the rule is broken anyway.
      guard let marks = isUsed[composite.payload], marks.indices.contains(index), !marks[index]
      else {
        shared.add(row)
        continue
      }
      isUsed[composite.payload]?[index] = true
    }
    outOfRange.report(
      .mixedInline, at: node.ref, of: composites.count,
      "values without payload are neither booleans nor 32-bit integers", &findings)
    shared.report(
      .mixedPayloadUse, at: node.ref, of: composites.count, "values share their payload", &findings)
    let unused = isUsed.values.reduce(0) { $0 + $1.count { !$0 } }
    if shared.count == 0, unused > 0 {
      findings.add(.mixedPayloadUse, at: node.ref, "\(unused) payloads belong to no value")
    }
  }

  private func checkCollections(
    _ composites: [Int64], format: FileFormat, isInCluster: Bool,
    _ collectionKeys: inout Set<Int64>,
    _ nodes: NodeReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    var keys: Node?
    if Slot.keys < node.count, case let ref = try node.ref(at: Slot.keys), ref != 0 {
      keys = try nodes.lookUp(ref)
    }
    if let keys, keys.count != composites.count || !keys.isIntegers {
      findings.add(
        .mixedKeyArray, at: keys.ref,
        "the keys of collections are \(keys.form), expected \(composites.count) integers")
    }
    var (old, keyless) = (RowCount(), RowCount())
    for (row, raw) in composites.enumerated()
    where raw != 0 && Composite(raw).payload == Slot.refs {
      if !format.contents.contains(.nestedCollections) { old.add(row) }
      let key = keys.map { $0.isIntegers && row < $0.count ? $0.integer(at: row) : 0 } ?? 0
      // In a column, each row is independent, so equal keys are allowed.
      if key == 0 || !isInCluster && !collectionKeys.insert(key).inserted { keyless.add(row) }
    }
    old.report(
      .mixedFormat, at: node.ref, of: composites.count,
      "values are collections in format \(format.number); they exist from format 24 on", &findings)
    keyless.report(
      .mixedCollectionKey, at: node.ref, of: composites.count,
      "values are collections without a key of their own", &findings)
  }
}
