import RealmModel
import RealmStorage

/// Replaces lost top arrays of tables by older ones.
///
/// A commit copies only the nodes that it changes. So the spec, the opposites of links, and the
/// objects of an older top array are still current if they are in the space of the version. The
/// rest is left out, and ``TableRecovery`` and ``ClusterRecovery`` look for it. If the root is lost,
/// the space of the version is unknown; then the newest top array whose nodes no other node takes
/// is used.
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
      var elements = elements(nodes, root, walk)
    else { return }
    let missing = elements.indices.filter { slot in
      elements[slot] & 1 == 0 && !walk.isTrusted(Ref(elements[slot]))
    }
    guard !missing.isEmpty else { return }
    let search = try TableSearch(nodes) { !walk.isDead($0) }
    for slot in missing {
      elements[slot] = Int64(lostRef)
      let donors = search.tops(inSlot: slot).compactMap { try? nodes.lookUp($0.ref) }
      if root.origin == .rebuilt {
        // The list of tables and the free list may be older than the table. A top array that shares no
        // node with other tables is as likely to be current as they are.
        let readable = donors.filter { top in
          let spec = top.integer(at: TableLayout.Slot.spec)
          return (try? nodes.lookUp(Ref(spec))) != nil && !walk.isDead(Ref(spec)..<Ref(spec) + 8)
        }
        var adopted: Ref?
        for fromFreeSpace in [false, true] where adopted == nil {
          adopted = try readable.firstNonNil { (top) throws(RealmFileError) in
            try walk.adopt(top.ref, fromFreeSpace: fromFreeSpace) ? top.ref : nil
          }
        }
        if let adopted {
          elements[slot] = Int64(adopted)
          repairs.olderTables.insert(slot)
          continue
        }
      }
      guard walk.knowsFreeSpace else { continue }
      // Without a current spec, the objects may show the columns.
      var found = try donors.firstNonNil { (top) throws(RealmFileError) in
        try current(top, &walk, repairs.nodes, needing: TableLayout.Slot.spec)
      }
      if found == nil {
        found = try donors.firstNonNil { (top) throws(RealmFileError) in
          try current(top, &walk, repairs.nodes, needing: TableLayout.Slot.clusters)
        }
      }
      guard let found else { continue }
      elements[slot] = Int64(repairs.nodes.append(refs: found))
      repairs.olderTables.insert(slot)
    }
    repairs.tables = repairs.nodes.append(refs: elements)
  }

  /// The elements of the list of tables; nil if unknown.
  private static func elements(
    _ nodes: NodeReader, _ root: SalvageRoot, _ walk: DamageWalk
  ) -> [Int64]? {
    if let elements = root.tableElements { return elements }
    guard walk.isTrusted(root.tables), let list = try? nodes.lookUp(root.tables), list.hasRefs,
      list.count < 1 << 16
    else { return nil }
    return (0..<list.count).map { list.integer(at: $0) }
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

extension Array {
  /// The first result of `body` that is not nil.
  fileprivate func firstNonNil<R, E: Error>(_ body: (Element) throws(E) -> R?) throws(E) -> R? {
    for element in self {
      if let found = try body(element) { return found }
    }
    return nil
  }
}
