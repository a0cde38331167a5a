import RealmStorage

/// Checks the shape of a B+tree (chapter 2, rules B1 and B2) while its leaves are read.
struct BPlusTreeCheck {
  /// The most children of an inner node and values of a leaf (section 4.1).
  private static let capacity = 1000
  /// Levels of the deepest tree that fits a file.
  private static let depthLimit = 64

  let nodes: NodeReader
  private(set) var defects: [Defect] = []
  /// True where a leaf that is the whole tree may have any size, as a list of backlinks.
  var allowsLargeRoot = false

  init(nodes: NodeReader) { self.nodes = nodes }

  /// Comes to all leaves in order.
  ///
  /// - Parameters:
  ///   - root: not 0.
  ///   - leaf: reads a leaf and returns the number of its values.
  /// - Returns: number of values.
  /// - Throws: `damaged` with a rule of group `btree`, and what `leaf` throws.
  mutating func check(
    root: Ref, leaf: (Node) throws(RealmFileError) -> Int
  ) throws(RealmFileError) -> Int {
    try visit(root, level: 0, leaf).count
  }

  private mutating func visit(
    _ ref: Ref, level: Int, _ leaf: (Node) throws(RealmFileError) -> Int
  ) throws(RealmFileError) -> (count: Int, depth: Int) {
    let node = try nodes.node(at: ref)
    guard node.isInner else {
      let count = try leaf(node)
      if count == 0, level > 0 { defects.append(Defect(.btreeEmptyLeaf, at: ref)) }
      if count > BPlusTreeCheck.capacity, level > 0 || !allowsLargeRoot {
        defects.append(Defect(.btreeCapacity, at: ref, "the leaf has \(count) values"))
      }
      return (count, 0)
    }
    let childCount = node.count - 2
    guard node.hasRefs, childCount >= 1, childCount <= BPlusTreeCheck.capacity,
      level < BPlusTreeCheck.depthLimit
    else { throw .damaged(.btreeInner, at: ref) }
    var ends: [Int] = []
    ends.reserveCapacity(childCount)
    var (total, depth) = (0, 0)
    for i in 1...childCount {
      let child = try node.ref(at: i)
      guard child != 0 else { throw .damaged(.btreeChild, at: ref) }
      let below = try visit(child, level: level + 1, leaf)
      if i > 1, below.depth != depth { defects.append(Defect(.btreeDepth, at: child)) }
      (total, depth) = (total + below.count, below.depth)
      ends.append(total)
    }
    if node.integer(at: childCount + 1) & 1 == 0 || node.slotInteger(at: childCount + 1) != total {
      defects.append(
        Defect(
          .btreeCount, at: ref,
          "it says \(node.slotInteger(at: childCount + 1)) values, but there are \(total)"))
    }
    try checkOffsets(node, ends)
    return (total, depth + 1)
  }

  private mutating func checkOffsets(_ node: Node, _ ends: [Int]) throws(RealmFileError) {
    switch node.element(at: 0) {
    case .tagged(let each):
      let starts = [0] + ends
      let isCompact = ends.indices.allSatisfy { i in
        let count = ends[i] - starts[i]
        return count == each || i == ends.count - 1 && count <= each
      }
      if !isCompact {
        defects.append(
          Defect(.btreeOffsets, at: node.ref, "not every child has \(each) values"))
      }
    case .ref(let ref):
      let offsets = try nodes.lookUp(ref)
      let isRight =
        offsets.isIntegers && offsets.width >= 8 && offsets.count == ends.count - 1
        && (0..<offsets.count).allSatisfy { offsets.unsigned(at: $0) == UInt64(ends[$0]) }
      if !isRight { defects.append(Defect(.btreeOffsets, at: ref)) }
    case .null:
      defects.append(Defect(.btreeOffsets, at: node.ref, "there are no offsets"))
    }
  }
}
