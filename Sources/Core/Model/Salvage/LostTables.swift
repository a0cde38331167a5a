package import RealmStorage

/// The objects of tables whose top arrays are lost, in a file that was written whole and then cut off.
///
/// Such a file has one version, whose root is at its end, and each node lies behind those to which it leads. Of the
/// table at which the file was cut off, clusters are there to which nothing leads. They show themselves: by the
/// number of their objects, and by leaves that all have as many values. Clusters with leaves of the same types are
/// one table. The spec lies before them; without it, the leaves tell the columns (``ColumnDeduction``). The objects
/// get new keys.
package struct LostTables: Sendable {
  private struct Table {
    /// 0 for a spec that is lost.
    let spec: Ref
    /// In the order in which they lie in the file.
    var clusters: [OrphanCluster] = []
  }

  private var tables: [Table] = []

  package var count: Int { tables.count }

  /// - Parameters:
  ///   - nodes: a reader of all bytes of the file.
  ///   - walk: says what belongs to known tables.
  /// - Throws: errors that say nothing about the file.
  package init(_ nodes: NodeReader, _ walk: DamageWalk) throws(RealmFileError) {
    let lost = try LostNodes(nodes, walk)
    var (spec, forms): (Ref, [LeafForm?]) = (0, [])
    /// Nodes that nothing leads to and that are none of a table. Such files have some where they are cut off.
    var (firstOther, lastCluster) = (Ref.max, 0)
    let mark = nodes.mark()
    func add(_ ref: Ref) {
      guard let (cluster, own) = LostTables.cluster(at: ref, nodes) else {
        firstOther = min(firstOther, ref)
        return
      }
      lastCluster = ref
      let isSame =
        own.count == forms.count
        && zip(own, forms).allSatisfy { one, two in
          one == nil || two == nil || !(one ?? []).isDisjoint(with: two ?? [])
        }
      if isSame, spec == 0, !tables.isEmpty {
        tables[tables.count - 1].clusters.append(cluster)
        forms = zip(own, forms).map { one, two in
          one.map { two.map($0.intersection) ?? $0 } ?? two
        }
      } else {
        tables.append(Table(spec: spec, clusters: [cluster]))
        (spec, forms) = (0, own)
      }
    }
    for (i, place) in lost.places.enumerated() where !lost.isChild[i] {
      defer { nodes.release(to: mark) }
      let ref = place.lowerBound
      guard let node = try? nodes.lookUp(ref) else { continue }
      var visitor = StrictVisitor()
      if node.hasRefs, node.isInner,
        let clusters = try? ClusterTree(root: ref, nodes: nodes).clusters(&visitor)
      {
        for cluster in clusters { add(cluster.ref) }
      } else if spec == 0, let layout = try? SpecLayout(at: ref, nodes), !layout.keys.isEmpty {
        spec = ref
      } else {
        add(ref)
      }
    }
    // Between the nodes of other files are left-over ones.
    if firstOther < lastCluster { tables = [] }
  }

  /// The cluster at `ref` and the forms of its leaves, nil for one that tells nothing.
  ///
  /// - Returns: nil if the node can be something else.
  private static func cluster(
    at ref: Ref, _ nodes: NodeReader
  ) -> (OrphanCluster, [LeafForm?])? {
    guard let node = try? nodes.lookUp(ref), node.hasRefs, !node.isInner, !node.hasContext,
      node.count > 1, let cluster = try? Cluster(node, base: 0, nodes: nodes), cluster.count > 0
    else { return nil }
    let keys = cluster.allKeys.map(\.raw)
    guard keys.allSatisfy({ $0 >= 0 }), zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return nil
    }
    var (forms, leaves): ([LeafForm?], [Ref]) = ([], [])
    var isCertain = false
    for i in 1..<node.count {
      guard case .ref(let ref) = node.element(at: i) else {
        // A column that was removed.
        guard node.integer(at: i) == 0 else { return nil }
        forms.append(nil)
        continue
      }
      guard let leaf = try? nodes.lookUp(ref) else { return nil }
      let form = LeafForm.of(leaf, rows: cluster.count, nodes)
      if let form {
        guard !form.isEmpty else { return nil }
        // Nodes of integers alone can be a list of lists, or dates.
        if !leaf.isIntegers { isCertain = true }
      }
      forms.append(form)
      leaves.append(ref)
    }
    guard isCertain else { return nil }
    let last = UInt64(keys.last ?? 0)
    return (
      OrphanCluster(ref: ref, count: keys.count, lastRelativeKey: last, leaves: leaves), forms
    )
  }

  /// Appends the tables.
  ///
  /// - Parameters:
  ///   - elements: the list of tables, with 0 for a table that is not known. Where the names of the tables are lost,
  ///     all tables are added behind it; otherwise only one, in place of the first that is not known.
  ///   - walk: learns what is found.
  /// - Returns: the list with the tables.
  /// - Throws: errors that say nothing about the file.
  package func append(
    to elements: [Int64], areNamesLost: Bool, _ walk: inout DamageWalk, into buffer: NodeBuffer
  ) throws(RealmFileError) -> [Int64] {
    var elements = elements
    if areNamesLost {
      for table in tables {
        let slot = elements.count
        if let ref = try append(table, slot: slot, &walk, into: buffer) {
          elements.append(Int64(ref))
        }
      }
    } else if tables.count == 1, let slot = elements.firstIndex(of: 0),
      let ref = try append(tables[0], slot: slot, &walk, into: buffer)
    {
      elements[slot] = Int64(ref)
    }
    return elements
  }

  private func append(
    _ table: Table, slot: Int, _ walk: inout DamageWalk, into buffer: NodeBuffer
  ) throws(RealmFileError) -> Ref? {
    var found: [ClusterRecovery.Found] = []
    var next = ClusterRecovery.firstNewKey
    for cluster in table.clusters {
      guard try walk.adopt(cluster.ref), let placed = cluster.found(base: next) else { continue }
      found.append(placed)
      next = (placed.lastKey | 0xFF) + 1
    }
    guard !found.isEmpty else { return nil }
    typealias Slot = TableLayout.Slot
    var slots = Array(repeating: Int64(1), count: Slot.maximumCount)
    slots[Slot.clusters] = Int64(ClusterRecovery.tree(of: found, into: buffer))
    slots[Slot.indexes] = Int64(buffer.append(refs: []))
    slots[Slot.spec] = Int64(TableDonor.lostRef)
    if table.spec != 0, try walk.adopt(table.spec) { slots[Slot.spec] = Int64(table.spec) }
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

/// Refuses trees of which a part cannot be read.
private struct StrictVisitor: ClusterTreeVisitor {
  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {}
  mutating func leave(clusterCount: Int) {}
  mutating func lost(_ error: RealmFileError) throws(RealmFileError) { throw error }
}
