import RealmModel
import RealmStorage

/// Trees and clusters whose own nodes are lost.
extension ClusterRecovery {
  /// The most tables without a tree for which lost trees are searched.
  private static let rootlessLimit = 256
  /// The most comparisons of clusters of lost trees with tables.
  private static let comparisonLimit = 1 << 20

  // MARK: Lost trees

  /// Finds the trees of tables whose tree lost its root: inner nodes that nothing refers to, with
  /// clusters that have the form of one such table only.
  mutating func findTrees() throws(RealmFileError) {
    let rootless = broken.indices.filter {
      broken[$0].living.isEmpty && broken[$0].holes.count == 1 && broken[$0].holes[0].depth == nil
    }
    guard !rootless.isEmpty, rootless.count <= ClusterRecovery.rootlessLimit else { return }
    let lost = try LostNodes(nodes, walk)
    var found: [Int: [Ref]] = [:]
    var comparisons = ClusterRecovery.comparisonLimit
    for (i, place) in lost.places.enumerated() where !lost.isChild[i] {
      guard let node = try? nodes.lookUp(place.lowerBound), node.isInner, node.hasRefs else {
        continue
      }
      let (scan, visitedCount) = clusters(below: place.lowerBound)
      // Unreadable trees count too: several can refer to the same nodes.
      comparisons -= visitedCount * rootless.count
      // A tree that is not looked at could belong to any table.
      guard comparisons > 0 else { return }
      guard !scan.isEmpty else { continue }
      let matches = rootless.filter { table in
        let form = ClusterForm(broken[table].layout, nodes)
        let known = scan.compactMap { cluster -> Bool? in
          guard (try? nodes.lookUp(cluster.ref)) != nil,
            !walk.isDead(cluster.ref..<cluster.ref + 8)
          else { return nil }
          return form.cluster(at: cluster.ref, walk) != nil
        }
        return known.contains(true) && !known.contains(false)
      }
      if matches.count == 1 { found[matches[0], default: []].append(place.lowerBound) }
    }
    for (table, roots) in found {
      guard roots.count == 1, try walk.adopt(roots[0]) else { continue }
      broken[table].holes = []
      if let top = try? nodes.lookUp(roots[0]) {
        broken[table].statedCount = top.slotInteger(at: ClusterTree.Slot.objectCount)
      }
      try broken[table].survey(root: roots[0], nodes)
    }
  }

  /// The clusters of the tree with this inner node as its root, none if a part cannot be read; and the
  /// number of visited nodes.
  private func clusters(below root: Ref) -> (clusters: [ClusterPosition], visitedCount: Int) {
    var visitor = WholeTreeVisitor()
    let clusters = try? ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    return (clusters ?? [], visitor.count)
  }

  // MARK: Dead clusters

  /// Makes new nodes for clusters whose leaves are found.
  mutating func assemble(into buffer: NodeBuffer) throws(RealmFileError) {
    for i in broken.indices where !broken[i].isUnproven { appendKeyless(i, into: buffer) }
    // A lost root may have been an inner node. It counts as a cluster only if nothing else is found.
    let dead = broken.map { table in
      table.holes.indices.filter {
        !table.isUnproven
          && (table.holes[$0].depth == 1 || table.holes[$0].depth == nil && table.orphans.isEmpty)
      }
    }
    let isWhole =
      !lacksTables && broken.allSatisfy { table in table.holes.allSatisfy { $0.depth == 1 } }
    guard dead.contains(where: { !$0.isEmpty }) else { return }
    let tables = broken.indices.map { i in
      DeadClusters(
        ClusterForm(broken[i].layout, nodes), living: broken[i].living,
        dead: dead[i].map { broken[i].holes[$0].place }, nodes)
    }
    let assembled =
      walk.knowsFreeSpace
      ? try ClusterAssembly.run(tables, nodes, walk, isWhole: isWhole)
      : ClusterAssembly.withKeys(tables, nodes)
    for (i, table) in assembled.enumerated() {
      let clusters = table.clusters.filter {
        ($0.keys != nil || $0.slots != nil) && $0.rows != nil && !$0.leaves.isEmpty
      }
      let (found, count) = (
        clusters.reduce(0) { $0 + ($1.rows ?? 0) }, broken[i].living.reduce(0) { $0 + $1.count }
      )
      // If there are more objects than the table had, they belong to another one.
      if let stated = broken[i].statedCount, found + count > stated { continue }
      for cluster in clusters {
        let isAdded =
          cluster.slots != nil
          ? append(known: cluster, i, into: buffer)
          : try append(cluster, table.form, i, into: buffer)
        guard isAdded else { continue }
        broken[i].holes.removeAll {
          $0.place.ref == cluster.place.ref && $0.place.base == cluster.place.base
        }
        // A cluster that is the whole tree has all objects of the table.
        if cluster.place.isRoot { broken[i].statedCount = cluster.rows }
      }
    }
  }

