/// Copies trees of nodes of a snapshot to a new file, depth first and children before parents, without
/// knowing what is in them: nodes without refs go as bytes, the refs of the others are translated.
///
/// Invariant 1: for each open frame, `values` holds the elements of its node from `base` on: refs of
/// the new file in front of `next`, those of the source from there on. The last frame's elements end
/// where `values` ends.
/// Invariant 2: each node of the source is opened once; the budget of the reader ends what goes in
/// circles. So memory is bounded by the nodes on the way down, and they by the size of the file.
struct NodeCopier {
  private struct Frame {
    /// Flags of the node.
    let flags: UInt8
    let base: Int
    /// The element that is copied next.
    var next: Int
  }

  private let nodes: NodeReader
  private let output: RealmOutput
  private let edits: NodeEdits
  private let hasEdits: Bool
  /// Nodes whose edits were made.
  private var edited: Set<Ref> = []
  private let progress: (Int) -> Void
  /// Source pages are kept no longer than from one report to the next.
  private let mark: NodeReader.Mark
  private var frames: [Frame] = []
  private var values: [Int64] = []
  /// The node that is being encoded.
  private var scratch: [UInt8] = []
  private var nextReport = 0

  /// Bytes copied between two reports of progress.
  private static let reportInterval = 1 << 20

  init(
    nodes: NodeReader, output: RealmOutput, edits: NodeEdits, progress: @escaping (Int) -> Void
  ) {
    (self.nodes, self.output, self.edits, self.progress) = (nodes, output, edits, progress)
    hasEdits = !edits.isEmpty
    mark = nodes.mark()
  }

  /// Copies the tree with the root `root`.
  ///
  /// - Returns: its ref in the new file.
  /// - Throws: `damaged` with rule `node.ref`, `node.bounds`, `node.flags` or `storage.node-overlap`;
  ///   the errors of an encrypted source and of the output.
  mutating func copy(_ root: Ref) throws(RealmFileError) -> Ref {
    if let placed = try place(root) { return placed }
    while let frame = frames.last {
      var next = frame.next
      let end = values.count
      var isInterrupted = false
      while next < end {
        let value = values[next]
        // Null and tagged elements stay as they are.
        if value != 0, value & 1 == 0 {
          guard let placed = try place(Int(value)) else {
            isInterrupted = true
            break
          }
          values[next] = Int64(placed)
        }
        next &+= 1
      }
      if isInterrupted {
        // The new frame is the last one; below it this one waits for its ref.
        frames[frames.count - 2].next = next
        continue
      }
      let placed = try writeLast(frame)
      guard !frames.isEmpty else { return placed }
      values[frames[frames.count - 1].next] = Int64(placed)
      frames[frames.count - 1].next += 1
    }
    preconditionFailure("the frame of the root returns")
  }

  /// Makes sure, after the last tree, that each edit was made.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap` where one was not: a node on the way there is
  ///   part of another structure too, and was edited as such.
  func checkEdits() throws(RealmFileError) {
    guard let missed = edits.edits.keys.filter({ !edited.contains($0) }).min() else { return }
    throw .damaged("storage.node-overlap", at: missed)
  }

  /// Copies the node at `ref` if it has no refs; opens a frame for it if it has.
  ///
  /// - Returns: its place in the new file, nil for a node with refs.
  @inline(__always)
  private mutating func place(_ ref: Ref) throws(RealmFileError) -> Ref? {
    let node = try nodes.node(at: ref)
    if hasEdits, let edit = edits[ref] {
      // It is part of two structures, of which only one was to change.
      guard edited.insert(ref).inserted else { throw .damaged("storage.node-overlap", at: ref) }
      return try place(node, edit)
    }
    guard node.hasRefs else { return try copyBytes(of: node) }
    if node.width < 8 {
      // No number of so few bits is a ref: such a node holds nulls and tagged integers only, and may
      // have many more elements than bytes.
      try checkHasNoRefs(node)
      return try copyBytes(of: node)
    }
    try open(node)
    return nil
  }

  /// - Throws: `damaged` with rule `node.ref` for an element that can only be a ref.
  private func checkHasNoRefs(_ node: Node) throws(RealmFileError) {
    // Widths 0 and 1 hold nothing but 0 and 1.
    guard node.width > 1 else { return }
    for i in 0..<node.count {
      let value = node.integer(at: i)
      guard value == 0 || value & 1 == 1 else { throw .damaged("node.ref", at: node.ref) }
    }
  }

  private mutating func place(
    _ node: Node, _ edit: NodeEdits.Edit
  ) throws(RealmFileError) -> Ref? {
    let base = values.count
    switch edit {
    case .node(let bytes):
      let place = output.position
      try output.append(bytes)
      return place
    case .elements(let elements):
      values += elements
    case .clearing(let positions):
      values += node.integers()
      for position in positions.reversed() where base + position < values.count {
        if base + position == values.count - 1 {
          values.removeLast()
        } else {
          values[base + position] = 0
        }
      }
    }
    frames.append(Frame(flags: node.header.flags, base: base, next: base))
    return nil
  }

  /// Opens a frame for a node with refs.
  private mutating func open(_ node: Node) throws(RealmFileError) {
    frames.append(Frame(flags: node.header.flags, base: values.count, next: values.count))
    values += node.integers()
  }

  /// Writes the node of the last frame, whose elements are all of the new file, and closes the frame.
  private mutating func writeLast(_ frame: Frame) throws(RealmFileError) -> Ref {
    NodeEncoder.encode(kind: frame.flags, values[frame.base...], into: &scratch)
    values.removeSubrange(frame.base...)
    frames.removeLast()
    let place = output.position
    try output.append(scratch)
    report(at: place)
    return place
  }

  /// Tells how far the copy is, and lets go of what was read, from time to time.
  @inline(__always)
  private mutating func report(at place: Int) {
    guard place >= nextReport else { return }
    nodes.release(to: mark)
    progress(place)
    nextReport = place + NodeCopier.reportInterval
  }

  /// Copies header and payload as they are; only the filler is always that of today.
  @inline(__always)
  private mutating func copyBytes(of node: Node) throws(RealmFileError) -> Ref {
    let place = output.position
    let start = unsafe node.payload - NodeHeader.byteCount
    var header = unsafe start.loadUnaligned(as: UInt64.self).littleEndian
    header = (header & ~0xFFFF_FFFF | 0x4141_4141).littleEndian
    try unsafe withUnsafeBytes(of: header) { (bytes) throws(RealmFileError) in
      if let start = bytes.baseAddress {
        try unsafe output.append(start, count: NodeHeader.byteCount)
      }
    }
    try unsafe output.append(
      node.payload, count: node.header.nodeByteCount &- NodeHeader.byteCount)
    report(at: place)
    return place
  }
}
