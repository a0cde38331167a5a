import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmVerify

/// Trees by hand from chapter 2, section 4: an inner node has the offsets of its children or the tagged
/// number of values of each, the children, and the tagged number of all values.
@Suite("Shapes of B+trees")
struct BPlusTreeShapeTests {
  /// Passes what a walk visits to a shape.
  private struct Visitor: BPlusTreeVisitor {
    let nodes: NodeReader
    var shape = BPlusTreeShape()
    var findings = Findings(limit: 100)

    mutating func enter(_ inner: Node) { shape.enter(inner) }
    mutating func leave() throws(RealmFileError) { try shape.leave(nodes, &findings) }
  }

  /// The rules that the tree at `root` breaks.
  private func broken(_ root: Ref, _ nodes: HandBuiltNodes) throws -> [Rule] {
    try nodes.read { reader in
      var visitor = Visitor(nodes: reader)
      var leaves = BPlusTreeLeaves(root: root, nodes: reader)
      while let leaf = try leaves.next(&visitor) {
        visitor.shape.read(leaf, count: leaf.count, &visitor.findings)
      }
      return visitor.findings.list.map(\.rule)
    }
  }

  @Test("wrong counts, offsets and depths, and empty leaves, are reported")
  func shape() throws {
    var nodes = HandBuiltNodes()
    func tree(_ children: [Ref], each: Int, total: Int) -> Ref {
      nodes.add(innerOver: children, each: each, total: total)
    }
    let two = nodes.add(integers8: [1, 2])
    let (one, none) = (nodes.add(integers8: [3]), nodes.add(integers8: []))
    let (right, total) = (
      tree([two, one], each: 2, total: 3), tree([two, one], each: 2, total: 4)
    )
    let (offsets, empty) = (
      tree([two, one], each: 3, total: 3), tree([two, none], each: 2, total: 2)
    )
    let depth = tree([tree([two], each: 2, total: 2), one], each: 2, total: 3)
    #expect(try broken(right, nodes) == [])
    #expect(try broken(total, nodes) == [.btreeCount])
    #expect(try broken(offsets, nodes) == [.btreeOffsets])
    #expect(try broken(empty, nodes) == [.btreeEmptyLeaf])
    #expect(try broken(depth, nodes) == [.btreeDepth])
  }

  @Test("a tree of three levels breaks no rule")
  func levels() throws {
    var nodes = HandBuiltNodes()
    let leaves = [[1, 2], [3, 4], [5]].map { nodes.add(integers8: $0) }
    let below = nodes.add(innerOver: Array(leaves[..<2]), each: 2, total: 4)
    let last = nodes.add(innerOver: [leaves[2]], each: 2, total: 1)
    let root = nodes.add(innerOver: [below, last], each: 4, total: 5)
    #expect(try broken(root, nodes) == [])
  }

  @Test("offsets are where each child but the first starts")
  func offsets() throws {
    for (offset, expected) in [(1, []), (2, [.btreeOffsets])] as [(UInt8, [Rule])] {
      var nodes = HandBuiltNodes()
      let (one, two) = (nodes.add(integers8: [1]), nodes.add(integers8: [2, 3]))
      let offsets = nodes.add(integers8: [offset])
      let root = nodes.add(
        integers: [offsets, one, two, 3 << 1 | 1], flags: NodeFlags.innerRefs)
      #expect(try broken(root, nodes) == expected)
    }
  }
}
