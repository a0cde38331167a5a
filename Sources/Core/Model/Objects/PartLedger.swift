import RealmStorage
import Synchronization

/// What is noted while a part is read, by its cursor and by the runs of its large collections.
final class PartLedger: Sendable {
  private let state = Mutex(PartReport())

  /// A point to come back to.
  struct Mark {
    fileprivate let claims: EmbeddedClaims.Mark
    fileprivate let duplicateMembers: Int
  }

  var mark: Mark {
    state.withLock { Mark(claims: $0.claims.mark, duplicateMembers: $0.duplicateMembers) }
  }

  /// Forgets claims and duplicates since `mark`: what was read since is read again in another way.
  func forget(since mark: Mark) {
    state.withLock {
      $0.claims.remove(since: mark.claims)
      $0.duplicateMembers = mark.duplicateMembers
    }
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

  func add(loss: RealmFileError) { state.withLock { $0.losses.append(loss) } }

  /// What was noted since the last call.
  func take() -> PartReport {
    state.withLock { state in
      defer { state = PartReport() }
      return state
    }
  }
}
