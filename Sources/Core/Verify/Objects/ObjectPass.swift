import RealmModel
import RealmStorage
import Synchronization

/// Checks cluster trees, the columns of all objects, and links against backlinks (chapter 2,
/// section 9; chapter 3, section 6). Reads each object once for all of them.
final class ObjectPass: VerifyPass {
  /// Number of clusters in one piece of work: up to 2,048 objects.
  private static let clustersPerPiece = 8

  /// The combined results of the pieces.
  private struct State {
    /// Number of objects in each cluster of each tree; nil if the cluster cannot be read.
    var counts: [[Int?]]
    /// The counts of each tree.
    var outcomes: [ObjectScan.Outcome]
    var sides = LinkSides()
    /// The expected content of the indexes, by table and position of the column.
    var indexed: [TableKey: [Int: IndexedData]] = [:]

    /// Adds the sums of a scan over a part of `table`.
    mutating func add(_ sides: LinkSides, _ indexed: [Int: IndexedData], of table: TableKey) {
      self.sides.add(sides)
      for (column, data) in indexed {
        self.indexed[table, default: [:]][column, default: IndexedData()] += data
      }
    }
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
      for start in stride(from: 0, to: count, by: ObjectPass.clustersPerPiece) {
        let range = start..<min(start + ObjectPass.clustersPerPiece, count)
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
        state.add(sides, indexed, of: tree.plan.table.key)
      }
    }
  }

  /// The expected content of the index on a column.
  func indexedData(of table: Table, column: Int) -> IndexedData {
    state.withLock { $0.indexed[table.key]?[column] ?? IndexedData() }
  }

  func finish() throws(RealmFileError) -> Findings {
    let reader = try RealmReader(context.realm)
    for tree in trees.trees {
      guard let failure = tree.scan.shape.failure else { continue }
      var scan = ObjectScan(tree.plan, reader, limit: 0)
      scan.addUnread(failure)
      let (sides, indexed) = (scan.sides, scan.indexed)
      state.withLock { $0.add(sides, indexed, of: tree.plan.table.key) }
    }
    let state = state.withLock { $0 }
    var findings = Findings(limit: context.limit)
    for (i, tree) in trees.trees.enumerated() where tree.plan.checksValues {
      let table = tree.plan.table
      findings.add(contentsOf: tree.scan.findings)
      findings.about(Findings.Subject(at: table.ref, className: table.className.text))
      tree.scan.shape.checkCounts(state.counts[i], &findings)
      checkSequenceNumber(state.outcomes[i], tree.plan, &findings)
    }
    try trees.links.compare(state.sides, reader: reader, &findings)
    return findings
  }

  /// Compares the keys of a table with the sequence number for its next object.
  private func checkSequenceNumber(
    _ outcome: ObjectScan.Outcome, _ plan: ObjectPlan, _ findings: inout Findings
  ) {
    let table = plan.table
    // The keys of objects with a primary key are made from it. Except in embedded tables, the reference
    // skips keys in use.
    guard !plan.isTombstones, table.primaryKey == nil,
      let largest = outcome.largestSequenceNumber, largest >= UInt64(table.sequenceNumber)
    else { return }
    findings.add(
      .tableSequenceNumber, table.kind == .embedded ? nil : .warning,
      "the sequence number is \(table.sequenceNumber), expected more than \(largest), which is in use"
    )
  }

  // MARK: Totals

  /// Number of objects whose properties were all checked.
  var objectCount: Int {
    let outcomes = state.withLock { $0.outcomes }
    return zip(trees.trees, outcomes).reduce(0) { sum, tree in
      sum + (tree.0.plan.isTombstones || !tree.0.plan.checksValues ? 0 : tree.1.objectCount)
    }
  }

  /// The classes with objects that cannot be read.
  var damage: [VerifyReport.ClassDamage] {
    let outcomes = state.withLock { $0.outcomes }
    let readable = zip(trees.trees, outcomes).compactMap {
      tree, outcome -> VerifyReport.ClassDamage? in
      guard tree.plan.checksValues, !tree.plan.isTombstones else { return nil }
      // The count of the root is higher than the number found if parts of the tree cannot be read.
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
