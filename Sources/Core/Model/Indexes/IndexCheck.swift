package import RealmStorage

/// Compares search indexes with the data both ways: every live object exactly once under the chunks
/// of its value, and nothing else (chapter 3, sections 5 and 11, rules I1 to I8).
///
/// Both sides become a sum, in any number of parts. Where the sums differ, or an entry is not where it
/// belongs, ``ExactIndexComparison`` tells which objects are concerned.
package struct IndexCheck {
  private let reader: RealmReader
  private let column: Column
  private let table: Table
  private let method: IndexMethod
  private let limit: Int

  /// - Parameter method: what the sums are made of, of the index and of the objects.
  package init(
    _ column: Column, of table: Table, _ method: IndexMethod, reader: RealmReader, limit: Int
  ) {
    (self.column, self.table, self.reader) = (column, table, reader)
    (self.method, self.limit) = (method, limit)
  }

  /// What a part of an index says.
  package struct Part: Sendable {
    var sum = PairSum()
    package var findings: Findings
    /// Something is not as it should be: which object, only the exact comparison knows.
    var isOdd = false
    /// Objects share a value.
    var hasLists = false

    package init(limit: Int) { findings = Findings(limit: limit) }

    /// Adds the next part.
    package mutating func add(_ other: Part) {
      sum += other.sum
      findings.add(contentsOf: other.findings)
      isOdd = isOdd || other.isOdd
      hasLists = hasLists || other.hasLists
    }
  }

  private var subject: Findings.Subject {
    Findings.Subject(
      at: column.index, className: table.className.text, property: column.name.text,
      ruleLimit: Findings.columnRuleLimit)
  }

  /// True for a column that can have an index of its kind (section 5.9).
  package static func isAllowed(_ column: Column, of table: Table) -> Bool {
    if column.isFulltextIndexed {
      return column.type == .string && column.collection == nil
        && table.primaryKey.map { table.columns[$0].key } != column.key
    }
    if let collection = column.collection { return collection == .list && column.type == .string }
    return [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(column.type)
  }

  /// Number of parts that ``part(_:clusters:)`` can look at; 0 for an index that is one.
  package var partCount: Int {
    SearchIndexReader(nodes: reader.nodes).partCount(root: column.index)
  }

  /// Looks at a part of the index. In a traversal.
  ///
  /// - Parameters:
  ///   - children: of the root; nil for a whole index.
  ///   - clusters: those of the table, as far as they can be found.
  /// - Throws: errors that say nothing about the file.
  package func part(
    _ children: Range<Int>?, clusters: [ClusterPosition]
  ) throws(RealmFileError) -> Part {
    var part = Part(limit: limit)
    part.findings.about(subject)
    guard IndexCheck.isAllowed(column, of: table) else {
      part.findings.add(
        .indexColumn,
        "the index is on a property of type \(column.type), which cannot have one of its kind")
      return part
    }
    if column.isIndexedByWords {
      var entries = WordEntries(findings: part.findings, isCollecting: false)
      walk(children, &entries)
      (part.sum, part.findings) = (entries.sum, entries.findings)
    } else {
      let values = reader.indexedColumn(column, clusters)
      var entries = IndexEntries(part, values, method, reader.nodes)
      walk(children, &entries)
      part = entries.part
    }
    return part
  }

  private func walk(_ children: Range<Int>?, _ visitor: inout some SearchIndexVisitor) {
    SearchIndexReader(nodes: reader.nodes)
      .walk(root: column.index, children: children, &visitor)
  }

  /// Compares the sum of all parts with that of the objects.
  ///
  /// - Parameters:
  ///   - whole: the parts together.
  ///   - scan: the clusters of the table, as far as they can be found.
  /// - Returns: true where no two objects have the same value.
  /// - Throws: errors that say nothing about the file.
  package func compare(
    _ whole: Part, with data: IndexedData, _ scan: ClusterTreeScan, _ findings: inout Findings
  ) throws(RealmFileError) -> Bool {
    guard IndexCheck.isAllowed(column, of: table) else {
      findings.add(contentsOf: whole.findings)
      return false
    }
    guard !column.isIndexedByWords else {
      findings.add(contentsOf: whole.findings)
      findings.about(subject)
      try WordIndexCheck(column: column, table: table, reader: reader)
        .compare(whole.sum, with: data, &findings)
      return false
    }
    if !whole.isOdd, data.failure == nil, whole.sum == data.sum {
      findings.add(contentsOf: whole.findings)
      return !whole.hasLists
    }
    findings.about(subject)
    let values = IndexedColumn(
      column, scan.clusters, failure: scan.shape.failure, reader: reader)
    // What tells the exact place tells the rules of nodes too.
    var comparison = try ExactIndexComparison(
      values: values, tableSlots: try reader.nodes.lookUp(reader.realm.snapshot.top.tables).count,
      findings: findings)
    reader.walkIndex(of: column, &comparison)
    try comparison.finish()
    findings = comparison.findings
    return false
  }
}

extension RealmReader {
  /// Shows an index to `visitor`.
  func walkIndex(of column: Column, _ visitor: inout some SearchIndexVisitor) {
    nodes.traversing { SearchIndexReader(nodes: nodes).walk(root: column.index, &visitor) }
  }
}

/// The entries of an index whose entries stand for whole values, as a sum. What the sum does not say of an
/// object is looked up.
private struct IndexEntries: SearchIndexVisitor {
  var part: IndexCheck.Part
  private var values: IndexedColumn
  private let method: IndexMethod
  private let nodes: NodeReader
  private let isMixed: Bool

  /// The first value of a list: its bytes, or of an encrypted realm, where long bytes are let go, their
  /// hash.
  private enum First {
    case data(IndexData)
    case hash(UInt64)
  }

  // The list at hand: its first value and what that adds to the sum, the last value and the last key.
  private var first: First?
  private var firstNumber: UInt64 = 0
  private var last: MixedValue?
  private var lastKey: Int64?

  init(
    _ part: IndexCheck.Part, _ values: IndexedColumn, _ method: IndexMethod, _ nodes: NodeReader
  ) {
    (self.part, self.values, self.method, self.nodes) = (part, values, method, nodes)
    isMixed = values.column.type == .mixed
  }

  var findings: Findings {
    get { part.findings }
    _modify { yield &part.findings }
  }

  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    if method == .prefix(level: path.count) {
      for entry in entries {
        part.sum.add(
          IndexMethod.number(path: path, entry.chunk), UInt64(bitPattern: entry.key.raw))
      }
      return
    }
    let mark = nodes.mark()
    // Clusters are found for all entries before values of any are read: both lie anywhere in memory,
    // and the machine waits for many places at a time this way.
    let clusters = entries.map { values.cluster(of: $0.key) }
    for (entry, cluster) in zip(entries, clusters) {
      guard case .value(_, let value) = values.find(entry.key, in: cluster) else {
        part.isOdd = true
        continue
      }
      let data = IndexData(value)
      if !data.begins(with: path, entry.chunk) { part.isOdd = true }
      part.sum.add(method.number(of: data), UInt64(bitPattern: entry.key.raw))
    }
    values.endBatch()
    nodes.release(to: mark)
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    let mark = nodes.mark()
    for key in keys {
      if lastKey != nil {
        part.hasLists = true
        if method == .whole {
          // Objects with the bytes of the first one: if not, the sums differ.
          if lastKey.map({ $0 >= key }) ?? false { part.isOdd = true }
          part.sum.add(firstNumber, UInt64(bitPattern: key))
          lastKey = key
          continue
        }
      }
      look(at: ObjectKey(key), path: path)
    }
    values.endBatch()
    nodes.release(to: mark)
  }

  private mutating func look(at key: ObjectKey, path: [Int32]) {
    guard case .value(_, let value) = values.find(key) else {
      part.isOdd = true
      return
    }
    let data = IndexData(value)
    switch first {
    case nil:
      if !data.begins(with: path) { part.isOdd = true }
      if case .long = data, !nodes.keepsAllBytes {
        first = .hash(data.hash)
      } else {
        first = .data(data)
      }
      firstNumber = method.number(of: data)
    case .data(let first): if data != first { part.isOdd = true }
    case .hash(let hash): if data.hash != hash { part.isOdd = true }
    }
    part.sum.add(firstNumber, UInt64(bitPattern: key.raw))
    if let lastKey {
      // Equal index bytes are equal values, but not those of mixed ones: these ascend.
      let order = isMixed ? last.map { SetOrder.compare($0, value) } ?? 1 : 0
      if order > 0 || order == 0 && lastKey >= key.raw { part.isOdd = true }
    }
    lastKey = key.raw
    last = isMixed && nodes.keepsAllBytes ? value : nil
  }

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {
    // An empty list is told by the exact comparison.
    if lastKey == nil { part.isOdd = true }
    (first, last, lastKey) = (nil, nil, nil)
  }
}
