import RealmModel
import RealmQuery
import RealmStorage
import Synchronization

/// The results of the last queries on a version of a realm, so that the pages of one result need one query.
final class QueryResults: Sendable {
  /// Maximum number of keys of all results together, of 8 bytes each, and of results.
  private static let keyLimit = 4 << 20
  private static let resultLimit = 32

  /// What a result depends on.
  struct Name: Hashable {
    let classPosition: Int
    let text: ExactText
    /// The order; empty for that of the query.
    let sort: ExactText
    let isAscending: Bool
    /// Nil for a result that is not sorted.
    let part: SortedPart?
  }

  /// A part of a sorted result.
  enum SortedPart: Hashable {
    case all
    case first(Int)
    /// The other way around.
    case last(Int)
  }

  /// The results, the ones used last at the end.
  private let known = Mutex<[(name: Name, result: QueryResult)]>([])

  /// The result of this name, from `run` if it is not known.
  func result(
    _ name: Name, _ run: () throws(RealmFileError) -> QueryResult
  ) throws(RealmFileError) -> QueryResult {
    let found = known.withLock { known -> QueryResult? in
      guard let i = known.firstIndex(where: { $0.name == name }) else { return nil }
      let entry = known.remove(at: i)
      known.append(entry)
      return entry.result
    }
    if let found { return found }
    let result = try run()
    known.withLock { known in
      known.append((name, result))
      var count = known.reduce(0) { $0 + $1.result.keys.count }
      while known.count > 1,
        count > QueryResults.keyLimit || known.count > QueryResults.resultLimit
      {
        count -= known.removeFirst().result.keys.count
      }
    }
    return result
  }
}
