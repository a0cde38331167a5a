import RealmStorage

/// Slots of a table's top array that only checks look at (chapter 3, section 2).
struct TableTop {
  private enum Slot {
    static let oppositeTables = 7
    static let oppositeColumns = 8
    static let sequenceNumber = 9
    static let collisionMap = 10
  }

  private let node: Node
  private let nodes: NodeReader

  /// - Throws: where the group has no such table.
  init(of table: Table, _ reader: RealmReader) throws(RealmFileError) {
    nodes = reader.nodes
    let tables = try nodes.lookUp(reader.realm.snapshot.top.tables)
    guard table.key.slot < tables.count else { throw .damaged("table.key", at: tables.ref) }
    node = try nodes.lookUp(try tables.ref(at: table.key.slot))
  }

  /// Byte offset of the array.
  var ref: Ref { node.ref }

  /// The number that the next object gets.
  var sequenceNumber: Int {
    Slot.sequenceNumber < node.count ? node.slotInteger(at: Slot.sequenceNumber) : 0
  }

  /// The table and column that the column at `leafIndex` is paired with; null keys where none.
  func opposite(
    ofLeafIndex leafIndex: Int
  ) throws(RealmFileError) -> (table: TableKey, column: ColumnKey) {
    let tables = try nodes.lookUp(try node.ref(at: Slot.oppositeTables))
    let columns = try nodes.lookUp(try node.ref(at: Slot.oppositeColumns))
    guard tables.isIntegers, columns.isIntegers, leafIndex < tables.count,
      leafIndex < columns.count
    else { return (.null, .null) }
    return (
      TableKey(Int(tables.integer(at: leafIndex))), ColumnKey(columns.integer(at: leafIndex))
    )
  }

  /// A primary key whose object has another key than its hash (section 4.5).
  struct Collision {
    let low: UInt64
    let high: Int64
    let key: ObjectKey
  }

  /// The collision map in stored order, empty where there is none.
  ///
  /// - Throws: `damaged` with rule `key.collision-map` where the three arrays do not fit together.
  func collisions() throws(RealmFileError) -> [Collision] {
    guard Slot.collisionMap < node.count else { return [] }
    let ref = try node.ref(at: Slot.collisionMap)
    guard ref != 0 else { return [] }
    let map = try nodes.lookUp(ref)
    guard map.hasRefs, map.count == 3 else { throw .damaged("key.collision-map", at: ref) }
    let lows = try nodes.lookUp(try map.ref(at: 0))
    let highs = try nodes.lookUp(try map.ref(at: 1))
    let keys = try nodes.lookUp(try map.ref(at: 2))
    guard lows.isIntegers, highs.isIntegers, keys.isIntegers, lows.count == keys.count,
      highs.count == keys.count, keys.count <= keys.header.nodeByteCount
    else { throw .damaged("key.collision-map", at: ref) }
    return (0..<keys.count).map {
      Collision(
        low: UInt64(bitPattern: lows.integer(at: $0)), high: highs.integer(at: $0),
        key: ObjectKey(keys.integer(at: $0)))
    }
  }
}
