import RealmStorage
import Synchronization

/// What is noted while a part is read, by its cursor and by the runs of its large collections.
final class PartLedger: Sendable {
  private let lossLimit: Int
  private let state: Mutex<PartReport>

  /// - Parameter lossLimit: losses that are kept one by one.
  init(lossLimit: Int) {
    self.lossLimit = lossLimit
    state = Mutex(PartLedger.empty(lossLimit))
  }

  private static func empty(_ lossLimit: Int) -> PartReport {
    var report = PartReport()
    report.losses = Findings(limit: lossLimit)
    return report
  }

  /// A point to come back to.
  struct Mark {
    fileprivate let claims: EmbeddedClaims.Mark
    fileprivate let duplicateMembers: Int
    fileprivate let losses: Findings
  }

  var mark: Mark {
    state.withLock {
      Mark(
        claims: $0.claims.mark, duplicateMembers: $0.duplicateMembers, losses: $0.losses)
    }
  }

  /// Forgets claims, duplicates and losses since `mark`: what was read since is read again in another way.
  func forget(since mark: Mark) {
    state.withLock {
      $0.claims.remove(since: mark.claims)
      $0.duplicateMembers = mark.duplicateMembers
      $0.losses = mark.losses
    }
  }

  /// Which of `places` no object owns yet: each of them once.
  func unclaimed(_ places: [ObjectPlace], in clusters: [Ref]) -> [Bool] {
    state.withLock { $0.claims.free(places, in: clusters) }
  }

  /// Notes that `owners` own embedded objects, one each, by links of `column`.
  ///
  /// - Throws: `damaged` with rule `link.embedded-shared` where one has an owner already.
  func claim(
    _ places: [ObjectPlace], in clusters: [Ref], owners: [ObjectKey], _ column: Column
  ) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      try state.claims.add(places, in: clusters, owners: owners, property: column.name.text)
    }
  }

  func add(objects: Int = 0, duplicateMembers: Int = 0, openedByteCount: Int = 0) {
    state.withLock {
      $0.objectCount += objects
      $0.duplicateMembers += duplicateMembers
      $0.openedByteCount += openedByteCount
    }
  }

  func add(loss: Finding) { state.withLock { $0.losses.add(loss) } }

  /// What was noted since the last call.
  func take() -> PartReport {
    state.withLock { state in
      defer { state = PartLedger.empty(lossLimit) }
      return state
    }
  }
}
