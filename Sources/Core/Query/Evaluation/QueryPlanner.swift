import RealmModel
import RealmStorage

/// Decides how a condition is evaluated.
struct QueryPlanner {
  let realm: Realm
  let jobs: Int
  private(set) var plan = QueryPlan()
  /// What was done while planning.
  private(set) var steps: [QueryStep] = []

  init(_ realm: Realm, jobs: Int) { (self.realm, self.jobs) = (realm, jobs) }

  /// Looks up the objects that a query names. An object that does not exist is null.
  mutating func find(_ objects: [ObjectReference]) throws(RealmFileError) {
    for object in objects {
      switch object {
      case .tableKey(let table, let key):
        let table = realm.schema.table(TableKey(Int(table)))
        plan.objects.append(table.map { .link($0.position, ObjectKey(key)) } ?? .null)
      case .primaryKey(let position, let value): plan.objects.append(try find(value, in: position))
      }
    }
  }

  private func find(
    _ primaryKey: QueryValue, in position: Int
  ) throws(RealmFileError) -> QueryValue {
    let table = realm.schema.tables[position]
    guard let property = table.primaryKey else { return .null }
    let path = KeyPath(origin: position, end: .property(property, []))
    let condition = Condition.comparison(
      Comparison(
        left: .path(path), operation: .equal, ignoresCase: false,
        right: .constant(.value(primaryKey)), matching: .quantified(left: .any, right: .any)))
    let candidates = try candidates(for: condition, table)
    let found = try ClassScan(
      realm: realm, table: table, condition: condition, plan: plan, jobs: jobs
    ).run(candidates.objects)
    return found.keys.first.map { .link(position, $0) } ?? .null
  }

  /// The condition in the form in which it is evaluated.
  mutating func planned(
    _ condition: Condition, _ table: Table
  ) throws(RealmFileError) -> Condition {
    condition
  }

  /// The objects to look at.
  struct Candidates {
    var objects: ClassScan.Candidates
    var kind: QueryStep.Kind
    var suggestion: String?
  }

  func candidates(
    for condition: Condition, _ table: Table
  ) throws(RealmFileError) -> Candidates {
    Candidates(objects: .all, kind: .scan(className: table.className.text))
  }
}
