import RealmModel
import RealmStorage

/// Runs a query: looks up the objects named in it, finds the matching objects, and sorts them.
struct QueryRun {
  private let realm: Realm
  private let query: ResolvedQuery
  private let jobs: Int
  private let usesShortcuts: Bool

  /// - Parameter usesShortcuts: see ``QueryPlanner/usesShortcuts``.
  init(_ realm: Realm, _ query: ResolvedQuery, jobs: Int, usesShortcuts: Bool = true) {
    (self.realm, self.query, self.jobs) = (realm, query, max(1, jobs))
    self.usesShortcuts = usesShortcuts
  }

  func run() throws(RealmFileError) -> QueryResult {
    var planner = QueryPlanner(realm, jobs: jobs, usesShortcuts: usesShortcuts)
    try planner.find(query.objects)
    let table = realm.schema.tables[query.classPosition]
    let found = try planner.find(query.condition, table, isLinked: false)
    var steps = planner.steps
    let ordered = try ResultOrder(realm, table, planner.plan, jobs: jobs)
      .apply(query.orderings, to: found, &steps)
    try realm.snapshot.prove()
    return QueryResult(keys: ordered, steps: steps)
  }
}
