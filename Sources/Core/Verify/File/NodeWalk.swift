package import RealmStorage

/// Visits every node of a snapshot, following every ref from the top array (chapter 2, section
/// 1.5), and maps the bytes that the nodes take.
///
/// No node is opened twice: a node that is reached again is reported and skipped. So a walk terminates on
/// any bytes, and opens at most as many nodes as fit into the file.
package struct NodeWalk {
  /// A ref to visit, and the position of the table that it belongs to; -1 for none.
  private struct Step {
    let ref: Ref
    let table: Int
  }

  /// A node must be smaller than a section and should lie inside one section (chapter 1, section 7).
  private static let sectionByteCount = 1 << 26
  /// "AAAA", as a little-endian number.
  private static let filler: UInt32 = 0x4141_4141
  /// Number of nodes opened before the pages of an encrypted file are released.
  private static let nodesPerScope = 1024

  private let nodes: NodeReader
  private let top: TopArray
  private let className: (Int) -> String?
  /// Whether to check filler bytes and sections, which formats up to 9 do not have.
  private let checksNotes: Bool
  package private(set) var map: SpaceMap
  package private(set) var findings: Findings
  package private(set) var nodeCount = 0
  package private(set) var byteCount = 0
  /// Number of nodes with unusual filler bytes, and the first such node.
  private var oddFillers = (count: 0, first: 0)
  /// Number of nodes that cross a section boundary, and the first such node.
  private var crossings = (count: 0, first: 0)

  /// - Parameters:
  ///   - isLegacy: whether the file has one of the formats 2 to 9.
  ///   - className: the name of the class in a table slot, if known.
  package init(
    _ top: TopArray, nodes: NodeReader, limit: Int, isLegacy: Bool = false,
    className: @escaping (Int) -> String?
  ) {
    (self.nodes, self.top, self.className) = (nodes, top, className)
    checksNotes = !isLegacy
    map = SpaceMap(byteCount: top.logicalSize)
    findings = Findings(limit: limit)
  }

  /// Returns the space of the nodes and removes it from the walk, because it can be large.
  mutating func takeMap() -> SpaceMap {
    defer { map = SpaceMap(byteCount: 0) }
    return map
  }

  /// - Throws: errors other than damage.
  package mutating func run() throws(RealmFileError) {
    _ = map.take(0..<FileHeader.byteCount)
    var stack = [Step(ref: top.ref, table: -1)]
    var untilRelease = NodeWalk.nodesPerScope
    let mark = nodes.mark()
    while let step = stack.popLast() {
      do throws(RealmFileError) {
        try visit(step, &stack)
      } catch {
        try findings.add(error.adding(className: className(step.table)))
      }
      untilRelease -= 1
      if untilRelease == 0 {
        nodes.release(to: mark)
        untilRelease = NodeWalk.nodesPerScope
      }
    }
    nodes.release(to: mark)
    if checksNotes { addNotes() }
  }

  private mutating func visit(_ step: Step, _ stack: inout [Step]) throws(RealmFileError) {
    let node = try nodes.lookUp(step.ref)
    let byteCount = node.header.nodeByteCount
    guard byteCount < NodeWalk.sectionByteCount else {
      throw .damaged(
        .nodeBounds, at: step.ref,
        "the node has \(byteCount) bytes, expected fewer than \(NodeWalk.sectionByteCount)")
    }
    guard map.take(step.ref..<(step.ref + byteCount)) else {
      findings.add(
        Finding(
          .storageNodeOverlap, at: step.ref, className: className(step.table),
          "the node overlaps another node, or several refs point to it"))
      return
    }
    nodeCount += 1
    self.byteCount += byteCount
    if node.hasContext, node.header.widthType == .ignore {
      findings.add(
        Finding(
          .nodeContext, .error, at: step.ref, className: className(step.table),
          "a node of bytes is marked as an array of pieces"))
    }
    if node.filler != NodeWalk.filler { count(&oddFillers, step.ref) }
    if step.ref / NodeWalk.sectionByteCount != (step.ref + byteCount - 1)
      / NodeWalk.sectionByteCount
    {
      count(&crossings, step.ref)
    }
    // In a node of width 0 every element is 0, for any count.
    if node.hasRefs, node.width > 0 { push(children: node, of: step, &stack) }
  }

  private mutating func push(children node: Node, of step: Step, _ stack: inout [Step]) {
    var misplaced: (count: Int, first: MisplacedRef)?
    let isTables = node.ref == top.tables
    // In reverse order, so that the first child is visited next: this is the order of the file.
    for i in stride(from: node.count - 1, through: 0, by: -1) {
      let raw = node.integer(at: i)
      guard raw != 0, raw & 1 == 0 else { continue }
      guard raw & 7 == 0, raw >= FileHeader.byteCount, raw < top.logicalSize else {
        let slot = MisplacedRef(
          node.ref, slot: i, value: Int(raw), logicalSize: top.logicalSize,
          className: className(isTables ? i : step.table))
        findings.add(slot)
        // The loop runs backward: the last one is the first slot.
        misplaced = ((misplaced?.count ?? 0) + 1, slot)
        continue
      }
      stack.append(Step(ref: Int(raw), table: isTables ? i : step.table))
    }
    guard let misplaced else { return }
    let others = misplaced.count - 1
    findings.add(
      Finding(
        .nodeRef, at: node.ref, className: className(step.table),
        misplaced.first.message
          + (others == 0 ? "" : "; \(others) other slots of the node hold no refs either")))
  }

  private func count(_ counter: inout (count: Int, first: Int), _ ref: Ref) {
    if counter.count == 0 { counter.first = ref }
    counter.count += 1
  }

  private mutating func addNotes() {
    if oddFillers.count > 0 {
      findings.add(
        .nodeFiller, at: oddFillers.first,
        "\(oddFillers.count) nodes have filler bytes other than AAAA, as upgrades leave them")
    }
    if crossings.count > 0 {
      findings.add(
        .nodeSection, at: crossings.first,
        "\(crossings.count) nodes cross a boundary of 64 MiB, as in streamed copies")
    }
  }
}
