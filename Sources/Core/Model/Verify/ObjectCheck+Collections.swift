import RealmStorage

/// Lists, sets and dictionaries (chapter 2, rules S1 to S6).
extension ObjectCheck {
  /// Levels of collections in collections (section 6.6).
  private static let depthLimit = 100
  /// Defects of the tree of one dictionary that are told.
  private static let defectLimit = 10

  func check(_ column: Column, root: Ref) throws(RealmFileError) {
    switch column.collection {
    case .dictionary: try checkDictionary(root, of: column, depth: 1)
    case .list, .set, nil: try checkElements(root, of: column)
    }
  }

  /// A collection that is a mixed value.
  func checkNested(_ value: MixedValue, depth: Int) throws(RealmFileError) {
    switch value {
    case .list(let root) where root != 0:
      guard depth <= ObjectCheck.depthLimit else { throw .damaged(.valueDepth, at: root) }
      try checkMixedTree(root, depth: depth)
    case .dictionary(let root) where root != 0:
      guard depth <= ObjectCheck.depthLimit else { throw .damaged(.valueDepth, at: root) }
      try checkDictionary(root, of: nil, depth: depth)
    default: break
    }
  }

  /// - Returns: number of values.
  @discardableResult
  private func checkTree(
    _ root: Ref, type: ColumnType, isNullable: Bool,
    _ body: (ColumnBatch, Ref) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Int {
    var tree = BPlusTreeCheck(nodes: reader.nodes)
    leaf.beginCollection()
    let place = LeafCheck.Place(type: type, isNullable: isNullable, isInCluster: false)
    let count = try tree.check(root: root) { (node) throws(RealmFileError) in
      let batch = try Leaf.decode(
        node, type: type, isNullable: isNullable, isBiased: false, rows: nil,
        nodes: self.reader.nodes)
      try self.leaf.check(node, batch, place)
      try body(batch, node.ref)
      return batch.count
    }
    for defect in tree.defects { leaf.add(defect) }
    return count
  }

  private func checkElements(_ root: Ref, of column: Column) throws(RealmFileError) {
    var order = column.collection == .set ? SetOrderCheck(column, format: format) : nil
    var nested: [MixedValue] = []
    var (hasUnresolved, nulls) = (false, 0)
    try checkTree(
      root, type: column.type, isNullable: column.isNullable || column.type == .link
    ) { (batch, _) throws(RealmFileError) in
      order?.check(batch)
      switch batch {
      case .link(let keys):
        for key in keys {
          if key.isUnresolved { hasUnresolved = true }
          if key.isNull { nulls += 1 }
        }
      case .mixed(let values): nested += values.filter(\.isCollection)
      default: break
      }
    }
    if let defect = order?.defect(at: root) { leaf.add(defect) }
    if column.type == .link {
      if nulls > 0 { leaf.add(Defect(.linkNullElement, at: root, "\(nulls) links are null")) }
      // Formats before 20 have no unresolved links.
      if try reader.nodes.lookUp(root).hasContext != hasUnresolved {
        leaf.add(
          Defect(
            .linkContext, at: root,
            hasUnresolved
              ? "unresolved links are in it, but it is not marked"
              : "it is marked, but no link in it is unresolved"))
      }
    }
    if column.collection == .set, !nested.isEmpty {
      leaf.add(Defect(.mixedType, at: root, "\(nested.count) members are collections"))
    }
    for value in nested { try checkNested(value, depth: 1) }
  }

  private func checkMixedTree(_ root: Ref, depth: Int) throws(RealmFileError) {
    var nested: [MixedValue] = []
    try checkTree(root, type: .mixed, isNullable: true) { (batch, _) throws(RealmFileError) in
      if case .mixed(let values) = batch { nested += values.filter(\.isCollection) }
    }
    for value in nested { try checkNested(value, depth: depth + 1) }
  }

  /// - Parameter column: nil for a dictionary in a mixed value.
  private func checkDictionary(
    _ root: Ref, of column: Column?, depth: Int
  ) throws(RealmFileError) {
    let hasIntegerKeys = column?.hasIntegerKeys ?? false
    guard format >= DictionaryLayout.firstTreeFormat else {
      return try checkHashed(root, of: column, hasIntegerKeys: hasIntegerKeys)
    }
    let top = try reader.nodes.node(at: root)
    guard top.hasRefs, !top.isInner, top.count == DictionaryLayout.slotCount else {
      throw .damaged(.dictionarySlots, at: root)
    }
    if top.hasContext { leaf.add(Defect(.nodeContext, at: root)) }
    var keys: [MixedValue] = []
    let keyCount = try checkTree(
      try top.ref(at: DictionaryLayout.keys), type: hasIntegerKeys ? .int : .string,
      isNullable: !hasIntegerKeys
    ) { (batch, _) throws(RealmFileError) in
      guard keys.count <= reader.mostDistinctValues else {
        throw .damaged(.dictionaryCounts, at: root)
      }
      for row in 0..<batch.count { keys.append(batch.value(at: row)) }
    }
    var values: [MixedValue] = []
    let valueCount = try checkTree(
      try top.ref(at: DictionaryLayout.values), type: .mixed, isNullable: true
    ) { (batch, _) throws(RealmFileError) in
      guard values.count <= keys.count else { throw .damaged(.dictionaryCounts, at: root) }
      if case .mixed(let some) = batch { values += some }
    }
    guard keyCount == valueCount else { throw .damaged(.dictionaryCounts, at: root) }
    checkKeys(keys, at: root)
    checkValues(values, of: column, at: root)
    for value in values where value.isCollection { try checkNested(value, depth: depth + 1) }
  }

  /// A dictionary of formats 21 and 22: a cluster tree in the order of hashes, with the keys in column
  /// 0 and the values in column 1 (section 8.3).
  private func checkHashed(
    _ root: Ref, of column: Column?, hasIntegerKeys: Bool
  ) throws(RealmFileError) {
    let nodes = reader.nodes
    var tree = ClusterTreeCheck(nodes: nodes, keys: .hashes, limit: ObjectCheck.defectLimit)
    try tree.run(root: root)
    for finding in tree.findings.list {
      leaf.add(Defect(finding.rule, finding.severity, at: finding.offset, finding.message))
    }
    var entries = RealmReader.Entries()
    leaf.beginCollection()
    for position in tree.clusters {
      guard entries.keys.count <= reader.mostDistinctValues else {
        throw .damaged(.dictionaryCounts, at: root)
      }
      // The tree was a traversal of its clusters already.
      let cluster = try Cluster(
        try nodes.lookUp(position.ref), base: position.base, nodes: nodes)
      func check(_ slot: Int, _ type: ColumnType) throws(RealmFileError) -> ColumnBatch {
        let node = try nodes.node(at: try cluster.leaf(at: slot))
        let batch = try Leaf.decode(
          node, type: type, isNullable: type == .mixed, isBiased: true, rows: cluster.count,
          nodes: nodes)
        try leaf.check(
          node, batch,
          LeafCheck.Place(type: type, isNullable: type != .int, isInCluster: true))
        return batch
      }
      let keys = try check(0, hasIntegerKeys ? .int : .string)
      for row in 0..<keys.count { entries.keys.append(keys.value(at: row)) }
      if case .mixed(let values) = try check(1, .mixed) { entries.values += values }
    }
    checkKeys(entries.keys, at: root)
    checkValues(entries.values, of: column, at: root)
    if let failure = tree.failure { throw failure }
  }

  private func checkKeys(_ keys: [MixedValue], at root: Ref) {
    if keys.contains(where: \.isNull) { leaf.add(Defect(.dictionaryKey, at: root)) }
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { SetOrder.compare($0, $1) < 0 }
    guard !isAscending else { return }
    let sorted = SetOrder.sorted(keys, keepingDuplicates: false)
    if sorted.duplicates > 0 {
      leaf.add(
        Defect(.dictionaryUniqueKeys, at: root, "\(sorted.duplicates) keys are there twice"))
    }
    // Format 23 has the order of signed characters, or that of unsigned ones, and leaves it to 24.
    let isOld = zip(keys, keys.dropFirst()).allSatisfy { CharacterOrder.precedes($0, $1) }
    guard format >= DictionaryLayout.firstTreeFormat, !(isOld && format < 24) else { return }
    leaf.add(Defect(.dictionaryOrder, isOld ? .warning : .error, at: root))
  }

  private func checkValues(_ values: [MixedValue], of column: Column?, at root: Ref) {
    guard let column, column.type != .mixed else { return }
    let odd = values.count { value in
      switch value {
      case .null: !column.isNullable && column.type != .link
      case .typedLink(let table, _): column.type != .link || table != column.target
      default: value.columnType != column.type
      }
    }
    if odd > 0 {
      leaf.add(
        Defect(
          .dictionaryValueType, at: root, "\(odd) of \(values.count) values have another type"))
    }
  }
}

extension MixedValue {
  var isNull: Bool { if case .null = self { true } else { false } }

  var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    default: false
    }
  }

  /// The type of a column that holds such values; nil for null and collections.
  var columnType: ColumnType? {
    switch self {
    case .null, .list, .dictionary: nil
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    case .typedLink: .typedLink
    }
  }
}
