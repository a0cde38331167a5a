import RealmBuilding
import RealmModel
import RealmStorage

/// The new trees of tables with broken ones.
extension ClusterRecovery {
  /// The first key for objects that lost theirs. Libraries count keys from 0, or use hashes.
  static let firstNewKey: UInt64 = 1 << 48

  func rebuild(
    _ repairs: SalvageImage.Repairs, _ top: TopArray
  ) throws(RealmFileError) -> Result {
    var result = Result(nodes: repairs)
    let entries = try nodes.lookUp(top.tables)
    var tables = (0..<entries.count).map { entries.integer(at: $0) }
    for table in broken {
      let (clusters, foundCount, firstNewKey) = placed(table)
      let placedCount = clusters.reduce(0) { $0 + $1.count }
      result.firstNewKeys[table.layout.slot] = firstNewKey
      result.objectCount += foundCount
      result.statedCounts[table.layout.slot] = .some(table.statedCount)
      result.lostLimits[table.layout.slot] = table.holes.reduce(table.knownCount - placedCount) {
        $0.saturatingSum($1.objectLimit)
      }
      // A number that is too small is wrong, but it does not mean that nothing is lost.
      if table.statedCount != placedCount {
        for hole in table.holes {
          result.losses.append(
            LostValues(
              .objects, table.className, nil, [], .clusterNode, at: hole.place.ref, hole.message))
        }
      }
      let root =
        clusters.isEmpty
        ? table.layout.appendEmptyTree(to: repairs.nodes)
        // The root is not a cluster, so its keys need not start at 0.
        : try ClusterTree.encode(clusters.map(\.child), into: repairs.nodes)
      var slots = (0..<table.layout.top.count).map { table.layout.top.integer(at: $0) }
      slots[TableLayout.Slot.clusters] = Int64(root)
      tables[table.layout.slot] = Int64(repairs.nodes.append(refs: slots))
    }
    result.nodes.tables = repairs.nodes.append(refs: tables)
    return result
  }

  /// The clusters of a table, those in the tree and those found, in the order of their keys.
  ///
  /// - Returns: the clusters, the number of objects in the found ones, and the first new key; nil for
  ///   no new keys.
  private func placed(
    _ table: Broken
  ) -> (clusters: [Found], foundCount: Int, firstNewKey: UInt64?) {
    var clusters = table.living + table.assembled
    let living = Set(table.living.map(\.ref))
    var unplaced: [OrphanCluster] = []
    for orphan in table.orphans {
      if let base = orphan.base(index: table.layout, nodes), let found = orphan.found(base: base) {
        clusters.append(found)
      } else {
        unplaced.append(orphan)
      }
    }
    clusters.sort { ($0.base, $0.ref) < ($1.base, $1.ref) }
    // If a cluster's keys are in the range of another one, one of them has unknown keys.
    var ordered: [Found] = []
    for cluster in clusters {
      guard let last = ordered.last, last.lastKey >= cluster.base else {
        ordered.append(cluster)
        continue
      }
      if living.contains(cluster.ref), !living.contains(last.ref) {
        ordered[ordered.count - 1] = cluster
      }
    }
    // Not keys that lost objects may have had: links to these would refer to other objects.
    let first = max(ClusterRecovery.firstNewKey, ((ordered.last?.lastKey ?? 0) | 0xFF) + 1)
    var next = first
    for orphan in unplaced {
      guard let found = orphan.found(base: next), found.lastKey < UInt64(Int64.max) - 0x200 else {
        continue
      }
      ordered.append(found)
      next = (found.lastKey | 0xFF) + 1
    }
    let foundCount = ordered.filter { !living.contains($0.ref) }.reduce(0) { $0 + $1.count }
    return (ordered, foundCount, next == first ? nil : first)
  }
}

extension TableLayout {
  /// Appends a cluster tree of the table without objects. A look-up of a primary key opens its leaf.
  func appendEmptyTree(to buffer: NodeBuffer) -> Ref {
    var slots = [1] + Array(repeating: Int64(TableDonor.lostRef), count: spec.keys.count)
    if let primaryKey = (try? primaryKey()) ?? nil,
      let values = ColumnBuilder(type: spec.keys[primaryKey].type ?? .int).batch.scalars
    {
      let key = spec.keys[primaryKey]
      slots += Array(
        repeating: Int64(TableDonor.lostRef), count: max(0, key.leafIndex + 2 - slots.count))
      slots[key.leafIndex + 1] = Int64(
        Leaf.encode(values, 0..<0, isNullable: key.isNullable, .current, into: buffer))
    }
    return buffer.append(refs: slots)
  }
}
