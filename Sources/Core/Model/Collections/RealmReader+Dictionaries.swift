package import RealmStorage

/// Reads dictionaries (chapter 2, section 6.4), in columns and nested in mixed values.
extension RealmReader {
  /// All entries of a dictionary.
  package struct Entries {
    /// The keys: strings, or integers in dictionaries that no SDK writes.
    package internal(set) var keys: [MixedValue] = []
    package internal(set) var values: [MixedValue] = []
  }

  /// The entries of the dictionary at `root`, in stored order. In formats 21 and 22, where that is the order of
  /// hashes, they are in ascending order of their keys.
  ///
  /// - Throws: `damaged` with rule `dictionary.slots`, `dictionary.counts` or `dictionary.key`, or a
  ///   rule of group `btree`, `cluster` or `leaf`.
  package func entries(
    root: Ref, hasIntegerKeys: Bool = false
  ) throws(RealmFileError) -> Entries {
    try entries(root: root, hasIntegerKeys: hasIntegerKeys, limit: .max) ?? Entries()
  }

  /// The same entries; nil if there are more than `limit`.
  package func entries(
    root: Ref, hasIntegerKeys: Bool, limit: Int
  ) throws(RealmFileError) -> Entries? {
    var visitor = NoVisitor()
    let entries = try entries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)
    return isHashed ? entries?.sorted() : entries
  }

  /// The entries of the dictionary at `root`, in stored order; nil if there are more than `limit`. `visitor`
  /// receives everything that is read.
  ///
  /// - Throws: same as ``entries(root:hasIntegerKeys:)``.
  package func entries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    guard root != 0 else { return Entries() }
    return isHashed
      ? try hashedEntries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)
      : try treeEntries(root: root, hasIntegerKeys: hasIntegerKeys, limit: limit, &visitor)
  }

  /// Whether dictionaries are cluster trees ordered by hash, as in formats 21 and 22.
  private var isHashed: Bool { realm.snapshot.fileFormat.dictionaries == .hashedClusters }

  /// Reads a dictionary of format 23 or later.
  private func treeEntries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    var entries = Entries()
    var runs = try dictionaryRuns(root: root, hasIntegerKeys: hasIntegerKeys, &visitor)
    while let run = try runs.next(&visitor) {
      switch run {
      case .keys(let batch):
        for row in 0..<batch.count { entries.keys.append(batch.value(at: row)) }
        guard entries.keys.count <= limit else { return nil }
      case .values(let batch):
        for row in 0..<batch.count { entries.values.append(batch.value(at: row)) }
      }
    }
    return entries
  }

  /// The entries of the dictionary at `root`, of format 23 or later, in runs.
  ///
  /// - Throws: `damaged` with rule `dictionary.slots`.
  package func dictionaryRuns(
    root: Ref, hasIntegerKeys: Bool, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> DictionaryRuns {
    let top = try dictionary(at: root)
    visitor.visit(dictionary: top)
    return DictionaryRuns(
      root: root, try trees(of: top, hasIntegerKeys: hasIntegerKeys),
      keyType: hasIntegerKeys ? .int : .string, limit: mostDistinctValues, &visitor)
  }

  /// The trees of the keys and of the values of a dictionary.
  typealias DictionaryTrees = (keys: Elements, values: Elements)

  /// The trees of the dictionary at `root`; nil in formats 21 and 22.
  ///
  /// - Throws: `damaged` with rule `dictionary.slots`.
  func trees(root: Ref, hasIntegerKeys: Bool) throws(RealmFileError) -> DictionaryTrees? {
    guard root != 0, !isHashed else { return nil }
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
        "the dictionary has \(top.form), expected refs to its keys and its values")
    }
    return top
  }

  /// The readable entries of a damaged dictionary. An entry with an unreadable key is left out; an unreadable value
  /// is null. There are none if values cannot be matched with keys, because nodes of the trees cannot be read, and
  /// in formats 21 and 22.
  ///
  /// - Throws: errors that are not damage.
  func readableEntries(
    root: Ref, hasIntegerKeys: Bool
  ) throws(RealmFileError) -> Entries {
    guard !isHashed else { return Entries() }
    do {
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
        throw .damaged(
          .dictionaryCounts, at: root,
          "the dictionary has more than \(mostDistinctValues) entries, too many for the file")
      }
      let batch: LeafValues
      let before = nodes.openedByteCount
      do {
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

  /// Reads a dictionary of format 21 or 22: a cluster tree with the key in column 0 and the value in
  /// column 1 (chapter 2, section 8.3).
  private func hashedEntries(
    root: Ref, hasIntegerKeys: Bool, limit: Int, _ visitor: inout some CollectionVisitor
  ) throws(RealmFileError) -> Entries? {
    var entries = Entries()
    let keyType: ColumnType = hasIntegerKeys ? .int : .string
    for position in try ClusterTree(root: root, nodes: nodes).clusters(&visitor) {
      let cluster = try cluster(position)
      try visitor.visit(cluster, at: position)
      try DictionaryRuns.check(
        keyCount: entries.keys.count, limit: mostDistinctValues, at: root)
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
    try DictionaryRuns.check(
      keys: entries.keys.count, nulls: entries.keys.count(where: \.isNull),
      values: entries.values.count, at: root)
    return entries
  }
}

extension RealmReader.Entries {
  /// The same entries in the order of format 24, in which keys ascend as unsigned bytes.
  package func sorted() -> RealmReader.Entries {
    typealias Entries = RealmReader.Entries
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { Entries.areAscending($0, $1) }
    guard !isAscending else { return self }
    let order = keys.indices.sorted { Entries.areAscending(keys[$0], keys[$1]) }
    return Entries(keys: order.map { keys[$0] }, values: order.map { values[$0] })
  }

  /// Whether key `a` comes before key `b` in the order of format 24, and differs from it.
  static func areAscending(_ a: MixedValue, _ b: MixedValue) -> Bool {
    switch (a, b) {
    case (.string(let x), .string(let y)): x < y
    case (.int(let x), .int(let y)): x < y
    default: false
    }
  }
}
