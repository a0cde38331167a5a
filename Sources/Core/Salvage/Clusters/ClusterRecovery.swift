import RealmBuilding
import RealmModel
import RealmStorage

/// Finds the objects of classes with broken cluster trees, and makes new trees from them.
///
/// If an inner node is lost, nothing refers to the clusters below it, but they are still there. A
/// scan finds nodes with the form of a cluster of the class, whose leaves have the types and row
/// counts of its columns, in bytes that no other node takes and that are not free. So they belong
/// to the version, and to no other object.
///
/// The keys of their objects are relative to a base in the lost node. If there is an index of the
/// primary key, a few values are enough to find the base. Otherwise the objects get new keys: apps
/// do not see them, but links to the objects are lost.
struct ClusterRecovery {
  /// What was found.
  struct Result {
    var nodes: SalvageImage.Repairs
    /// Objects that were found by the scan.
    var objectCount = 0
    /// Number of objects that the tables with new trees stated, by slot; nil for unknown.
    var statedCounts: [Int: Int?] = [:]
    /// The most objects that the tables with new trees can have lost, by slot: those below nodes that
    /// were not found, and those of found clusters without a place.
    var lostLimits: [Int: Int] = [:]
    /// The first key given to objects that lost theirs, by slot.
    var firstNewKeys: [Int: UInt64] = [:]
    /// What was not found.
    var losses: [LostValues] = []
  }

  /// A cluster that is in the tree or was found by the scan.
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
    /// Whether the root and the top array of the table are lost, and an older top array replaces it. What its
    /// tree lacks may be overwritten, so leaves without keys prove no object.
    var isUnproven = false

    /// Number of objects of the clusters that are there or were found.
    var knownCount: Int {
      (living + assembled).reduce(0) { $0 + $1.count }
        + orphans.reduce(0) { $0 + $1.count }
    }

    /// Adds the clusters and the holes of the tree at `root`.
    ///
    /// - Throws: errors that are not damage.
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
  /// Whether a table cannot be read at all, or the list of tables may lack one.
  var lacksTables: Bool

  /// Looks for lost objects of the version of `root`, whose nodes `walk` has visited.
  ///
  /// - Parameters:
  ///   - image: the realm as an image; only its nodes are read.
  ///   - mayLackTables: whether the list of tables may lack some.
  ///   - walk: adopts what is found; the next image needs it.
  ///   - repairs: what the image was repaired with.
  /// - Returns: nil if no tree is broken.
  /// - Throws: errors that are not damage.
  static func run(
    _ image: Snapshot, _ root: SalvageRoot, mayLackTables: Bool, _ walk: inout DamageWalk,
    _ repairs: SalvageImage.Repairs
  ) throws(RealmFileError) -> Result? {
    guard walk.isDamaged else { return nil }
    var recovery = ClusterRecovery(
      nodes: try image.makeReader(), root: root, walk: walk, lacksTables: mayLackTables)
    try recovery.findBroken(image.top, olderTables: repairs.olderTables)
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

  private mutating func findBroken(
    _ top: TopArray, olderTables: Set<Int>
  ) throws(RealmFileError) {
    let names = Realm.tableNames(top, nodes)
    guard let entries = try undamaged(nodes.lookUp(top.tables)), entries.hasRefs else { return }
    for slot in 0..<min(entries.count, 1 << 16) {
      guard case .ref(let ref) = entries.element(at: slot),
        let layout = try undamaged(TableLayout(at: ref, slot: slot, nodes)),
        let clusters = try? layout.ref(in: TableLayout.Slot.clusters)
      else {
        lacksTables = true
        continue
      }
      var table = Broken(
        layout: layout, className: Realm.className(inSlot: slot, of: names) ?? "")
      table.isUnproven = root.origin == .rebuilt && olderTables.contains(slot)
      if let top = try? nodes.lookUp(clusters), top.isInner, top.hasRefs,
        top.count > ClusterTree.Slot.objectCount
      {
        table.statedCount = top.slotInteger(at: ClusterTree.Slot.objectCount)
      }
      try table.survey(root: clusters, nodes)
      if !table.holes.isEmpty { broken.append(table) }
    }
  }

  // MARK: Orphans

  private mutating func findOrphans() throws(RealmFileError) {
    let forms = broken.map { ClusterForm($0.layout, nodes) }
    let evidence = forms.map { LeafEvidence($0, nodes) }
    let mayFindLeaves = lacksTables || forms.contains(where: \.hasLeavesWithRefs)
    let leastCount = forms.map(\.slotCount).min() ?? 0
    var found: [(table: Int, cluster: OrphanCluster)] = []
    var taken = SpaceMap(byteCount: nodes.logicalSize)
    // The traversal reads each leaf once: bytes that seem to be in many of them end the search.
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
        // A cluster that could belong to two classes belongs to neither.
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
