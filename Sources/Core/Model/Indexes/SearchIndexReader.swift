import RealmStorage

/// Receives the entries of a search index.
protocol SearchIndexVisitor {
  /// Objects that are each alone under the chunks of `path`, then the chunk of the entry.
  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref)

  /// Some of the objects that share the chunks of `path`, in stored order, from the list at `ref`.
  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref)

  /// The end of the list at `ref`. `isWhole` is false if part of the list could not be read.
  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool)

  /// Collects the nodes that break a rule. The walk does not visit what is below a node that cannot be
  /// read.
  var findings: Findings { get set }
}

/// An object that is alone under a chunk.
struct SearchIndexEntry {
  let chunk: Int32
  let key: ObjectKey
}

/// Walks a search index: a radix tree over chunks of four bytes. Each level is a B-tree (chapter 3,
/// section 5.3).
///
/// The walk checks every node (rules I1, I2 and I6) and continues after nodes that break a rule. It is a
/// traversal: it opens each node once, or ends with rule `storage.node-overlap`.
struct SearchIndexReader {
  /// The most keys of a node.
  private static let nodeLimit = 1000
  /// Width of a chunk key in bits.
  private static let keyWidth = 32
  /// Number of chunks, at offsets 0, 4, … 200.
  static let levelLimit = 51
  /// The most levels of one B-tree. Nodes are split into halves of 500 keys, so four levels are enough
  /// for all chunks. The walk is recursive, and threads have little stack on some systems.
  static let depthLimit = 8

  private let nodes: NodeReader

  init(nodes: NodeReader) { self.nodes = nodes }

  /// Number of children of the root: the parts of the index that can be walked separately.
  ///
  /// - Returns: 0 if the root is a leaf, or cannot be read: then the index is one part, whose walk reports
  ///   the error.
  func partCount(root: Ref) -> Int {
    do throws(RealmFileError) {
      let node = try nodes.lookUp(root)
      return node.isInner ? max(0, node.count - 1) : 0
    } catch {
      return 0
    }
  }

  /// Passes the index at `root` to `visitor`, in the order of the chunks.
  ///
  /// - Parameter children: positions of the root's children to visit; nil for all.
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
    // The root belongs to all parts, so the traversals of the parts do not count it.
    let opened = nodes.traversing { open(root, &visitor) }
    guard let (node, keys) = opened, node.isInner, children.upperBound <= keys.count
    else { return }
    // Assume that the key of the previous child is correct; the part with that child checks it.
    if children.lowerBound > 0 { last = keys.integer(at: children.lowerBound - 1) }
    for i in children {
      walkChild(
        of: node, at: i, key: keys.integer(at: i), path: &path, after: &last, depth: 0, &visitor)
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
      // The keys are 32 bits wide, so the conversion is exact.
      let chunk = Int32(truncatingIfNeeded: key)
      // The common case: such entries are passed together.
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

  /// Opens a node and its keys; nil if they are not nodes of an index.
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
    // Nodes opened below a child are released after it.
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard case .ref(let child) = node.element(at: index + 1) else {
      visitor.findings.add(.indexNode, at: node.ref, "child \(index) is no ref")
      return
    }
    guard walkNode(child, path: &path, after: &last, depth: depth + 1, &visitor) else {
      // The keys of the unreadable child are at most this key.
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
      // The look-up only distinguishes a list from the next level; the traversal counts the node below.
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
