import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmVerify

/// Trees by hand from chapter 2, section 4: inner nodes have the offsets of their children or a tagged
/// number of values for each, the children, and the tagged number of all values.
@Suite("B+trees")
struct BPlusTreeTests {
  private func tagged(_ number: Int) -> Int { number << 1 | 1 }

  private func leaf(_ nodes: inout HandBuiltNodes, _ values: [UInt8]) -> Ref {
    nodes.add(flags: 4, count: values.count, values)
  }

  private func inner(
    _ nodes: inout HandBuiltNodes, each: Int, _ children: [Ref], total: Int
  ) -> Ref {
    nodes.add(integers: [tagged(each)] + children + [tagged(total)], flags: Flags.innerRefs)
  }

  /// Tells a shape what a walk comes to.
  private struct Shape: BPlusTreeVisitor {
    let nodes: NodeReader
    var shape = BPlusTreeShape()
    var findings = Findings(limit: 100)

    mutating func enter(_ inner: Node) { shape.enter(inner) }
    mutating func leave() throws(RealmFileError) { try shape.leave(nodes, &findings) }
  }

  /// The rules that the tree at `root` breaks.
  private func broken(_ root: Ref, _ nodes: HandBuiltNodes) throws -> [Rule] {
    try nodes.read { reader in
      var shape = Shape(nodes: reader)
      var leaves = BPlusTreeLeaves(root: root, nodes: reader)
      while let leaf = try leaves.next(&shape) {
        shape.shape.read(leaf, count: leaf.count, &shape.findings)
      }
      return shape.findings.list.map(\.rule)
    }
  }

  @Test("leaves come in order, from any number of levels")
  func order() throws {
    var nodes = HandBuiltNodes()
    let leaves = [[1, 2], [3, 4], [5]].map { leaf(&nodes, $0) }
    let below = inner(&nodes, each: 2, Array(leaves[..<2]), total: 4)
    let last = inner(&nodes, each: 2, [leaves[2]], total: 1)
    let root = inner(&nodes, each: 4, [below, last], total: 5)
    try nodes.read { reader throws in
      var walk = BPlusTreeLeaves(root: root, nodes: reader)
      var values: [Int64] = []
      while let leaf = try walk.next() { values += leaf.integers() }
      #expect(values == [1, 2, 3, 4, 5])
      var none = BPlusTreeLeaves(root: 0, nodes: reader)
      #expect(try none.next() == nil)
    }
    #expect(try broken(root, nodes) == [])
  }

  @Test("after a child that cannot be read the walk goes on with the next one")
  func leavesOut() throws {
    var nodes = HandBuiltNodes()
    let (a, b) = (leaf(&nodes, [1]), leaf(&nodes, [3]))
    let root = inner(&nodes, each: 1, [a, 1 << 40, b], total: 3)
    try nodes.read { reader throws in
      var walk = BPlusTreeLeaves(root: root, nodes: reader)
      #expect(try walk.next()?.integers() == [1])
      #expect(brokenRule { _ = try walk.next() } == .nodeBounds)
      #expect(try walk.next()?.integers() == [3])
      #expect(try walk.next() == nil)
    }
  }

  @Test("an inner node has at most 1000 children", arguments: [1000, 1001])
  func childLimit(count: Int) throws {
    var nodes = HandBuiltNodes()
    let child = leaf(&nodes, [1])
    let root = inner(&nodes, each: 1, Array(repeating: child, count: count), total: count)
    try nodes.read { reader throws in
      var walk = BPlusTreeLeaves(root: root, nodes: reader)
      #expect(brokenRule { _ = try walk.next() } == (count > 1000 ? .btreeInner : nil))
    }
  }

  @Test("counts, offsets, depth and empty leaves that are wrong are told")
  func shape() throws {
    var nodes = HandBuiltNodes()
    let (two, one, none) = (leaf(&nodes, [1, 2]), leaf(&nodes, [3]), leaf(&nodes, []))
    #expect(try broken(inner(&nodes, each: 2, [two, one], total: 3), nodes) == [])
    #expect(try broken(inner(&nodes, each: 2, [two, one], total: 4), nodes) == [.btreeCount])
    #expect(try broken(inner(&nodes, each: 3, [two, one], total: 3), nodes) == [.btreeOffsets])
    #expect(try broken(inner(&nodes, each: 2, [two, none], total: 2), nodes) == [.btreeEmptyLeaf])
    let below = inner(&nodes, each: 2, [two], total: 2)
    #expect(try broken(inner(&nodes, each: 2, [below, one], total: 3), nodes) == [.btreeDepth])
  }

  @Test("offsets are where each child but the first starts")
  func offsets() throws {
    for (offset, expected) in [(1, []), (2, [.btreeOffsets])] as [(UInt8, [Rule])] {
      var nodes = HandBuiltNodes()
      let (one, two) = (leaf(&nodes, [1]), leaf(&nodes, [2, 3]))
      let offsets = nodes.add(flags: 4, count: 1, [offset])
      let root = nodes.add(
        integers: [offsets, one, two, tagged(3)], flags: Flags.innerRefs)
      #expect(try broken(root, nodes) == expected)
    }
  }
}
