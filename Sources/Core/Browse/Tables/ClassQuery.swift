import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// What the URL of a table asks for: the objects and their order.
///
/// | name | is |
/// | --- | --- |
/// | `q` | the query |
/// | `sort`, `desc` | the path to sort by, and `1` to begin with the largest value |
/// | `c` | a column, several times |
/// | `from` | number of the first object of the page |
/// | `facet` | a property whose values are counted, several times |
struct ClassQuery {
  /// A page within so many objects of the start or the end of a sorted result keeps only so many while it sorts.
  private static let sortedLimits = [250, 2500]

  let classPosition: Int
  let text: String
  let sort: String?
  let isDescending: Bool
  private let query: Query
  private let sortPaths: SortPaths?

  /// - Throws: ``QueryTextError`` for an error in the query or in the path to sort by.
  init(
    _ text: String, sort: String?, isDescending: Bool, ofClassAt position: Int,
    in schema: ObjectSchema
  ) throws {
    (classPosition, self.text, self.sort) = (position, text, sort)
    self.isDescending = isDescending
    query = try withText(text, of: .query) { (text) throws(QueryError) in
      try Query(text, ofClassAt: position, in: schema)
    }
    sortPaths = try sort.map { sort in
      try withText(sort, of: .order) { (text) throws(QueryError) in
        try SortPaths(text, ofClass: schema.classes[position].name.text, in: schema)
      }
    }
  }

  /// The objects that match, in the order of the query.
  func matching(_ view: RealmView, jobs: Int) throws(RealmFileError) -> FoundObjects {
    query.findsAll
      ? .all(view.table(classPosition)) : .some(try matchingKeys(view, jobs: jobs))
  }

  /// The keys of the objects in `range` of the sorted result.
  ///
  /// - Parameter matching: the objects that match.
  func page(
    _ range: Range<Int>, of matching: FoundObjects, _ view: RealmView, jobs: Int
  ) throws(RealmFileError) -> [ObjectKey] {
    guard sortPaths != nil else { return try matching.keys(range, in: view.realm) }
    let fromEnd = (matching.count - range.upperBound)..<(matching.count - range.lowerBound)
    for limit in ClassQuery.sortedLimits {
      if range.upperBound <= limit {
        let keys = try run(view, sorted: .first(limit), jobs: jobs)
        return Array(keys[range.clamped(to: keys.indices)])
      }
      if fromEnd.upperBound <= limit {
        let keys = try run(view, sorted: .last(limit), jobs: jobs)
        return keys[fromEnd.clamped(to: keys.indices)].reversed()
      }
    }
    let keys = try run(view, sorted: .all, jobs: jobs)
    return Array(keys[range.clamped(to: keys.indices)])
  }

  /// The keys of all objects that match, in the order of the query.
  func matchingKeys(_ view: RealmView, jobs: Int) throws(RealmFileError) -> [ObjectKey] {
    try run(view, sorted: nil, jobs: jobs)
  }

  /// The keys of all objects that match, sorted.
  func all(_ view: RealmView, jobs: Int) throws(RealmFileError) -> [ObjectKey] {
    try sortPaths == nil ? matchingKeys(view, jobs: jobs) : run(view, sorted: .all, jobs: jobs)
  }

  /// - Parameter part: the part of the sorted result; nil for the whole result in the order of the query. The last
  ///   objects come the other way around.
  private func run(
    _ view: RealmView, sorted part: QueryResults.SortedPart?, jobs: Int
  ) throws(RealmFileError) -> [ObjectKey] {
    let name = QueryResults.Name(
      classPosition: classPosition, text: ExactText(text),
      sort: ExactText(part == nil ? "" : sort ?? ""), isAscending: part == nil || !isDescending,
      part: part)
    return try view.results.result(name) { () throws(RealmFileError) in
      var query = query
      if let sortPaths {
        switch part {
        case nil: break
        case .all: query.sort(by: [(sortPaths, !isDescending)])
        case .first(let count):
          query.sort(by: [(sortPaths, !isDescending)])
          query.limit(to: count)
        case .last(let count):
          // Equal objects then come the other way around, too.
          query.reverse()
          query.sort(by: [(sortPaths, isDescending)])
          query.limit(to: count)
        }
      }
      return try query.run(in: view.realm, jobs: jobs)
    }.keys
  }
}
