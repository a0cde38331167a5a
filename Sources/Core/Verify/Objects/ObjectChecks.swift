import RealmModel
import RealmStorage
import Synchronization

/// Checks cluster trees, the columns of all objects, and links against backlinks (chapter 2,
/// section 9; chapter 3, section 6). All checks share one reading of the objects.
final class ObjectChecks: VerifyCheck {
  /// Number of clusters in one piece of work: up to 2,048 objects.
  private static let clustersPerPiece = 8

  /// The combined results of the pieces.
  private struct State {
    /// Number of objects in each cluster of each tree; nil if the cluster cannot be read.
    var counts: [[Int?]]
    var outcomes: [ObjectScan.Outcome]
    var sides = LinkSides()
    /// The indexed data by table and column.
    var indexed: [TableKey: [Int: IndexedData]] = [:]
  }

  private let context: VerifyContext
  private let trees: ObjectTrees
  private let state: Mutex<State>

  init(_ context: VerifyContext, _ trees: ObjectTrees) {
    (self.context, self.trees) = (context, trees)
    state = Mutex(
      State(
        counts: trees.trees.map { Array(repeating: nil, count: $0.scan.clusters.count) },
        outcomes: trees.trees.map { _ in ObjectScan.Outcome() }))
  }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    var pieces: [VerifyPiece] = []
    for (i, tree) in trees.trees.enumerated() {
      let count = tree.scan.clusters.count
      for start in stride(from: 0, to: count, by: ObjectChecks.clustersPerPiece) {
        let range = start..<min(start + ObjectChecks.clustersPerPiece, count)
        pieces.append(
          VerifyPiece(
            at: tree.scan.clusters[start].ref, className: tree.plan.table.className.text
          ) { [self] (worker) throws(RealmFileError) in
            try scan(range, ofTree: i, worker.reader)
          })
      }
    }
    return pieces
  }

  private func scan(
    _ range: Range<Int>, ofTree i: Int, _ reader: RealmReader
  ) throws(RealmFileError) -> VerifyPiece.Outcome {
    let tree = trees.trees[i]
    var scan = ObjectScan(tree.plan, reader, limit: context.limit)
    for position in tree.scan.clusters[range] { try scan.scan(position) }
    let (outcome, sides, indexed) = (scan.outcome, scan.sides, scan.indexed)
    return VerifyPiece.Outcome(scan.findings) { [self] in
      state.withLock { state in
        state.counts[i].replaceSubrange(range, with: outcome.clusterCounts)
        state.outcomes[i] += outcome
        state.sides.add(sides)
        for (column, data) in indexed {
          state.indexed[tree.plan.table.key, default: [:]][column, default: IndexedData()] += data
        }
      }
    }
  }

  /// The data of the objects of a table for the index of a column.
  func indexedData(of table: Table, column: Int) -> IndexedData {
    state.withLock { $0.indexed[table.key]?[column] ?? IndexedData() }
  }

  func finish() throws(RealmFileError) -> Findings {
    var findings = Findings(limit: context.limit)
    var state = state.withLock { $0 }
    for (i, tree) in trees.trees.enumerated() {
      let table = tree.plan.table
      if let failure = tree.scan.shape.failure {
        var scan = ObjectScan(tree.plan, try RealmReader(context.realm), limit: 0)
        scan.addUnread(failure)
        state.sides.add(scan.sides)
        let indexed = scan.indexed
        self.state.withLock { state in
          for (column, data) in indexed {
            state.indexed[table.key, default: [:]][column, default: IndexedData()] += data
          }
        }
      }
      guard tree.plan.checksValues else { continue }
      findings.add(contentsOf: tree.scan.findings)
      findings.about(Findings.Subject(at: table.ref, className: table.className.text))
      tree.scan.shape.checkCounts(state.counts[i], &findings)
      checkSequenceNumber(state.outcomes[i], tree.plan, &findings)
    }
    try trees.links.compare(state.sides, reader: try RealmReader(context.realm), &findings)
    return findings
  }

  /// Compares the keys of a table with the sequence number for its next object.
  private func checkSequenceNumber(
    _ outcome: ObjectScan.Outcome, _ plan: ObjectPlan, _ findings: inout Findings
  ) {
    let table = plan.table
    // Keys of objects with a primary key are made differently, and the reference skips used ones.
    guard !plan.isTombstones, table.primaryKey == nil,
      let largest = outcome.largestSequenceNumber, largest >= UInt64(table.sequenceNumber)
    else { return }
    findings.add(
      .tableSequenceNumber, table.kind == .embedded ? nil : .warning,
      "the sequence number is \(table.sequenceNumber), expected more than \(largest), which is in use"
    )
  }

  // MARK: Results over all objects

  /// Number of objects whose properties were all checked.
  var objectCount: Int {
    let outcomes = state.withLock { $0.outcomes }
    return zip(trees.trees, outcomes).reduce(0) { sum, tree in
      sum + (tree.0.plan.isTombstones || !tree.0.plan.checksValues ? 0 : tree.1.objectCount)
    }
  }

  /// Classes with objects that cannot be read.
  var damage: [VerifyReport.ClassDamage] {
    let outcomes = state.withLock { $0.outcomes }
    let readable = zip(trees.trees, outcomes).compactMap {
      tree, outcome -> VerifyReport.ClassDamage? in
      guard tree.plan.checksValues, !tree.plan.isTombstones else { return nil }
      // The number stated by the root, or the number found.
      let total = max(tree.scan.shape.statedCount ?? 0, outcome.objectCount)
      let lost = outcome.unreadableCount + total - outcome.objectCount
      guard lost > 0 else { return nil }
      return VerifyReport.ClassDamage(
        name: tree.plan.table.className.text, unreadableObjects: lost, objectCount: total)
    }
    let unreadable = context.unreadableSlots.sorted().compactMap { slot in
      context.classNames[slot].map {
        VerifyReport.ClassDamage(name: $0, unreadableObjects: nil, objectCount: nil)
      }
    }
    return readable + unreadable
  }
}
