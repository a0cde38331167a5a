import RealmModel
import RealmStorage

/// Replaces lost top arrays of tables by older ones.
///
/// A commit copies only the nodes that it changes. So the spec, the opposites of links, and the
/// objects of an older top array are still current if they are in the space of the version. The
/// rest is left out, and ``TableRecovery`` and ``ClusterRecovery`` look for it. If the root is lost,
/// the space of the version is unknown. Then the newest top array that shares no node with anything
/// else is used.
enum TableDonor {
  /// A ref into the file header, where no node can be, in place of a lost one.
  static let lostRef: Ref = 8

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - walk: adopts the top arrays.
  ///   - repairs: receives the top arrays, and a list of tables with them.
  /// - Throws: errors that are not damage.
  static func run(
    _ nodes: NodeReader, _ root: SalvageRoot, _ walk: inout DamageWalk,
    _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) {
    guard walk.knowsFreeSpace || root.origin == .rebuilt,
      root.tableElements != nil || walk.isTrusted(root.tables), var elements = root.elements(nodes)
    else { return }
    let missing = elements.indices.filter { slot in
      elements[slot] & 1 == 0 && !walk.isTrusted(Ref(elements[slot]))
    }
    guard !missing.isEmpty else { return }
    let search = try TableSearch(nodes) { !walk.isDead($0) }
    for slot in missing {
      elements[slot] = Int64(lostRef)
      let donors = search.tops(inSlot: slot).compactMap { try? nodes.lookUp($0.ref) }
      if root.origin == .rebuilt, let adopted = try adopt(donors, nodes, &walk) {
        elements[slot] = Int64(adopted)
      } else if walk.knowsFreeSpace, let slots = try current(donors, &walk, repairs.nodes) {
        elements[slot] = Int64(repairs.nodes.append(refs: slots))
      } else {
        continue
      }
      repairs.olderTables.insert(slot)
    }
    repairs.tables = repairs.nodes.append(refs: elements)
  }

  /// The first top array with a readable spec that shares no node with anything else.
  ///
  /// The list of tables and the free list may be older than the table. A top array that shares no node
  /// with other tables is as likely to be current as they are.
  private static func adopt(
    _ donors: [Node], _ nodes: NodeReader, _ walk: inout DamageWalk
  ) throws(RealmFileError) -> Ref? {
    let readable = donors.filter { top in
      let spec = Ref(top.integer(at: TableLayout.Slot.spec))
      return (try? nodes.lookUp(spec)) != nil && !walk.isDead(spec..<spec + 8)
    }
    for fromFreeSpace in [false, true] {
      for top in readable where try walk.adopt(top.ref, fromFreeSpace: fromFreeSpace) {
        return top.ref
      }
    }
    return nil
  }

  /// The slots of the first top array with a current spec; if there is none, of the first one with
  /// current objects, which may show the columns.
  private static func current(
    _ donors: [Node], _ walk: inout DamageWalk, _ buffer: NodeBuffer
  ) throws(RealmFileError) -> [Int64]? {
    for needed in [TableLayout.Slot.spec, TableLayout.Slot.clusters] {
      for top in donors {
        if let slots = try current(top, &walk, buffer, needing: needed) { return slots }
      }
    }
    return nil
  }

  /// The slots of an older top array, with everything that is not current replaced; nil if `needed`
  /// is not current.
  private static func current(
    _ top: Node, _ walk: inout DamageWalk, _ buffer: NodeBuffer, needing needed: Int
  ) throws(RealmFileError) -> [Int64]? {
    typealias Slot = TableLayout.Slot
    var slots = (0..<top.count).map { top.integer(at: $0) }
    guard try walk.adopt(Ref(slots[needed])) else { return nil }
    for slot in [Slot.spec, Slot.clusters, Slot.oppositeTables, Slot.oppositeColumns]
    where slot != needed {
      if try !walk.adopt(Ref(slots[slot])) { slots[slot] = Int64(lostRef) }
    }
    // The roots of indexes refer to nodes of other versions.
    slots[Slot.indexes] = Int64(buffer.append(refs: []))
    for slot in [Slot.sequenceNumber, Slot.collisions, Slot.tombstones] where slot < top.count {
      slots[slot] = 0
    }
    return slots
  }
}
