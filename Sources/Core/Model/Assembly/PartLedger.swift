import RealmStorage
import Synchronization

/// Collects the report of a part, from a cursor and from the runs of its large collections.
package final class PartLedger: Sendable {
  /// An empty report, which is faster to copy than to create.
  private let empty: PartReport
  private let state: Mutex<PartReport>

  /// - Parameter lossLimit: maximum number of losses that are kept one by one.
  init(lossLimit: Int) {
    var report = PartReport()
    report.losses = Findings(limit: lossLimit)
    empty = report
    state = Mutex(report)
  }

  /// A state that ``forget(since:)`` returns to.
  struct Mark {
    fileprivate let claims: EmbeddedClaims.Mark
    fileprivate let duplicateMembers: Int
    fileprivate let losses: Findings
    fileprivate let lostCount: Int
  }

  var mark: Mark {
    state.withLock {
      Mark(
        claims: $0.claims.mark, duplicateMembers: $0.duplicateMembers, losses: $0.losses,
        lostCount: $0.lost.count)
    }
  }

  /// Discards the claims, duplicates and losses noted since `mark`, before the same data is read again.
  func forget(since mark: Mark) {
    state.withLock {
      $0.claims.remove(since: mark.claims)
      $0.duplicateMembers = mark.duplicateMembers
      $0.losses = mark.losses
      $0.lost.removeSubrange(min(mark.lostCount, $0.lost.count)...)
    }
  }

  /// Whether each of `places` has no owner yet. Of equal places, only the first has none.
  func unclaimed(_ places: [ObjectPlace], in clusters: [Ref]) -> [Bool] {
    state.withLock { $0.claims.free(places, in: clusters) }
  }

  /// Notes that `owners` own embedded objects, one each, through links of `column`.
  ///
  /// - Throws: `damaged` with rule `link.embedded-shared` if an object already has an owner.
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

  /// Notes a loss.
  ///
  /// - Parameter keys: the objects whose values are lost; empty if the objects are lost.
  func add(loss: Finding, of keys: [ObjectKey]) {
    state.withLock {
      $0.losses.add(loss)
      $0.lost.append(LostValues(loss, keys: keys))
    }
  }

  /// Notes that values of `owners` are incomplete, because something is lost in the objects that they own. Losses
  /// after the first `count` that belong to the objects `keys` of `className` become losses of their owners, too.
  func addOwners(
    _ owners: [ObjectKey], of keys: [ObjectKey], _ className: String, since count: Int,
    ownerClass: String?, property: String?
  ) {
    state.withLock { state in
      guard state.lost.count > count else { return }
      var ownerOf: [ObjectKey: ObjectKey] = [:]
      for (key, owner) in zip(keys, owners) { ownerOf[key] = owner }
      for loss in state.lost[count...] where loss.className == className {
        let owners = loss.keys.compactMap { ownerOf[$0] }
        guard !owners.isEmpty else { continue }
        state.lost.append(loss.incomplete(ownerClass, property, owners))
      }
    }
  }

  /// Number of losses noted since the part began.
  package var lostCount: Int { state.withLock { $0.lost.count } }

  /// The losses after the first `count`.
  package func lost(since count: Int) -> ArraySlice<LostValues> {
    state.withLock { $0.lost.dropFirst(count) }
  }

  /// What was noted since the last call.
  func take() -> PartReport {
    state.withLock { state in
      defer { state = empty }
      return state
    }
  }
}
