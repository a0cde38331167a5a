import RealmModel
import RealmStorage
import Synchronization

/// Cluster trees, and the columns of every object (chapter 2, section 9).
final class ObjectChecks: VerifyCheck {
  /// Clusters in one piece of work: 2,048 objects.
  private static let clustersPerPiece = 8

  /// What is known of the objects of a class.
  private struct Tally {
    /// Objects that the class says it has, or that were found.
    var total = 0
    /// Objects found in clusters that can be read.
    var found = 0
    var checked = 0
    var unreadable = 0
  }

  private let context: VerifyContext
  /// By position in the schema.
  private let tallies = Mutex<[Int: Tally]>([:])

  init(_ context: VerifyContext) { self.context = context }

  /// Objects of which all properties were looked at.
  var objectCount: Int { tallies.withLock { $0.values.reduce(0) { $0 + $1.checked } } }

  /// Classes with objects that cannot be read.
  var damage: [VerifyJob.Report.ClassDamage] {
    let tallies = tallies.withLock { $0 }
    let tables = context.realm.schema.tables
    let readable = tables.indices.compactMap { i -> VerifyJob.Report.ClassDamage? in
      guard let tally = tallies[i] else { return nil }
      let lost = tally.unreadable + max(0, tally.total - tally.found)
      guard lost > 0 else { return nil }
      return VerifyJob.Report.ClassDamage(
        name: tables[i].className.text, unreadableObjects: lost,
        objectCount: max(tally.total, tally.found))
    }
    let unreadable = context.unreadableSlots.sorted().compactMap { slot in
      context.classNames[slot].map {
        VerifyJob.Report.ClassDamage(name: $0, unreadableObjects: nil, objectCount: nil)
      }
    }
    return readable + unreadable
  }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    let nodes = try context.snapshot.makeReader()
    return try nodes.traversing { () throws(RealmFileError) in try pieces(nodes) }
  }

  private func pieces(_ nodes: NodeReader) throws(RealmFileError) -> [VerifyPiece] {
    var pieces: [VerifyPiece] = []
    for table in context.tables {
      let position = table.position
      for isTombstones in [false, true] {
        let root = isTombstones ? table.tombstones : table.clusters
        guard root != 0 else { continue }
        var tree = ClusterTreeCheck(
          nodes: nodes, keys: isTombstones ? .tombstones : .objects, limit: context.limit)
        try tree.run(root: root)
        let findings = self.findings(of: tree, table, isTombstones: isTombstones)
        pieces.append(VerifyPiece { (_) throws(RealmFileError) in findings })
        if !isTombstones {
          tallies.withLock {
            $0[position, default: Tally()].total = max(tree.statedCount ?? 0, tree.objectCount)
            $0[position, default: Tally()].found = tree.objectCount
          }
        }
        append(tree.clusters, of: table, position, isTombstones: isTombstones, to: &pieces)
      }
    }
    return pieces
  }

  private func append(
    _ clusters: [ClusterPosition], of table: Table, _ position: Int, isTombstones: Bool,
    to pieces: inout [VerifyPiece]
  ) {
    for start in stride(from: 0, to: clusters.count, by: ObjectChecks.clustersPerPiece) {
      let some = clusters[start..<min(start + ObjectChecks.clustersPerPiece, clusters.count)]
      pieces.append(
        VerifyPiece { [self] (worker) throws(RealmFileError) in
          let check = ObjectCheck(worker.reader, limit: context.limit)
          var (checked, unreadable) = (0, 0)
          for cluster in some {
            let outcome = try check.check(cluster, of: table)
            checked += outcome.objectCount
            unreadable += outcome.unreadableCount
          }
          if !isTombstones {
            tallies.withLock {
              $0[position, default: Tally()].checked += checked
              $0[position, default: Tally()].unreadable += unreadable
            }
          }
          return check.findings
        })
    }
  }

  /// The findings of a tree with the class, and what its keys say about the next one.
  private func findings(
    of tree: ClusterTreeCheck, _ table: Table, isTombstones: Bool
  ) -> Findings {
    let name = table.className.text
    var findings = tree.findings.naming(className: name)
    // Objects with a primary key have keys of other kinds, and the reference skips those in use.
    guard !isTombstones, table.primaryKey == nil, let largest = tree.largestSequenceNumber,
      largest >= UInt64(table.sequenceNumber)
    else { return findings }
    findings.add(
      Finding(
        .tableSequenceNumber, table.kind == .embedded ? nil : .warning, at: table.ref,
        className: name,
        "the next object gets number \(table.sequenceNumber), but number \(largest) is in use"))
    return findings
  }
}
