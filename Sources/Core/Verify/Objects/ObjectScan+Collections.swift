import RealmModel
import RealmStorage

/// Lists, sets and dictionaries (chapter 2, rules S1 to S6).
extension ObjectScan: CollectionVisitor {
  /// State of the check of one list or set.
  struct ElementCheck {
    var order: SetOrderCheck?
    var hasUnresolved = false
    var nullCount = 0
    var collectionCount = 0
  }

  mutating func scanCollection(_ column: Column, root: Ref) throws(RealmFileError) {
    guard column.collection != .dictionary else { return try scanDictionary(root, of: column) }
    elements = ElementCheck(
      order: column.collection == .set ? SetOrderCheck(column, format: format) : nil)
    var elements = RealmReader.Elements(
      root: root, type: column.type, isNullable: column.isNullable || column.type == .link,
      nodes: reader.nodes)
    // The order of a set is checked across leaves.
    try elements.visitAll(isReleasing: column.collection == .list, &self)
    if plan.checksValues { try checkElements(of: column, root: root) }
    self.elements = nil
  }

  private mutating func checkElements(of column: Column, root: Ref) throws(RealmFileError) {
    guard let elements else { return }
    elements.order?.report(at: root, &findings)
    if column.type == .link {
      if elements.nullCount > 0 {
        findings.add(
          .linkNullElement, at: root, "\(elements.nullCount) links of the collection are null")
      }
      // Formats before 20 have no unresolved links.
      if try reader.nodes.lookUp(root).hasContext != elements.hasUnresolved {
        findings.add(
          .linkContext, at: root,
          elements.hasUnresolved
            ? "the collection has unresolved links, but its context flag is not set"
            : "the context flag is set, but no link of the collection is unresolved")
      }
    }
    if column.collection == .set, elements.collectionCount > 0 {
      findings.add(
        .mixedType, at: root, "\(elements.collectionCount) members of the set are collections")
    }
  }

  /// Scans a dictionary. A dictionary of B+trees is read in runs, because it can be large.
  ///
  /// - Parameter column: nil for a dictionary in a mixed value.
  private mutating func scanDictionary(_ root: Ref, of column: Column?) throws(RealmFileError) {
    let hasIntegerKeys = column?.hasIntegerKeys ?? false
    var check = DictionaryCheck(format: format, root: root, of: column)
    var keys: [MixedValue] = []
    if format.dictionaries == .hashedClusters {
      hashed = Hashed()
      let entries = try reader.entries(
        root: root, hasIntegerKeys: hasIntegerKeys, limit: .max, &self)
      hashed.shape.checkCounts(hashed.counts, &findings)
      keys = entries?.keys ?? []
      if plan.checksValues { hashed.hashes.report(keys, at: root, &findings) }
      for key in keys { check.add(key: key) }
      for value in entries?.values ?? [] { check.add(value: value) }
    } else {
      var runs = try reader.dictionaryRuns(root: root, hasIntegerKeys: hasIntegerKeys, &self)
      while let run = try runs.next(&self) {
        switch run {
        case .keys(let batch): for row in 0..<batch.count { check.add(key: batch.value(at: row)) }
        case .values(let batch):
          for row in 0..<batch.count { check.add(value: batch.value(at: row)) }
        }
      }
      if plan.checksValues, check.needsKeys {
        keys = try reader.nodes.traversing { () throws(RealmFileError) in
          try reader.entries(root: root, hasIntegerKeys: hasIntegerKeys).keys
        }
      }
    }
    if plan.checksValues { check.report(keys: keys, &findings) }
  }

