import RealmModel
import RealmStorage

/// Assembles clusters whose node is lost from their keys and leaves.
///
/// Nothing refers to the leaves of a dead cluster any more. A scan finds them among the nodes that
/// no other node takes. A leaf is recognized by, in this order:
///
/// 1. its place, if the readable clusters show that the file was written in order (``LeafOrder``);
/// 2. the index of the primary key, which has the object of each value, and so the keys and number
///    of the rows; other indexes confirm values (``LeafEvidence``);
/// 3. an older copy of the cluster's node in free space: versions share nodes that did not change;
/// 4. its form and number of rows, if only one leaf fits only one place.
///
/// If a leaf could be in several places, it is left out: its property is lost, the others are not.
struct ClusterAssembly {
  /// The most comparisons of leaves and places; each decodes a leaf.
  private static let comparisonLimit = 1 << 18
  /// The most refs of older copies of clusters.
  private static let copiedRefLimit = 1 << 18

  private let nodes: NodeReader
  private let walk: DamageWalk
  private let lost: LostNodes
  private let extents: NodeExtents
  private var tables: [DeadClusters]
  /// Positions of the lost nodes that are leaves of clusters.
  private var used = Set<Int>()
  /// The comparisons that are left.
  private var comparisons = ClusterAssembly.comparisonLimit

  /// - Parameter isWhole: whether only the clusters are missing, so that no other node lost leaves.
  /// - Returns: the tables with what was found.
  static func run(
    _ tables: [DeadClusters], _ nodes: NodeReader, _ walk: DamageWalk, isWhole: Bool
  ) throws(RealmFileError) -> [DeadClusters] {
    let lost = try LostNodes(nodes, walk)
    var assembly = ClusterAssembly(nodes, walk, lost, tables)
    assembly.alignAll()
    for i in assembly.tables.indices { assembly.applyIndexes(i) }
    try assembly.applyOlderCopies()
    if isWhole { assembly.assignUnique() }
    for i in assembly.tables.indices { assembly.applyIndexes(i) }
    return assembly.tables
  }

  /// Finds the keys of clusters that lost only these.
  static func withKeys(_ tables: [DeadClusters], _ nodes: NodeReader) -> [DeadClusters] {
    var tables = tables
    for i in tables.indices {
      let evidence = LeafEvidence(tables[i].form, nodes)
      guard let primaryKey = evidence.primaryKey else { continue }
      tables[i].noteKeys(of: primaryKey, evidence)
    }
    return tables
  }

  private init(
    _ nodes: NodeReader, _ walk: DamageWalk, _ lost: LostNodes, _ tables: [DeadClusters]
  ) {
    (self.nodes, self.walk, self.lost, self.tables) = (nodes, walk, lost, tables)
    extents = NodeExtents(nodes: nodes)
  }

  // MARK: Places

  private mutating func alignAll() {
    let orders = tables.map { LeafOrder($0.form, $0.order, extents) }
    let known = tables.indices.filter { i in
      tables[i].order.contains { if case .living = $0 { true } else { false } }
    }
    let isPacked = !known.isEmpty && known.allSatisfy { orders[$0]?.isPacked ?? false }
    for i in tables.indices where !tables[i].clusters.isEmpty {
      // A table without a readable cluster is written like the others.
      guard
        let order = orders[i]
          ?? (!known.contains(i) && isPacked ? LeafOrder(packed: tables[i].form) : nil)
      else { continue }
      LeafAlignment.run(&tables[i], order, lost, extents, &used, &comparisons)
      for k in tables[i].clusters.indices {
        tables[i].clusters[k].settleKeys(nextKey: tables[i].nextKey)
      }
    }
  }

  // MARK: Indexes

  private mutating func applyIndexes(_ i: Int) {
    let evidence = LeafEvidence(tables[i].form, nodes)
    guard !evidence.indexed.isEmpty, !tables[i].clusters.isEmpty else { return }
    if let primaryKey = evidence.primaryKey { placePrimaryKeys(i, primaryKey, evidence) }
    for k in tables[i].clusters.indices {
      guard let keys = tables[i].clusters[k].objectKeys else { continue }
      for column in evidence.indexed where tables[i].clusters[k].leaves[column] == nil {
        for root in lost.places.indices where !lost.isChild[root] && !used.contains(root) {
          comparisons -= 1
          guard comparisons > 0 else { return }
          let ref = lost.places[root].lowerBound
          guard tables[i].form.rows(ofLeaf: ref, column: column) == keys.count,
            evidence.confirms(leaf: ref, of: column, keys: keys)
          else { continue }
          note(root, i, k, column, rows: keys.count)
          break
        }
      }
    }
  }

  /// Finds clusters by the leaves with their primary keys.
  private mutating func placePrimaryKeys(_ i: Int, _ primaryKey: Int, _ evidence: LeafEvidence) {
    tables[i].noteKeys(of: primaryKey, evidence)
    let missing = tables[i].clusters.indices.filter {
      tables[i].clusters[$0].leaves[primaryKey] == nil
    }
    guard !missing.isEmpty else { return }
    for root in lost.places.indices where !lost.isChild[root] && !used.contains(root) {
      let ref = lost.places[root].lowerBound
      comparisons -= 1
      guard comparisons > 0 else { return }
      guard let rows = tables[i].form.rows(ofLeaf: ref, column: primaryKey),
        (1...Cluster.capacity).contains(rows),
        let keys = evidence.keys(ofPrimaryKeys: ref, rows: rows)
      else { continue }
      for k in missing where tables[i].clusters[k].leaves[primaryKey] == nil {
        guard evidence.areAll(keys, in: tables[i].clusters[k].place.keys),
          tables[i].note(keys: keys, of: k)
        else { continue }
        note(root, i, k, primaryKey, rows: rows)
        break
      }
    }
  }

