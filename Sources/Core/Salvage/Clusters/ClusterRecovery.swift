import RealmBuilding
package import RealmModel
package import RealmStorage

/// Finds the objects of classes whose cluster trees are broken, and makes new trees of them.
///
/// If an inner node is lost, the clusters below it are still there, and nothing leads to them. A scan finds them:
/// nodes with the form of a cluster of the class, whose leaves have the types and row counts of its columns, in
/// bytes that no other node takes and that the free list does not call free. So they belong to the version,
/// and to no other object.
///
/// The keys of their objects are relative to what the lost node said. The index of the primary key, if there is
/// one, names the objects of a few values, which tells the rest. Objects of other classes get new keys, which
/// apps do not see; links to them are lost.
package struct ClusterRecovery {
  /// What was found.
  package struct Result {
    package var nodes: SalvageImage.Repairs
    /// Objects that were found without the nodes that led to them.
    package var objectCount = 0
    /// Number of objects that the tables with new trees said they have, by slot; nil for unknown.
    package var statedCounts: [Int: Int?] = [:]
    /// The most objects that the tables with new trees can have lost, by slot: those below nodes that were not
    /// found, and those of found clusters that have no place.
    package var lostLimits: [Int: Int] = [:]
    /// The first of the keys that were given to objects which lost theirs, by slot.
    package var firstNewKeys: [Int: UInt64] = [:]
    /// What was not found.
    package var losses: [LostValues] = []
  }

  /// A cluster that is in the tree, or found by the scan.
  struct Found {
    let ref: Ref
    let base: UInt64
    let lastKey: UInt64
    let count: Int

    var child: ClusterTree.Child { ClusterTree.Child(ref: ref, base: base, objectCount: count) }
  }

  /// A table with a broken tree.
  struct Broken {
    let layout: TableLayout
    let className: String
    var living: [Found] = []
    var holes: [ClusterSurvey.Hole] = []
    var orphans: [OrphanCluster] = []
    /// Orphans whose own keys cannot be read.
    var keyless: [OrphanCluster] = []
    /// Clusters with new nodes.
    var assembled: [Found] = []
    var statedCount: Int?

    /// Number of objects of the clusters that are there or were found.
    var knownCount: Int {
      (living + assembled).reduce(0) { $0 + $1.count }
        + orphans.reduce(0) { $0 + $1.count }
    }

    /// Adds the clusters of the tree at `root`, and what cannot be read of it.
    ///
    /// - Throws: errors that say nothing about the file.
    mutating func survey(root: Ref, _ nodes: NodeReader) throws(RealmFileError) {
      let survey = try ClusterSurvey(root: root, nodes)
      living += survey.clusters.map { found in
        Found(
          ref: found.place.ref, base: found.place.base, lastKey: found.keys.upperBound,
          count: found.count)
      }
      holes += survey.holes
    }
  }

  let nodes: NodeReader
  private let root: SalvageRoot
  var walk: DamageWalk
  var broken: [Broken] = []
  /// Whether a table cannot be read at all, or may be missing in the list of tables.
  var lacksTables: Bool

  /// Looks for objects of the version of `root`, whose nodes `walk` has visited.
  ///
  /// - Parameters:
  ///   - image: the realm as an image; only its nodes are read.
  ///   - mayLackTables: whether tables may be missing in the list of tables.
  ///   - walk: learns what is found. An image of the result needs it.
  ///   - repairs: what the image was repaired with.
  /// - Returns: nil if no tree is broken.
  /// - Throws: errors that say nothing about the file.
  package static func run(
    _ image: Snapshot, _ root: SalvageRoot, mayLackTables: Bool, _ walk: inout DamageWalk,
    _ repairs: SalvageImage.Repairs
  ) throws(RealmFileError) -> Result? {
    guard walk.isDamaged else { return nil }
    var recovery = ClusterRecovery(
      nodes: try image.makeReader(), root: root, walk: walk, lacksTables: mayLackTables)
    try recovery.findBroken(image.top)
    guard !recovery.broken.isEmpty else { return nil }
    if walk.knowsFreeSpace {
      try recovery.findTrees()
      try recovery.findOrphans()
    }
    try recovery.assemble(into: repairs.nodes)
    try recovery.walk.judgeAdopted()
    walk = recovery.walk
    return try recovery.rebuild(repairs, image.top)
  }

  private init(nodes: NodeReader, root: SalvageRoot, walk: DamageWalk, lacksTables: Bool) {
    (self.nodes, self.root, self.walk, self.lacksTables) = (nodes, root, walk, lacksTables)
  }

  // MARK: Broken trees

  private mutating func findBroken(_ top: TopArray) throws(RealmFileError) {
    let names = Realm.tableNames(top, nodes)
    guard let entries = try readable({ () throws(RealmFileError) in try nodes.lookUp(top.tables) }),
      entries.hasRefs
    else { return }
    for slot in 0..<min(entries.count, 1 << 16) {
      guard case .ref(let ref) = entries.element(at: slot),
        let layout = try readable({ () throws(RealmFileError) in
          try TableLayout(at: ref, slot: slot, nodes)
        }), let clusters = try? layout.ref(in: TableLayout.Slot.clusters)
      else {
        lacksTables = true
        continue
      }
      var table = Broken(
        layout: layout, className: Realm.className(inSlot: slot, of: names) ?? "")
      if let top = try? nodes.lookUp(clusters), top.isInner, top.hasRefs,
        top.count > ClusterTree.Slot.objectCount
      {
        table.statedCount = top.slotInteger(at: ClusterTree.Slot.objectCount)
      }
      try table.survey(root: clusters, nodes)
      if !table.holes.isEmpty { broken.append(table) }
    }
  }

  /// The result of `body`; nil for damage.
  private func readable<R>(
    _ body: () throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R? {
    do throws(RealmFileError) {
      return try body()
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  // MARK: Orphans

  private mutating func findOrphans() throws(RealmFileError) {
    let forms = broken.map { OrphanForm($0.layout, nodes) }
    let evidence = forms.map { LeafEvidence($0, nodes) }
    let mayFindLeaves = lacksTables || forms.contains(where: \.hasLeavesWithRefs)
    let leastCount = forms.map(\.slotCount).min() ?? 0
    var found: [(table: Int, cluster: OrphanCluster)] = []
    var taken = SpaceMap(byteCount: nodes.logicalSize)
    // What the leaves hold is read once: bytes that seem to be in many of them end the search.
    try nodes.traversing { () throws(RealmFileError) in
      try NodeScan.run(nodes, in: 0..<min(root.logicalSize, nodes.logicalSize)) { ref, header in
        let bytes = ref..<ref + header.nodeByteCount
        guard header.hasRefs, !header.isInner, !header.hasContext, header.count >= leastCount,
          walk.isLost(bytes), !taken.isTaken(anyOf: bytes)
        else { return true }
        let mark = nodes.mark()
        defer { nodes.release(to: mark) }
        let matches = forms.indices.compactMap { i in
          forms[i].cluster(at: ref, walk).map { (i, $0) }
        }
        // What could belong to two classes belongs to neither.
        if matches.count == 1, let match = matches.first,
          !mayFindLeaves || !forms[match.0].canBeLeaf(match.1, walk)
            || forms[match.0].isConfirmed(match.1, evidence[match.0])
        {
          _ = taken.take(bytes)
          found.append(match)
        }
        return true
      }
    }
    // A leaf that two clusters have belongs to neither.
    var owners: [Ref: Int] = [:]
    for (_, cluster) in found { for leaf in cluster.leaves { owners[leaf, default: 0] += 1 } }
    for (table, cluster) in found where cluster.leaves.allSatisfy({ owners[$0] == 1 }) {
      guard try walk.adopt(cluster.ref) else { continue }
      if cluster.lacksKeys {
        broken[table].keyless.append(cluster)
      } else {
        broken[table].orphans.append(cluster)
      }
    }
  }
}
