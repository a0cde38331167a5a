package import RealmModel
package import RealmStorage

/// The places of a realm's tables, for a new realm that must keep them: sync clients refer to tables by their keys,
/// and to objects by keys that must not be used twice (chapter 3, sections 1.2 and 4.2).
package struct KeptTables: Sendable {
  /// Keys of the tables by position of their class.
  let keys: [Int: TableKey]
  /// Key of the table with the schema version, or the key for such a table if there is none.
  let versionKey: TableKey
  /// Slot for the first new table, apart from the one with the schema version.
  let firstNewSlot: Int
  /// The numbers for the next generated object keys, by position of the class.
  let nextNumbers: [Int: Int]
  /// The elements of slots without a table: the tag for the next table in the slot.
  private let freeSlots: [Int: Int64]

  private static let tagMask = 0x7FFF

  /// - Parameter positions: the position of each class in the new realm, nil for a removed class; nil if all
  ///   classes keep their positions.
  package init(of realm: Realm, positions: [Int?]? = nil) throws(RealmFileError) {
    var (keys, numbers, free): ([Int: TableKey], [Int: Int], [Int: Int64]) = ([:], [:], [:])
    var versionKey: TableKey?
    for (position, table) in realm.schema.tables.enumerated() {
      if table.objectClass.isVersionTable { versionKey = table.key }
      if let new = positions.map({ $0[position] }) ?? position {
        keys[new] = table.key
        numbers[new] = table.sequenceNumber
      }
      // Used if the new realm does not have the table.
      free[table.key.slot] = Int64(((table.key.raw >> 16) + 1) & KeptTables.tagMask) << 1 | 1
    }
    (self.keys, nextNumbers) = (keys, numbers)
    if realm.snapshot.top.ref != 0 {
      let entries = try realm.snapshot.makeReader().lookUp(realm.snapshot.top.tables)
      // Reading the schema proved that there are as many elements as names, less than 2¹⁶.
      for slot in 0..<entries.count {
        let element = entries.integer(at: slot)
        if element & 1 == 1 { free[slot] = element }
      }
    }
    freeSlots = free
    // A new table comes after all slots that were ever in use.
    let count = (free.keys.max() ?? -1) + 1
    self.versionKey = versionKey ?? TableKey(count)
    firstNewSlot = versionKey == nil ? count + 1 : count
  }

  /// The elements of the list of tables, and the names, by slot.
  ///
  /// - Parameter tables: the tables of the new realm, in any order.
  func slots(
    _ tables: [(key: TableKey, ref: Ref, name: [UInt8])]
  ) -> (elements: [Int64], names: [[UInt8]]) {
    let count = max((freeSlots.keys.max() ?? -1) + 1, (tables.map(\.key.slot).max() ?? -1) + 1)
    var elements = (0..<count).map { freeSlots[$0] ?? 1 }
    var names = [[UInt8]](repeating: [], count: count)
    for table in tables {
      elements[table.key.slot] = Int64(table.ref)
      names[table.key.slot] = table.name
    }
    return (elements, names)
  }
}
