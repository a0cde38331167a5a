import RealmStorage

/// The arrays of a spec, each where it can be read.
struct SpecArrays {
  let node: Node
  let types: [Int64]
  let attributes: [Int64]
  let keys: [ColumnKey]
  let names: SliceColumn
  /// Slots whose arrays are no plain arrays, or have more elements than a table has columns.
  let unreadable: [Int]

  private typealias Slot = SchemaReader.SpecSlot

  init(_ node: Node, _ nodes: NodeReader) {
    self.node = node
    var unreadable: [Int] = []
    func integers(_ slot: Int) -> [Int64] {
      guard slot < node.count, let array = try? nodes.lookUp(try node.ref(at: slot)),
        array.isIntegers, array.count < 1 << 16
      else {
        unreadable.append(slot)
        return []
      }
      return array.integers()
    }
    types = integers(Slot.types)
    attributes = integers(Slot.attributes)
    keys = integers(Slot.keys).map { ColumnKey($0) }
    if Slot.names < node.count, let array = try? nodes.lookUp(try node.ref(at: Slot.names)),
      let strings = try? Leaf.strings(array, nodes, rows: nil)
    {
      names = strings
    } else {
      names = SliceColumn([])
      unreadable.append(Slot.names)
    }
    self.unreadable = unreadable
  }

  /// Name of the column in `position`, for messages.
  func name(_ position: Int) -> String? {
    position < names.count ? names[position]?.text ?? "" : nil
  }
}

/// Specs and columns (chapter 3, section 11, rules S1 to S9).
extension TableCheck {
  private typealias Slot = SchemaReader.Slot
  private typealias SpecSlot = SchemaReader.SpecSlot
  private typealias Attribute = ColumnKey.Attribute

  private static let nameByteLimit = 63
  /// Types of the keys of dictionaries: strings, and integers in those that no SDK makes.
  private static let keyTypes = [ColumnType.int.rawValue, ColumnType.string.rawValue]
  private static let collectionBits = Attribute.list | Attribute.dictionary | Attribute.set
  /// What a column key can say besides the tag and the leaf index.
  private static let keyBits = Attribute.nullable | collectionBits

  mutating func checkSpec(_ spec: SpecArrays) throws(RealmFileError) {
    let node = spec.node
    guard node.hasRefs, !node.isInner, node.count == SpecSlot.count else {
      throw .damaged(.specSlots, at: node.ref)
    }
    if node.integer(at: SpecSlot.subspecs) != 0 {
      add(.specSlots, at: node.ref, "slot \(SpecSlot.subspecs) is not 0")
    }
    guard spec.unreadable.isEmpty else { throw .damaged(.specArray, at: node.ref) }
    try checkStrings(at: node.ref(at: SpecSlot.names))
    let count = spec.keys.count
    guard spec.types.count == count, spec.attributes.count == count, spec.names.count <= count
    else { throw .damaged(.specLengths, at: node.ref) }
    var seen: Set<[UInt8]> = []
    for i in spec.names.indices {
      let name = spec.names[i]?.bytes ?? []
      if !seen.insert(name).inserted {
        add(
          .specNames, at: node.ref, property: spec.name(i),
          "another property is called \(spec.name(i) ?? "") too")
      } else if name.count > TableCheck.nameByteLimit {
        add(
          .specNames, at: node.ref, property: spec.name(i),
          "the name has \(name.count) bytes, the most is \(TableCheck.nameByteLimit)")
      } else if name.isEmpty {
        // The reference writes and reads them.
        add(.specNames, .warning, at: node.ref, "property \(i) has no name")
      }
    }
    var leafIndexes: Set<Int> = []
    for (i, key) in spec.keys.enumerated() {
      guard let type = key.type, leafIndexes.insert(key.leafIndex).inserted,
        (type == .backlink) == (i >= spec.names.count)
      else {
        add(.specColumnKeys, at: node.ref, property: spec.name(i), "column \(i) has no usable key")
        continue
      }
      checkColumn(i, key, spec)
    }
    try checkEnumerations(spec)
  }

  private mutating func checkColumn(_ i: Int, _ key: ColumnKey, _ spec: SpecArrays) {
    let type = Int(spec.types[i] & 0xFFFF)
    // Lists of links had a code of their own, which upgrades leave in this array.
    let isListCode = type == 13 && key.type == .link && key.collection == .list
    if type != key.typeCode && !isListCode {
      add(
        .specTypes, at: spec.node.ref, property: spec.name(i),
        "the type is \(type), but \(key.typeCode) in the key")
    }
    checkKeyType(Int(spec.types[i] >> 16), i, key, spec)
    let attributes = Int(truncatingIfNeeded: spec.attributes[i])
    let own = attributes & ~(Attribute.indexed | Attribute.fulltextIndexed)
    let isSame = own & TableCheck.keyBits == key.attributes & TableCheck.keyBits
    if !isSame || (own & TableCheck.collectionBits).nonzeroBitCount > 1 {
      add(
        .specAttributes, at: spec.node.ref, property: spec.name(i),
        "the attributes are \(attributes), but \(key.attributes) in the key")
    } else if own & ~TableCheck.keyBits != 0 || key.attributes & ~TableCheck.keyBits != 0 {
      add(.specAttributes, .warning, at: spec.node.ref, property: spec.name(i))
    }
  }

