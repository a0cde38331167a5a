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
  /// A page within so many objects of the start of a sorted result keeps only so many while it sorts.
  private static let sortedStarts = [250, 2500]

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

  /// The keys of all objects that match, in the order of the query.
  func matching(_ view: RealmView, jobs: Int) throws(RealmFileError) -> [ObjectKey] {
    try run(view, sorted: false, limit: nil, jobs: jobs)
  }

  /// The keys of the objects in `range` of the sorted result.
  ///
  /// - Parameter matching: the keys of all objects that match.
  func page(
    _ range: Range<Int>, of matching: [ObjectKey], _ view: RealmView, jobs: Int
  ) throws(RealmFileError) -> [ObjectKey] {
    guard sortPaths != nil else { return Array(matching[range.clamped(to: matching.indices)]) }
    let limit = ClassQuery.sortedStarts.first { range.upperBound <= $0 }
    let keys = try run(view, sorted: true, limit: limit, jobs: jobs)
    return Array(keys[range.clamped(to: keys.indices)])
  }

  /// The keys of all objects that match, sorted.
  func all(_ view: RealmView, jobs: Int) throws(RealmFileError) -> [ObjectKey] {
    try run(view, sorted: sortPaths != nil, limit: nil, jobs: jobs)
  }

  private func run(
    _ view: RealmView, sorted: Bool, limit: Int?, jobs: Int
  ) throws(RealmFileError) -> [ObjectKey] {
    let name = QueryResults.Name(
      classPosition: classPosition, text: ExactText(text),
      sort: ExactText(sorted ? sort ?? "" : ""), isAscending: !sorted || !isDescending,
      limit: limit)
    return try view.results.result(name) { () throws(RealmFileError) in
      var query = query
      if sorted, let sortPaths { query.sort(by: [(sortPaths, !isDescending)]) }
      if let limit { query.limit(to: limit) }
      return try query.run(in: view.realm, jobs: jobs)
    }.keys
  }
}
