import RealmStorage

/// The embedded objects that were read for a part of a source, each with its owner.
///
/// An embedded object has one owner. Without this check, a few objects of a damaged realm that own each other
/// twice would result in an endless export.
package struct EmbeddedClaims: Sendable {
  /// The embedded objects of one property in one batch.
  private struct Run: Sendable {
    let property: String
    let owners: [ObjectKey]
    let places: [ObjectPlace]
    let clusters: [Ref]
  }

  private var runs: [Run] = []
  private var seen = RowSet()

  /// A state that ``remove(since:)`` returns to.
  struct Mark { fileprivate let runCount: Int }

  var mark: Mark { Mark(runCount: runs.count) }

  /// Notes that `owners` own the objects in `places`, one each.
  ///
  /// - Throws: `damaged` with rule `link.embedded-shared` if an object already has an owner in this part.
  mutating func add(
    _ places: [ObjectPlace], in clusters: [Ref], owners: [ObjectKey], property: String
  ) throws(RealmFileError) {
    let run = Run(property: property, owners: owners, places: places, clusters: clusters)
    runs.append(run)
    try EmbeddedClaims.insert(run, into: &seen) { error throws(RealmFileError) in throw error }
  }

  /// Whether each of `places` exists and has no owner in this part yet. Of equal places, only the first is free.
  func free(_ places: [ObjectPlace], in clusters: [Ref]) -> [Bool] {
    var others = RowSet()
    return zip(places, clusters).map { place, cluster in
      place.exists && !seen.contains(place.row, of: cluster)
        && others.insert(place.row, of: cluster)
    }
  }

  /// Forgets what was noted since `mark`.
  mutating func remove(since mark: Mark) {
    for run in runs[mark.runCount...] {
      for (place, cluster) in zip(run.places, run.clusters) where place.exists {
        seen.remove(place.row, of: cluster)
      }
    }
    runs.removeSubrange(mark.runCount...)
  }

  /// Adds the objects of `run` to `set`.
  ///
  /// - Parameter shared: called for each object that is already in `set`. If it throws, the remaining objects are
  ///   not added.
  private static func insert(
    _ run: Run, into set: inout RowSet, shared: (RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    for i in run.places.indices where run.places[i].exists {
      guard set.insert(run.places[i].row, of: run.clusters[i]) else {
        try shared(error(run, i))
        continue
      }
    }
  }

  /// The error for object `i` of `run`, which already has another owner.
  private static func error(_ run: Run, _ i: Int) -> RealmFileError {
    EmbeddedClaims.error(at: run.clusters[i], owner: run.owners[i]).adding(property: run.property)
  }

  /// The error for an embedded object in the cluster at `ref` that does not belong to `owner`.
  static func error(at ref: Ref, owner: ObjectKey) -> RealmFileError {
    RealmFileError(
      .damaged(.linkEmbeddedShared), offset: ref, objectKey: owner.raw,
      detail: "the embedded object also belongs to another object")
  }

  /// Number of claimed objects.
  package var count: Int { runs.reduce(0) { $0 + $1.places.count } }

  /// Adds the claims of a part to those of all parts.
  ///
  /// - Parameter shared: called for each object that has an owner in another part. If it throws, the remaining
  ///   claims are not added.
  func join(
    _ set: inout RowSet, shared: (RealmFileError) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    for run in runs { try EmbeddedClaims.insert(run, into: &set, shared: shared) }
  }
}

/// A set of rows of clusters, one bit per row.
package struct RowSet: Sendable {
  private var words: [Ref: SIMD4<UInt64>] = [:]

  /// Adds a row.
  ///
  /// - Returns: false if the row is already in the set.
  mutating func insert(_ row: Int, of cluster: Ref) -> Bool {
    // A cluster has at most 256 rows: four words.
    let bit: UInt64 = 1 << UInt64(row & 63)
    let found = words[cluster, default: .zero][row >> 6]
    words[cluster, default: .zero][row >> 6] = found | bit
    return found & bit == 0
  }

  func contains(_ row: Int, of cluster: Ref) -> Bool {
    words[cluster].map { $0[row >> 6] >> UInt64(row & 63) & 1 != 0 } ?? false
  }

  mutating func remove(_ row: Int, of cluster: Ref) {
    words[cluster]?[row >> 6] &= ~(1 << UInt64(row & 63))
  }
}
