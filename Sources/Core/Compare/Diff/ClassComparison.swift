import RealmModel
import RealmStorage

/// Compares the objects of one class.
final class ClassComparison {
  private let pair: ClassPair
  private let old: Realm
  private let new: Realm
  private let request: RealmDiff.Request
  /// Nil unless both realms are versions of one file.
  private let shared: SharedNodes?
  private let states: Pool
  private let receive: (RealmDiff.Event) throws(RealmFileError) -> Void
  private var total: ClassDifference
  private var reported = 0
  private let join: IdentityJoin
  /// What the objects of each side take so far.
  private var opened: (old: Opened, new: Opened)

  /// Objects by key that one thread takes at a time.
  private static let chunkCount = ObjectBatch.capacity
  /// Chunks whose keys are in memory at once.
  private static let chunksPerRound = 256
  /// Maximum bytes of finished parts that wait for their turn.
  private static let waitingLimit = 16 << 20

  /// Bytes of nodes and numbers of embedded objects of one side. Reading ends, because the nodes of a file form a tree;
  /// a cluster is read at most twice (``DiffPart``).
  private struct Opened {
    let size: Int
    var byteCount = 0
    var embeddedCount = 0

    mutating func add(_ report: PartReport, _ clusters: [ClusterPosition]) throws(RealmFileError) {
      byteCount += report.openedByteCount
      embeddedCount += report.claims.count
      guard byteCount <= 2 * size, embeddedCount <= 2 * size else {
        throw .damaged(
          .storageNodeOverlap, at: clusters.first?.ref ?? 0,
          "the objects up to here take \(byteCount) bytes of nodes, each read at most twice, but the file has "
            + "\(size) bytes")
      }
    }
  }

  init(
    _ pair: ClassPair, _ old: Realm, _ new: Realm, _ request: RealmDiff.Request,
    _ shared: SharedNodes?, _ states: Pool,
    _ receive: @escaping (RealmDiff.Event) throws(RealmFileError) -> Void
  ) {
    (self.pair, self.old, self.new) = (pair, old, new)
    (self.request, self.shared, self.states, self.receive) = (request, shared, states, receive)
    total = ClassDifference(pair.name)
    join = IdentityJoin(
      MemoryBudget(
        limit: request.memoryByteCount,
        encryptsFiles: old.snapshot.isEncrypted || new.snapshot.isEncrypted))
    opened = (
      Opened(size: old.snapshot.top.logicalSize), Opened(size: new.snapshot.top.logicalSize)
    )
  }

  /// - Parameter progress: receives the number of objects done.
  func run(
    progress: @escaping @Sendable (Int) -> Void
  ) throws(RealmFileError) -> ClassDifference {
    var before = try clusters(old, pair.old)
    var after = try clusters(new, pair.new)
    if let shared, try shared.areEqualObjects(pair) {
      (before, after) = SharedNodes.removing(before, after) { $0.position }
    }
    let count = max(before.count, after.count)
    let parts = DiffPart.parts(before, after)
    var doneClusters = 0
    try run(parts.count) { [pair] (state, number) throws(RealmFileError) in
      try state.compare(parts[number], of: pair)
    } accept: { (number, result) throws(RealmFileError) in
      try self.opened.old.add(result.opened.old, parts[number].old)
      try self.opened.new.add(result.opened.new, parts[number].new)
      try self.join.old.append(result.outcome.oldRecords)
      try self.join.new.append(result.outcome.newRecords)
      try self.accept(result.outcome)
      doneClusters += max(parts[number].old.count, parts[number].new.count)
      progress(min(doneClusters, count) * Cluster.capacity)
    }
    if join.old.count > 0 || join.new.count > 0 { try compareOthers() }
    let oldCount = pair.old.map { old.schema.tables[$0].objectCount } ?? 0
    total.equal = max(0, oldCount - total.removed - total.changed)
    return total
  }