  /// Appends the node of a cluster that lost only its keys. If they are not found, its objects get new
  /// keys.
  ///
  /// - Parameter table: position of its table.
  private mutating func append(
    known cluster: DeadCluster, _ table: Int, into buffer: NodeBuffer
  ) -> Bool {
    guard var slots = cluster.slots, let rows = cluster.rows else { return false }
    slots[0] = keysElement(cluster.keys ?? (0..<rows).map { UInt64($0) }, buffer)
    let ref = buffer.append(refs: slots)
    if let last = cluster.keys?.last {
      broken[table].assembled.append(
        Found(
          ref: ref, base: cluster.place.base, lastKey: cluster.place.base + last, count: rows))
    } else {
      broken[table].orphans.append(
        OrphanCluster(ref: ref, count: rows, lastRelativeKey: UInt64(rows - 1), leaves: []))
    }
    return true
  }

  /// Appends the nodes of a table's orphans without keys. The index of the primary key may have them.
  private mutating func appendKeyless(_ table: Int, into buffer: NodeBuffer) {
    guard !broken[table].keyless.isEmpty else { return }
    let evidence = LeafEvidence(ClusterForm(broken[table].layout, nodes), nodes)
    for cluster in broken[table].keyless {
      guard let node = try? nodes.lookUp(cluster.ref) else { continue }
      var slots = (0..<node.count).map { node.integer(at: $0) }
      let keys = evidence.primaryKey.flatMap {
        evidence.keys(ofPrimaryKeys: cluster.leaves[$0], rows: cluster.count)
      }
      if let keys, let first = keys.first, let last = keys.last, evidence.areAll(keys) {
        slots[0] = keysElement(keys.map { $0 - first }, buffer)
        broken[table].assembled.append(
          Found(ref: buffer.append(refs: slots), base: first, lastKey: last, count: keys.count))
      } else {
        slots[0] = Int64(cluster.count) << 1 | 1
        broken[table].orphans.append(
          OrphanCluster(
            ref: buffer.append(refs: slots), count: cluster.count,
            lastRelativeKey: UInt64(cluster.count - 1), leaves: cluster.leaves))
      }
    }
  }

  /// The first element of a cluster: the number of objects, or a ref to their keys.
  private func keysElement(_ keys: [UInt64], _ buffer: NodeBuffer) -> Int64 {
    keys.last == UInt64(keys.count - 1)
      ? Int64(keys.count) << 1 | 1 : Int64(buffer.append(unsigned: keys))
  }

  /// Appends the node of a cluster. Its lost leaves are refs to the place of its own node, which cannot
  /// be read.
  ///
  /// - Parameter table: position of its table.
  private mutating func append(
    _ cluster: DeadCluster, _ form: ClusterForm, _ table: Int, into buffer: NodeBuffer
  ) throws(RealmFileError) -> Bool {
    guard let keys = cluster.keys, let last = keys.last else { return false }
    let place = cluster.place
    walk.makeUnreadable(place.ref)
    let isPossible = place.ref >= FileHeader.byteCount && place.ref & 7 == 0
    let lostRef = isPossible ? place.ref : TableDonor.lostRef
    var slots = Array(repeating: Int64(0), count: form.slotCount)
    slots[0] = keysElement(keys, buffer)
    var foundCount = 0
    for column in form.columns {
      var ref = lostRef
      if let leaf = cluster.leaves[column], try walk.adopt(leaf) {
        ref = leaf
        foundCount += 1
      }
      slots[form.leafIndex(column) + 1] = Int64(ref)
    }
    guard foundCount > 0 else { return false }
    broken[table].assembled.append(
      Found(
        ref: buffer.append(refs: slots), base: place.base, lastKey: place.base + last,
        count: keys.count))
    return true
  }
}
