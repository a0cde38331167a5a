import RealmModel
import RealmStorage

/// Compares a search index with the objects in both directions: the index must list each live object
/// exactly once under the chunks of its value, and nothing else (chapter 3, sections 5 and 11, rules I1 to
/// I8).
///
/// Both sides are reduced to a sum, in any number of parts. If the sums differ, or an entry is in the
/// wrong place, ``ExactIndexComparison`` or ``WordIndexCheck`` finds the objects concerned.
struct IndexCheck {
  private let worker: VerifyWorker
  private let column: Column
  private let table: Table
  private let method: IndexMethod
  private let limit: Int

  private var reader: RealmReader { worker.reader }

  /// - Parameter method: how values become the numbers that are added up.
  init(
    _ column: Column, of table: Table, _ method: IndexMethod, worker: VerifyWorker, limit: Int
  ) {
    (self.column, self.table, self.worker) = (column, table, worker)
    (self.method, self.limit) = (method, limit)
  }

  /// The result of a part of an index.
  struct Part: Sendable {
    var sum = PairSum()
    var findings: Findings
    /// Whether an entry is wrong. Only the exact comparison finds out which object is concerned.
    var isOdd = false
    /// Whether objects share a value.
    var hasLists = false

    init(limit: Int) { findings = Findings(limit: limit) }

    /// Adds the result of the next part.
    mutating func add(_ other: Part) {
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

  /// Whether the column can have an index of its kind (section 5.9).
  static func isAllowed(_ column: Column, of table: Table) -> Bool {
    if column.isFulltextIndexed {
      return column.type == .string && column.collection == nil
        && table.primaryKey.map { table.columns[$0].key } != column.key
    }
    if let collection = column.collection { return collection == .list && column.type == .string }
    return [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(column.type)
  }

  /// Number of children of the root for ``part(_:clusters:)``; 0 for an index that is not split.
  var partCount: Int {
    SearchIndexWalk(nodes: reader.nodes).partCount(root: column.index)
  }

  /// Adds up a part of the index. Must run in a traversal.
  ///
  /// - Parameters:
  ///   - children: positions of the root's children; nil for the whole index.
  ///   - clusters: the reachable clusters of the table.
  func part(_ children: Range<Int>?, clusters: [ClusterPosition]) -> Part {
    var part = Part(limit: limit)
    part.findings.about(subject)
    guard IndexCheck.isAllowed(column, of: table) else {
      part.findings.add(
        .indexColumn,
        "the property has type \(column.type), which cannot have an index of this kind")
      return part
    }
    if column.isIndexedByWords {
      var entries = WordEntries(
        findings: part.findings, isCollecting: false, in: reader.realm.snapshot.fileFormat)
      walk(children, &entries)
      (part.sum, part.findings) = (entries.sum, entries.findings)
    } else {
      let values = worker.values(of: column, in: clusters)
      var entries = IndexEntries(part, values, method, reader)
      walk(children, &entries)
      part = entries.part
    }
    return part
  }

  private func walk(_ children: Range<Int>?, _ visitor: inout some SearchIndexVisitor) {
    SearchIndexWalk(nodes: reader.nodes)
      .run(root: column.index, children: children, &visitor)
  }

  /// Compares the sum of the whole index with the sum of the objects.
  ///
  /// - Parameters:
  ///   - whole: the combined result of all parts.
  ///   - data: the sum of the objects.
  ///   - scan: the reachable clusters of the table.
  /// - Returns: whether the index is known to be correct, and no two objects have the same value.
  /// - Throws: errors other than damage.
  func compare(
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
    // The exact comparison repeats the findings of `whole` about nodes, so they are not added here.
    var comparison = try ExactIndexComparison(
      values: values, reader.realm.snapshot.fileFormat,
      tableSlots: try reader.nodes.lookUp(reader.realm.snapshot.top.tables).count,
      findings: findings)
    reader.walkIndex(of: column, &comparison)
    try comparison.finish()
    findings = comparison.findings
    return false
  }
}

extension RealmReader {
  /// Passes the entries of an index to `visitor`.
  func walkIndex(of column: Column, _ visitor: inout some SearchIndexVisitor) {
    nodes.traversing { SearchIndexWalk(nodes: nodes).run(root: column.index, &visitor) }
  }
}

/// Adds up the entries of an index on whole values. Looks up the value of an object only if the path of its
/// entry is not enough.
private struct IndexEntries: SearchIndexVisitor {
  var part: IndexCheck.Part
  private var values: IndexedColumn
  private let method: IndexMethod
  private let nodes: NodeReader
  private let isMixed: Bool
  /// The order of values with equal index bytes, on any platform.
  private let order: StoredOrder

  /// The first value of a list: its bytes. In an encrypted realm, where the pages of long values are
  /// released, a hash of the bytes.
  private enum First {
    case data(IndexData)
    case hash(UInt64)
  }

  // The current list: its first value, the number of that value in the sum, its last key and value.
  private var first: First?
  private var firstNumber: UInt64 = 0
  private var last: MixedValue?
  private var lastKey: Int64?

  init(
    _ part: IndexCheck.Part, _ values: IndexedColumn, _ method: IndexMethod, _ reader: RealmReader
  ) {
    (self.part, self.values, self.method, nodes) = (part, values, method, reader.nodes)
    order = StoredOrder.possible(reader.realm.snapshot.fileFormat, .index).first
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
    // Finds the clusters of all entries before it reads values. Both are scattered in memory, and in this
    // order the processor waits for many memory accesses at once.
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
          // The other objects must have the same bytes as the first one, otherwise the sums differ.
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
      // Equal index bytes mean equal values, except for mixed values, which must ascend.
      let order = isMixed ? last.map { self.order.compare($0, value) } ?? 1 : 0
      if order > 0 || order == 0 && lastKey >= key.raw { part.isOdd = true }
    }
    lastKey = key.raw
    last = isMixed && nodes.keepsAllBytes ? value : nil
  }

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {
    // The exact comparison reports an empty list.
    if lastKey == nil { part.isOdd = true }
    (first, last, lastKey) = (nil, nil, nil)
  }
}
