import RealmStorage

/// What a walk over a search index tells.
protocol SearchIndexVisitor {
  /// Objects each of which is alone under the chunks of `path` and then its own.
  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref)

  /// Some of the objects that share the chunks of `path`, in stored order: a list at `ref`.
  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref)

  /// The end of the list at `ref`, of which all was read or not.
  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool)

  /// Told of nodes that break a rule; what is below one that cannot be read is not visited.
  var findings: Findings { get set }
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

  /// Number of children of the root of an index: parts that can be walked by themselves.
  ///
  /// - Returns: 0 where the root is no inner node, or cannot be read.
  func partCount(root: Ref) -> Int {
    guard let node = try? nodes.lookUp(root), node.isInner else { return 0 }
    return max(0, node.count - 1)
  }

  /// Shows the index at `root` to `visitor`, in the order of the chunks.
  ///
  /// - Parameter children: those of the root to visit; nil for all.
  func walk<Visitor: SearchIndexVisitor>(
    root: Ref, children: Range<Int>? = nil, _ visitor: inout Visitor
  ) {
    var path: [Int32] = []
    path.reserveCapacity(SearchIndexReader.levelLimit)
    var last: Int64?
    guard let children else {
      _ = walkNode(root, path: &path, after: &last, depth: 0, &visitor)
      return
    }
    // The root belongs to all parts, and counts for none of them.
    let opened = nodes.traversing { open(root, &visitor) }
    guard let (node, keys) = opened, node.isInner, children.upperBound <= keys.count
    else { return }
    // The last key of the child before is its key here; another part tells where it is not.
    if children.lowerBound > 0 { last = keys.integer(at: children.lowerBound - 1) }
    for i in children {
      walkChild(
        of: node, at: i, key: keys.integer(at: i), path: &path, after: &last, depth: 0, &visitor)
    }
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
      visitor.findings.add(
        .indexEmptyNode, at: ref, "the node has no keys, and is not a whole index")
      return false
    }
    guard !node.isInner || depth < SearchIndexReader.depthLimit else {
      visitor.findings.add(
        .indexNode, at: ref,
        "more than \(SearchIndexReader.depthLimit) inner nodes are above this one")
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
        visitor.findings.add(
          .indexKeyOrder, at: keys.ref, "key \(i) is \(key), after \(last)")
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
        throw .damaged(
          .indexNode, at: ref, "\(node.form); marked refs to keys and entries are expected")
      }
      let keys = try nodes.node(at: try node.ref(at: 0))
      guard keys.isIntegers, !keys.hasContext, keys.width == SearchIndexReader.keyWidth,
        keys.count <= SearchIndexReader.nodeLimit, node.count == keys.count + 1
      else {
        throw .damaged(
          .indexNode, at: ref,
          "\(keys.form) as keys of \(node.count - 1) entries; 32 bits each and "
            + "at most \(SearchIndexReader.nodeLimit) are expected")
      }
      return (node, keys)
    } catch {
      report(error, at: ref, &visitor)
      return nil
    }
  }

  private func report<Visitor: SearchIndexVisitor>(
    _ error: RealmFileError, at ref: Ref, _ visitor: inout Visitor
  ) {
    visitor.findings.add(
      .indexNode, at: error.offset ?? ref,
      error.detail ?? "a node cannot be read: \(error.description)")
  }

  private func walkChild<Visitor: SearchIndexVisitor>(
    of node: Node, at index: Int, key: Int64, path: inout [Int32], after last: inout Int64?,
    depth: Int, _ visitor: inout Visitor
  ) {
    // What is read below a child is let go after it.
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard case .ref(let child) = node.element(at: index + 1) else {
      visitor.findings.add(.indexNode, at: node.ref, "child \(index) is no ref")
      return
    }
    guard walkNode(child, path: &path, after: &last, depth: depth + 1, &visitor) else {
      // What was lost lies below this key.
      last = max(last ?? key, key)
      return
    }
    guard last == key else {
      visitor.findings.add(
        .indexInnerKey, at: node.ref,
        "key \(index) is \(key); the last key of that child is \(last.map { "\($0)" } ?? "missing")"
      )
      return
    }
  }

  private func walkPayload<Visitor: SearchIndexVisitor>(
    of node: Node, at index: Int, path: inout [Int32], _ visitor: inout Visitor
  ) {
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard case .ref(let child) = node.element(at: index) else {
      visitor.findings.add(.indexNode, at: node.ref, "entry \(index - 1) is 0")
      return
    }
    do throws(RealmFileError) {
      // Peeked at, to tell a list from the next level; the traversal counts it below.
      guard try nodes.lookUp(child).hasContext else {
        return walkList(child, path: path, &visitor)
      }
    } catch {
      report(error, at: child, &visitor)
      return
    }
    guard path.count < SearchIndexReader.levelLimit else {
      visitor.findings.add(.indexDepth, at: child, "a subindex of the bytes from offset 204 on")
      return
    }
    var last: Int64?
    _ = walkNode(child, path: &path, after: &last, depth: 0, &visitor)
  }

  /// The keys of a list: a B+tree of integers.
  private func walkList<Visitor: SearchIndexVisitor>(
    _ root: Ref, path: [Int32], _ visitor: inout Visitor
  ) {
    do throws(RealmFileError) {
      var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
      while true {
        let mark = nodes.mark()
        defer { nodes.release(to: mark) }
        guard let leaf = try leaves.next() else { break }
        guard leaf.isIntegers else { throw Leaf.kindError(leaf, expected: "object keys of a list") }
        try Leaf.check(leaf.count, rows: nil, at: leaf)
        visitor.visit(leaf.integers(), path: path, at: root)
      }
      visitor.endList(path: path, at: root, isWhole: true)
    } catch {
      report(error, at: root, &visitor)
      visitor.endList(path: path, at: root, isWhole: false)
    }
  }
}
