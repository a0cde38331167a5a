public import RealmStorage

/// Reads lists, sets and dictionaries (chapter 2, section 6), in columns and nested in mixed values.
extension RealmReader {
  /// The elements of a list or set, in runs of up to 1000.
  public struct Elements {
    private var leaves: BPlusTreeLeaves
    private let type: ColumnType
    private let isNullable: Bool
    private let nodes: NodeReader

    init(root: Ref, type: ColumnType, isNullable: Bool, nodes: NodeReader) {
      leaves = BPlusTreeLeaves(root: root, nodes: nodes)
      self.type = type
      self.isNullable = isNullable
      self.nodes = nodes
    }

    /// The next run, or nil after the last one. The nodes of a run may be released before the next run is
    /// requested.
    ///
    /// - Throws: `damaged` with a rule of group `btree` or `leaf`.
    public mutating func next() throws(RealmFileError) -> LeafValues? {
      var visitor = NoVisitor()
      return try next(&visitor)
    }

    /// The next run. `visitor` receives everything that is read on the way.
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

    /// The next run, without unreadable nodes and without unreadable values of damaged leaves.
    ///
    /// - Parameter failure: receives the first reason why something cannot be read.
    /// - Throws: errors that say nothing about the file.
    mutating func nextReadable(
      _ failure: inout RealmFileError?
    ) throws(RealmFileError) -> LeafValues? {
      while true {
        do throws(RealmFileError) {
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
      do throws(RealmFileError) {
        return try Leaf.decode(
          leaf, type: type, isNullable: isNullable, isBiased: false, rows: nil, nodes: nodes)
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
    mutating func visitAll(
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
  public func elements(_ column: Column, root: Ref) -> Elements {
    Elements(root: root, type: column.type, isNullable: column.isNullable, nodes: nodes)
  }

  /// The elements of a list nested in a mixed value.
  public func nestedElements(root: Ref) -> Elements {
    Elements(root: root, type: .mixed, isNullable: true, nodes: nodes)
  }

  /// The most different values that this realm can contain. A leaf with few bits per value has few
  /// different values; beyond these, each different value takes at least one byte. Without this limit, a
  /// tree with the same node as every leaf could claim thousands of values per byte.
  var mostDistinctValues: Int { max(Leaf.capacity, nodes.logicalSize) }

  /// The members of the set at `root`, all at once, in the order of format 24.
  ///
  /// - Parameter keepingDuplicates: whether duplicate members of a set of an old format are kept, as the
  ///   reference's upgrade keeps them.
  /// - Returns: the members, and the number of duplicates that were left out.
  public func members(
    _ column: Column, root: Ref, keepingDuplicates: Bool
  ) throws(RealmFileError) -> (members: [MixedValue], duplicates: Int) {
    var members: [MixedValue] = []
    var elements = elements(column, root: root)
    while let batch = try elements.next() {
      guard members.count <= mostDistinctValues else {
        throw .damaged(.setOrder, at: root, "the set has more members than the file has bytes")
      }
      for row in 0..<batch.count { members.append(batch.member(at: row)) }
    }
    let sorted = SetOrder.sorted(members, keepingDuplicates: keepingDuplicates)
    guard column.type == .decimal else { return sorted }
    return (
      sorted.members.map { if case .decimal(.null) = $0 { .null } else { $0 } }, sorted.duplicates
    )
  }

  /// The entries of a dictionary, read at once.
  public struct Entries {
    /// The keys: strings, or integers in dictionaries that no SDK writes.
    public internal(set) var keys: [MixedValue] = []
    public internal(set) var values: [MixedValue] = []
  }

  /// The entries of the dictionary at `root` in stored order. In formats 21 and 22 the stored order is by
  /// hash; these entries are returned in ascending order of their keys.
  ///
  /// - Throws: `damaged` with rule `dictionary.slots`, `dictionary.counts` or `dictionary.key`, or a
  ///   rule of group `btree`, `cluster` or `leaf`.
  public func entries(
    root: Ref, hasIntegerKeys: Bool = false
  ) throws(RealmFileError) -> Entries {
    try entries(root: root, hasIntegerKeys: hasIntegerKeys, limit: .max) ?? Entries()
  }

  /// The entries as above; nil for more than `limit` entries.
  func entries(
    root: Ref, hasIntegerKeys: Bool, limit: Int
  ) throws(RealmFileError) -> Entries? {
    var visitor = NoVisitor()
    return try entries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)?
      .sortedByKeys(isHashed: realm.snapshot.format < DictionaryLayout.firstTreeFormat)
  }

  /// The entries of the dictionary at `root` in stored order; nil for more than `limit` entries.
  /// `visitor` receives everything that is read.
  ///
  /// - Throws: as ``entries(root:hasIntegerKeys:)``.
  func entries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    guard root != 0 else { return Entries() }
    let found =
      realm.snapshot.format < DictionaryLayout.firstTreeFormat
      ? try hashedEntries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)
      : try treeEntries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)
    guard let entries = found else { return nil }
    guard entries.keys.count == entries.values.count else {
      throw .damaged(
        .dictionaryCounts, at: root,
        "the dictionary has \(entries.keys.count) keys and \(entries.values.count) values")
    }
    let nulls = entries.keys.count(where: \.isNull)
    guard nulls == 0 else {
      throw .damaged(
        .dictionaryKey, at: root,
        "\(nulls) of \(entries.keys.count) keys of the dictionary are null")
    }
    return entries
  }

  /// Reads a dictionary of format 23 or later: a B+tree of keys and a B+tree of values (section 6.4).
  private func treeEntries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    let top = try dictionary(at: root)
    visitor.visit(dictionary: top)
    var entries = Entries()
    var (keys, values) = try trees(of: top, hasIntegerKeys: hasIntegerKeys)
    let keyType: ColumnType = hasIntegerKeys ? .int : .string
    // Nulls are allowed here; the check of the keys reports them.
    visitor.begin(type: keyType, isNullable: keyType == .string)
    while let batch = try keys.next(&visitor) {
      try checkGrowth(entries, at: root)
      for row in 0..<batch.count { entries.keys.append(batch.value(at: row)) }
      guard entries.keys.count <= limit else { return nil }
    }
    visitor.begin(type: .mixed, isNullable: true)
    while let batch = try values.next(&visitor) {
      // A dictionary without entries, after its last entry was removed, keeps an empty leaf (chapter 3,
      // section 12, no. 15).
      guard batch.count <= entries.keys.count - entries.values.count else {
        throw .damaged(
          .dictionaryCounts, at: root,
          "the dictionary has \(entries.keys.count) keys, but more values")
      }
      for row in 0..<batch.count { entries.values.append(batch.value(at: row)) }
    }
    return entries
  }

