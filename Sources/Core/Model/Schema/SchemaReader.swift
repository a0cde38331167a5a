import RealmStorage

/// Decodes the tables of a snapshot from the group's two arrays down to the specs (chapter 3,
/// sections 1 to 3). Everything is checked that later code relies on.
struct SchemaReader {
  /// Slots of a table's top array (section 2); those an older table lacks read as 0.
  enum Slot {
    static let spec = 0
    static let oldColumns = 1
    static let clusters = 2
    static let key = 3
    static let indexes = 4
    static let columnCounter = 5
    static let contentVersion = 6
    static let oppositeTables = 7
    static let oppositeColumns = 8
    static let sequenceNumber = 9
    static let collisions = 10
    static let primaryKey = 11
    static let flags = 12
    static let tombstones = 13
    static let minimumCount = 12
    static let maximumCount = 14
  }

  /// Slots of a spec (section 3).
  enum SpecSlot {
    static let types = 0
    static let names = 1
    static let attributes = 2
    static let subspecs = 3
    static let enumerations = 4
    static let keys = 5
    static let count = 6
  }

  /// Key type of a dictionary in the upper half of the type array: integers.
  private static let integerKeyType = 0

  let nodes: NodeReader

  /// - Parameter damage: told of a table that cannot be read; where it returns, that table is left
  ///   out.
  /// - Throws: `damaged` with a rule of group `table`, `spec` or `node`, at the node concerned and
  ///   with the class as far as it is known.
  func read(
    _ top: TopArray, damage: (RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Schema {
    guard top.ref != 0 else { return Schema(tables: []) }
    return try nodes.traversing { () throws(RealmFileError) in
      Schema(tables: try tables(of: top, damage: damage))
    }
  }

  private func tables(
    of top: TopArray, damage: (RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> [Table] {
    let names = try names(at: top.tableNames)
    let entries = try nodes.node(at: top.tables)
    guard entries.hasRefs, !entries.isInner, names.count == entries.count, names.count < 1 << 16
    else { throw .damaged(.tableNames, at: top.tables) }

    var tables: [Table] = []
    for slot in 0..<entries.count {
      guard case .ref(let ref) = entries.element(at: slot) else { continue }
      let name = Name(names[slot]?.bytes ?? [])
      do throws(RealmFileError) {
        tables.append(try table(at: ref, slot: slot, position: tables.count, name: name))
      } catch {
        try damage(error.adding(className: Table.className(of: name).text))
      }
    }
    return tables
  }

  private func table(
    at ref: Ref, slot: Int, position: Int, name: Name
  ) throws(RealmFileError) -> Table {
    let top = try nodes.node(at: ref)
    guard top.hasRefs, !top.isInner, top.count >= Slot.minimumCount else {
      throw .damaged(.tableSlots, at: ref)
    }
    func slotRef(_ slot: Int) throws(RealmFileError) -> Ref {
      slot < top.count ? try top.ref(at: slot) : 0
    }
    let key = TableKey(top.slotInteger(at: Slot.key))
    guard key.slot == slot else { throw .damaged(.tableKey, at: ref) }
    let flags = Slot.flags < top.count ? top.slotInteger(at: Slot.flags) : 0
    guard let kind = Table.Kind(rawValue: flags & 3) else {
      throw .damaged(.tableType, at: ref)
    }
    let columns = try columns(of: top)
    let primaryKey: Int?
    if top.integer(at: Slot.primaryKey) == 0 {
      primaryKey = nil
    } else {
      let raw = ColumnKey(Int64(top.slotInteger(at: Slot.primaryKey)))
      guard let position = columns.properties.firstIndex(where: { $0.key == raw }),
        columns.properties[position].collection == nil,
        [.int, .string, .objectId, .uuid].contains(columns.properties[position].type)
      else { throw .damaged(.tablePrimaryKey, at: ref) }
      primaryKey = position
    }
    let clusters = try slotRef(Slot.clusters)
    return Table(
      key: key, ref: ref, position: position, name: name, kind: kind, columns: columns.properties,
      backlinkColumns: columns.backlinks, primaryKey: primaryKey,
      objectCount: try ClusterTree(root: clusters, nodes: nodes).objectCount(),
      sequenceNumber: top.slotInteger(at: Slot.sequenceNumber),
      clusters: clusters, tombstones: try slotRef(Slot.tombstones))
  }

  private func columns(
    of top: Node
  ) throws(RealmFileError) -> (properties: [Column], backlinks: [BacklinkColumn]) {
    let specRef = try top.ref(at: Slot.spec)
    let spec = try nodes.node(at: specRef)
    guard spec.hasRefs, !spec.isInner, spec.count == SpecSlot.count else {
      throw .damaged(.specSlots, at: specRef)
    }
    let types = try integers(spec, SpecSlot.types)
    let attributes = try integers(spec, SpecSlot.attributes)
    let keys = try integers(spec, SpecSlot.keys)
    let names = try names(at: try spec.ref(at: SpecSlot.names))
    guard types.count == keys.count, attributes.count == keys.count, names.count <= keys.count,
      keys.count < 1 << 16
    else { throw .damaged(.specLengths, at: specRef) }

    let indexes = try nodes.lookUp(try top.ref(at: Slot.indexes))
    let oppositeTables = try nodes.lookUp(try top.ref(at: Slot.oppositeTables))
    let oppositeColumns = try nodes.lookUp(try top.ref(at: Slot.oppositeColumns))
    let enumerationsRef = try spec.ref(at: SpecSlot.enumerations)
    let enumerations = enumerationsRef == 0 ? nil : try nodes.lookUp(enumerationsRef)
    guard oppositeTables.isIntegers, oppositeColumns.isIntegers else {
      throw .damaged(.tableOpposites, at: top.ref)
    }

    var properties: [Column] = []
    var backlinks: [BacklinkColumn] = []
    var leafIndexes = Set<Int>()
    for i in 0..<keys.count {
      let key = ColumnKey(keys[i])
      guard let type = key.type, leafIndexes.insert(key.leafIndex).inserted,
        (type == .backlink) == (i >= names.count)
      else { throw .damaged(.specColumnKeys, at: specRef) }
      func opposite(_ node: Node, _ null: Int64) -> Int64 {
        key.leafIndex < node.count ? node.integer(at: key.leafIndex) : null
      }
      let table = TableKey(Int(opposite(oppositeTables, Int64(TableKey.null.raw))))
      let oppositeColumn = ColumnKey(opposite(oppositeColumns, ColumnKey.null.raw))
      guard type != .backlink else {
        backlinks.append(
          BacklinkColumn(
            key: key, origin: table,
            originColumn: oppositeColumn))
        continue
      }
      let index = key.leafIndex < indexes.count ? try indexes.ref(at: key.leafIndex) : 0
      let isFulltext = attributes[i] & Int64(ColumnKey.Attribute.fulltextIndexed) != 0
      let enumeration =
        if let enumerations, i < enumerations.count { try enumerations.ref(at: i) } else { 0 }
      properties.append(
        Column(
          key: key, name: Name(names[i]?.bytes ?? []), type: type, isNullable: key.isNullable,
          collection: key.collection, target: type == .link ? table : nil,
          opposite: oppositeColumn == .null ? nil : oppositeColumn,
          isIndexed: index != 0 && !isFulltext, isFulltextIndexed: index != 0 && isFulltext,
          hasIntegerKeys: key.collection == .dictionary
            && Int(types[i] >> 16) == SchemaReader.integerKeyType,
          index: index, enumeration: enumeration))
    }
    return (properties, backlinks)
  }

  /// Names of tables or columns: short strings, so of 63 bytes at most (chapter 3, section 1.3). A
  /// longer one would stand in front of every value of its column in a text.
  private func names(at ref: Ref) throws(RealmFileError) -> SliceColumn {
    let node = try nodes.node(at: ref)
    guard !node.hasRefs else { throw .damaged(.specNames, at: ref) }
    return try Leaf.strings(node, nodes, rows: nil)
  }

  /// A plain integer array in a slot of the spec.
  private func integers(_ spec: Node, _ slot: Int) throws(RealmFileError) -> [Int64] {
    let node = try nodes.node(at: try spec.ref(at: slot))
    // A column takes bits in three arrays; a count beyond what a table can have is not decoded.
    guard node.isIntegers, node.count < 1 << 16 else { throw .damaged(.specArray, at: node.ref) }
    return node.integers()
  }
}
