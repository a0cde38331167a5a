import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// Trees by hand from chapter 2, section 4: an inner node has the offsets of its children or the tagged
/// number of values of each, the children, and the tagged number of all values.
@Suite("B+trees")
struct BPlusTreeTests {
  @Test("leaves come in order, from any number of levels")
  func order() throws {
    var nodes = HandBuiltNodes()
    let leaves = [[1, 2], [3, 4], [5]].map { nodes.add(integers8: $0) }
    let below = nodes.add(innerOver: Array(leaves[..<2]), each: 2, total: 4)
    let last = nodes.add(innerOver: [leaves[2]], each: 2, total: 1)
    let root = nodes.add(innerOver: [below, last], each: 4, total: 5)
    try nodes.read { reader throws in
      var walk = BPlusTreeLeaves(root: root, nodes: reader)
      var values: [Int64] = []
      while let leaf = try walk.next() { values += leaf.integers() }
      #expect(values == [1, 2, 3, 4, 5])
      var none = BPlusTreeLeaves(root: 0, nodes: reader)
      #expect(try none.next() == nil)
    }
  }

  @Test("after a child that cannot be read the walk continues with the next one")
  func leavesOut() throws {
    var nodes = HandBuiltNodes()
    let (a, b) = (nodes.add(integers8: [1]), nodes.add(integers8: [3]))
    let root = nodes.add(innerOver: [a, 1 << 40, b], each: 1, total: 3)
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
    let child = nodes.add(integers8: [1])
    let root = nodes.add(innerOver: Array(repeating: child, count: count), each: 1, total: count)
    try nodes.read { reader throws in
      var walk = BPlusTreeLeaves(root: root, nodes: reader)
      #expect(brokenRule { _ = try walk.next() } == (count > 1000 ? .btreeInner : nil))
    }
  }
}
