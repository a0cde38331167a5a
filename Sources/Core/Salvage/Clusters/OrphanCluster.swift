import RealmModel
import RealmStorage

/// A cluster that nothing refers to, found by the scan. Its keys are relative to an unknown base.
struct OrphanCluster {
  /// Rows whose objects are looked up in the index.
  private static let sampleCount = 5
  /// The most objects that the index may have for one value.
  private static let candidateLimit = 64

  let ref: Ref
  /// Number of objects, at least 1.
  let count: Int
  let lastRelativeKey: UInt64
  let leaves: [Ref]
  /// Whether its own keys cannot be read.
  var lacksKeys = false

  /// The cluster with keys relative to `base`; nil if they could not be keys of objects.
  func found(base: UInt64) -> ClusterRecovery.Found? {
    let (last, overflow) = base.addingReportingOverflow(lastRelativeKey)
    guard !overflow, last <= UInt64(Int64.max) else { return nil }
    return ClusterRecovery.Found(ref: ref, base: base, lastKey: last, count: count)
  }

  /// The base of the keys, if several objects have the same one according to the index of the primary
  /// key.
  func base(index layout: TableLayout, _ nodes: NodeReader) -> UInt64? {
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard let node = try? nodes.lookUp(ref),
      let cluster = try? Cluster(node, base: 0, nodes: nodes),
      let position = (try? layout.primaryKey()) ?? nil,
      let type = layout.spec.keys[position].type,
      let stored = try? layout.column(position, type), stored.index != 0,
      let leaf = try? nodes.lookUp((try? cluster.leaf(at: stored.key.leafIndex)) ?? 0)
    else { return nil }
    let column = Column(stored, layout.property(of: stored, target: nil))
    let search = IndexSearch(column, nodes)
    var bases: Set<UInt64>?
    for i in 0..<min(OrphanCluster.sampleCount, cluster.count) {
      let row = i * (cluster.count - 1) / max(1, min(OrphanCluster.sampleCount, cluster.count) - 1)
      guard
        let value = try? Leaf.value(of: column, in: leaf, row: row, enumeration: nil, nodes),
        let keys = (try? search.candidates(for: value.plain, limit: OrphanCluster.candidateLimit))
          ?? nil
      else { return nil }
      let relative = cluster.relativeKey(at: row)
      let possible = Set(
        keys.compactMap { key -> UInt64? in
          let raw = UInt64(bitPattern: key.raw)
          return key.raw >= 0 && raw >= relative ? raw - relative : nil
        })
      bases = bases.map { $0.intersection(possible) } ?? possible
    }
    return bases?.count == 1 ? bases?.first : nil
  }
}
