import RealmModel
import RealmStorage
import Synchronization

/// Builds the search indexes of the new realm.
extension BuildState {
  /// The last nodes of a finished index.
  private struct Built: Sendable {
    let nodes: NodeBuffer
    let root: Ref
    /// Bytes of `nodes` that the budget counts.
    let budgeted: Int
    /// The objects whose primary key another object has.
    let duplicates: [BuildError]
  }

  private typealias Turn = OrderedParts<Built?, BuildError>.Turn

  /// More than `easyByteCount` bytes of nodes are written if it is the index's turn; more than `fullByteCount` wait
  /// for the turn if the budget has no room for them.
  private static let (easyByteCount, fullByteCount) = (4 << 20, 16 << 20)

  /// The work of a thread at a time.
  private enum Step {
    case index(Int)
    /// Resolves links, and appends the leaves that wait for keys.
    case pending
  }

  /// Copies the kept indexes, then appends in parallel: the indexes of primary keys, which give links their
  /// keys; the leaves that wait for keys; the other indexes.
  ///
  /// - Returns: the roots of the indexes, by number of the column.
  /// - Throws: `duplicatePrimaryKey`, `missingTarget`; the errors of files.
  func appendIndexes() throws(BuildError) -> [Int: Ref] {
    let keys = layout.columns.filter(\.isPrimaryKey)
    var (hashesByClass, hashes): ([Int: SortedRuns], [Int: SortedRuns]) = ([:], [:])
    for column in keys where identityLinks[column.classPosition] != nil {
      let runs = SortedRuns(width: 2, budget: budget)
      (hashesByClass[column.classPosition], hashes[column.number]) = (runs, runs)
    }
    let indexes = indexes
    let others = indexes.sorted { $0.key < $1.key }.filter { !$1.column.isPrimaryKey }
    // Indexes of many values take longest. No thread has to wait for one at the end if they begin first.
    let ordered = others.filter(\.value.hasManyValues) + others.filter { !$1.hasManyValues }
    let steps = keys.map { Step.index($0.number) } + [.pending] + ordered.map { .index($0.key) }
    var roots =
      try inBuild(request.indexes?.copy(of: layout.columns, to: writer)) ?? [:]
    let parts = OrderedParts<Built?, BuildError>(
      count: steps.count, jobs: request.jobs, waitingLimit: 16 << 20,
      weight: { $0.map { $0.nodes.byteCount - $0.budgeted } ?? 0 },
      accept: { [self] (number, built) throws(BuildError) in
        guard let built, case .index(let column) = steps[number] else { return }
        defer { budget.add(-built.budgeted) }
        if layout.columns[column].storesIndex {
          let move = built.nodes.move(to: writer.position)
          try inBuild(built.nodes.write(to: writer))
          roots[column] = move[built.root]
        }
        self.indexes[column] = nil
        for error in built.duplicates { try faults.add(error) }
      })
    // The step `.pending`, until all keys are indexed and a thread is ready for it. Meanwhile all threads build indexes. It does
    // not stay here: the thread that puts it here and the one that ends the last index of keys look for it afterwards.
    let waiting = Mutex<Turn?>(nil)
    try parts.run { [hashesByClass, hashes] in
      while true {
        let pending = waiting.withLock { (turn) -> Turn? in
          turn?.isNow == true ? turn.take() : nil
        }
        guard let turn = pending ?? parts.take() else { return }
        do throws(BuildError) {
          switch steps[turn.part] {
          case .index(let column):
            guard let index = indexes[column] else {
              parts.finish(turn, nil)
              continue
            }
            guard let built = try build(index, hashes[column], turn) else { return }
            parts.finish(turn, built)
          case .pending where pending == nil:
            // All links by primary key are known, so this thread can sort them.
            for links in identityLinks.values where !turn.isNow { try inBuild(links.finish()) }
            waiting.withLock { $0 = turn }
          case .pending:
            // Now all hashes are known, and nobody else writes.
            try appendPending(hashesByClass)
            parts.finish(turn, nil)
          }
        } catch {
          parts.fail(turn, error)
        }
      }
    }
    return roots
  }

  private func appendPending(_ hashes: [Int: SortedRuns]) throws(BuildError) {
    let nodes = FileNodes(writer)
    try resolve(hashes)
    try appendPending(into: nodes)
    try inBuild(nodes.flush())
    // All links are known. Sorting them now, while other threads build indexes, saves time at the end.
    for links in backlinks.values { try inBuild(links.finish()) }
  }

  /// Builds an index.
  ///
  /// - Parameter hashes: receives the hash and the object key of each object, if links use its primary key.
  /// - Returns: nil if an earlier step failed.
  private func build(
    _ index: BuildIndex, _ hashes: SortedRuns?, _ turn: Turn
  ) throws(BuildError) -> Built? {
    // The leaves that wait for keys have further entries of mixed indexes.
    if index.form == .mixed, !turn.wait() { return nil }
    var nodes = NodeBuffer()
    var builder = SearchIndexBuilder(index.form, into: nodes)
    var duplicates = DuplicateObjects(limit: request.errorLimit)
    let reportsDuplicates = index.column.isPrimaryKey && !request.allowsDuplicateKeys
    var budgeted = 0
    let merge = try inBuild(index.merge())
    while case let batch = try inBuild(merge.next()), batch.count > 0 {
      func note(_ entry: IndexEntry, _ key: UInt64, _ other: UInt64) {
        duplicates.append(
          BuildError(
            .duplicatePrimaryKey(
              index.value(of: entry, in: batch), otherKey: Int64(bitPattern: other)),
            className: layout.schema.classes[index.column.classPosition].name.text,
            property: index.column.property.name.text, objectKey: Int64(bitPattern: key)))
      }
      builder.append(batch, duplicate: reportsDuplicates ? note : nil)
      if let hashes {
        let objects = batch.objects
        var records: [UInt64] = []
        records.reserveCapacity(2 * objects.keys.count)
        for i in 0..<batch.count {
          let entry = batch.records.entry(i)
          let hash = index.data(of: entry, in: batch).linkHash
          for object in objects.range(of: entry) {
            records.append(hash)
            records.append(objects.keys[object])
          }
        }
        try inBuild(hashes.append(records))
      }
      guard nodes.byteCount > BuildState.easyByteCount else { continue }
      if !turn.isNow {
        guard nodes.byteCount > BuildState.fullByteCount else { continue }
        budget.add(nodes.byteCount - budgeted)
        budgeted = nodes.byteCount
        guard budget.isExhausted else { continue }
        guard turn.wait() else { return nil }
      }
      // During the turn, nobody else writes. An index that is not stored only finds equal keys: its nodes are dropped.
      let move = nodes.move(to: writer.position)
      if index.column.storesIndex { try inBuild(nodes.write(to: writer)) }
      budget.add(-budgeted)
      budgeted = 0
      nodes = NodeBuffer(base: writer.position)
      builder.continues(in: nodes, after: move)
    }
    let root = builder.finish()
    return Built(nodes: nodes, root: root, budgeted: budgeted, duplicates: duplicates.first)
  }
}
