import RealmModel
import RealmStorage

/// Reads the objects of clusters once, column by column, for all checks: leaves and their collections
/// (chapter 2, section 9), sums of links and backlinks (chapter 3, section 6), and sums of the values and
/// words of indexed columns (chapter 3, section 5). Belongs to one thread.
struct ObjectScan {
  let reader: RealmReader
  let plan: ObjectPlan
  let format: FileFormat
  var findings: Findings
  /// The sums of links and backlinks collected so far.
  var sides = LinkSides()
  /// The expected content so far of the index on each column of ``ObjectPlan/indexedColumns``, by position.
  var indexed: [Int: IndexedData] = [:]
  /// The counts so far.
  private(set) var outcome = Outcome()
  /// The pairs that ``ObjectPlan/collected`` requests; nil if there are more than its limit.
  private(set) var pairs: [Pair]? = []

  /// What a scan counted in its clusters.
  struct Outcome: Sendable {
    var objectCount = 0
    /// Objects with a property that cannot be read.
    var unreadableCount = 0
    /// The largest sequence number of the keys that were made in this file.
    var largestSequenceNumber: UInt64?
    /// Number of objects in each cluster; nil for a cluster that cannot be read.
    var clusterCounts: [Int?] = []

    /// Adds the counts of other clusters, except ``clusterCounts``.
    static func += (a: inout Outcome, b: Outcome) {
      a.objectCount += b.objectCount
      a.unreadableCount += b.unreadableCount
      if let number = b.largestSequenceNumber {
        a.largestSequenceNumber = max(a.largestSequenceNumber ?? 0, number)
      }
    }
  }

  /// Leaf indexes that the columns of the table use.
  private let leafIndexes: Set<Int>
  /// The current row of a column of collections or mixed values.
  var row = 0
  /// The key of the object in each row of the current cluster.
  private(set) var keys: [ObjectKey] = []
  /// Rows with a value that cannot be read.
  var unreadable = BitSet()

  // State of the current tree while a collection is scanned; ``scanNested(_:)`` saves it.
  var shape = BPlusTreeShape()
  var place = Leaf.Place(type: .mixed, isNullable: true, isInCluster: false, format: .current)
  var collectionKeys: Set<Int64> = []
  /// State of the check of the current list or set; nil for other collections.
  var elements: ElementCheck?
  /// Number of collections around the current value.
  var depth = 0
  /// The stack space left at the current value.
  var stack = StackRoom()
  /// State of the check of the current dictionary of format 21 or 22.
  var hashed = Hashed()

  // The links of the current column.
  var collectsLinks = false
  var linkTarget: TableKey?
  var sums = TargetSums()
  /// The target table of the last link, and the table to which the link counts.
  private var lastTarget: (target: TableKey, existing: TableKey)?

  // The values of the current column for its index.
  private var method: IndexMethod?
  /// The words of the current object, if the column has an index on words.
  var objectWords: ObjectWords?
  /// The words of all objects of the cluster in the current column.
  private var words = IndexedData()

  init(_ plan: ObjectPlan, _ reader: RealmReader, limit: Int) {
    (self.plan, self.reader) = (plan, reader)
    format = reader.realm.snapshot.fileFormat
    findings = Findings(limit: limit)
    leafIndexes = Set(
      plan.table.columns.map(\.key.leafIndex) + plan.table.backlinkColumns.map(\.key.leafIndex))
  }

  var table: Table { plan.table }

  /// The pairs that `plan` collects in its table, without unreadable parts; nil if there are too
  /// many.
  ///
  /// - Throws: errors other than damage.
  static func pairs(_ plan: ObjectPlan, _ reader: RealmReader) throws(RealmFileError) -> [Pair]? {
    let root = plan.isTombstones ? plan.table.tombstones : plan.table.clusters
    guard root != 0 else { return [] }
    var scan = ObjectScan(plan, reader, limit: 0)
    try reader.nodes.traversing { () throws(RealmFileError) in
      let tree = try ClusterTreeScan(
        root: root, nodes: reader.nodes, about: Findings.Subject(), limit: 0)
      for position in tree.clusters { try scan.scan(position) }
    }
    return scan.pairs
  }