  /// What stands above the type: the type of the keys of a dictionary (section 3.1), and nothing in
  /// other columns.
  private mutating func checkKeyType(
    _ keyType: Int, _ i: Int, _ key: ColumnKey, _ spec: SpecArrays
  ) {
    switch (key.collection, key.type) {
    case (.dictionary, _):
      guard !TableCheck.keyTypes.contains(keyType) else { return }
      add(
        .specTypes, at: spec.node.ref, property: spec.name(i),
        "the keys of a dictionary have type \(keyType)")
    default:
      guard keyType != 0 else { return }
      // The reference compares all bits to tell backlink columns from those of the class.
      add(
        .specTypes, key.type == .backlink ? .error : .warning, at: spec.node.ref,
        property: spec.name(i), "column \(i) has keys of type \(keyType), but is no dictionary")
    }
  }

  /// Rule S6.
  private mutating func checkEnumerations(_ spec: SpecArrays) throws(RealmFileError) {
    let ref = try spec.node.ref(at: SpecSlot.enumerations)
    guard ref != 0 else { return }
    let lists = try nodes.lookUp(ref)
    guard lists.hasRefs, lists.count == spec.names.count else {
      return add(
        .specEnumeration, at: ref, "\(lists.count) elements for \(spec.names.count) columns")
    }
    for i in 0..<lists.count where lists.integer(at: i) != 0 {
      if spec.keys[i].type != .string || spec.keys[i].collection != nil {
        add(.specEnumeration, at: ref, property: spec.name(i))
      } else {
        try checkStrings(at: lists.ref(at: i))
      }
    }
  }

  /// Rule S7: arrays by leaf index.
  mutating func checkColumns(_ table: Node, _ spec: SpecArrays) throws(RealmFileError) {
    let indexes = try nodes.lookUp(try table.ref(at: Slot.indexes))
    let tables = try nodes.lookUp(try table.ref(at: Slot.oppositeTables))
    let columns = try nodes.lookUp(try table.ref(at: Slot.oppositeColumns))
    guard indexes.hasRefs, !indexes.isInner, tables.isIntegers, columns.isIntegers else {
      throw .damaged(.tableOpposites, at: table.ref)
    }
    let used = Set(spec.keys.map(\.leafIndex))
    guard tables.count == indexes.count, columns.count == indexes.count,
      indexes.count > used.max() ?? -1, indexes.count < 1 << 16
    else {
      return add(
        .tableOpposites, at: table.ref,
        "the arrays have \(indexes.count), \(tables.count) and \(columns.count) elements")
    }
    for key in spec.keys
    where key.type == .backlink && indexes.integer(at: key.leafIndex) != 0 {
      add(.indexColumn, at: indexes.ref, "a backlink column has an index")
    }
    let stale = (0..<indexes.count).count { index in
      !used.contains(index)
        && (indexes.integer(at: index) != 0 || tables.integer(at: index) != TableKey.null.raw
          || columns.integer(at: index) != ColumnKey.null.raw)
    }
    if stale > 0 {
      add(.tableOpposites, .warning, at: table.ref, "\(stale) elements belong to no column")
    }
  }

  /// Rules S8 and S9.
  mutating func checkPrimaryKey(
    _ table: Node, _ spec: SpecArrays, isEmbedded: Bool
  ) throws(RealmFileError) {
    guard table.integer(at: Slot.primaryKey) != 0 else { return }
    let key = ColumnKey(Int64(table.slotInteger(at: Slot.primaryKey)))
    guard let position = spec.keys.firstIndex(of: key), position < spec.names.count,
      key.collection == nil, [.int, .string, .objectId, .uuid].contains(key.type), !isEmbedded
    else { return add(.tablePrimaryKey, at: table.ref) }
    guard format >= 22 else { return }
    let indexes = try nodes.lookUp(try table.ref(at: Slot.indexes))
    let isIndexed =
      key.leafIndex < indexes.count && indexes.integer(at: key.leafIndex) != 0
      && spec.attributes[position] & Int64(Attribute.fulltextIndexed) == 0
    if !isIndexed {
      add(.tablePrimaryKeyIndex, at: table.ref, property: spec.name(position))
    }
  }
}
