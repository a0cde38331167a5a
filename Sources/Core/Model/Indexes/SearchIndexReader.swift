import RealmStorage

/// What a walk over a search index tells.
protocol SearchIndexVisitor {
  /// Objects each of which is alone under the chunks of `path` and then its own.
  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref)

  /// Objects that share the chunks of `path`, in stored order.
  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref)

  /// A node, or what is below it, that breaks a rule; what is below it is not visited.
  mutating func visitDefect(_ rule: Rule, _ text: String, at ref: Ref)
}

/// An object that is alone under a chunk.
struct SearchIndexEntry {
  let chunk: Int32
  let key: ObjectKey
}

/// Walks a search index: a radix tree over chunks of four bytes, each level of which is a B-tree
/// (chapter 3, section 5.3).
///
/// Every node is checked (rules I1, I2 and I6); the walk goes on behind those that break one. A
/// traversal: it opens each node once, or ends with rule `storage.node-overlap`.
struct SearchIndexReader {
  /// Keys of a node.
  private static let nodeLimit = 1000
  /// Bits of a chunk key.
  private static let keyWidth = 32
  /// Chunks at offsets 0, 4, … 200.
  static let levelLimit = 51
  /// Levels of one B-tree: nodes are split in halves of 500 keys, so four are more than enough for
  /// all chunks. The walk calls itself, and threads have little stack on some systems.
  private static let depthLimit = 8

  private let nodes: NodeReader

  init(nodes: NodeReader) { self.nodes = nodes }

  /// Shows the index at `root` to `visitor`, in the order of the chunks.
  func walk<Visitor: SearchIndexVisitor>(root: Ref, _ visitor: inout Visitor) {
    var path: [Int32] = []
    path.reserveCapacity(SearchIndexReader.levelLimit)
    var last: Int64?
    _ = walkNode(root, path: &path, after: &last, depth: 0, &visitor)
  }

  /// Visits a node of the B-tree of one level.
  ///
  /// - Parameters:
  ///   - path: chunks above this level.
  ///   - last: the key before those of this node in the level; its last one afterwards.
  ///   - depth: inner nodes of this level above this one.
  /// - Returns: false where the node cannot be used.
  private func walkNode<Visitor: SearchIndexVisitor>(
    _ ref: Ref, path: inout [Int32], after last: inout Int64?, depth: Int,
    _ visitor: inout Visitor
  ) -> Bool {
    guard let (node, keys) = open(ref, &visitor) else { return false }
    // Only the root of a whole index may be empty.
    guard keys.count > 0 || (depth == 0 && path.isEmpty && !node.isInner) else {
      visitor.visitDefect(.indexEmptyNode, "a node without keys", at: ref)
      return false
    }
    guard !node.isInner || depth < SearchIndexReader.depthLimit else {
      visitor.visitDefect(.indexNode, "inner nodes nest too deep", at: ref)
      return false
    }
    var entries: [SearchIndexEntry] = []
    defer { if !entries.isEmpty { visitor.visit(entries, path: path, at: node.ref) } }
    for i in 0..<keys.count {
      let key = keys.integer(at: i)
      if node.isInner {
        walkChild(of: node, at: i, key: key, path: &path, after: &last, depth: depth, &visitor)
        continue
      }
      if let last, key <= last {
        visitor.visitDefect(
          .indexKeyOrder, "key \(i) does not come behind the one before it", at: keys.ref)
      }
      last = key
      // 32 bits wide, so this is exact.
      let chunk = Int32(truncatingIfNeeded: key)
      // The usual ones, told together.
      if case .tagged(let key) = node.element(at: i + 1) {
        if entries.isEmpty { entries.reserveCapacity(keys.count - i) }
        entries.append(SearchIndexEntry(chunk: chunk, key: ObjectKey(Int64(key))))
        continue
      }
      path.append(chunk)
      walkPayload(of: node, at: i + 1, path: &path, &visitor)
      path.removeLast()
    }
    return true
  }

  /// Opens a node and its keys; nil where they are not those of an index.
  private func open<Visitor: SearchIndexVisitor>(
    _ ref: Ref, _ visitor: inout Visitor
  ) -> (node: Node, keys: Node)? {
    do throws(RealmFileError) {
      let node = try nodes.node(at: ref)
      guard node.hasRefs, node.hasContext, node.count >= 1 else {
        throw .damaged(.indexNode, at: ref)
      }
      let keys = try nodes.node(at: try node.ref(at: 0))
      guard keys.isIntegers, !keys.hasContext, keys.width == SearchIndexReader.keyWidth,
        keys.count <= SearchIndexReader.nodeLimit, node.count == keys.count + 1
      else { throw .damaged(.indexNode, at: ref) }
      return (node, keys)
    } catch {
      report(error, at: ref, &visitor)
      return nil
    }
  }

  private func report<Visitor: SearchIndexVisitor>(
    _ error: RealmFileError, at ref: Ref, _ visitor: inout Visitor
  ) {
    let text =
      error.kind == .damaged(.indexNode)
      ? "not a node of an index" : "a node cannot be read: \(error.description)"
    visitor.visitDefect(.indexNode, text, at: error.offset ?? ref)
  }

  private func walkChild<Visitor: SearchIndexVisitor>(
    of node: Node, at index: Int, key: Int64, path: inout [Int32], after last: inout Int64?,
    depth: Int, _ visitor: inout Visitor
  ) {
    guard case .ref(let child) = node.element(at: index + 1) else {
      visitor.visitDefect(.indexNode, "child \(index) is no ref", at: node.ref)
      return
    }
    guard walkNode(child, path: &path, after: &last, depth: depth + 1, &visitor) else {
      // What was lost lies below this key.
      last = max(last ?? key, key)
      return
    }
    guard last == key else {
      visitor.visitDefect(
        .indexInnerKey, "key \(index) is not the last key of its child", at: node.ref)
      return
    }
  }

  private func walkPayload<Visitor: SearchIndexVisitor>(
    of node: Node, at index: Int, path: inout [Int32], _ visitor: inout Visitor
  ) {
    guard case .ref(let child) = node.element(at: index) else {
      visitor.visitDefect(.indexNode, "entry \(index - 1) leads nowhere", at: node.ref)
      return
    }
    do throws(RealmFileError) {
      // Peeked at, to tell a list from the next level; the traversal counts it below.
      guard try nodes.lookUp(child).hasContext else {
        visitor.visit(try list(child), path: path, at: child)
        return
      }
    } catch {
      report(error, at: child, &visitor)
      return
    }
    guard path.count < SearchIndexReader.levelLimit else {
      visitor.visitDefect(.indexDepth, "a subindex behind offset 200", at: child)
      return
    }
    var last: Int64?
    _ = walkNode(child, path: &path, after: &last, depth: 0, &visitor)
  }

  /// The keys of a list: a B+tree of integers.
  private func list(_ root: Ref) throws(RealmFileError) -> [Int64] {
    var keys: [Int64] = []
    var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    while let leaf = try leaves.next() {
      guard leaf.isIntegers else { throw .damaged(.leafKind, at: leaf.ref) }
      try Leaf.check(leaf.count, rows: nil, at: leaf)
      // Different keys take more than a byte each.
      guard keys.count + leaf.count <= nodes.logicalSize else {
        throw .damaged(.leafCapacity, at: leaf.ref)
      }
      keys += leaf.integers()
    }
    return keys
  }
}
