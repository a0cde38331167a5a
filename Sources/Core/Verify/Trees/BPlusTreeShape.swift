import RealmModel
import RealmStorage

/// Checks the rules of a B+tree that reading its leaves does not check (chapter 2, rules B1 and B2): the
/// counts and offsets of inner nodes, and the equal depth of all leaves.
struct BPlusTreeShape {
  /// An inner node on the path to the next leaf.
  private struct Level {
    let ref: Ref
    /// The position after the last value of each visited child.
    var ends: [Int] = []
    /// Number of values in the visited children.
    var count = 0
    /// Position of the first value of the current child.
    var start = 0
  }

  /// The lowest width of an array of offsets.
  private let offsetWidth: Int
  private var levels: [Level] = []
  /// Number of inner nodes above the first leaf.
  private var depth: Int?

  /// - Parameter isLegacy: whether the tree is a column of formats 2 to 9, whose offsets have any width.
  init(isLegacy: Bool = false) { offsetWidth = isLegacy ? 0 : 8 }

  mutating func enter(_ inner: Node) { levels.append(Level(ref: inner.ref)) }

  /// Checks a leaf with `count` values, and adds it to the counts of the inner nodes above.
  ///
  /// - Parameter allowsLargeRoot: whether a leaf that is the whole tree may have any size, as in a list of
  ///   backlinks.
  mutating func read(
    _ leaf: Node, count: Int, allowsLargeRoot: Bool = false, _ findings: inout Findings
  ) {
    if count == 0, !levels.isEmpty {
      findings.add(
        .btreeEmptyLeaf, at: leaf.ref, "the leaf has no values, and is not the whole tree")
    }
    if count > BPlusTreeLeaves.capacity, !levels.isEmpty || !allowsLargeRoot {
      findings.add(
        .btreeCapacity, at: leaf.ref,
        "the leaf has \(count) values, expected at most \(BPlusTreeLeaves.capacity)")
    }
    if let depth, depth != levels.count {
      findings.add(
        .btreeDepth, at: leaf.ref,
        "the leaf is below \(levels.count) inner nodes, the first leaf below \(depth)")
    }
    depth = depth ?? levels.count
    add(count)
  }

  private mutating func add(_ count: Int) {
    guard let last = levels.indices.last else { return }
    levels[last].count += count
    levels[last].ends.append(levels[last].count)
  }

  /// Checks the innermost of the entered nodes, after all its children were visited.
  mutating func leave(_ nodes: NodeReader, _ findings: inout Findings)
    throws(RealmFileError)
  {
    guard let level = levels.popLast() else { return }
    add(level.count)
    let node = try nodes.lookUp(level.ref)
    let last = node.count - 1
    if node.integer(at: last) & 1 == 0 || node.slotInteger(at: last) != level.count {
      findings.add(
        .btreeCount, at: node.ref,
        "the node has a count of \(node.slotInteger(at: last)), but \(level.count) values are below it"
      )
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
          "the node has \(each) values for each child, but child \(odd) has \(ends[odd] - starts[odd])"
        )
      }
    case .ref(let ref):
      let offsets = try nodes.lookUp(ref)
      guard offsets.isIntegers, offsets.width >= offsetWidth, offsets.count == ends.count - 1 else {
        let least = offsetWidth > 0 ? " of at least \(offsetWidth) bits" : ""
        return findings.add(
          .btreeOffsets, at: ref,
          "the offsets are \(offsets.form), expected \(ends.count - 1) integers\(least)")
      }
      if let odd = (0..<offsets.count).first(where: { offsets.unsigned(at: $0) != ends[$0] }) {
        findings.add(
          .btreeOffsets, at: ref,
          "the offset of child \(odd + 1) is \(offsets.unsigned(at: odd)), expected \(ends[odd])")
      }
    case .null:
      findings.add(.btreeOffsets, at: node.ref, "the node has no offsets for its children")
    }
  }
}
