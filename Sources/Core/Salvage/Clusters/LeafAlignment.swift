import RealmModel
import RealmStorage

/// Finds the leaves of dead clusters by their places, in a table that was written in order.
struct LeafAlignment {
  private typealias Element = DeadCluster.Element

  /// An element of a dead cluster.
  private struct Wanted {
    let cluster: Int
    let element: Element
    /// Position among the lost nodes, once found.
    var found: Int?
  }

  private let order: LeafOrder
  private let lost: LostNodes
  private let extents: NodeExtents
  private var nodes: NodeReader { extents.nodes }
  private var table: DeadClusters
  private var used: Set<Int>
  private var comparisons: Int

  /// Notes the leaves in `table`, and their positions among the lost nodes in `used`.
  ///
  /// - Parameter comparisons: the most comparisons of nodes and places; receives what is left.
  static func run(
    _ table: inout DeadClusters, _ order: LeafOrder, _ lost: LostNodes, _ extents: NodeExtents,
    _ used: inout Set<Int>, _ comparisons: inout Int
  ) {
    var alignment = LeafAlignment(
      order: order, lost: lost, extents: extents, table: table, used: used,
      comparisons: comparisons)
    var first = 0
    while first < table.order.count {
      guard case .dead = table.order[first] else {
        first += 1
        continue
      }
      var end = first
      while end < table.order.count, case .dead = table.order[end] { end += 1 }
      alignment.align(first..<end)
      first = end
    }
    (table, used, comparisons) = (alignment.table, alignment.used, alignment.comparisons)
  }

  private init(
    order: LeafOrder, lost: LostNodes, extents: NodeExtents, table: DeadClusters, used: Set<Int>,
    comparisons: Int
  ) {
    (self.order, self.lost, self.extents) = (order, lost, extents)
    (self.table, self.used, self.comparisons) = (table, used, comparisons)
  }

  /// Finds the leaves of dead clusters that follow each other.
  private mutating func align(_ entries: Range<Int>) {
    let before = places(ofEntry: entries.lowerBound - 1)
    let after = places(ofEntry: entries.upperBound)
    for (segment, isChained) in zip(order.segments, order.isChained) {
      var wanted: [Wanted] = []
      for entry in entries {
        guard case .dead(let cluster) = table.order[entry] else { continue }
        for k in segment { wanted.append(Wanted(cluster: cluster, element: order.elements[k])) }
      }
      let start = before.flatMap { $0[segment].compactMap { $0 }.last?.upperBound }
      let end = after.flatMap { $0[segment].compactMap { $0 }.first?.lowerBound }
      if isChained, let start { alignRight(&wanted, from: start) }
      if isChained, let end { alignLeft(&wanted, wanted.count - 1, endingAt: end) }
      for k in wanted.indices where wanted[k].element == .node {
        alignLeft(&wanted, k - 1, endingAt: table.clusters[wanted[k].cluster].place.ref)
      }
      // Without bounds, a run of leaves could belong to another table.
      let isBounded = end != nil || wanted.last?.element == .node
      if isChained, isBounded, let start { alignRuns(&wanted, from: start, to: end ?? Int.max) }
    }
  }

  private func places(ofEntry i: Int) -> [Range<Int>?]? {
    guard table.order.indices.contains(i), case .living(let ref) = table.order[i] else {
      return nil
    }
    return LeafOrder.places(of: ref, table.form, order.elements, extents)
  }

  // MARK: From a known place on

  /// Notes elements from the first one on, which begins at `start`.
  private mutating func alignRight(_ wanted: inout [Wanted], from start: Int) {
    var (k, place) = (0, start)
    while k < wanted.count, wanted[k].element != .node {
      guard let root = root(from: place) else { return }
      if wanted[k].element == .keys {
        guard let isThere = hasKeys(root, wanted[(k + 1)...].first) else { return }
        if !isThere {
          table.clusters[wanted[k].cluster].isCompact = true
          k += 1
          continue
        }
      }
      guard note(root, &wanted[k]) else { return }
      place = lost.places[root].upperBound
      k += 1
    }
  }

  /// The first lost node from `place` on without a ref, if no gap comes before it.
  private func root(from place: Int) -> Int? {
    guard var i = lost.index(of: place) else { return nil }
    while lost.isChild[i] {
      guard i + 1 < lost.places.count, lost.places[i].upperBound == lost.places[i + 1].lowerBound
      else { return nil }
      i += 1
    }
    return used.contains(i) ? nil : i
  }

  /// Whether a node is that of the keys, not the first leaf; nil if it could be either.
  private func hasKeys(_ root: Int, _ leaf: Wanted?) -> Bool? {
    if let known = order.hasKeys { return known }
    guard let leaf else { return nil }
    let areKeys = keys(root, leaf.cluster) != nil
    let isLeaf = rows(root, leaf) != nil
    return areKeys == isLeaf ? nil : areKeys
  }

