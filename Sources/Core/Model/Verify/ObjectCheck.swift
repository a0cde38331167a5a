package import RealmStorage

/// Checks the objects of a cluster column by column: the leaves, and the collections in them (chapter
/// 2, section 9). Belongs to one thread.
package final class ObjectCheck {
  let reader: RealmReader
  let format: Int
  package private(set) var findings: Findings
  var leaf: LeafCheck
  /// What is checked at the moment.
  private var className = ""
  private var property: String?
  private var cluster: Cluster?
  /// Leaf indexes that the columns of a table use.
  private var leafIndexes: [TableKey: Set<Int>] = [:]

  package init(_ reader: RealmReader, limit: Int) {
    self.reader = reader
    format = reader.realm.snapshot.format
    findings = Findings(limit: limit)
    leaf = LeafCheck(nodes: reader.nodes, format: format)
  }

  /// What a cluster holds.
  package struct Outcome: Sendable {
    package var objectCount = 0
    /// Objects of which a property cannot be read.
    package var unreadableCount = 0
  }

  /// Checks the objects of one cluster.
  ///
  /// - Throws: errors that say nothing about the file.
  package func check(
    _ position: ClusterPosition, of table: Table
  ) throws(RealmFileError) -> Outcome {
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    (className, property) = (table.className.text, nil)
    let cluster: Cluster
    do throws(RealmFileError) {
      cluster = try reader.cluster(position)
    } catch {
      try findings.add(error.adding(className: className))
      return Outcome()
    }
    self.cluster = cluster
    checkSlots(of: cluster, table)
    var unreadable = UnreadableRows(count: cluster.count)
    for column in table.columns {
      property = column.name.text
      do throws(RealmFileError) {
        try check(column, of: cluster, &unreadable)
      } catch {
        try add(error, row: 0)
        unreadable.addAll()
      }
      report(leaf.takeDefects())
    }
    for column in table.backlinkColumns {
      property = nil
      do throws(RealmFileError) {
        try checkBacklinks(try reader.nodes.node(at: try cluster.leaf(at: column.key.leafIndex)))
      } catch {
        try add(error, row: 0)
        unreadable.addAll()
      }
    }
    return Outcome(objectCount: cluster.count, unreadableCount: unreadable.total)
  }

  /// Rule C2: nothing stands where no column is.
  private func checkSlots(of cluster: Cluster, _ table: Table) {
    let known =
      leafIndexes[table.key]
      ?? Set(table.columns.map(\.key.leafIndex) + table.backlinkColumns.map(\.key.leafIndex))
    leafIndexes[table.key] = known
    guard cluster.node.count - 1 > known.count else { return }
    for index in 0..<(cluster.node.count - 1) where !known.contains(index) {
      if cluster.node.integer(at: index + 1) != 0 {
        report([
          Defect(.clusterExtraLeaf, at: cluster.ref, "slot \(index + 1) belongs to no column")
        ])
        return
      }
    }
  }

  private func check(
    _ column: Column, of cluster: Cluster, _ unreadable: inout UnreadableRows
  ) throws(RealmFileError) {
    let node = try reader.nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
    guard column.collection == nil else {
      return try checkCollections(column, node, rows: cluster.count, &unreadable)
    }
    let enumeration = try reader.enumeration(of: column)
    let batch = try Leaf.decode(
      node, type: column.type, isNullable: column.isNullable, isBiased: true,
      rows: cluster.count, enumeration: enumeration, nodes: reader.nodes)
    try leaf.check(
      node, batch,
      LeafCheck.Place(
        type: column.type, isNullable: column.isNullable || column.type == .link,
        isInCluster: true, isEnumerated: enumeration != nil))
    guard case .mixed(let values) = batch, format >= 24 else { return }
    report(leaf.takeDefects())
    for (row, value) in values.enumerated() {
      try attempt(row: row, &unreadable) { () throws(RealmFileError) in
        try self.checkNested(value, depth: 1)
      }
    }
  }

  private func checkCollections(
    _ column: Column, _ node: Node, rows: Int, _ unreadable: inout UnreadableRows
  ) throws(RealmFileError) {
    let batch = try RealmReader.collectionRoots(node, rows: rows)
    guard case .collection(let roots) = batch else { return }
    for (row, root) in roots.enumerated() where root != 0 {
      try attempt(row: row, &unreadable) { () throws(RealmFileError) in
        try self.check(column, root: root)
      }
    }
  }

  /// Checks what one object holds; what goes wrong makes that object unreadable and no other.
  private func attempt(
    row: Int, _ unreadable: inout UnreadableRows, _ body: () throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try body()
    } catch {
      try add(error, row: row)
      unreadable.add(row)
    }
    report(leaf.takeDefects(), owner: row)
  }

  /// Section 3.15, and chapter 3, rule L8 of section 11.
  private func checkBacklinks(_ node: Node) throws(RealmFileError) {
    guard let cluster, node.hasRefs, !node.isInner else {
      throw .damaged(.leafBacklinks, at: node.ref)
    }
    guard node.count == cluster.count else { throw .damaged(.leafRows, at: node.ref) }
    if node.hasContext { report([Defect(.nodeContext, at: node.ref)]) }
    for row in 0..<node.count {
      guard case .ref(let root) = node.element(at: row) else { continue }
      do throws(RealmFileError) {
        var tree = BPlusTreeCheck(nodes: reader.nodes)
        tree.allowsLargeRoot = true
        let count = try tree.check(root: root) { (leaf) throws(RealmFileError) in
          guard leaf.isIntegers, leaf.count <= max(Leaf.capacity, leaf.header.nodeByteCount) else {
            throw .damaged(.leafBacklinks, at: leaf.ref)
          }
          return leaf.count
        }
        report(tree.defects, owner: row)
        if count < 2 {
          report([Defect(.backlinkSingle, at: root, "the list has \(count) entries")], owner: row)
        }
      } catch {
        try add(error, row: row)
      }
    }
  }

  /// - Parameter owner: the row whose object holds all that is told; nil where the rows of the defects
  ///   are those of the cluster.
  func report(_ defects: [Defect], owner: Int? = nil) {
    for defect in defects {
      findings.add(
        Finding(
          defect.rule, defect.severity, at: defect.ref, className: className, property: property,
          objectKey: (owner ?? defect.row).flatMap(key), defect.message))
    }
  }

  private func add(_ error: RealmFileError, row: Int) throws(RealmFileError) {
    try findings.add(
      error.adding(className: className, property: property, objectKey: key(of: row)))
  }

  private func key(of row: Int) -> Int64? {
    guard let cluster, row < cluster.count else { return nil }
    return cluster.key(at: row).raw
  }
}

/// The rows of a cluster of which something cannot be read.
private struct UnreadableRows {
  private var rows: Set<Int> = []
  private let count: Int

  init(count: Int) { self.count = count }

  mutating func add(_ row: Int) { rows.insert(row) }
  mutating func addAll() { rows.formUnion(0..<count) }

  var total: Int { rows.count }
}
