import RealmModel
import RealmStorage

/// A cluster whose node or keys cannot be read, and the parts of it that were found.
struct DeadCluster {
  /// An element of a cluster, in the order of writing: the keys, the leaves of the columns, the node
  /// itself.
  enum Element: Hashable {
    case keys
    /// The leaf of the column at a position of the spec.
    case leaf(Int)
    case node
  }

  let place: ClusterPosition
  /// Number of objects, once known.
  private(set) var rows: Int?
  /// The keys relative to the base, once known.
  private(set) var keys: [UInt64]?
  /// The leaves by position of the column.
  private(set) var leaves: [Int: Ref] = [:]
  /// Whether the keys are certain to have no node: they are 0 to `rows` − 1.
  var isCompact = false

  /// The elements of the node, if only the keys are lost.
  private(set) var slots: [Int64]?

  /// - Parameter nodes: a reader in which untrusted nodes are unreadable.
  init(_ place: ClusterPosition, _ form: ClusterForm, _ nodes: NodeReader) {
    self.place = place
    guard let node = try? nodes.lookUp(place.ref), node.hasRefs, !node.isInner, !node.hasContext,
      node.count >= form.slotCount, node.count > 1, node.width > 0,
      form.columns.allSatisfy({ (try? node.ref(at: form.leafIndex($0) + 1)) ?? 0 != 0 })
    else { return }
    slots = (0..<node.count).map { node.integer(at: $0) }
    for column in form.columns {
      guard case .ref(let ref) = node.element(at: form.leafIndex(column) + 1),
        let found = form.rows(ofLeaf: ref, column: column)
      else { continue }
      _ = note(leaf: ref, of: column, rows: found)
    }
  }

  /// The keys of the objects, once known.
  var objectKeys: [ObjectKey]? {
    keys?.map { ObjectKey(Int64(bitPattern: place.base &+ $0)) }
  }

  /// Notes the leaf of a column.
  ///
  /// - Returns: false if it contradicts what is known.
  mutating func note(leaf ref: Ref, of column: Int, rows found: Int) -> Bool {
    guard leaves[column] == nil, isPossible(rows: found) else { return false }
    rows = found
    leaves[column] = ref
    return true
  }

  /// Notes the keys, relative to the base.
  ///
  /// - Returns: false if no cluster in this place can have them.
  mutating func note(keys found: [UInt64]) -> Bool {
    guard keys == nil || keys == found, isPossible(rows: found.count), let last = found.last,
      zip(found, found.dropFirst()).allSatisfy({ $0 < $1 }),
      place.limit.map({ last < $0 }) ?? true,
      case (let sum, let overflow) = place.base.addingReportingOverflow(last), !overflow,
      sum <= UInt64(Int64.max)
    else { return false }
    (keys, rows) = (found, found.count)
    return true
  }

  func isPossible(rows found: Int) -> Bool {
    (1...Cluster.capacity).contains(found) && (rows ?? found) == found
      && (place.limit.map { UInt64(found) <= $0 } ?? true)
  }

  /// Settles the keys if only 0 to `rows` − 1 are possible.
  ///
  /// - Parameter nextKey: the lowest key that no object can have; nil if unknown.
  mutating func settleKeys(nextKey: UInt64?) {
    guard keys == nil, let rows else { return }
    let end = place.limit ?? nextKey.flatMap { $0 > place.base ? $0 - place.base : nil }
    if isCompact || end == UInt64(rows) { _ = note(keys: (0..<rows).map { UInt64($0) }) }
  }
}

/// A table with dead clusters.
struct DeadClusters {
  let form: ClusterForm
  /// The living and the dead clusters in the order of their keys.
  var order: [Entry]
  var clusters: [DeadCluster]
  /// The lowest key that no object can have; nil if unknown.
  let nextKey: UInt64?

  enum Entry {
    case living(Ref)
    /// Position in ``DeadClusters/clusters``.
    case dead(Int)
  }

  /// - Parameters:
  ///   - living: the places of readable clusters.
  ///   - dead: the places of the others.
  ///   - nodes: a reader in which untrusted nodes are unreadable.
  init(
    _ form: ClusterForm, living: [ClusterRecovery.Found], dead: [ClusterPosition],
    _ nodes: NodeReader
  ) {
    self.form = form
    let clusters = dead.sorted { $0.base < $1.base }.map { DeadCluster($0, form, nodes) }
    self.clusters = clusters
    let all =
      living.map { ($0.base, Entry.living($0.ref)) }
      + clusters.indices.map { (clusters[$0].place.base, Entry.dead($0)) }
    order = all.sorted { $0.0 < $1.0 }.map(\.1)
    // Keys that are hashes do not count up to the sequence number.
    let next = UInt64(form.layout.top.slotInteger(at: TableLayout.Slot.sequenceNumber))
    let last = living.map(\.lastKey).max() ?? dead.map(\.base).max() ?? 0
    nextKey = last < next ? next : nil
    for i in self.clusters.indices { self.clusters[i].settleKeys(nextKey: nextKey) }
  }

  /// Notes the keys of clusters whose leaf of primary keys is known.
  mutating func noteKeys(of primaryKey: Int, _ evidence: LeafEvidence) {
    for k in clusters.indices where clusters[k].keys == nil {
      guard let ref = clusters[k].leaves[primaryKey], let rows = clusters[k].rows,
        let keys = evidence.keys(ofPrimaryKeys: ref, rows: rows),
        evidence.areAll(keys, in: clusters[k].place.keys)
      else { continue }
      note(keys: keys, of: k)
    }
  }

  /// Notes the keys of a cluster's objects.
  ///
  /// - Returns: false if no cluster in its place can have them.
  @discardableResult
  mutating func note(keys: [UInt64], of cluster: Int) -> Bool {
    let base = clusters[cluster].place.base
    return keys.allSatisfy { $0 >= base } && clusters[cluster].note(keys: keys.map { $0 - base })
  }
}
