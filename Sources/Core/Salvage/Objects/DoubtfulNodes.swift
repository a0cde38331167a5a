import RealmModel
import RealmStorage

/// Which values of a cluster have nodes in blocks in which most other nodes are missing. They can be read, and contradict
/// nothing.
struct DoubtfulNodes: Sendable {
  /// What is doubtful in a cluster.
  struct Doubt {
    /// The cluster or the keys of its objects are doubtful, and so are all its objects.
    var isWhole = false
    /// The doubtful values by column.
    var rows: [Int: Rows] = [:]

    var isEmpty: Bool { !isWhole && rows.isEmpty }
  }

  /// Rows with doubtful values.
  enum Rows {
    case all
    case some(Set<Int>)

    func contains(_ row: Int) -> Bool {
      switch self {
      case .all: true
      case .some(let rows): rows.contains(row)
      }
    }
  }

  /// The numbers of the sectors of these blocks.
  private let sectors: BitSet

  /// - Returns: nil if the walk found no such block, or killed the nodes in them.
  init?(_ walk: DamageWalk) {
    guard !walk.dropsDoubtful, !walk.doubtfulSectors.isEmpty else { return nil }
    sectors = walk.doubtfulSectors
  }

  /// - Parameter leafIndexes: the leaf indexes of the columns, and whether each element of a leaf belongs to a row.
  /// - Throws: errors that are not damage.
  func doubt(
    about cluster: Cluster, _ leafIndexes: [(index: Int, isCollection: Bool)], _ nodes: NodeReader
  ) throws(RealmFileError) -> Doubt {
    var doubt = Doubt()
    doubt.isWhole = isDoubtful(cluster.node) || cluster.keys.map(isDoubtful) ?? false
    guard !doubt.isWhole else { return doubt }
    for (column, leaf) in leafIndexes.enumerated() {
      guard let ref = try undamaged(cluster.leaf(at: leaf.index)) else { continue }
      doubt.rows[column] = try rows(
        ofLeaf: ref, count: cluster.count, isCollection: leaf.isCollection, nodes)
    }
    return doubt
  }

  /// The doubtful rows of a leaf with `count` values; nil if there are none.
  ///
  /// - Throws: errors that are not damage.
  func rows(
    ofLeaf ref: Ref, count: Int, isCollection: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) -> Rows? {
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard let leaf = try undamaged(nodes.lookUp(ref)) else { return nil }
    if isDoubtful(leaf) { return .all }
    guard leaf.hasRefs else { return nil }
    // Long strings and collections have nodes of their own for each row.
    guard leaf.count == count, isCollection || leaf.hasContext else {
      return try hasDoubtful(below: leaf, nodes) ? .all : nil
    }
    var rows = Set<Int>()
    for row in 0..<count {
      guard case .ref(let ref) = leaf.element(at: row),
        let node = try undamaged(nodes.lookUp(ref))
      else { continue }
      if isDoubtful(node) {
        rows.insert(row)
      } else if try hasDoubtful(below: node, nodes) {
        rows.insert(row)
      }
    }
    return rows.isEmpty ? nil : .some(rows)
  }

  func isDoubtful(_ node: Node) -> Bool {
    let size = DamageWalk.sectorByteCount
    let bytes = node.extent
    return sectors.contains(
      anyOf: bytes.lowerBound / size..<(bytes.upperBound + size - 1) / size)
  }

  /// Whether a node below this one is doubtful. The walk proved that the nodes are a tree.
  private func hasDoubtful(below node: Node, _ nodes: NodeReader) throws(RealmFileError) -> Bool {
    guard node.hasRefs, node.width > 0 else { return false }
    var stack = (0..<node.count).map { node.element(at: $0) }
    while let element = stack.popLast() {
      guard case .ref(let ref) = element, let child = try undamaged(nodes.lookUp(ref)) else {
        continue
      }
      if isDoubtful(child) { return true }
      guard child.hasRefs, child.width > 0 else { continue }
      for i in 0..<child.count { stack.append(child.element(at: i)) }
    }
    return false
  }
}