  /// The trees of the keys and of the values of a dictionary.
  typealias DictionaryTrees = (keys: Elements, values: Elements)

  /// The trees of the dictionary at `root`; nil in formats 21 and 22.
  ///
  /// - Throws: `damaged` with rule `dictionary.slots`.
  func trees(root: Ref, hasIntegerKeys: Bool) throws(RealmFileError) -> DictionaryTrees? {
    guard root != 0, realm.snapshot.format >= DictionaryLayout.firstTreeFormat else { return nil }
    return try trees(of: try dictionary(at: root), hasIntegerKeys: hasIntegerKeys)
  }

  private func trees(
    of top: Node, hasIntegerKeys: Bool
  ) throws(RealmFileError) -> DictionaryTrees {
    (
      Elements(
        root: try top.ref(at: DictionaryLayout.keys), type: hasIntegerKeys ? .int : .string,
        isNullable: false, nodes: nodes),
      nestedElements(root: try top.ref(at: DictionaryLayout.values))
    )
  }

  private func dictionary(at root: Ref) throws(RealmFileError) -> Node {
    let top = try nodes.node(at: root)
    guard top.hasRefs, !top.isInner, top.count == DictionaryLayout.slotCount else {
      throw .damaged(
        .dictionarySlots, at: root,
        "the dictionary has \(top.form); refs to its keys and its values are expected")
    }
    return top
  }

  /// The readable entries of a damaged dictionary. An entry with an unreadable key is left out; an
  /// unreadable value is null. Returns no entries if values cannot be assigned to keys: if nodes of the
  /// trees cannot be read, and in formats 21 and 22.
  ///
  /// - Throws: errors that say nothing about the file.
  func readableEntries(
    root: Ref, hasIntegerKeys: Bool
  ) throws(RealmFileError) -> Entries {
    guard realm.snapshot.format >= DictionaryLayout.firstTreeFormat else { return Entries() }
    do throws(RealmFileError) {
      let top = try dictionary(at: root)
      let keys = try readableRows(
        root: try top.ref(at: DictionaryLayout.keys), type: hasIntegerKeys ? .int : .string)
      let values = try readableRows(root: try top.ref(at: DictionaryLayout.values), type: .mixed)
      guard keys.count == values.count else { return Entries() }
      var entries = Entries()
      for (key, value) in zip(keys, values) where !key.isNull {
        entries.keys.append(key)
        entries.values.append(value)
      }
      return entries
    } catch {
      guard error.isDamage else { throw error }
      return Entries()
    }
  }

