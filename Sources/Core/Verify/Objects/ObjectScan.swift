package import RealmModel
package import RealmStorage

/// Reads the objects of a cluster once, column by column, for all checks: leaves and their collections
/// (chapter 2, section 9), sums of links and backlinks (chapter 3, section 6), and sums of the values and
/// words of indexed columns (chapter 3, section 5). Used by one thread.
package struct ObjectScan {
  let reader: RealmReader
  let plan: ObjectPlan
  let format: Int
  package internal(set) var findings: Findings
  /// The sums of links and backlinks collected so far.
  package internal(set) var sides = LinkSides()
  /// The expected index content of each column of ``ObjectPlan/indexedColumns`` so far, by position.
  package internal(set) var indexed: [Int: IndexedData] = [:]
  /// The results about the table so far.
  package private(set) var outcome = Outcome()
  /// The pairs that ``ObjectPlan/collected`` asks for; nil if there are more than its limit.
  private(set) var pairs: [Pair]? = []

  /// What a scan counted in its clusters.
  package struct Outcome: Sendable {
    package var objectCount = 0
    /// Objects with a property that cannot be read.
    package var unreadableCount = 0
    /// The largest sequence number of the keys that were generated in this file.
    package var largestSequenceNumber: UInt64?
    /// Number of objects in each cluster; nil for a cluster that cannot be read.
    package var clusterCounts: [Int?] = []

    package init() {}

    /// Adds the counts of other clusters, without their list of counts per cluster.
    package static func += (a: inout Outcome, b: Outcome) {
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
  private var keys: [ObjectKey] = []
  /// Rows with a value that cannot be read.
  private var unreadable = BitSet()

  // State of the current tree while a collection is scanned; ``scanNested(_:)`` saves it.
  var shape = BPlusTreeShape()
  var place = Leaf.Place(type: .mixed, isNullable: true, isInCluster: false, format: 0)
  var collectionKeys: Set<Int64> = []
  /// State of the check of the current list or set; nil for other collections.
  var elements: ElementCheck?
  /// Number of collections around the current value, and the stack space left there.
  var depth = 0
  var stack = StackRoom()
  /// State of the check of the current dictionary of format 21 or 22.
  var hashed = Hashed()

  // What the current column adds to the sums of links.
  var collectsLinks = false
  var linkTarget: TableKey?
  var sums = TargetSums()
  /// The target of the last link, and its replacement if the table does not exist.
  private var lastTarget: (target: TableKey, existing: TableKey)?
  private var method: IndexMethod?
  /// The words of the current object, if the column has an index on words.
  var objectWords: ObjectWords?
  /// The words of all objects in the current column of the cluster.
  private var words = IndexedData()

  package init(_ plan: ObjectPlan, _ reader: RealmReader, limit: Int) {
    (self.plan, self.reader) = (plan, reader)
    format = reader.realm.snapshot.format
    findings = Findings(limit: limit)
    leafIndexes = Set(
      plan.table.columns.map(\.key.leafIndex) + plan.table.backlinkColumns.map(\.key.leafIndex))
  }

  var table: Table { plan.table }

  /// Scans the objects of one cluster.
  ///
  /// - Throws: errors that say nothing about the file.
  package mutating func scan(_ position: ClusterPosition) throws(RealmFileError) {
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

  private func needs(_ column: Int) -> Bool {
    plan.checksValues || plan.linkColumns.contains(column) || plan.indexedColumns[column] != nil
  }

  /// Reports that a whole cluster cannot be read.
  private mutating func lose(_ error: RealmFileError) throws(RealmFileError) {
    if plan.checksValues {
      try findings.add(error)
    } else if Finding(error) == nil {
      throw error
    }
    addUnread(error)
  }

  /// Records for all columns that the links, backlinks and index values of some objects cannot be read.
  package mutating func addUnread(_ error: RealmFileError) {
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
    var subject = Findings.Subject(
      at: cluster.ref, className: table.className.text, property: column.name.text)
    subject.objectInRow = { [keys] in $0 < keys.count ? keys[$0].raw : nil }
    findings.about(subject)
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

  /// Reports that values of a column cannot be read.
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
          "the leaf has \(node.form); the strings of this property are kept in a list")
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
    case .scalar(.string(let texts)):
      guard objectWords != nil else { return }
      for row in texts.indices {
        guard let text = texts[row] else { continue }
        objectWords?.append(text: text)
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

  /// Adds a link in a collection of the current object.
  mutating func addLink(_ target: TableKey, _ key: ObjectKey) {
    guard !key.isNull else { return }
    addLink(row, target, key)
  }

  /// Replaces a missing table by null, so that the number of targets stays bounded: a damaged file can
  /// name any number of missing tables.
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

  private mutating func collect(_ pair: Pair, _ limit: Int) {
    guard let count = pairs?.count else { return }
    if count < limit { pairs?.append(pair) } else { pairs = nil }
  }

  // MARK: Backlinks

  /// Checks backlinks (chapter 2, section 3.15; chapter 3, section 6.5 and rule L8 of section 11).
  private mutating func scanBacklinks(of cluster: Cluster) throws(RealmFileError) {
    guard plan.checksValues || plan.hasOwners || !plan.backlinkColumns.isEmpty else { return }
    var subject = Findings.Subject(at: cluster.ref, className: table.className.text)
    subject.objectInRow = { [keys] in $0 < keys.count ? keys[$0].raw : nil }
    findings.about(subject)
    var owners = [Int](repeating: 0, count: plan.hasOwners ? cluster.count : 0)
    // If the scan omits a backlink column, owners that it names are unknown.
    var areOwnersKnown =
      plan.hasOwners && plan.backlinkColumns.count == table.backlinkColumns.count
    for (i, column) in table.backlinkColumns.enumerated()
    where plan.checksValues || plan.backlinkColumns.contains(i) {
      let isPaired = plan.backlinkColumns.contains(i)
      let group = LinkGroup(column, of: table)
      var sum = PairSum()
      var failure: RealmFileError?
      do throws(RealmFileError) {
        let leaf = try BacklinkLeaf(
          try reader.nodes.node(at: try cluster.leaf(at: column.key.leafIndex)),
          rows: cluster.count)
        if plan.checksValues, leaf.node.hasContext { Leaf.tellContext(leaf.node, &findings) }
        for row in 0..<cluster.count {
          let key = UInt64(bitPattern: keys[row].raw)
          do throws(RealmFileError) {
            let count = try scanBacklinks(leaf.node, row, of: key, &sum)
            if row < owners.count { owners[row] += count }
          } catch {
            failure = error.first(of: failure)
            if plan.checksValues { try findings.add(error, row: row) }
          }
        }
      } catch {
        failure = error.first(of: failure)
        unreadable.insert(0..<cluster.count)
        if plan.checksValues { try findings.add(error, row: 0) }
      }
      if let failure {
        areOwnersKnown = false
        guard Finding(failure) != nil else { throw failure }
      }
      guard isPaired else { continue }
      sides.addBacklinks(sum, of: group)
      if let failure {
        sides.addUnread(group, failure.adding(className: table.className.text))
      }
    }
    if areOwnersKnown { checkOwners(owners, of: cluster) }
  }

  /// Scans the backlinks of one object.
  ///
  /// - Returns: the number of backlinks.
  private mutating func scanBacklinks(
    _ leaf: Node, _ row: Int, of key: UInt64, _ sum: inout PairSum
  ) throws(RealmFileError) -> Int {
    let root: Ref
    switch leaf.element(at: row) {
    case .null: return 0
    case .tagged(let origin):
      addBacklink(key, UInt64(bitPattern: Int64(origin)), &sum)
      return 1
    case .ref(let ref): root = ref
    }
    findings.about(owner: Int64(bitPattern: key))
    defer { findings.about(owner: nil) }
    shape = BPlusTreeShape()
    var count = 0
    var leaves = BPlusTreeLeaves(root: root, nodes: reader.nodes)
    while let leaf = try leaves.next(&self) {
      let origins = try BacklinkLeaf.keys(leaf)
      if plan.checksValues {
        shape.read(leaf, count: origins.count, allowsLargeRoot: true, &findings)
      }
      for origin in origins { addBacklink(key, UInt64(bitPattern: origin), &sum) }
      count += origins.count
    }
    if plan.checksValues, count < 2 {
      findings.add(
        .backlinkSingle, at: root,
        "the list of backlinks has \(count) entries; a list has at least 2")
    }
    return count
  }

  @inline(__always)
  private mutating func addBacklink(_ key: UInt64, _ origin: UInt64, _ sum: inout PairSum) {
    sum.add(key, origin)
    if case .backlinks(let limit) = plan.collected {
      collect(Pair(first: key, second: origin), limit)
    }
  }

  private mutating func checkOwners(_ owners: [Int], of cluster: Cluster) {
    findings.about(
      Findings.Subject(
        at: cluster.ref, className: table.className.text, ruleLimit: Findings.columnRuleLimit))
    for row in owners.indices where owners[row] != 1 {
      if owners[row] == 0 {
        findings.add(
          .linkEmbeddedOrphan, object: keys[row].raw, "no object owns this embedded one")
      } else {
        findings.add(
          .linkEmbeddedShared, object: keys[row].raw,
          "\(owners[row]) links lead to this embedded object; one object owns it")
      }
    }
  }
}
