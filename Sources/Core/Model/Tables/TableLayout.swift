package import RealmStorage

/// A table as stored (chapter 3, section 2): its top array, spec, and arrays by leaf index.
package struct TableLayout {
  /// Slots of the top array. A slot that an older table lacks counts as 0.
  package enum Slot {
    package static let spec = 0
    package static let oldColumns = 1
    package static let clusters = 2
    package static let key = 3
    package static let indexes = 4
    package static let columnCounter = 5
    package static let contentVersion = 6
    package static let oppositeTables = 7
    package static let oppositeColumns = 8
    package static let sequenceNumber = 9
    package static let collisions = 10
    package static let primaryKey = 11
    package static let flags = 12
    package static let tombstones = 13
    package static let minimumCount = 12
    package static let maximumCount = 14
  }

  package let top: Node
  package let slot: Int
  let key: TableKey
  package let flags: Int
  package let kind: ObjectClass.Kind
  package let spec: SpecLayout
  /// Roots of search indexes, and the opposite tables and columns of links, by leaf index.
  package let indexes: Node
  package let oppositeTables: Node
  package let oppositeColumns: Node

  /// - Parameter slot: slot of the table in the group.
  /// - Throws: `damaged` with a rule of group `table` or `spec`.
  package init(at ref: Ref, slot: Int, _ nodes: NodeReader) throws(RealmFileError) {
    let top = try nodes.node(at: ref)
    guard top.hasRefs, !top.isInner, top.count >= Slot.minimumCount else {
      throw .damaged(
        .tableSlots, at: ref,
        "the table has \(top.form), expected at least \(Slot.minimumCount)")
    }
    key = TableKey(top.slotInteger(at: Slot.key))
    guard key.slot == slot else {
      throw .damaged(.tableKey, at: ref, "the table in slot \(slot) has a key of slot \(key.slot)")
    }
    flags = Slot.flags < top.count ? top.slotInteger(at: Slot.flags) : 0
    guard let kind = ObjectClass.Kind(rawValue: flags & 3) else {
      throw .damaged(.tableType, at: ref, "the table has type \(flags & 3), expected 0, 1 or 2")
    }
    (self.top, self.slot, self.kind) = (top, slot, kind)
    spec = try SpecLayout(at: try top.ref(at: Slot.spec), nodes)
    indexes = try nodes.lookUp(try top.ref(at: Slot.indexes))
    oppositeTables = try nodes.lookUp(try top.ref(at: Slot.oppositeTables))
    oppositeColumns = try nodes.lookUp(try top.ref(at: Slot.oppositeColumns))
    guard oppositeTables.isIntegers, oppositeColumns.isIntegers else {
      throw .damaged(
        .tableOpposites, at: ref,
        "the opposite tables and columns are \(oppositeTables.form) and \(oppositeColumns.form), "
          + "expected integers")
    }
  }

  /// The ref in a slot; 0 if there is none.
  package func ref(in slot: Int) throws(RealmFileError) -> Ref {
    slot < top.count ? try top.ref(at: slot) : 0
  }

  /// Position of the primary key among the columns; nil if there is none.
  ///
  /// - Throws: `damaged` with rule `table.primary-key`.
  package func primaryKey() throws(RealmFileError) -> Int? {
    guard top.integer(at: Slot.primaryKey) != 0 else { return nil }
    let key = ColumnKey(Int64(top.slotInteger(at: Slot.primaryKey)))
    guard let position = spec.keys.firstIndex(of: key), position < spec.names.count else {
      throw .damaged(
        .tablePrimaryKey, at: top.ref,
        "the primary key has column key \(key.raw), which no column has")
    }
    guard let type = key.type, key.collection == nil,
      [.int, .string, .objectId, .uuid].contains(type)
    else {
      throw .damaged(
        .tablePrimaryKey, at: top.ref,
        "the primary key is column \(spec.name(position)), expected an int, string, ObjectId or UUID column"
      )
    }
    return position
  }

  /// Column `position`, which is not a backlink column.
  package func column(_ position: Int, _ type: ColumnType) throws(RealmFileError) -> ColumnLayout {
    let key = spec.keys[position]
    let (table, opposite) = opposite(of: key)
    return ColumnLayout(
      position: position, key: key, type: type, target: type == .link ? table : nil,
      opposite: opposite == .null ? nil : opposite,
      index: key.leafIndex < indexes.count ? try indexes.ref(at: key.leafIndex) : 0,
      enumeration: try spec.enumeration(position))
  }

  /// The property that `column` stores.
  ///
  /// - Parameter target: position of the target class of links.
  package func property(of column: ColumnLayout, target: Int?) -> Property {
    let attributes = Int(truncatingIfNeeded: spec.attributes[column.position])
    let isFulltext = attributes & ColumnKey.Attribute.fulltextIndexed != 0
    return Property(
      name: Name(spec.names[column.position]?.bytes ?? []), type: column.type.propertyType,
      isOptional: column.key.isNullable, collection: column.key.collection, target: target,
      index: column.index == 0 ? nil : isFulltext ? .fulltext : .search,
      hasIntegerKeys: column.key.collection == .dictionary
        && spec.keyType(column.position) == SpecLayout.integerKeys)
  }

  /// Column `position`, which is a backlink column.
  func backlinkColumn(_ position: Int) -> BacklinkColumn {
    let (table, column) = opposite(of: spec.keys[position])
    return BacklinkColumn(key: spec.keys[position], origin: table, originColumn: column)
  }

  /// The opposite table and column of a link column; null keys for other columns.
  private func opposite(of key: ColumnKey) -> (TableKey, ColumnKey) {
    func element(_ node: Node, _ null: Int64) -> Int64 {
      key.leafIndex < node.count ? node.integer(at: key.leafIndex) : null
    }
    return (
      TableKey(Int(element(oppositeTables, Int64(TableKey.null.raw)))),
      ColumnKey(element(oppositeColumns, ColumnKey.null.raw))
    )
  }
}