  /// Scans the objects of one cluster.
  ///
  /// - Throws: errors other than damage.
  mutating func scan(_ position: ClusterPosition) throws(RealmFileError) {
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    findings.about(Findings.Subject(at: position.ref, className: table.className.text))
    let cluster: Cluster
    do throws(RealmFileError) {
      cluster = try reader.cluster(position)
    } catch {
      outcome.clusterCounts.append(nil)
      return try lose(error)
    }
    keys = cluster.allKeys
    unreadable = BitSet()
    outcome.clusterCounts.append(cluster.count)
    outcome.objectCount += cluster.count
    if plan.checksValues { check(cluster, at: position) }
    for (i, column) in table.columns.enumerated() where needs(i) {
      try scan(column, i, of: cluster)
    }
    try scanBacklinks(of: cluster)
    outcome.unreadableCount += unreadable.count
  }

  /// Findings about a column of `cluster`.
  func subject(of cluster: Cluster, property: String?) -> Findings.Subject {
    var subject = Findings.Subject(
      at: cluster.ref, className: table.className.text, property: property)
    subject.objectInRow = { [keys] in $0 < keys.count ? keys[$0].raw : nil }
    return subject
  }

  private func needs(_ column: Int) -> Bool {
    plan.checksValues || plan.linkColumns.contains(column) || plan.indexedColumns[column] != nil
  }

  /// Records that a whole cluster cannot be read.
  private mutating func lose(_ error: RealmFileError) throws(RealmFileError) {
    if plan.checksValues {
      try findings.add(error)
    } else if Finding(error) == nil {
      throw error
    }
    addUnread(error)
  }

  /// Records for all columns that the links, backlinks and index values of some objects cannot be read.
  mutating func addUnread(_ error: RealmFileError) {
    let error = error.adding(className: table.className.text)
    for i in plan.linkColumns { sides.addUnread(origin(table.columns[i]), error) }
    for i in plan.backlinkColumns {
      sides.addUnread(LinkGroup(table.backlinkColumns[i], of: table), error)
    }
    for i in plan.indexedColumns.keys { indexed[i, default: IndexedData()].lost(error) }
  }

  private mutating func check(_ cluster: Cluster, at position: ClusterPosition) {
    let largest = ClusterTreeShape.check(
      cluster, at: position, keys: plan.isTombstones ? .tombstones : .objects, &findings)
    if let largest {
      outcome.largestSequenceNumber = max(outcome.largestSequenceNumber ?? 0, largest)
    }
    // Rule C2: a slot without a column has no leaf.
    guard cluster.node.count - 1 > leafIndexes.count else { return }
    let odd = (0..<(cluster.node.count - 1)).first {
      !leafIndexes.contains($0) && cluster.node.integer(at: $0 + 1) != 0
    }
    if let odd {
      findings.add(
        .clusterExtraLeaf, at: cluster.ref,
        "slot \(odd + 1) has a leaf, but no column has leaf index \(odd)")
    }
  }

  // MARK: Columns

  private mutating func scan(
    _ column: Column, _ index: Int, of cluster: Cluster
  ) throws(RealmFileError) {
    findings.about(subject(of: cluster, property: column.name.text))
    collectsLinks = plan.linkColumns.contains(index)
    linkTarget = column.target
    method = plan.indexedColumns[index]
    objectWords = method == .words ? ObjectWords() : nil
    do throws(RealmFileError) {
      let node = try reader.nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
      if column.collection == nil {
        try scanValues(column, index, node, of: cluster)
      } else {
        try scanCollections(column, index, node, of: cluster)
      }
    } catch {
      unreadable.insert(0..<cluster.count)
      try lose(error, row: 0, column, index)
    }
    if method == .words {
      indexed[index, default: IndexedData()] += words
      words = IndexedData()
    }
    if collectsLinks {
      sums.finish()
      sides.addLinks(sums, from: origin(column))
      sums = TargetSums()
    }
  }

  private func origin(_ column: Column) -> LinkOrigin {
    LinkOrigin(table: table.key, column: column.key)
  }

  /// Records that values of a column cannot be read.
  private mutating func lose(
    _ error: RealmFileError, row: Int, _ column: Column, _ index: Int
  ) throws(RealmFileError) {
    if plan.checksValues {
      try findings.add(error, row: row)
    } else if Finding(error) == nil {
      throw error
    }
    let known = error.adding(className: table.className.text, property: column.name.text)
    if collectsLinks { sides.addUnread(origin(column), known) }
    if method != nil { indexed[index, default: IndexedData()].lost(known) }
  }

