import RealmStorage

/// Where the values below each child of an inner node start (chapter 2, section 4.2): at multiples of a number,
/// or at listed offsets.
struct BPlusTreeOffsets {
  private enum Form {
    /// Every child except the last one has this many values.
    case each(Int)
    /// Where the values of each child start, except for the first child.
    case list(Node)
  }

  private let form: Form
  private let node: Ref
  private let childCount: Int

  /// - Throws: `damaged` with rule `btree.offsets`; the errors of opening a node.
  init(of node: Node, _ childCount: Int, _ nodes: NodeReader) throws(RealmFileError) {
    (self.node, self.childCount) = (node.ref, childCount)
    switch node.element(at: 0) {
    case .tagged(let each):
      guard each > 0 else {
        throw .damaged(
          .btreeOffsets, at: node.ref, "the node claims 0 values per child, expected at least 1")
      }
      form = .each(each)
    case .ref(let ref):
      let offsets = try nodes.lookUp(ref)
      guard offsets.isIntegers, offsets.count == childCount - 1 else {
        throw .damaged(
          .btreeOffsets, at: ref,
          "the offsets are \(offsets.form), expected \(childCount - 1) integers")
      }
      form = .list(offsets)
    case .null:
      throw .damaged(
        .btreeOffsets, at: node.ref,
        "slot 0 is 0, expected a ref to offsets or a number of values per child")
    }
  }

  /// The child with the value at position `target`, and the position of the child's first value. Positions
  /// count from the first value below the node.
  func child(with target: Int) throws(RealmFileError) -> (child: Int, offset: Int) {
    switch form {
    case .each(let each):
      // Less than `target`, so it does not overflow.
      let child = min(target / each, childCount - 1)
      return (child, child * each)
    case .list(let offsets):
      // The offset of a child is the last one that is not greater than the target.
      let child = offsets.lowerBound(of: UInt64(target) + 1)
      guard child > 0 else { return (0, 0) }
      let offset = offsets.unsigned(at: child - 1)
      guard offset <= UInt64(target) else {
        throw .damaged(
          .btreeOffsets, at: offsets.ref,
          "found offset \(offset) before element \(target), expected offsets that ascend")
      }
      return (child, Int(offset))
    }
  }

  /// Where the values of a child start.
  ///
  /// - Throws: `damaged` with rule `btree.offsets` for a start that no tree reaches.
  func start(of child: Int) throws(RealmFileError) -> Int {
    let start: Int? =
      switch form {
      case _ where child == 0: 0
      case .each(let each):
        child.multipliedReportingOverflow(by: each).overflow ? nil : child * each
      case .list(let offsets): Int(exactly: offsets.unsigned(at: child - 1))
      }
    guard let start, start <= BPlusTreeOffsets.startLimit else {
      throw .damaged(
        .btreeOffsets, at: node,
        "child \(child) starts at a value beyond \(BPlusTreeOffsets.startLimit), more than any tree has"
      )
    }
    return start
  }

  /// More values than a file can have. The sum of one start per level of a tree does not overflow.
  private static let startLimit = 1 << 50
}