  /// All rows of a B+tree; unreadable rows are null.
  private func readableRows(
    root: Ref, type: ColumnType
  ) throws(RealmFileError) -> [MixedValue] {
    var rows: [MixedValue] = []
    var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    while let leaf = try leaves.next() {
      guard rows.count <= mostDistinctValues else {
        throw .damaged(.dictionaryCounts, at: root)
      }
      let batch: LeafValues
      let before = nodes.openedByteCount
      do throws(RealmFileError) {
        batch = try Leaf.decode(
          leaf, type: type, isNullable: true, isBiased: false, rows: nil, nodes: nodes)
      } catch {
        guard error.isDamage else { throw error }
        nodes.uncount(to: before)
        let readable = Leaf.readable(
          leaf, type: type, isNullable: true, isBiased: false, rows: nil, nodes: nodes,
          because: error)
        // If no row can be read, the number of rows is unknown.
        guard readable.batch.count > 0 else { throw error }
        batch = readable.batch
      }
      for row in 0..<batch.count { rows.append(batch.value(at: row)) }
    }
    return rows
  }

  private func checkGrowth(_ entries: Entries, at root: Ref) throws(RealmFileError) {
    guard entries.keys.count <= mostDistinctValues else {
      throw .damaged(
        .dictionaryCounts, at: root, "the dictionary has more keys than the file has bytes")
    }
  }

  /// Reads a dictionary of format 21 or 22: a cluster tree with the key in column 0 and the value in
  /// column 1 (section 8.3).
  private func hashedEntries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    var entries = Entries()
    let keyType: ColumnType = hasIntegerKeys ? .int : .string
    for position in try ClusterTree(root: root, nodes: nodes).clusters(&visitor) {
      let cluster = try cluster(position)
      visitor.visit(cluster, at: position)
      try checkGrowth(entries, at: root)
      let keyLeaf = try nodes.node(at: try cluster.leaf(at: 0))
      let keys = try Leaf.decode(
        keyLeaf, type: keyType, isNullable: false, isBiased: true, rows: cluster.count,
        nodes: nodes)
      visitor.begin(type: keyType, isNullable: keyType == .string)
      try visitor.visit(keyLeaf, keys, isInCluster: true)
      let valueLeaf = try nodes.node(at: try cluster.leaf(at: 1))
      let values = try Leaf.decode(
        valueLeaf, type: .mixed, isNullable: true, isBiased: true, rows: cluster.count,
        nodes: nodes)
      visitor.begin(type: .mixed, isNullable: true)
      try visitor.visit(valueLeaf, values, isInCluster: true)
      for row in 0..<cluster.count {
        entries.keys.append(keys.value(at: row))
        entries.values.append(values.value(at: row))
      }
      guard entries.keys.count <= limit else { return nil }
    }
    return entries
  }
}

extension RealmReader.Entries {
  /// The same entries; those that are stored by hash are sorted in the order of format 24.
  fileprivate func sortedByKeys(isHashed: Bool) -> RealmReader.Entries {
    isHashed ? sorted() : self
  }

  /// The same entries in the order of format 24: keys ascend, compared as unsigned bytes.
  public func sorted() -> RealmReader.Entries {
    typealias Entries = RealmReader.Entries
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { Entries.areAscending($0, $1) }
    guard !isAscending else { return self }
    let order = keys.indices.sorted { Entries.areAscending(keys[$0], keys[$1]) }
    return Entries(keys: order.map { keys[$0] }, values: order.map { values[$0] })
  }

  /// Whether `a` comes before `b` in the order of format 24, and differs from it.
  static func areAscending(_ a: MixedValue, _ b: MixedValue) -> Bool {
    switch (a, b) {
    case (.string(let x), .string(let y)): x < y
    case (.int(let x), .int(let y)): x < y
    default: false
    }
  }
}

/// Positions in the top node of a dictionary (section 6.4).
enum DictionaryLayout {
  static let keys = 0
  static let values = 1
  static let slotCount = 2
  /// From this format on, a dictionary is two B+trees; before, it is a cluster tree ordered by hash.
  static let firstTreeFormat = 23
}
