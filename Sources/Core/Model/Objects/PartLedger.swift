import RealmStorage
import Synchronization

/// What a cursor and the runs of its large collections note while they read a part.
final class PartLedger: Sendable {
  private let lossLimit: Int
  private let state: Mutex<PartReport>

  /// - Parameter lossLimit: the most losses that are kept one by one.
  init(lossLimit: Int) {
    self.lossLimit = lossLimit
    state = Mutex(PartLedger.empty(lossLimit))
  }

  private static func empty(_ lossLimit: Int) -> PartReport {
    var report = PartReport()
    report.losses = Findings(limit: lossLimit)
    return report
  }

  /// A state that ``forget(since:)`` returns to.
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

  /// Discards the claims, duplicates and losses noted since `mark`, because the same data is read again.
  func forget(since mark: Mark) {
    state.withLock {
      $0.claims.remove(since: mark.claims)
      $0.duplicateMembers = mark.duplicateMembers
      $0.losses = mark.losses
    }
  }

  /// Which of `places` have no owner yet. Of equal places, only the first counts.
  func unclaimed(_ places: [ObjectPlace], in clusters: [Ref]) -> [Bool] {
    state.withLock { $0.claims.free(places, in: clusters) }
  }

  /// Notes that `owners` own embedded objects, one each, through links of `column`.
  ///
  /// - Throws: `damaged` with rule `link.embedded-shared` if an object has an owner already.
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
