import RealmModel
package import RealmStorage

/// Checks the rules of B+trees that reading the leaves does not need (chapter 2, rules B1 and B2): the
/// counts and offsets of inner nodes, and the equal depth of all leaves.
package struct BPlusTreeShape {
  /// An inner node on the path to the next leaf.
  private struct Level {
    let ref: Ref
    /// Where the values of each visited child end.
    var ends: [Int] = []
    /// Number of values in the visited children.
    var count = 0
    /// Position of the first value of the current child.
    var start = 0
  }

  /// The least bits of an offset.
  private let offsetWidth: Int
  private var levels: [Level] = []
  /// Number of inner nodes above every leaf so far.
  private var depth: Int?

  /// - Parameter isLegacy: whether the tree is a column of formats 2 to 9, whose offsets have any width.
  package init(isLegacy: Bool = false) { offsetWidth = isLegacy ? 0 : 8 }

  package mutating func enter(_ inner: Node) { levels.append(Level(ref: inner.ref)) }

  /// Records that a leaf with `count` values was read.
  ///
  /// - Parameter allowsLargeRoot: whether a leaf that is the whole tree may have any size, as a list of
  ///   backlinks may.
  package mutating func read(
    _ leaf: Node, count: Int, allowsLargeRoot: Bool = false, _ findings: inout Findings
  ) {
    if count == 0, !levels.isEmpty {
      findings.add(
        .btreeEmptyLeaf, at: leaf.ref, "the leaf has no values, and is not the whole tree")
    }
    if count > BPlusTreeLeaves.capacity, !levels.isEmpty || !allowsLargeRoot {
      findings.add(
        .btreeCapacity, at: leaf.ref,
        "the leaf has \(count) values; the most is \(BPlusTreeLeaves.capacity)")
    }
    if let depth, depth != levels.count {
      findings.add(
        .btreeDepth, at: leaf.ref,
        "\(levels.count) inner nodes are above this leaf, \(depth) above the first one")
    }
    depth = depth ?? levels.count
    add(count)
  }

  private mutating func add(_ count: Int) {
    guard let last = levels.indices.last else { return }
    levels[last].count += count
    levels[last].ends.append(levels[last].count)
  }

  /// Checks the innermost node after all its children were visited.
  package mutating func leave(_ nodes: NodeReader, _ findings: inout Findings)
    throws(RealmFileError)
  {
    guard let level = levels.popLast() else { return }
    add(level.count)
    let node = try nodes.lookUp(level.ref)
    let last = node.count - 1
    if node.integer(at: last) & 1 == 0 || node.slotInteger(at: last) != level.count {
      findings.add(
        .btreeCount, at: node.ref,
        "the node says \(node.slotInteger(at: last)) values; below it are \(level.count)")
    }
    try checkOffsets(node, level.ends, nodes, &findings)
  }

  private func checkOffsets(
    _ node: Node, _ ends: [Int], _ nodes: NodeReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    switch node.element(at: 0) {
    case .tagged(let each):
      let starts = [0] + ends
      let odd = ends.indices.first { i in
        let count = ends[i] - starts[i]
        return count != each && !(i == ends.count - 1 && count <= each)
      }
      if let odd {
        findings.add(
          .btreeOffsets, at: node.ref,
          "the node says \(each) values for each child; child \(odd) has \(ends[odd] - starts[odd])"
        )
      }
    case .ref(let ref):
      let offsets = try nodes.lookUp(ref)
      guard offsets.isIntegers, offsets.width >= offsetWidth, offsets.count == ends.count - 1 else {
        let least = offsetWidth > 0 ? " of at least \(offsetWidth) bits" : ""
        return findings.add(
          .btreeOffsets, at: ref,
          "\(offsets.form) as offsets, expected \(ends.count - 1) integers\(least)")
      }
      if let odd = (0..<offsets.count).first(where: { offsets.unsigned(at: $0) != ends[$0] }) {
        findings.add(
          .btreeOffsets, at: ref,
          "child \(odd + 1) starts at value \(offsets.unsigned(at: odd)) by the offsets; it starts at "
            + "\(ends[odd])")
      }
    case .null:
      findings.add(.btreeOffsets, at: node.ref, "the node has no offsets of its children")
    }
  }
}
