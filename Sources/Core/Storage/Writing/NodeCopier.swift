/// Copies trees of nodes from a snapshot to a new file, depth first and children before parents. It does not
/// interpret the nodes: those without refs are copied as bytes; in the others, refs are translated.
///
/// Invariant 1: for each open frame, `values` holds the elements of its node from `base` on: refs
/// of the new file before index `next`, refs of the source from there on. The elements of the
/// innermost frame end at the end of `values`.
/// Invariant 2: each node of the source is opened once. A node with two refs to it ends the traversal with an error: its
/// copies would be sound, and hide that the realm is damaged. So the memory is bounded by the depth of the tree, which is
/// bounded by the size of the file, and by one bit for eight bytes of it.
package struct NodeCopier {
  /// A node with refs whose children are being copied.
  private struct Frame {
    /// Flags of the node.
    let flags: UInt8
    let base: Int
    /// The index of the element to copy next.
    var next: Int
  }

  /// The result of ``place(_:)``.
  private enum Step {
    /// The node was copied to this ref.
    case placed(Ref)
    /// The children of the node must be copied first.
    case opened(Frame)
  }

  private let nodes: NodeReader
  private let writer: RealmFileWriter
  private var edits: NodeEdits
  private var hasEdits: Bool
  /// Nodes whose edits were applied.
  private var edited: Set<Ref> = []
  private let progress: (Int) -> Void
  /// Pages of the source are released up to this mark at each report of progress.
  private let mark: NodeReader.Mark
  private var values: [Int64] = []
  private var nextReport = 0
  /// The nodes that were opened, by their ref divided by 8.
  private var opened: BitSet

  /// Bytes copied between two reports of progress.
  private static let reportInterval = 1 << 20

  /// - Parameters:
  ///   - nodes: reads the source.
  ///   - writer: writes the new file; nothing else may use it during a copy.
  ///   - progress: receives the size of the new file, from time to time.
  package init(
    nodes: NodeReader, writer: RealmFileWriter, edits: NodeEdits,
    progress: @escaping (Int) -> Void
  ) {
    (self.nodes, self.writer, self.edits, self.progress) = (nodes, writer, edits, progress)
    hasEdits = !edits.isEmpty
    mark = nodes.mark()
    // With room for all nodes at once: a set that grows has a copy meanwhile.
    opened = BitSet(count: nodes.logicalSize / 8)
  }

  /// Copies the tree with the root `root`.
  ///
  /// - Returns: the ref of the root in the new file.
  /// - Throws: `damaged` with rule `node.ref`, `node.bounds`, `node.flags` or `storage.node-overlap`;
  ///   the errors of an encrypted source and of the output.
  package mutating func copy(_ root: Ref) throws(RealmFileError) -> Ref {
    var frame: Frame
    let node = try nodes.node(at: root)
    guard opened.insert(root / 8) else { throw NodeCopier.sharedError(at: root) }
    switch try place(node) {
    case .placed(let ref): return ref
    case .opened(let opened): frame = opened
    }
    // The parents of `frame`, which wait for the ref of their child.
    var waiting: [Frame] = []
    while true {
      // The elements of open nodes are in `values`, so their pages may be released.
      report()
      let placed: Ref
      if let node = try copyLeaves(of: &frame) {
        switch try place(node) {
        case .placed(let ref): placed = ref
        case .opened(let opened):
          waiting.append(frame)
          frame = opened
          continue
        }
      } else {
        guard frame.next == values.count else { continue }
        placed = try write(frame)
        guard let parent = waiting.popLast() else { return placed }
        frame = parent
      }
      values[frame.next] = Int64(placed)
      frame.next += 1
    }
  }

  /// Adds the edit of a node that is not copied yet.
  package mutating func add(_ edit: NodeEdits.Edit, of ref: Ref) {
    edits[ref] = edit
    hasEdits = true
  }

  /// Checks, after the last tree, that all edits were applied.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap` if one was not: a node on the path to it is also part of
  ///   another structure, and was edited there.
  package func checkEdits() throws(RealmFileError) {
    guard let missed = edits.edits.keys.filter({ !edited.contains($0) }).min() else { return }
    throw NodeCopier.sharedError(at: missed)
  }

  /// Copies the nodes to which the next elements of `frame` refer, up to the first node that has refs (most have
  /// none) or until a report of progress is due.
  ///
  /// - Returns: the node of element `frame.next`, opened but not copied; nil if a report is due or all elements are
  ///   done.
  private mutating func copyLeaves(of frame: inout Frame) throws(RealmFileError) -> Node? {
    let (nodes, writer, edits) = (nodes, writer, hasEdits ? edits : nil)
    let (first, limit) = (frame.next, nextReport)
    // Outside of `self`, which the closure cannot use.
    var opened = BitSet()
    swap(&opened, &self.opened)
    defer { swap(&opened, &self.opened) }
    let (next, node) = try unsafe values.withUnsafeMutableBufferPointer {
      (values) throws(RealmFileError) -> (Int, Node?) in
      for i in first..<values.count {
        let value = unsafe values[i]
        // Null and tagged elements stay unchanged.
        guard value != 0, value & 1 == 0 else { continue }
        let node = try nodes.node(at: Int(value))
        guard opened.insert(node.ref / 8) else { throw NodeCopier.sharedError(at: node.ref) }
        if node.hasRefs || edits?[node.ref] != nil { return (i, node) }
        unsafe values[i] = Int64(try NodeCopier.copyBytes(of: node, to: writer))
        if writer.position >= limit { return (i &+ 1, nil) }
      }
      return (values.count, nil)
    }
    frame.next = next
    return node
  }

  /// Copies `node` if it has no refs; otherwise opens a frame for it.
  private mutating func place(_ node: Node) throws(RealmFileError) -> Step {
    if hasEdits, let edit = edits[node.ref] {
      // Otherwise the node is part of two structures, and the edit is for only one of them.
      guard edited.insert(node.ref).inserted else {
        throw NodeCopier.sharedError(at: node.ref)
      }
      return try place(node, edit)
    }
    guard node.hasRefs else {
      return .placed(try NodeCopier.copyBytes(of: node, to: writer))
    }
    if node.width < 8 {
      // Too narrow for refs: such a node holds only nulls and tagged integers, and may have many more elements than
      // bytes.
      try checkHasNoRefs(node)
      return .placed(try NodeCopier.copyBytes(of: node, to: writer))
    }
    return open(node, with: node.integers())
  }

  /// Checks that all elements of `node` are null or tagged.
  ///
  /// - Throws: `damaged` with rule `node.ref`.
  private func checkHasNoRefs(_ node: Node) throws(RealmFileError) {
    // Widths 0 and 1 hold only 0 and 1.
    guard node.width > 1 else { return }
    for i in 0..<node.count {
      let value = node.integer(at: i)
      guard value == 0 || value & 1 == 1 else {
        throw .damaged(
          .nodeRef, at: node.ref,
          "found the element \(value) of \(node.width) bits, expected 0 or a tagged integer: refs have 64 bits"
        )
      }
    }
  }

  private static func sharedError(at ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "found two refs to this node, expected one: it is part of two structures")
  }

  private mutating func place(
    _ node: Node, _ edit: NodeEdits.Edit
  ) throws(RealmFileError) -> Step {
    switch edit {
    case .node(let bytes):
      return .placed(try writer.append(bytes))
    case .written(let ref):
      return .placed(ref)
    case .elements(let elements):
      return open(node, with: elements)
    case .clearing(let positions):
      var elements = node.integers()
      for position in positions.reversed() where position < elements.count {
        if position == elements.count - 1 {
          elements.removeLast()
        } else {
          elements[position] = 0
        }
      }
      return open(node, with: elements)
    }
  }

  /// Opens a frame for a node with refs.
  private mutating func open(_ node: Node, with elements: [Int64]) -> Step {
    let base = values.count
    values += elements
    return .opened(Frame(flags: node.header.flags, base: base, next: base))
  }

  /// Writes the node of the innermost frame, whose children are all copied, and closes the frame.
  private mutating func write(_ frame: Frame) throws(RealmFileError) -> Ref {
    let place = writer.position
    try unsafe values.withUnsafeBufferPointer { (all) throws(RealmFileError) in
      let elements = unsafe UnsafeBufferPointer(rebasing: all[frame.base...])
      let code = unsafe NodeEncoder.widthCode(of: elements)
      let size = NodeEncoder.byteCount(of: elements.count, widthCode: code)
      if let room = unsafe writer.room(for: size) {
        unsafe NodeEncoder.encode(kind: frame.flags, elements, widthCode: code, into: room)
        writer.advance(by: size)
      } else {
        let node = unsafe NodeEncoder.integers(
          kind: frame.flags, Array(elements), widthCode: code)
        try writer.append(node)
      }
    }
    values.removeSubrange(frame.base...)
    return place
  }

  /// Reports the progress and releases the pages read so far, if a report is due.
  private mutating func report() {
    let place = writer.position
    guard place >= nextReport else { return }
    nodes.release(to: mark)
    progress(place)
    nextReport = place + NodeCopier.reportInterval
  }

  /// Copies a node unchanged, except for the filler, which gets its usual value.
  @inline(__always)
  private static func copyBytes(
    of node: Node, to writer: RealmFileWriter
  ) throws(RealmFileError) -> Ref {
    let place = writer.position
    let count = node.header.nodeByteCount
    let start = unsafe node.payload - NodeHeader.byteCount
    if let room = unsafe writer.room(for: count) {
      unsafe room.copyMemory(from: start, byteCount: count)
      unsafe room.storeBytes(of: NodeEncoder.filler.littleEndian, as: UInt32.self)
      writer.advance(by: count)
    } else {
      var header = unsafe Array(
        UnsafeRawBufferPointer(start: start, count: NodeHeader.byteCount))
      for i in 0..<4 { header[i] = UInt8(truncatingIfNeeded: NodeEncoder.filler) }
      try writer.append(header)
      try unsafe writer.append(
        UnsafeRawBufferPointer(start: node.payload, count: count - NodeHeader.byteCount))
    }
    return place
  }
}
