import RealmModel
package import RealmStorage

/// Makes top arrays of tables whose own one is lost, of an older one.
///
/// A commit writes the nodes that it changes anew and keeps the others. So the spec that an older top array
/// names is still the current one if it is in space that the version has, and so are the opposites of links, and
/// the objects. What is not current is left out; ``TableRecovery`` and ``ClusterRecovery`` look for it. Where the root
/// is lost, nothing tells what is current: then the newest top array is taken whose nodes nothing else takes.
package enum TableDonor {
  /// A ref into the file header, where no node is: it is in place of what is lost.
  package static let lostRef: Ref = 8

  /// - Parameters:
  ///   - nodes: a reader of all bytes of the file.
  ///   - walk: learns what is found.
  ///   - repairs: receives the top arrays, and a list of tables with them.
  /// - Throws: errors that say nothing about the file.
  package static func run(
    _ nodes: NodeReader, _ root: SalvageRoot, _ walk: inout DamageWalk,
    _ repairs: inout SalvageImage.Repairs
  ) throws(RealmFileError) {
    guard walk.knowsFreeSpace || root.origin == .rebuilt,
      var elements = elements(nodes, root, walk)
    else { return }
    let missing = elements.indices.filter { slot in
      elements[slot] & 1 == 0 && !walk.isSound(Ref(elements[slot]))
    }
    guard !missing.isEmpty else { return }
    let search = try TableSearch(nodes) { !walk.isDead($0) }
    for slot in missing {
      elements[slot] = Int64(lostRef)
      let donors = search.tops(inSlot: slot).compactMap { try? nodes.lookUp($0.ref) }
      if root.origin == .rebuilt {
        // The list of tables, and that of free space, may be older than the table. One that shares nothing with the
        // others is as likely current as these.
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
      // Without any current spec, the objects may tell the columns.
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

  /// The elements of the list of tables; nil if they are not known.
  private static func elements(
    _ nodes: NodeReader, _ root: SalvageRoot, _ walk: DamageWalk
  ) -> [Int64]? {
    if let elements = root.tableElements { return elements }
    guard walk.isSound(root.tables), let list = try? nodes.lookUp(root.tables), list.hasRefs,
      list.count < 1 << 16
    else { return nil }
    return (0..<list.count).map { list.integer(at: $0) }
  }

  /// The slots of an older top array with what is current; nil if `needed` is not.
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
    // Old roots of indexes lead to nodes of other versions.
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
