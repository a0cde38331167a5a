import RealmBuilding
import RealmModel
import RealmStorage

/// The last table of a truncated file that was written at once, by `compact` or a copy.
///
/// Such a file has one version. Its root is at the end, and each node comes after those that it refers
/// to. So the spec of the last table is there, followed by clusters that nothing refers to. They must
/// fit the spec. Their objects get new keys.
struct LostTables: Sendable {
  private struct Table {
    let spec: Ref
    /// In the order of the file.
    var clusters: [OrphanCluster] = []
  }

  private var tables: [Table] = []

  var isEmpty: Bool { tables.isEmpty }

  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - walk: which nodes belong to known tables.
  /// - Throws: errors that are not damage.
  init(_ nodes: NodeReader, _ walk: DamageWalk) throws(RealmFileError) {
    let lost = try LostNodes(nodes, walk)
    try nodes.traversing { () throws(RealmFileError) in find(lost, nodes) }
  }

  /// Finds the tables. The traversal opens at most as many bytes as the file has.
  private mutating func find(_ lost: LostNodes, _ nodes: NodeReader) {
    var spec: SpecLayout?
    var seen = Set<Ref>()
    /// The first node without a ref that belongs to no table, and the last cluster. In a truncated
    /// file, such nodes are only at the end.
    var (firstOther, lastCluster) = (Ref.max, 0)
    /// Whether the next node can be the first keys of an inner node's children. They lie before the
    /// inner node, which is cut off.
    var mayBeOffsets = false
    var mark = nodes.mark()
    func add(_ ref: Ref) {
      let mark = nodes.mark()
      defer { nodes.release(to: mark) }
      // A second tree with this cluster is left over from an older version.
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
      var visitor = WholeTreeVisitor()
      if node.hasRefs, node.isInner,
        let clusters = try? ClusterTree(root: ref, nodes: nodes).clusters(&visitor)
      {
        for cluster in clusters { add(cluster.ref) }
        mayBeOffsets = true
      } else if let found = try? SpecLayout(at: ref, nodes), !found.keys.isEmpty {
        spec = found
        tables.append(Table(spec: ref))
        // Keeps the spec readable while the clusters of the table are read.
        mark = nodes.mark()
        mayBeOffsets = true
      } else if !mayBeOffsets || !node.isIntegers {
        add(ref)
        mayBeOffsets = false
      }
    }
    tables.removeAll { $0.clusters.isEmpty }
    // In other files, leftover nodes lie between them.
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
  ///   - elements: the list of tables, with 0 for an unknown one. If the table names are lost, all
  ///     tables are added after it; otherwise only one, after the last known table.
  ///   - names: root of the table names; 0 if they are lost.
  ///   - nodes: a reader of the whole file.
  ///   - walk: adopts the tables.
  /// - Throws: errors that are not damage.
  func append(
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
    // Counters and flags are the tagged number 0.
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
