import RealmModel
import RealmStorage

/// Backlinks (chapter 2, section 3.15; chapter 3, section 6.5 and rule L8 of section 11).
extension ObjectScan {
  /// Scans the backlinks of the objects of `cluster`, and counts the owners of embedded objects.
  mutating func scanBacklinks(of cluster: Cluster) throws(RealmFileError) {
    guard plan.checksValues || plan.hasOwners || !plan.backlinkColumns.isEmpty else { return }
    findings.about(subject(of: cluster, property: nil))
    var owners = [Int](repeating: 0, count: plan.hasOwners ? cluster.count : 0)
    // The owners in a backlink column that the scan leaves out are unknown.
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
        if plan.checksValues, leaf.node.hasContext { Leaf.reportContext(leaf.node, &findings) }
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
    if plan.checksValues, format.backlinks == .array, try reader.nodes.lookUp(root).isInner {
      findings.add(
        .backlinkArray, at: root,
        "the list of backlinks is a tree in format \(format.number), expected one array")
    }
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
        "the list of backlinks has \(count) entries, expected at least 2")
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
          .linkEmbeddedOrphan, object: keys[row].raw, "the embedded object has no owner")
      } else {
        findings.add(
          .linkEmbeddedShared, object: keys[row].raw,
          "the embedded object has \(owners[row]) owners, expected 1")
      }
    }
  }
}
