import RealmModel
import RealmStorage

/// Receives the entries of a search index.
protocol SearchIndexVisitor {
  /// Called for objects that are each alone under `path` and then the chunk of their entry.
  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref)

  /// Called for some of the objects that share `path`, in stored order, from the list at `ref`.
  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref)

  /// Called at the end of the list at `ref`. `isWhole` is false if a part of the list could not be read.
  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool)

  /// Receives the nodes that break a rule. The walk does not continue below a node that cannot be read.
  var findings: Findings { get set }
}

/// An object that is alone under a chunk.
struct SearchIndexEntry {
  let chunk: Int32
  let key: ObjectKey
}

/// Walks a search index, which is a radix tree over chunks of four bytes. Each level is a B-tree (chapter 3,
/// section 5.3).
///
/// The walk checks every node (rules I1, I2 and I6) and continues after nodes that break a rule. It is a
/// traversal: it opens each node once, or ends with rule `storage.node-overlap`.
struct SearchIndexWalk {
  private let nodes: NodeReader

  init(nodes: NodeReader) { self.nodes = nodes }

  /// Number of children of the root, which can be walked separately.
  ///
  /// - Returns: 0 to ``SearchIndexNode/capacity``; 0 if the root is a leaf, or is not a node of an index. The index is
  ///   then walked as a whole, which reports the error.
  func partCount(root: Ref) -> Int {
    nodes.traversing {
      guard let node = try? SearchIndexNode(at: root, nodes), node.isInner else { return 0 }
      return node.count
    }
  }

  /// Passes the index at `root` to `visitor`, in the order of the chunks.
  ///
  /// - Parameter children: positions of the root's children to visit; nil for all.
  func run<Visitor: SearchIndexVisitor>(
    root: Ref, children: Range<Int>? = nil, _ visitor: inout Visitor
  ) {
    var path: [Int32] = []
    path.reserveCapacity(SearchIndexNode.levelLimit)
    var last: Int32?
    guard let children else {
      _ = walkNode(root, path: &path, after: &last, depth: 0, &visitor)
      return
    }
    // The root belongs to all parts, so the traversals of the parts do not count it.
    let opened = nodes.traversing { open(root, &visitor) }
    guard let node = opened, node.isInner, children.upperBound <= node.count else { return }
    // The part with the previous child checks that child's key.
    if children.lowerBound > 0 { last = node.chunk(children.lowerBound - 1) }
    for i in children {
      walkChild(of: node, at: i, path: &path, after: &last, depth: 0, &visitor)
    }
  }

  /// Visits a node of the B-tree of one level.
  ///
  /// - Parameters:
  ///   - path: the chunks above this level.
  ///   - last: before the call, the last key before this node in the level; afterwards, the last key of
  ///     this node.
  ///   - depth: number of inner nodes of this level above this node.
  /// - Returns: false if the node cannot be used.
  private func walkNode<Visitor: SearchIndexVisitor>(
    _ ref: Ref, path: inout [Int32], after last: inout Int32?, depth: Int,
    _ visitor: inout Visitor
  ) -> Bool {
    guard let node = open(ref, &visitor) else { return false }
    // Only the root of a whole index may be empty.
    guard node.count > 0 || (depth == 0 && path.isEmpty && !node.isInner) else {
      visitor.findings.add(
        .indexEmptyNode, at: ref, "the node has no keys, expected at least one")
      return false
    }
    guard !node.isInner || depth < SearchIndexNode.depthLimit else {
      visitor.findings.add(
        .indexNode, at: ref,
        "the node is below more than \(SearchIndexNode.depthLimit) inner nodes of its level")
      return false
    }
    guard !node.isInner else {
      for i in 0..<node.count {
        walkChild(of: node, at: i, path: &path, after: &last, depth: depth, &visitor)
      }
      return true
    }
    var entries: [SearchIndexEntry] = []
    defer { if !entries.isEmpty { visitor.visit(entries, path: path, at: ref) } }
    for i in 0..<node.count {
      let chunk = node.chunk(i)
      if let last, chunk <= last {
        visitor.findings.add(
          .indexKeyOrder, at: node.keys.ref, "key \(i) is \(chunk), expected more than \(last)")
      }
      last = chunk
      // The common case. Such entries are passed together.
      if let key = node.object(i) {
        if entries.isEmpty { entries.reserveCapacity(node.count - i) }
        entries.append(SearchIndexEntry(chunk: chunk, key: key))
        continue
      }
      path.append(chunk)
      walkEntry(of: node, at: i, path: &path, &visitor)
      path.removeLast()
    }
    return true
  }

  /// Opens a node; nil if it is not a node of an index.
  private func open<Visitor: SearchIndexVisitor>(
    _ ref: Ref, _ visitor: inout Visitor
  ) -> SearchIndexNode? {
    do {
      return try SearchIndexNode(at: ref, nodes)
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
    of node: SearchIndexNode, at index: Int, path: inout [Int32], after last: inout Int32?,
    depth: Int, _ visitor: inout Visitor
  ) {
    // Nodes opened below a child are released after it.
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    let child: Ref
    do {
      child = try node.child(index)
    } catch {
      return report(error, at: node.node.ref, &visitor)
    }
    let key = node.chunk(index)
    guard walkNode(child, path: &path, after: &last, depth: depth + 1, &visitor) else {
      // The keys of the unreadable child are at most this key.
      last = max(last ?? key, key)
      return
    }
    guard last == key else {
      visitor.findings.add(
        .indexInnerKey, at: node.node.ref,
        "key \(index) is \(key), but the last key of its child is \(last.map { "\($0)" } ?? "missing")"
      )
      return
    }
  }

  /// Visits an entry that is not a single object.
  private func walkEntry<Visitor: SearchIndexVisitor>(
    of node: SearchIndexNode, at index: Int, path: inout [Int32], _ visitor: inout Visitor
  ) {
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    do {
      // Reading the entry only distinguishes a list from a level. The walk below it counts its node.
      switch try node.entry(index, nodes) {
      case .object: return
      case .list(let root): walkList(root, path: path, &visitor)
      case .level(let root):
        guard path.count < SearchIndexNode.levelLimit else {
          return visitor.findings.add(
            .indexDepth, at: root,
            "the index has a level for bytes from offset 204 on, expected none after offset 200")
        }
        var last: Int32?
        _ = walkNode(root, path: &path, after: &last, depth: 0, &visitor)
      }
    } catch {
      report(error, at: node.node.ref, &visitor)
    }
  }

  /// Visits the keys of a list: a B+tree of integers.
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
