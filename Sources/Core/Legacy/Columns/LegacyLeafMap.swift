import RealmModel
import RealmStorage

/// The leaves of a tree in a damaged realm that can be read and are in their place: each has as many rows as the
/// inner nodes above it say.
struct LegacyLeafMap: Sendable {
  struct Leaf: Sendable {
    let ref: Ref
    let rows: Range<Int>
  }

  /// In the order of the rows.
  private(set) var leaves: [Leaf] = []
  /// Number of rows according to the root; nil if it cannot be read.
  private(set) var rowCount: Int?
  /// Why rows that are in no leaf are lost, by the row from which this is the reason.
  private var failures: [(row: Int, error: RealmFileError)] = []

  /// A tree none of whose rows can be read.
  init(lost error: RealmFileError) { failures = [(0, error)] }

  /// - Parameter root: root of a tree without nodes that are reached twice.
  /// - Throws: errors that are not damage.
  init(
    root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) {
    let survey = Survey(content: content, isNullable: isNullable, nodes: nodes)
    do throws(RealmFileError) {
      let count = try survey.count(below: root)
      rowCount = count
      try add(root, 0..<count, depth: 0, survey)
    } catch {
      guard error.isDamage else { throw error }
      failures = [(0, error)]
    }
  }

  /// Why rows that are in no leaf are lost.
  var errors: [RealmFileError] { failures.map(\.error) }

  /// Whether every row is in a leaf.
  var isWhole: Bool { rowCount != nil && failures.isEmpty }

  /// The leaf with `row`; nil if the row is lost.
  func leaf(with row: Int) -> Leaf? {
    let i = index(after: row)
    return i > 0 && leaves[i - 1].rows.contains(row) ? leaves[i - 1] : nil
  }

  /// The first row after a lost one that is in a leaf; nil if there is none.
  func nextRow(after row: Int) -> Int? {
    let i = index(after: row)
    return i < leaves.count ? leaves[i].rows.lowerBound : nil
  }

  /// Why a row that is in no leaf is lost.
  func failure(of row: Int) -> RealmFileError {
    failures.last { $0.row <= row }?.error ?? .damaged(.leafRows, at: 0)
  }

  /// The number of leaves that begin at or before `row`.
  private func index(after row: Int) -> Int {
    var (low, high) = (0, leaves.count)
    while low < high {
      let middle = (low + high) / 2
      if leaves[middle].rows.lowerBound <= row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Survey

  private struct Survey {
    let content: LegacyLeaf.Content
    let isNullable: Bool
    let nodes: NodeReader

    /// The number of rows below a node, read from the node alone.
    func count(below ref: Ref) throws(RealmFileError) -> Int {
      try BPlusTreeLeaves.count(root: ref, nodes: nodes) { leaf throws(RealmFileError) in
        let count = try LegacyLeaf.count(leaf, content, isNullable: isNullable, nodes)
        guard count <= BPlusTreeLeaves.capacity else {
          throw .damaged(
            .btreeCapacity, at: ref,
            "the leaf has \(count) values, expected at most \(BPlusTreeLeaves.capacity)")
        }
        return count
      }
    }
  }

  /// Adds the leaves below a node that should have `rows`.
  ///
  /// - Throws: errors that are not damage.
  private mutating func add(
    _ ref: Ref, _ rows: Range<Int>, depth: Int, _ survey: Survey
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      let count = try survey.count(below: ref)
      guard count == rows.count else {
        throw .damaged(
          .btreeOffsets, at: ref,
          "the node has \(count) rows, but the node above it says \(rows.count)")
      }
      let node = try survey.nodes.lookUp(ref)
      guard node.isInner else {
        if !rows.isEmpty { leaves.append(Leaf(ref: ref, rows: rows)) }
        return
      }
      guard depth < BPlusTreeLeaves.legacyDepthLimit else {
        throw .damaged(
          .btreeInner, at: ref,
          "the tree has more than \(BPlusTreeLeaves.legacyDepthLimit) levels")
      }
      let (children, starts) = try LegacyLeafMap.children(of: node, rows, survey)
      for (i, child) in children.enumerated() {
        try add(child, starts[i]..<starts[i + 1], depth: depth + 1, survey)
      }
    } catch {
      guard error.isDamage else { throw error }
      failures.append((rows.lowerBound, error))
    }
  }

  /// The children of an inner node, and the first row of each, followed by the end of the rows.
  private static func children(
    of node: Node, _ rows: Range<Int>, _ survey: Survey
  ) throws(RealmFileError) -> ([Ref], [Int]) {
    let children = try BPlusTreeLeaves.children(of: node)
    let starts =
      if let stated = try stated(node, children, rows, survey) { stated } else {
        try counted(node, children, rows, survey)
      }
    return (children, starts)
  }

  /// The rows as the offsets of the node say; nil if the offsets are damaged.
  private static func stated(
    _ node: Node, _ children: [Ref], _ rows: Range<Int>, _ survey: Survey
  ) throws(RealmFileError) -> [Int]? {
    do throws(RealmFileError) {
      let starts =
        try BPlusTreeLeaves.starts(of: node, children.count, survey.nodes)
        .map { rows.lowerBound + $0 } + [rows.upperBound]
      return zip(starts, starts.dropFirst()).allSatisfy { $0 <= $1 } ? starts : nil
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The rows as the children say, if all of them can be read.
  private static func counted(
    _ node: Node, _ children: [Ref], _ rows: Range<Int>, _ survey: Survey
  ) throws(RealmFileError) -> [Int] {
    var starts = [rows.lowerBound]
    for child in children {
      let (start, overflows) = starts[starts.count - 1].addingReportingOverflow(
        try survey.count(below: child))
      starts.append(overflows ? .max : start)
    }
    guard starts.last == rows.upperBound else {
      throw .damaged(
        .btreeOffsets, at: node.ref,
        "the children have \((starts.last ?? 0) - rows.lowerBound) rows, expected \(rows.count)")
    }
    return starts
  }
}
