import RealmBuilding
import RealmModel
package import RealmStorage

/// The table at which a file was cut off that had been written whole, by `compact` or a copy.
///
/// Such a file has one version, whose root is at its end, and each node lies behind those to which it leads. Of the
/// table at which it was cut off, the spec is there and clusters behind it, to which nothing leads. The clusters fit
/// the spec, and show the number of their objects, which get new keys.
package struct LostTables: Sendable {
  private struct Table {
    let spec: Ref
    /// In the order in which they lie in the file.
    var clusters: [OrphanCluster] = []
  }

  private var tables: [Table] = []

  package var isEmpty: Bool { tables.isEmpty }

  /// - Parameters:
  ///   - nodes: a reader of all bytes of the file.
  ///   - walk: says what belongs to known tables.
  /// - Throws: errors that say nothing about the file.
  package init(_ nodes: NodeReader, _ walk: DamageWalk) throws(RealmFileError) {
    let lost = try LostNodes(nodes, walk)
    try nodes.traversing { () throws(RealmFileError) in find(lost, nodes) }
  }

  /// Finds the tables. The traversal opens no more bytes than the file has.
  private mutating func find(_ lost: LostNodes, _ nodes: NodeReader) {
    var spec: SpecLayout?
    var seen = Set<Ref>()
    /// Nodes that nothing leads to and that are none of a table. They are where the file is cut off.
    var (firstOther, lastCluster) = (Ref.max, 0)
    /// Whether the array with the first keys of the children of an inner node can follow: it lies before them, and
    /// the node is cut off.
    var mayBeOffsets = false
    var mark = nodes.mark()
    func add(_ ref: Ref) {
      let mark = nodes.mark()
      defer { nodes.release(to: mark) }
      // A second tree that leads to a cluster is left over.
      guard seen.insert(ref).inserted, let spec,
        let cluster = LostTables.cluster(at: ref, spec, nodes)
      else {
        firstOther = min(firstOther, ref)
        return
      }
      lastCluster = ref
      tables[tables.count - 1].clusters.append(cluster)
    }
    for (i, place) in lost.places.enumerated() where !lost.isChild[i] {
      defer { nodes.release(to: mark) }
      let ref = place.lowerBound
      guard let node = try? nodes.lookUp(ref) else { continue }
      var visitor = CountingVisitor()
      if node.hasRefs, node.isInner,
        let clusters = try? ClusterTree(root: ref, nodes: nodes).clusters(&visitor)
      {
        for cluster in clusters { add(cluster.ref) }
        mayBeOffsets = true
      } else if let found = try? SpecLayout(at: ref, nodes), !found.keys.isEmpty {
        spec = found
        tables.append(Table(spec: ref))
        // Its nodes stay readable while the clusters of the table are read.
        mark = nodes.mark()
        mayBeOffsets = true
      } else if !mayBeOffsets || !node.isIntegers {
        add(ref)
        mayBeOffsets = false
      }
    }
    tables.removeAll { $0.clusters.isEmpty }
    // Between the nodes of other files are left-over ones.
    if firstOther < lastCluster { tables = [] }
  }

  /// The cluster at `ref`, if it fits a spec.
  private static func cluster(
    at ref: Ref, _ spec: SpecLayout, _ nodes: NodeReader
  ) -> OrphanCluster? {
    guard let node = try? nodes.lookUp(ref), node.hasRefs, !node.isInner, !node.hasContext,
      let cluster = try? Cluster(node, base: 0, nodes: nodes), cluster.count > 0
    else { return nil }
    let keys = cluster.allKeys.map(\.raw)
    guard keys.allSatisfy({ $0 >= 0 }), zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return nil
    }
    var leaves: [Ref] = []
    for position in spec.keys.indices {
      guard let leaf = try? cluster.leaf(at: spec.keys[position].leafIndex), leaf != 0,
        let found = try? nodes.lookUp(leaf),
        spec.rows(of: found, column: position, expected: cluster.count, nodes) != nil
      else { return nil }
      leaves.append(leaf)
    }
    return OrphanCluster(
      ref: ref, count: keys.count, lastRelativeKey: UInt64(keys.last ?? 0), leaves: leaves)
  }

  /// Appends the tables.
  ///
  /// - Parameters:
  ///   - elements: the list of tables, with 0 for a table that is not known. Where the names of the tables are lost,
  ///     all tables are added behind it; otherwise only one, behind the last that is known.
  ///   - names: root of the names of the tables; 0 if they are lost.
  ///   - nodes: a reader of all bytes of the file.
  ///   - walk: learns what is found.
  /// - Throws: errors that say nothing about the file.
  package func append(
    to elements: inout [Int64], names: Ref, _ nodes: NodeReader, _ walk: inout DamageWalk,
    into buffer: NodeBuffer
  ) throws(RealmFileError) {
    if names == 0 {
      for table in tables {
        let slot = elements.count
        if let ref = try append(table, slot: slot, &walk, into: buffer) {
          elements.append(Int64(ref))
        }
      }
    } else if tables.count == 1,
      case let slot = (elements.lastIndex { $0 != 0 } ?? -1) + 1, slot < elements.count,
      let texts = try? SpecLayout.names(at: names, nodes), slot < texts.count,
      let name = texts[slot], ObjectClass.isClass(tableName: Name(name.bytes)),
      let ref = try append(tables[0], slot: slot, &walk, into: buffer)
    {
      elements[slot] = Int64(ref)
    }
  }

  private func append(
    _ table: Table, slot: Int, _ walk: inout DamageWalk, into buffer: NodeBuffer
  ) throws(RealmFileError) -> Ref? {
    guard try walk.adopt(table.spec) else { return nil }
    var found: [ClusterRecovery.Found] = []
    var next = ClusterRecovery.firstNewKey
    for cluster in table.clusters {
      guard let placed = cluster.found(base: next), try walk.adopt(cluster.ref) else { continue }
      found.append(placed)
      next = (placed.lastKey | 0xFF) + 1
    }
    guard !found.isEmpty else { return nil }
    typealias Slot = TableLayout.Slot
    // Counters and flags are the number 0, in its tagged form.
    var slots = Array(repeating: Int64(1), count: Slot.maximumCount)
    slots[Slot.clusters] = Int64(try ClusterTree.encode(found.map(\.child), into: buffer))
    slots[Slot.indexes] = Int64(buffer.append(refs: []))
    slots[Slot.spec] = Int64(table.spec)
    for lost in [Slot.oppositeTables, Slot.oppositeColumns] {
      slots[lost] = Int64(TableDonor.lostRef)
    }
    for none in [Slot.oldColumns, Slot.collisions, Slot.primaryKey, Slot.tombstones] {
      slots[none] = 0
    }
    slots[Slot.key] = Int64(slot) << 1 | 1
    return buffer.append(refs: slots)
  }
}