  private func clusters(
    _ realm: Realm, _ position: Int?
  ) throws(RealmFileError) -> [KeyedCluster] {
    guard let position else { return [] }
    do throws(RealmFileError) {
      let reader = try RealmReader(realm)
      return try reader.nodes.traversing { () throws(RealmFileError) in
        let clusters = try reader.clusters(of: realm.schema.tables[position])
        var keyed = clusters.map { KeyedCluster(position: $0, keys: $0.keys) }
        // Nothing limits the keys of the last cluster but the keys themselves.
        if let last = clusters.last {
          let key = try reader.cluster(last).allKeys.last.map { UInt64(bitPattern: $0.raw) }
          let end = max(last.keys.lowerBound, min(last.keys.upperBound, key.map { $0 &+ 1 } ?? 0))
          keyed[keyed.count - 1] = KeyedCluster(position: last, keys: last.keys.lowerBound..<end)
        }
        return keyed
      }
    } catch {
      throw error.adding(path: realm.snapshot.path)
    }
  }

  /// Runs `work` for numbers below `count` on all threads, and `accept` in their order.
  private func run<Result>(
    _ count: Int,
    _ work: @Sendable (PartComparison, Int) throws(RealmFileError) -> Result,
    weight: @escaping @Sendable (Result) -> Int = { _ in 0 },
    accept: (Int, Result) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    try withoutActuallyEscaping(accept) { (accept) throws(RealmFileError) in
      let parts = OrderedParts<Result, RealmFileError>(
        count: count, jobs: request.jobs, waitingLimit: ClassComparison.waitingLimit,
        weight: weight, accept: accept)
      let states = states
      try parts.run {
        guard var turn = parts.take() else { return }
        do throws(RealmFileError) {
          try states.with { (state) throws(RealmFileError) in
            while true {
              parts.finish(turn, try work(state, turn.part))
              guard let next = parts.take() else { return }
              turn = next
            }
          }
        } catch {
          parts.fail(turn, error)
        }
      }
    }
  }

  private func accept(_ outcome: DiffOutcome) throws(RealmFileError) {
    total.added += outcome.counts.added
    total.removed += outcome.counts.removed
    total.changed += outcome.counts.changed
    for change in outcome.changes {
      guard reported < request.changeLimit else { return }
      reported += 1
      try receive(.change(change))
    }
  }

  // MARK: Objects with other keys

  /// Compares the objects whose counterpart has another object key, and reports those without a counterpart.
  private func compareOthers() throws(RealmFileError) {
    try join.run(areUnique: pair.matching == .primaryKey)
    if pair.matching != .content {
      try forEachRound(join.pairs) { [pair] (state, words) throws(RealmFileError) in
        try state.compare(
          stride(from: 0, to: words.count, by: 2).map {
            (ObjectKey(Int64(bitPattern: words[$0])), ObjectKey(Int64(bitPattern: words[$0 + 1])))
          }, of: pair)
      }
    }
    for (runs, areNew) in [(join.removed, false), (join.added, true)] {
      try forEachRound(runs) { [pair] (state, words) throws(RealmFileError) in
        try state.only(
          stride(from: 0, to: words.count, by: 2).map { ObjectKey(Int64(bitPattern: words[$0])) },
          areNew: areNew, of: pair)
      }
    }
  }

  /// Passes the records of `runs`, of two integers each, to `work` in chunks.
  private func forEachRound(
    _ runs: SortedRuns,
    _ work: @Sendable (PartComparison, [UInt64]) throws(RealmFileError) -> DiffOutcome
  ) throws(RealmFileError) {
    let chunk = 2 * ClassComparison.chunkCount
    var words: [UInt64] = []
    while true {
      var isLast = false
      while words.count < chunk * ClassComparison.chunksPerRound, !isLast {
        let more = try runs.next()
        isLast = more.isEmpty
        words += more
      }
      guard !words.isEmpty else { return }
      let round = words
      try run((round.count + chunk - 1) / chunk) { (state, number) throws(RealmFileError) in
        try work(
          state, Array(round[(number * chunk)..<min((number + 1) * chunk, round.count)]))
      } accept: { (_, outcome) throws(RealmFileError) in
        try self.accept(outcome)
      }
      words = []
      if isLast { return }
    }
  }
}