  /// Scans a collection nested in a mixed value.
  ///
  /// - Throws: `damaged` with rule `value.depth`; the errors of reading the collection.
  mutating func scanNested(_ value: MixedValue) throws(RealmFileError) {
    let root: Ref
    switch value {
    case .list(let ref), .dictionary(let ref): root = ref
    default: return
    }
    guard root != 0 else { return }
    guard depth < MixedValue.collectionLevels else {
      throw .damaged(
        .valueDepth, at: root,
        "collections are nested more than \(MixedValue.collectionLevels) deep")
    }
    // The scan of the outer collection continues afterwards, so its state is saved.
    let outer = (shape, place, collectionKeys, elements, linkTarget, stack)
    depth += 1
    (elements, linkTarget) = (nil, nil)
    try stack.deeper { (inner) throws(RealmFileError) in
      stack = inner
      if case .dictionary = value {
        try scanDictionary(root, of: nil)
      } else {
        var elements = reader.nestedElements(root: root)
        try elements.visitAll(isReleasing: false, &self)
      }
    }
    depth -= 1
    (shape, place, collectionKeys, elements, linkTarget, stack) = outer
  }

  // MARK: Visits of nodes

  mutating func enter(_ inner: Node) { shape.enter(inner) }

  mutating func leave() throws(RealmFileError) {
    guard plan.checksValues else { return }
    try shape.leave(reader.nodes, &findings)
  }

  mutating func visit(dictionary top: Node) {
    if plan.checksValues, top.hasContext { Leaf.reportContext(top, &findings) }
  }

  mutating func begin(type: ColumnType, isNullable: Bool) {
    shape = BPlusTreeShape()
    place = Leaf.Place(type: type, isNullable: isNullable, isInCluster: false, format: format)
    if !collectionKeys.isEmpty { collectionKeys.removeAll(keepingCapacity: true) }
  }

  mutating func visit(
    _ leaf: Node, _ batch: LeafValues, isInCluster: Bool
  ) throws(RealmFileError) {
    if plan.checksValues {
      if !isInCluster { shape.read(leaf, count: batch.count, &findings) }
      let place =
        isInCluster
        ? Leaf.Place(
          type: place.type, isNullable: place.isNullable, isInCluster: true, format: format) : place
      try Leaf.check(leaf, batch, place, collectionKeys: &collectionKeys, reader.nodes, &findings)
      elements?.order?.check(batch)
    }
    switch batch {
    case .link(let keys):
      for key in keys {
        if key.isUnresolved { elements?.hasUnresolved = true }
        if key.isNull { elements?.nullCount += 1 }
        if collectsLinks, let linkTarget { addLink(linkTarget, key) }
      }
    case .mixed(let values):
      for value in values {
        switch value {
        case .typedLink(let target, let key): if collectsLinks { addLink(target, key) }
        case .link(let key): if collectsLinks, let linkTarget { addLink(linkTarget, key) }
        case .list, .dictionary:
          elements?.collectionCount += 1
          try scanNested(value)
        default: continue
        }
      }
    case .scalar(.string(let strings)):
      guard objectWords != nil, elements != nil else { return }
      for string in strings { objectWords?.append(element: string) }
    default: return
    }
  }

  // MARK: Dictionaries that are cluster trees

  /// State of the check of a dictionary of format 21 or 22.
  struct Hashed {
    var shape = ClusterTreeShape()
    /// Number of entries in each cluster; nil for a cluster that cannot be read.
    var counts: [Int?] = []
    var hashes = DictionaryHashCheck()
  }

  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {
    guard plan.checksValues else { return }
    hashed.shape.enter(inner, isRoot: isRoot, clusterCount: clusterCount, &findings)
  }

  mutating func leave(clusterCount: Int) { hashed.shape.leave(clusterCount: clusterCount) }

  mutating func lost(
    _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
  ) throws(RealmFileError) {
    throw error
  }

  mutating func visit(
    _ cluster: Cluster, at position: ClusterPosition
  ) throws(RealmFileError) {
    hashed.counts.append(cluster.count)
    guard plan.checksValues else { return }
    ClusterTreeShape.check(cluster, at: position, keys: .hashes, &findings)
    try hashed.hashes.add(cluster, reader.nodes)
  }
}