/// A column as stored (chapter 3, sections 2 and 3).
package struct ColumnLayout {
  /// Position in the arrays of the spec.
  let position: Int
  package let key: ColumnKey
  let type: ColumnType
  /// The table that links refer to; nil for other types.
  let target: TableKey?
  let opposite: ColumnKey?
  /// Root of the search index, 0 for none.
  package let index: Ref
  /// The list of distinct values of an enumerated string column, 0 for none.
  package let enumeration: Ref
}

/// The arrays of a spec (chapter 3, section 3), with one element per column. Backlink columns come last
/// and have no names.
package struct SpecLayout {
  package enum Slot {
    package static let types = 0
    package static let names = 1
    package static let attributes = 2
    package static let subspecs = 3
    package static let enumerations = 4
    package static let keys = 5
    package static let count = 6
  }

  /// The key type of a dictionary with integer keys.
  package static let integerKeys = 0
  /// A table always has fewer columns.
  private static let columnLimit = 1 << 16

  package let node: Node
  package let types: [Int64]
  package let attributes: [Int64]
  package let keys: [ColumnKey]
  package let names: SliceColumn
  /// The lists of distinct values; nil if no column is enumerated.
  package let enumerations: Node?

  /// - Throws: `damaged` with a rule of group `spec`.
  package init(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) {
    let node = try nodes.node(at: ref)
    guard node.hasRefs, !node.isInner, node.count == Slot.count else {
      throw .damaged(.specSlots, at: ref, "the spec has \(node.form), expected \(Slot.count)")
    }
    func integers(_ slot: Int) throws(RealmFileError) -> [Int64] {
      let array = try nodes.node(at: try node.ref(at: slot))
      // A column takes few bits in three arrays, so a small node can claim many: check before decoding.
      guard array.isIntegers, array.count < SpecLayout.columnLimit else {
        throw .damaged(
          .specArray, at: array.ref,
          "slot \(slot) of the spec has \(array.form), expected an integer for each column")
      }
      return array.integers()
    }
    self.node = node
    types = try integers(Slot.types)
    attributes = try integers(Slot.attributes)
    keys = try integers(Slot.keys).map { ColumnKey($0) }
    names = try SpecLayout.names(at: try node.ref(at: Slot.names), nodes)
    guard types.count == keys.count, attributes.count == keys.count, names.count <= keys.count
    else {
      throw .damaged(
        .specLengths, at: ref,
        "there are \(types.count) types, \(attributes.count) attributes, \(keys.count) keys and "
          + "\(names.count) names, expected equal counts, or fewer names")
    }
    let lists = try node.ref(at: Slot.enumerations)
    enumerations = lists == 0 ? nil : try nodes.lookUp(lists)
    var leafIndexes = Set<Int>()
    for (i, key) in keys.enumerated() {
      guard let type = key.type else {
        throw .damaged(
          .specColumnKeys, at: ref, "the key of column \(i) has the unknown type \(key.typeCode)")
      }
      guard leafIndexes.insert(key.leafIndex).inserted else {
        throw .damaged(
          .specColumnKeys, at: ref,
          "columns share leaf index \(key.leafIndex); column \(i) is the second")
      }
      guard (type == .backlink) == (i >= names.count) else {
        throw .damaged(
          .specColumnKeys, at: ref,
          "column \(i) has type \(type), which \(i < names.count ? "has no" : "needs a") name")
      }
    }
  }

  /// Names of tables or columns (chapter 3, section 1.3). They are short strings, so they have at most 63
  /// bytes: an export repeats the name of a column for every value.
  ///
  /// - Throws: `damaged` with rule `spec.names` or a rule of group `leaf`.
  package static func names(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) -> SliceColumn
  {
    let node = try nodes.node(at: ref)
    guard !node.hasRefs else {
      throw .damaged(.specNames, at: ref, "the names are \(node.form), expected short strings")
    }
    return try ShortStringLeaf(node).values(rows: nil)
  }

  /// The name of the column at `position`, for messages.
  package func name(_ position: Int) -> String {
    position < names.count ? names[position]?.text ?? "" : ""
  }

  /// The upper half of the type, which for a dictionary is the type of its keys (section 3.1).
  package func keyType(_ position: Int) -> Int { Int(types[position] >> 16) }

  /// The list of distinct values of a column; 0 if there is none.
  package func enumeration(_ position: Int) throws(RealmFileError) -> Ref {
    guard let enumerations, position < enumerations.count else { return 0 }
    return try enumerations.ref(at: position)
  }

  /// Replaces the names of some columns of a table.
  ///
  /// - Parameter names: the new names, each of at most 63 bytes.
  /// - Returns: the ref of the node with the names, and the node to write in its place.
  package static func names(
    of table: Table, replacing names: [ColumnKey: [UInt8]], _ nodes: NodeReader
  ) throws(RealmFileError) -> (ref: Ref, bytes: [UInt8]) {
    let top = try nodes.lookUp(table.ref)
    let spec = try nodes.lookUp(try top.ref(at: TableLayout.Slot.spec))
    let keys = try nodes.lookUp(try spec.ref(at: Slot.keys))
    let old = try nodes.lookUp(try spec.ref(at: Slot.names))
    var strings: [Int: [UInt8]] = [:]
    for position in 0..<keys.count {
      strings[position] = names[ColumnKey(keys.integer(at: position))]
    }
    return (old.ref, try ShortStringLeaf(old).node(replacing: strings))
  }
}