  /// Notes elements from `last` down; it ends at `end`.
  private mutating func alignLeft(_ wanted: inout [Wanted], _ last: Int, endingAt end: Int) {
    var (k, end) = (last, end)
    while k >= 0, wanted[k].element != .node, wanted[k].found == nil {
      if wanted[k].element == .keys, order.hasKeys == false { return }
      guard let root = lost.index(endingAt: end), !lost.isChild[root], !used.contains(root),
        let extent = extents.extent(of: lost.places[root].lowerBound), note(root, &wanted[k])
      else { return }
      end = extent.lowerBound
      k -= 1
    }
  }

  // MARK: Between damaged bytes

  /// Notes the elements in runs of nodes between damaged bytes, if there is only one way.
  private mutating func alignRuns(_ wanted: inout [Wanted], from start: Int, to end: Int) {
    guard order.hasKeys != nil else { return }
    if order.hasKeys == false { wanted.removeAll { $0.element == .keys } }
    var i = lost.firstIndex(from: start)
    while i < lost.places.count, lost.places[i].lowerBound < end, comparisons > 0 {
      var run: [Int] = []
      var next = i
      repeat {
        if !lost.isChild[next], !used.contains(next) { run.append(next) }
        next += 1
      } while next < lost.places.count
        && lost.places[next].lowerBound == lost.places[next - 1].upperBound
        && !used.contains(next) && !used.contains(next - 1)
      if let first = run.first { place(run, first, &wanted) }
      i = next
    }
  }

  private mutating func place(_ run: [Int], _ first: Int, _ wanted: inout [Wanted]) {
    let address = lost.places[first].lowerBound
    func place(_ k: Int) -> Int? {
      wanted[k].element == .node
        ? table.clusters[wanted[k].cluster].place.ref
        : wanted[k].found.map { lost.places[$0].lowerBound }
    }
    comparisons -= 1 + wanted.count / 64
    var (low, high) = (0, wanted.count)
    for k in wanted.indices {
      guard let place = place(k) else { continue }
      if place < address { low = k + 1 } else { high = min(high, k) }
    }
    guard low < high else { return }
    var possible: [(start: Int, count: Int)] = []
    for start in low..<high {
      let count = matches(run, wanted, start, high)
      comparisons -= count + 1
      guard comparisons > 0 else { return }
      guard count > 0 else { continue }
      // The rest of the run can only be nodes below a lost leaf.
      if count < run.count {
        guard start + count < high, case .leaf(let column) = wanted[start + count].element,
          table.form.canHaveChildren(column)
        else { continue }
      }
      possible.append((start, count))
      guard possible.count < 2 else { return }
    }
    guard let (start, count) = possible.first else { return }
    for k in 0..<count { _ = note(run[k], &wanted[start + k]) }
  }

  /// Number of nodes at the start of `run` that can be the elements from `start` on.
  private func matches(_ run: [Int], _ wanted: [Wanted], _ start: Int, _ end: Int) -> Int {
    var rows: [Int: Int] = [:]
    for (k, root) in run.enumerated() {
      guard start + k < end, wanted[start + k].found == nil,
        let found = self.rows(root, wanted[start + k])
      else { return k }
      let cluster = wanted[start + k].cluster
      guard rows[cluster, default: found] == found else { return k }
      rows[cluster] = found
    }
    return run.count
  }

  // MARK: One element

  /// Number of rows of a lost node as an element; nil if it cannot be that element.
  private func rows(_ root: Int, _ wanted: Wanted) -> Int? {
    let found: Int? =
      switch wanted.element {
      case .keys: keys(root, wanted.cluster)?.count
      case .leaf(let column):
        table.form.rows(ofLeaf: lost.places[root].lowerBound, column: column)
      case .node: nil
      }
    guard let found, table.clusters[wanted.cluster].isPossible(rows: found) else { return nil }
    return found
  }

  private func keys(_ root: Int, _ cluster: Int) -> [UInt64]? {
    guard let node = try? nodes.lookUp(lost.places[root].lowerBound), node.isIntegers,
      !node.hasContext, node.width == 0 || node.width >= 8,
      (1...Cluster.capacity).contains(node.count)
    else { return nil }
    let keys = (0..<node.count).map { node.unsigned(at: $0) }
    var copy = table.clusters[cluster]
    return copy.note(keys: keys) ? keys : nil
  }

  private mutating func note(_ root: Int, _ wanted: inout Wanted) -> Bool {
    guard let rows = rows(root, wanted) else { return false }
    switch wanted.element {
    case .node: return false
    case .keys:
      guard let keys = keys(root, wanted.cluster),
        table.clusters[wanted.cluster].note(keys: keys)
      else { return false }
    case .leaf(let column):
      guard
        table.clusters[wanted.cluster].note(
          leaf: lost.places[root].lowerBound, of: column, rows: rows)
      else { return false }
    }
    wanted.found = root
    used.insert(root)
    return true
  }
}
