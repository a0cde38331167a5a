import RealmModel
import RealmStorage

/// Replaces lost tables by those of older versions: with their columns and without objects, which
/// ``OlderObjects`` finds one by one.
///
/// If the columns of a table were inferred, they stay. A commit copies a spec only if it changes
/// it, so the lost spec differs from that of the older version, and its columns may use other
/// leaves.
enum TableGraft {
  /// - Parameters:
  ///   - versions: the older versions, the newest first.
  ///   - repairs: receives the tables, and a list of tables with them.
  /// - Returns: whether a table was replaced.
  /// - Throws: errors that are not damage.
  static func run(
    _ salvaged: SalvagedRealm, _ versions: [OlderVersion], _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) -> Bool {
    guard salvaged.lostTables.contains(where: { !$0.isInternal }) else { return false }
    let snapshot = salvaged.realm.snapshot
    let nodes = try snapshot.makeReader()
    let names = Realm.tableNames(snapshot.top, nodes)
    let list = try nodes.lookUp(snapshot.top.tables)
    var elements = (0..<list.count).map { list.integer(at: $0) }
    let known = Set(salvaged.realm.schema.tables.map(\.key.slot))
    var isChanged = false
    for slot in elements.indices where elements[slot] & 1 == 0 && !known.contains(slot) {
      guard slot < names.count, let name = names[slot],
        let (table, version) = table(inSlot: slot, versions), table.isClass,
        table.name.bytes == name.bytes
      else { continue }
      let reader = try version.realm.snapshot.makeReader()
      let layout = try TableLayout(at: table.ref, slot: slot, reader)
      // Its nodes are readable as long as the reader lives.
      elements[slot] = withExtendedLifetime(reader) { Int64(append(layout, to: repairs.nodes)) }
      repairs.olderTables.insert(slot)
      isChanged = true
    }
    if isChanged { repairs.tables = repairs.nodes.append(refs: elements) }
    return isChanged
  }

  /// The table in a slot, of the newest version that has one.
  private static func table(
    inSlot slot: Int, _ versions: [OlderVersion]
  ) -> (Table, OlderVersion)? {
    for version in versions where version.fillsLost {
      if let table = version.realm.schema.tables.first(where: { $0.key.slot == slot }) {
        return (table, version)
      }
    }
    return nil
  }

  /// Appends a top array like an older one.
  private static func append(_ layout: TableLayout, to buffer: NodeBuffer) -> Ref {
    typealias Slot = TableLayout.Slot
    let top = layout.top
    var slots = (0..<top.count).map { top.integer(at: $0) }
    slots[Slot.clusters] = Int64(layout.appendEmptyTree(to: buffer))
    slots[Slot.indexes] = Int64(buffer.append(refs: []))
    for slot in [Slot.collisions, Slot.tombstones] where slot < top.count { slots[slot] = 0 }
    return buffer.append(refs: slots)
  }
}
