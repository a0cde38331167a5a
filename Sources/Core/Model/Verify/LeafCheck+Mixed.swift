import RealmStorage

/// Mixed values (chapter 2, rules M1 to M7).
extension LeafCheck {
  private typealias Slot = Leaf.MixedSlot

  mutating func checkMixed(
    _ node: Node, _ batch: ColumnBatch, _ place: Place
  ) throws(RealmFileError) {
    guard case .mixed(let values) = batch else { return }
    if node.count == Slot.countWithoutKeys {
      add(Defect(.mixedSlots, .warning, at: node.ref, "the leaf has 5 slots"))
    }
    let composites = try nodes.lookUp(try node.ref(at: Slot.composite)).integers()
    try checkPayloads(node, composites)
    try checkCollections(node, composites, place)
    if let strings = try child(node, Slot.strings) { try checkStrings(strings, terminator: 1) }
    var (text, dates): ([Int], [Int]) = ([], [])
    for (row, value) in values.enumerated() {
      switch value {
      case .string(let bytes): if !bytes.isValidUTF8 { text.append(row) }
      case .timestamp(let seconds, let nanoseconds):
        if !LeafCheck.isDate(seconds: seconds, nanoseconds: nanoseconds) { dates.append(row) }
      default: break
      }
    }
    add(Defect(.leafUtf8, at: node.ref, rows: text, of: values.count, "are not valid UTF-8"))
    add(Defect(.leafTimestamp, at: node.ref, rows: dates, of: values.count, "are no dates"))
  }

  private func child(_ node: Node, _ slot: Int) throws(RealmFileError) -> Node? {
    guard slot < node.count, case let ref = try node.ref(at: slot), ref != 0 else { return nil }
    return try nodes.lookUp(ref)
  }

  /// Every entry of a payload belongs to one row; what has no payload is in range.
  private mutating func checkPayloads(
    _ node: Node, _ composites: [Int64]
  ) throws(RealmFileError) {
    var uses: [Int: [Bool]] = [:]
    for slot in Slot.ints...Slot.refs {
      guard let payload = try child(node, slot) else { continue }
      let count =
        switch slot {
        case Slot.pairs: payload.count / 2
        // Of small blobs, the offsets have an element a value.
        case Slot.strings where payload.hasRefs && !payload.hasContext:
          try nodes.lookUp(try payload.ref(at: 0)).count
        default: payload.count
        }
      // There are no more entries than rows; more are not worth a mark each.
      uses[slot] = Array(repeating: false, count: min(count, composites.count + 1))
    }
    var (outOfRange, shared): ([Int], [Int]) = ([], [])
    for (row, raw) in composites.enumerated() where raw != 0 {
      let composite = Leaf.Composite(raw)
      guard composite.payload != 0 else {
        let isInRange =
          composite.typeCode == ColumnType.bool.rawValue
          ? composite.value == 0 || composite.value == 1
          : Int32(exactly: composite.value) != nil
        if !isInRange { outOfRange.append(row) }
        continue
      }
      let index = Int(composite.value)
      // The codec made sure that the entry exists; one behind the marks is unused or shared anyway.
      guard let marks = uses[composite.payload], marks.indices.contains(index), !marks[index] else {
        shared.append(row)
        continue
      }
      uses[composite.payload]?[index] = true
    }
    let count = composites.count
    add(Defect(.mixedInline, at: node.ref, rows: outOfRange, of: count, "are out of range"))
    add(
      Defect(
        .mixedPayloadUse, at: node.ref, rows: shared, of: count, "share their payload with another")
    )
    if shared.isEmpty, uses.values.contains(where: { $0.contains(false) }) {
      add(Defect(.mixedPayloadUse, at: node.ref, "a payload of this leaf belongs to no value"))
    }
  }

  private mutating func checkCollections(
    _ node: Node, _ composites: [Int64], _ place: Place
  ) throws(RealmFileError) {
    let rows = composites.indices.filter {
      composites[$0] != 0 && Leaf.Composite(composites[$0]).payload == Slot.refs
    }
    let keys = try child(node, Slot.keys)
    if let keys, keys.count != composites.count || !keys.isIntegers {
      add(
        Defect(
          .mixedKeyArray, at: keys.ref, "\(keys.count) keys for \(composites.count) values"))
    }
    guard !rows.isEmpty else { return }
    if format < 24 {
      add(Defect(.mixedFormat, at: node.ref, rows: rows, of: composites.count, "are collections"))
    }
    var keyless: [Int] = []
    for row in rows {
      let key = keys.map { $0.isIntegers && row < $0.count ? $0.integer(at: row) : 0 } ?? 0
      // In a column each row stands alone: equal keys are possible there.
      if key == 0 || !place.isInCluster && !collectionKeys.insert(key).inserted {
        keyless.append(row)
      }
    }
    add(
      Defect(
        .mixedCollectionKey, at: node.ref, rows: keyless, of: composites.count,
        "are collections without a key of their own"))
  }
}
