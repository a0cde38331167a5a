import RealmModel
import RealmStorage

/// Runs a query: finds the objects it names, plans, scans, and brings the result in order.
struct QueryRun {
  private let realm: Realm
  private let query: ResolvedQuery
  private let jobs: Int

  init(_ realm: Realm, _ query: ResolvedQuery, jobs: Int) {
    (self.realm, self.query, self.jobs) = (realm, query, max(1, jobs))
  }

  func run() throws(RealmFileError) -> QueryResult {
    var planner = QueryPlanner(realm, jobs: jobs)
    try planner.find(query.objects)
    let table = realm.schema.tables[query.classPosition]
    let condition = try planner.planned(query.condition, table)
    let candidates = try planner.candidates(for: condition, table)
    let clock = ContinuousClock()
    let start = clock.now
    let scan = ClassScan(
      realm: realm, table: table, condition: condition, plan: planner.plan, jobs: jobs)
    let found = try scan.run(candidates.objects)
    var steps = planner.steps
    steps.append(
      QueryStep(
        candidates.kind, lookedAtCount: found.lookedAtCount, foundCount: found.keys.count,
        duration: clock.now - start, indexSuggestion: candidates.suggestion))
    let ordered = try ResultOrder(realm, table, jobs: jobs)
      .apply(query.orderings, to: found.keys, &steps)
    try realm.snapshot.prove()
    return QueryResult(keys: ordered, steps: steps)
  }
}
