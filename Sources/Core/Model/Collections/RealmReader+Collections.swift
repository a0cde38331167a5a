package import RealmStorage

/// Reads lists and sets (chapter 2, section 6), in columns and nested in mixed values.
extension RealmReader {
  /// The elements of a list or set, in runs of up to 1000.
  package struct Elements {
    private var leaves: BPlusTreeLeaves
    private let type: ColumnType
    private let isNullable: Bool
    private let nodes: NodeReader

    package init(root: Ref, type: ColumnType, isNullable: Bool, nodes: NodeReader) {
      leaves = BPlusTreeLeaves(root: root, nodes: nodes)
      self.type = type
      self.isNullable = isNullable
      self.nodes = nodes
    }

    /// The next run, or nil after the last one. The nodes of a run may be released before the next run is
    /// requested.
    ///
    /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
    package mutating func next() throws(RealmFileError) -> LeafValues? {
      var visitor = NoVisitor()
      return try next(&visitor)
    }

    /// The next run, or nil after the last one. `visitor` receives everything that is read.
    @inline(__always)
    mutating func next(
      _ visitor: inout some CollectionVisitor
    ) throws(RealmFileError) -> LeafValues? {
      guard let leaf = try leaves.next(&visitor) else { return nil }
      let batch = try Leaf.decode(
        leaf, type: type, isNullable: isNullable, isBiased: false, rows: nil, nodes: nodes)
      try visitor.visit(leaf, batch, isInCluster: false)
      return batch
    }

    /// The next run, without unreadable leaves and without unreadable values of damaged leaves.
    ///
    /// - Parameter failure: receives the first reason why something cannot be read.
    /// - Throws: errors that are not damage.
    mutating func nextReadable(
      _ failure: inout RealmFileError?
    ) throws(RealmFileError) -> LeafValues? {
      while true {
        do {
          guard let leaf = try leaves.next() else { return nil }
          return try readable(leaf, &failure)
        } catch {
          guard error.isDamage else { throw error }
          failure = failure ?? error
        }
      }
    }

    private func readable(
      _ leaf: Node, _ failure: inout RealmFileError?
    ) throws(RealmFileError) -> LeafValues {
      let before = nodes.openedByteCount
      do {
        let values = try Leaf.decode(
          leaf, type: type, isNullable: isNullable, isBiased: false, rows: nil, nodes: nodes)
        try Leaf.checkBits(of: values, in: leaf, nodes)
        return values
      } catch {
        guard error.isDamage else { throw error }
        failure = failure ?? error
        nodes.uncount(to: before)
        return Leaf.readable(
          leaf, type: type, isNullable: isNullable, isBiased: false, rows: nil, nodes: nodes,
          because: error
        ).present
      }
    }

    /// Passes all runs to `visitor`.
    ///
    /// - Parameter isReleasing: whether the nodes of a run are released before the next run is read.
    package mutating func visitAll(
      isReleasing: Bool, _ visitor: inout some CollectionVisitor
    ) throws(RealmFileError) {
      visitor.begin(type: type, isNullable: isNullable)
      while true {
        let mark = nodes.mark()
        defer { if isReleasing { nodes.release(to: mark) } }
        guard try next(&visitor) != nil else { return }
      }
    }
  }

  /// The elements of the list or set at `root`, in stored order.
  package func elements(_ column: Column, root: Ref) -> Elements {
    Elements(root: root, type: column.type, isNullable: column.isNullable, nodes: nodes)
  }

  /// The elements of a list nested in a mixed value.
  package func nestedElements(root: Ref) -> Elements {
    Elements(root: root, type: .mixed, isNullable: true, nodes: nodes)
  }

  /// Maximum number of distinct values that this realm can contain. A leaf with few bits per value has few distinct
  /// values; any others take at least a byte each. Without this limit, a tree that has one node as all its leaves
  /// could claim thousands of values per byte.
  var mostDistinctValues: Int { max(Leaf.capacity, nodes.logicalSize) }

  /// Reads the members of the set at `root` at once, in the order of format 24.
  ///
  /// - Parameter keepingDuplicates: whether to keep the duplicates in a set of an old format, as the reference's
  ///   upgrade does.
  /// - Returns: the members, and the number of duplicates that were left out.
  package func members(
    _ column: Column, root: Ref, keepingDuplicates: Bool
  ) throws(RealmFileError) -> (members: [MixedValue], duplicates: Int) {
    var members: [MixedValue] = []
    var elements = elements(column, root: root)
    while let batch = try elements.next() {
      guard members.count <= mostDistinctValues else {
        throw .damaged(
          .setOrder, at: root,
          "the set has more than \(mostDistinctValues) members, too many for the file")
      }
      for row in 0..<batch.count { members.append(batch.member(at: row)) }
    }
    let sorted = StoredOrder.current.sorted(members, keepingDuplicates: keepingDuplicates)
    guard column.type == .decimal else { return sorted }
    return (
      sorted.members.map { if case .decimal(.null) = $0 { .null } else { $0 } }, sorted.duplicates
    )
  }
}

/// Receives all nodes of a collection during a walk, for checks.
package protocol CollectionVisitor: BPlusTreeVisitor, ClusterTreeVisitor {
  /// Called for the top node of a dictionary, before the leaves of its keys and values.
  mutating func visit(dictionary top: Node)

  /// Called for a cluster of a dictionary that is a cluster tree (formats 21 and 22).
  mutating func visit(_ cluster: Cluster, at position: ClusterPosition) throws(RealmFileError)

  /// Called before the leaves of a tree with values of `type`.
  mutating func begin(type: ColumnType, isNullable: Bool)

  /// Called for a decoded leaf of the tree that began last.
  ///
  /// - Parameter isInCluster: true for a leaf of a dictionary that is a cluster tree (formats 21 and 22).
  mutating func visit(
    _ leaf: Node, _ batch: LeafValues, isInCluster: Bool
  ) throws(RealmFileError)
}

extension NoVisitor: CollectionVisitor {
  @inline(__always) mutating func visit(dictionary top: Node) {}
  @inline(__always) mutating func visit(_ cluster: Cluster, at position: ClusterPosition) {}
  @inline(__always) mutating func begin(type: ColumnType, isNullable: Bool) {}
  @inline(__always)
  mutating func visit(_ leaf: Node, _ batch: LeafValues, isInCluster: Bool) {}
}