  private mutating func scanValues(
    _ column: Column, _ index: Int, _ node: Node, of cluster: Cluster
  ) throws(RealmFileError) {
    let nodes = reader.nodes
    let batch = try Leaf.decode(
      node, type: column.type, isNullable: column.isNullable, isBiased: true,
      rows: cluster.count, enumeration: try reader.enumeration(of: column), nodes: nodes)
    if plan.checksValues {
      let place = Leaf.Place(
        type: column.type, isNullable: column.isNullable || column.type == .link,
        isInCluster: true, format: format)
      try Leaf.check(node, batch, place, collectionKeys: &collectionKeys, nodes, &findings)
      if column.enumeration != 0, !node.isIntegers, !plan.isTombstones {
        findings.add(
          .leafEnumeration, .warning, at: node.ref,
          "the leaf has \(node.form), expected positions in the list of distinct values")
      }
    }
    if let method, method != .words {
      indexed[index, default: IndexedData()].add(batch, keys, method)
    }
    switch batch {
    case .link(let targets):
      guard collectsLinks, let target = column.target else { return }
      for row in targets.indices where !targets[row].isNull {
        addLink(row, target, targets[row])
      }
    case .mixed(let values):
      for row in values.indices {
        switch values[row] {
        case .typedLink(let target, let key):
          if collectsLinks, !key.isNull { addLink(row, target, key) }
        case .list, .dictionary:
          try attempt(row: row, column, index) { (scan: inout ObjectScan) throws(RealmFileError) in
            try scan.scanNested(values[row])
          }
        default: continue
        }
      }
    case .scalar(.string(let strings)):
      guard objectWords != nil else { return }
      for row in strings.indices {
        guard let string = strings[row] else { continue }
        objectWords?.append(wordsOf: string)
        endWords(row: row)
      }
    default: return
    }
  }

  private mutating func scanCollections(
    _ column: Column, _ index: Int, _ node: Node, of cluster: Cluster
  ) throws(RealmFileError) {
    let roots = try CollectionRootsLeaf(node).values(rows: cluster.count)
    for row in roots.indices where roots[row] != 0 {
      try attempt(row: row, column, index) { (scan: inout ObjectScan) throws(RealmFileError) in
        try scan.scanCollection(column, root: roots[row])
      }
      if objectWords != nil { endWords(row: row) }
    }
  }

  /// Scans the value of one object; an error marks only this object as unreadable.
  private mutating func attempt(
    row: Int, _ column: Column, _ index: Int,
    _ body: (inout ObjectScan) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    self.row = row
    stack = StackRoom()
    findings.about(owner: key(of: row))
    defer { findings.about(owner: nil) }
    do throws(RealmFileError) {
      try body(&self)
    } catch {
      (depth, elements) = (0, nil)
      linkTarget = column.target
      unreadable.insert(row)
      try lose(error, row: row, column, index)
    }
  }

  private func key(of row: Int) -> Int64? { row < keys.count ? keys[row].raw : nil }

  // MARK: Links and words

  @inline(__always)
  private mutating func addLink(
    _ row: Int, _ target: TableKey, _ key: ObjectKey
  ) {
    let target = existing(target)
    sums.add(target, key, keys[row])
    if case .links(let wanted, let limit) = plan.collected, target == wanted {
      collect(
        Pair(
          first: UInt64(bitPattern: key.raw), second: UInt64(bitPattern: keys[row].raw)),
        limit)
    }
  }

  /// Adds a link in a collection of the current row.
  mutating func addLink(_ target: TableKey, _ key: ObjectKey) {
    guard !key.isNull else { return }
    addLink(row, target, key)
  }

  /// The table itself, or null if it does not exist. This bounds the number of targets: a damaged file
  /// can name any number of missing tables.
  private mutating func existing(_ target: TableKey) -> TableKey {
    if let known = lastTarget, known.target == target { return known.existing }
    let isMissing =
      reader.realm.schema.table(target) == nil && !plan.unreadableSlots.contains(target.slot)
    lastTarget = (target, isMissing ? .null : target)
    return isMissing ? .null : target
  }

  private mutating func endWords(row: Int) {
    objectWords?.removeDuplicates()
    guard let found = objectWords else { return }
    let key = UInt64(bitPattern: keys[row].raw)
    words.add(found, of: key)
    if case .words(let limit) = plan.collected {
      for hash in found.hashes { collect(Pair(first: hash, second: key), limit) }
    }
    objectWords?.removeAll()
  }

  mutating func collect(_ pair: Pair, _ limit: Int) {
    guard let count = pairs?.count else { return }
    if count < limit { pairs?.append(pair) } else { pairs = nil }
  }
}
