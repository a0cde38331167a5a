public import RealmStorage

/// A node of a search index (chapter 3, section 5.3): the keys, each a chunk of four bytes, and an entry for each.
@usableFromInline
package struct SearchIndexNode {
  /// Maximum number of keys in a node.
  @inlinable package static var capacity: Int { 1000 }
  /// Number of chunks of a value, at offsets 0, 4, … 200: the maximum number of levels of an index.
  package static let levelLimit = 51
  /// Maximum number of levels of one B-tree. Nodes are split into halves of 500 keys, so four levels suffice for
  /// all chunks. Walks are recursive, and threads have little stack on some systems.
  package static let depthLimit = 8
  /// Width of a key in bits, and its code.
  private static let (keyWidth, keyWidthCode): (Int, UInt8) = (32, 6)

  /// The objects that share a chunk.
  package enum Entry {
    /// The only object.
    case object(ObjectKey)
    /// Root of a list of object keys.
    case list(Ref)
    /// Root of the next level, with the chunks of the next four bytes.
    case level(Ref)
  }

  @usableFromInline package let node: Node
  @usableFromInline package let keys: Node

  /// - Throws: `damaged` with rule `index.node`; the errors of opening a node.
  package init(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) {
    node = try nodes.node(at: ref)
    guard node.hasRefs, node.hasContext, node.count >= 1 else {
      throw .damaged(
        .indexNode, at: ref,
        "the node has \(node.form), expected refs with the context flag: to the keys, and one per key"
      )
    }
    keys = try nodes.node(at: try node.ref(at: 0))
    guard keys.isIntegers, !keys.hasContext, keys.width == SearchIndexNode.keyWidth,
      keys.count <= SearchIndexNode.capacity, node.count == keys.count + 1
    else {
      throw .damaged(
        .indexNode, at: ref,
        "the keys of \(node.count - 1) entries are \(keys.form), expected as many of "
          + "\(SearchIndexNode.keyWidth) bits, at most \(SearchIndexNode.capacity)")
    }
  }

  /// Number of keys.
  package var count: Int { keys.count }
  /// Whether the entries are nodes of the same level. The key of each is its last one.
  package var isInner: Bool { node.isInner }

  /// The key at `position`. Keys ascend as signed numbers.
  @inlinable
  @inline(__always)
  package func chunk(_ position: Int) -> Int32 {
    Int32(truncatingIfNeeded: keys.integer(at: position))
  }

  /// Position of the first key that is at least `chunk`.
  package func position(of chunk: Int32) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self.chunk(middle) < chunk { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The object of the key at `position` of a leaf; nil unless it is the only one.
  @inlinable
  @inline(__always)
  package func object(_ position: Int) -> ObjectKey? {
    guard case .tagged(let key) = node.element(at: position + 1) else { return nil }
    return ObjectKey(Int64(key))
  }

  /// The entry at `position` of a leaf. The traversal does not count the node that it refers to.
  ///
  /// - Throws: `damaged` with rule `index.node`; the errors of opening a node.
  package func entry(_ position: Int, _ nodes: NodeReader) throws(RealmFileError) -> Entry {
    switch node.element(at: position + 1) {
    case .null:
      throw .damaged(
        .indexNode, at: node.ref, "entry \(position) is 0, expected a ref or an object key")
    case .tagged(let key): return .object(ObjectKey(Int64(key)))
    case .ref(let ref): return try nodes.lookUp(ref).hasContext ? .level(ref) : .list(ref)
    }
  }

  /// The child at `position` of an inner node.
  ///
  /// - Throws: `damaged` with rule `index.node`.
  package func child(_ position: Int) throws(RealmFileError) -> Ref {
    guard case .ref(let child) = node.element(at: position + 1) else {
      throw .damaged(.indexNode, at: node.ref, "child \(position) is not a ref")
    }
    return child
  }

  /// Appends a node.
  ///
  /// - Parameters:
  ///   - chunks: at most ``capacity``.
  ///   - entries: refs, or tagged keys of objects.
  package static func encode(
    chunks: ArraySlice<Int64>, entries: ArraySlice<Int64>, isInner: Bool, into nodes: NodeBuffer
  ) -> Ref {
    let keys = nodes.append(integers: Array(chunks), widthCode: keyWidthCode)
    return nodes.append(
      refs: [Int64(keys)] + entries,
      kind: NodeEncoder.hasContext | (isInner ? NodeEncoder.isInner : 0))
  }
}