  private mutating func note(_ root: Int, _ i: Int, _ k: Int, _ column: Int, rows: Int) {
    guard
      tables[i].clusters[k].note(
        leaf: lost.places[root].lowerBound, of: column, rows: rows)
    else { return }
    used.insert(root)
  }

  // MARK: Older copies

  /// Finds leaves that an older copy of their cluster refers to.
  private mutating func applyOlderCopies() throws(RealmFileError) {
    let forms = tables.filter { !$0.clusters.isEmpty }.map(\.form)
    guard let leastCount = forms.map(\.slotCount).min() else { return }
    var copies: [[Ref]] = []
    var refCount = 0
    try NodeScan.run(nodes, in: 0..<nodes.logicalSize) { ref, header in
      guard header.hasRefs, !header.isInner, !header.hasContext, header.count >= leastCount,
        !walk.isTaken(ref..<ref + header.nodeByteCount),
        !walk.isDead(ref..<ref + header.nodeByteCount), let node = try? nodes.lookUp(ref),
        forms.contains(where: { $0.hasElements(node) })
      else { return true }
      let refs = (0..<node.count).map { i -> Ref in
        if case .ref(let child) = node.element(at: i) { child } else { 0 }
      }
      // A copy without a lost leaf does not help.
      if refs.contains(where: { $0 != 0 && lost.index(of: $0) != nil }) {
        copies.append(refs)
        refCount += refs.count
      }
      return refCount < ClusterAssembly.copiedRefLimit
    }
    // Which copies are the newest is unknown; those with the same leaf belong to one cluster.
    for refs in copies {
      for i in tables.indices
      where tables[i].form.slotCount <= refs.count
        && refs[tables[i].form.slotCount...].allSatisfy({ $0 == 0 })
      { apply(refs, i) }
    }
  }

  /// Notes the leaves of a copy in the cluster that it is a copy of, if only one is possible.
  private mutating func apply(_ refs: [Ref], _ i: Int) {
    let form = tables[i].form
    comparisons -= form.columns.count * (1 + tables[i].clusters.count / 64)
    guard comparisons > 0 else { return }
    var fitting: [(column: Int, root: Int, rows: Int)] = []
    var known: Int?
    for column in form.columns {
      guard form.leafIndex(column) + 1 < refs.count,
        case let ref = refs[form.leafIndex(column) + 1], ref != 0
      else { continue }
      if let k = tables[i].clusters.firstIndex(where: { $0.leaves[column] == ref }) {
        guard known == nil || known == k else { return }
        known = k
        continue
      }
      guard let root = lost.index(of: ref), !used.contains(root) else { continue }
      guard !lost.isChild[root], let rows = form.rows(ofLeaf: ref, column: column) else { return }
      fitting.append((column, root, rows))
    }
    guard !fitting.isEmpty else { return }
    let possible = tables[i].clusters.indices.filter { k in
      (known ?? k) == k
        && fitting.allSatisfy {
          tables[i].clusters[k].isPossible(rows: $0.rows)
            && tables[i].clusters[k].leaves[$0.column] == nil
        }
    }
    guard possible.count == 1, let k = possible.first else { return }
    // The keys did not change if their node is lost too.
    if tables[i].clusters[k].keys == nil, refs[0] != 0, let root = lost.index(of: refs[0]),
      !lost.isChild[root], let node = try? nodes.lookUp(refs[0]), node.isIntegers, node.count > 0,
      node.count == fitting[0].rows
    {
      if tables[i].clusters[k].note(keys: (0..<node.count).map { node.unsigned(at: $0) }) {
        used.insert(root)
      }
    }
    for (column, root, rows) in fitting { note(root, i, k, column, rows: rows) }
  }

  // MARK: Forms

  /// Whether few types have the form of a lost node. Packed integers can be anything.
  private func hasOwnForm(_ root: Int) -> Bool {
    guard let node = try? nodes.lookUp(lost.places[root].lowerBound) else { return false }
    return node.width > 0 && (node.hasRefs || node.header.widthType != .bits)
  }

  /// Notes leaves that fit only one place, which no other leaf fits.
  private mutating func assignUnique() {
    struct Place: Hashable {
      let table: Int
      let cluster: Int
      let column: Int
    }
    var roots: [Place: [Int]] = [:]
    var places: [Int: [Place]] = [:]
    for root in lost.places.indices
    where !lost.isChild[root] && !used.contains(root) && hasOwnForm(root) {
      for i in tables.indices {
        for column in tables[i].form.columns {
          comparisons -= 1
          guard comparisons > 0 else { return }
          guard
            let rows = tables[i].form.rows(
              ofLeaf: lost.places[root].lowerBound, column: column)
          else { continue }
          for k in tables[i].clusters.indices
          where tables[i].clusters[k].leaves[column] == nil && tables[i].clusters[k].rows == rows {
            let place = Place(table: i, cluster: k, column: column)
            roots[place, default: []].append(root)
            places[root, default: []].append(place)
          }
        }
      }
    }
    for (root, found) in places.sorted(by: { $0.key < $1.key }) {
      guard found.count == 1, let place = found.first, roots[place]?.count == 1 else { continue }
      note(
        root, place.table, place.cluster, place.column,
        rows: tables[place.table].clusters[place.cluster].rows ?? 0)
    }
  }
}
