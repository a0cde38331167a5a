package import RealmStorage

/// Reads a B+tree of binaries value by value (chapter 4, section 2.1), with at most one value in memory, because
/// a history can have many large changesets.
package struct BinaryValues {
  /// A value, readable until the next one is requested.
  package struct Value {
    fileprivate let leaf: StringLeaf
    fileprivate let row: Int

    /// All bytes; nil for null.
    ///
    /// - Throws: `damaged` with a rule of group `leaf`; the errors of opening a node.
    package func bytes() throws(RealmFileError) -> ByteSlice? { try leaf.value(at: row) }

    /// The number of bytes, and the bytes up to `limit`; nil for null. Reads no other bytes. May be called several
    /// times.
    ///
    /// - Parameter limit: at most a few hundred.
    /// - Throws: same as ``bytes()``.
    package func start(
      limit: Int
    ) throws(RealmFileError) -> (bytes: ByteSlice, byteCount: Int)? {
      if case .big(let leaf) = leaf { return try leaf.start(at: row, limit: limit) }
      return try bytes().map { ($0.part(0..<min(limit, $0.count)), $0.count) }
    }
  }

  private let nodes: NodeReader
  private var leaves: BPlusTreeLeaves
  private var leaf: StringLeaf?
  private var row = 0
  /// The scopes around the leaf, and inside it.
  private let start: NodeReader.Mark
  private var inside: NodeReader.Mark

  /// - Parameters:
  ///   - root: root of the tree, 0 for an empty one.
  ///   - nodes: its nodes; those read after this call become unreadable with each call of ``next()``.
  package init(root: Ref, nodes: NodeReader) {
    self.nodes = nodes
    leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    start = nodes.mark()
    inside = start
  }

  /// The next value, or nil after the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
  package mutating func next() throws(RealmFileError) -> Value? {
    nodes.release(to: inside)
    while true {
      if let leaf, row < leaf.count {
        defer { row += 1 }
        return Value(leaf: leaf, row: row)
      }
      nodes.release(to: start)
      (leaf, inside) = (nil, start)
      guard let node = try leaves.next() else { return nil }
      let next = try StringLeaf(binaries: node, nodes)
      // A node of eight bytes can claim millions of elements.
      let most = max(BPlusTreeLeaves.capacity, next.rows.header.nodeByteCount)
      guard next.count <= most else {
        throw .damaged(
          .leafRows, at: node.ref, "the leaf has \(next.rows.form), expected at most \(most)")
      }
      (leaf, row, inside) = (next, 0, nodes.mark())
    }
  }
}

extension StringLeaf {
  /// The node with an element for each row.
  fileprivate var rows: Node {
    switch self {
    case .small(let leaf): leaf.ends
    case .big(let leaf): leaf.node
    case .short(let leaf): leaf.node
    case .enumerated(let leaf): leaf.node
    }
  }
}

/// Reads a B+tree of binaries run by run. Histories store their changesets in such trees (chapter 4, sections
/// 1.4 and 2.1).
package struct BinaryColumn {
  private var leaves: BPlusTreeLeaves
  private let nodes: NodeReader

  /// - Parameter root: root of the tree, 0 for an empty one.
  package init(root: Ref, nodes: NodeReader) {
    leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    self.nodes = nodes
  }

  /// The next run, or nil after the last one.
  ///
  /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
  package mutating func next() throws(RealmFileError) -> SliceColumn? {
    guard let leaf = try leaves.next() else { return nil }
    return try StringLeaf(binaries: leaf, nodes).values(rows: nil)
  }

  /// Number of values, read from the root alone.
  package static func count(root: Ref, nodes: NodeReader) throws(RealmFileError) -> Int {
    try BPlusTreeLeaves.count(root: root, nodes: nodes) { leaf throws(RealmFileError) in
      try StringLeaf(binaries: leaf, nodes, isLookUp: true).count
    }
  }
}
