import RealmModel
import RealmStorage

/// Decides how a condition is evaluated, and finds the objects that match it.
///
/// A condition on linked objects depends on them alone. If many objects need it, it is evaluated once for
/// the whole linked class, and links are then looked up in the set of matching objects. A query that
/// starts from few objects follows their links instead.
struct QueryPlanner {
  /// A linked class is scanned if it has few objects, or at most this many for each object that has the
  /// links.
  private static let (objectsPerOwner, fewObjects) = (8, 10_000)

  let realm: Realm
  let jobs: Int
  /// False if every condition is evaluated for each object, without indexes and sets. Tests check that both
  /// give the same result.
  let usesShortcuts: Bool
  private let setLimit: Int
  private(set) var plan = QueryPlan()
  /// The number of objects in all sets.
  private var setCount = 0
  /// The number of enclosing subqueries without a set.
  private var subqueryDepth = 0
  /// The steps so far.
  private(set) var steps: [QueryStep] = []

  /// - Parameter setLimit: the largest number of objects in all sets together; each takes up to 32 bytes.
  init(_ realm: Realm, jobs: Int, usesShortcuts: Bool, setLimit: Int = 1 << 22) {
    (self.realm, self.jobs, self.usesShortcuts) = (realm, jobs, usesShortcuts)
    self.setLimit = setLimit
  }

  // MARK: Finding

  /// Looks up the objects named in a query. An object that does not exist is null.
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

  private mutating func find(
    _ primaryKey: QueryValue, in position: Int
  ) throws(RealmFileError) -> QueryValue {
    let table = realm.schema.tables[position]
    guard let property = table.primaryKey else { return .null }
    let path = KeyPath(origin: position, end: .property(property, []))
    let condition = Condition.comparison(
      Comparison(
        left: .path(path), operation: .equal, ignoresCase: false,
        right: .constant(.value(primaryKey)), matching: .quantified(left: .any, right: .any)))
    let keys = try find(condition, table, isLinked: true)
    return keys.first.map { .link(position, $0) } ?? .null
  }

  /// The keys of a class's objects that match the condition, in ascending order.
  ///
  /// - Parameter isLinked: false for the base class of the query.
  mutating func find(
    _ condition: Condition, _ table: Table, isLinked: Bool
  ) throws(RealmFileError) -> [ObjectKey] {
    let clock = ContinuousClock()
    let start = clock.now
    let indexed =
      usesShortcuts ? try IndexChoice(realm, table, plan, jobs: jobs).choice(for: condition) : nil
    let count = indexed?.keys.count ?? table.objectCount
    let planned = try planned(indexed?.rest ?? condition, table, ownerCount: count)
    let found: ClassScan.Result
    if let indexed, case .constant(true) = planned {
      // The index decides the whole condition.
      found = ClassScan.Result(keys: indexed.keys, lookedAtCount: indexed.keys.count)
    } else {
      let scan = ClassScan(realm: realm, table: table, condition: planned, plan: plan, jobs: jobs)
      found = try scan.run(indexed.map { .keys($0.keys) } ?? .all)
    }
    let className = table.className.text
    let kind: QueryStep.Kind =
      if let indexed {
        .index(className: className, property: indexed.property)
      } else {
        isLinked ? .linkedScan(className: className) : .scan(className: className)
      }
    steps.append(
      QueryStep(
        kind, lookedAtCount: found.lookedAtCount, foundCount: found.keys.count,
        duration: clock.now - start,
        indexSuggestion: indexed == nil ? IndexChoice.suggestion(for: condition, table) : nil))
    return found.keys
  }

  // MARK: Planning

  /// The condition to evaluate.
  ///
  /// - Parameter ownerCount: number of objects to evaluate it for.
  private mutating func planned(
    _ condition: Condition, _ table: Table, ownerCount: Int
  ) throws(RealmFileError) -> Condition {
    switch condition {
    case .constant, .geoWithin, .linked: return condition
    case .not(let inner): return .not(try planned(inner, table, ownerCount: ownerCount))
    case .and(let all): return .and(try planned(all, table, ownerCount))
    case .or(let all): return .or(try planned(all, table, ownerCount))
    case .text(let text):
      // With an exclusion alone, most objects match.
      let target = realm.schema.tables[text.path.target]
      guard !text.search.isExclusion, isWorthSet(target, ownerCount) else { return condition }
      var direct = text
      direct.path = text.path.withoutLinks
      return .linked(
        LinkedCondition(
          links: text.path.links, set: try addSet(.text(direct), target), quantifier: .any,
          matchesWithoutObjects: false))
    case .comparison(var comparison):
      if let linked = try linked(comparison, ownerCount) { return linked }
      comparison.left = try planned(comparison.left, ownerCount)
      comparison.right = try planned(comparison.right, ownerCount)
      return .comparison(comparison)
    }
  }

  /// Several conditions, the cheapest first.
  private mutating func planned(
    _ conditions: [Condition], _ table: Table, _ ownerCount: Int
  ) throws(RealmFileError) -> [Condition] {
    var all: [(condition: Condition, cost: Int)] = []
    for condition in conditions {
      let planned = try planned(condition, table, ownerCount: ownerCount)
      all.append((planned, planned.cost))
    }
    return all.sorted { $0.cost < $1.cost }.map(\.condition)
  }

  private mutating func planned(
    _ expression: Expression, _ ownerCount: Int
  ) throws(RealmFileError) -> Expression {
    switch expression {
    case .constant, .constants, .path, .aggregate, .linkedCount: return expression
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, try planned(left, ownerCount), try planned(right, ownerCount))
    case .subquery(var subquery):
      let target = realm.schema.tables[subquery.path.target]
      // Each level of nested subqueries can reach many more objects, so the inner ones get sets.
      guard isWorthSet(target, subqueryDepth > 0 ? .max : ownerCount) else {
        subqueryDepth += 1
        defer { subqueryDepth -= 1 }
        subquery.condition = try planned(subquery.condition, target, ownerCount: ownerCount)
        return .subquery(subquery)
      }
      return .linkedCount(subquery.path.links, set: try addSet(subquery.condition, target))
    }
  }

  /// A comparison of a path over links with constants, as a condition on the linked objects; nil for
  /// other comparisons.
  private mutating func linked(
    _ comparison: Comparison, _ ownerCount: Int
  ) throws(RealmFileError) -> Condition? {
    guard case .path(let path) = comparison.left, !path.links.isEmpty,
      case .property = path.end, let split = split(comparison, path)
    else { return nil }
    let values: [Constant]
    switch comparison.right {
    case .constant(let constant): values = [constant]
    case .constants(let constants): values = constants
    default: return nil
    }
    let target = realm.schema.tables[path.target]
    guard isWorthSet(target, ownerCount) else { return nil }
    var missing = ValueColumn(values: [], ends: [0])
    if !path.followsSeveral {
      missing.fillMissing(of: path, objectEnds: [0], realm.schema)
    }
    let right = OperandValues.constant(values.map { plan.value(of: $0) })
    let matchesWithout = ValueMatcher(comparison, .column(missing), right).matches(0)
    var own = comparison
    own.left = .path(path.withoutLinks)
    own.isSimple = false
    own.matching = split.matching
    return .linked(
      LinkedCondition(
        links: path.links, set: try addSet(.comparison(own), target), quantifier: split.quantifier,
        matchesWithoutObjects: matchesWithout))
  }

  /// Splits a comparison over links into a quantifier for the linked objects and a comparison for each of
  /// them. Nil if the comparison needs the values of all objects together.
  private func split(
    _ comparison: Comparison, _ path: KeyPath
  ) -> (quantifier: Quantifier, matching: Comparison.Matching)? {
    // One of the groups must match.
    if path.givesGroups(realm.schema), !path.endsInSeveralSteps {
      return (.any, comparison.matching)
    }
    guard case .quantified(let outer, let inner) = comparison.matching,
      !comparison.comparesAsSubset
    else { return nil }
    if path.endsInSeveralSteps { return outer == .any ? (.any, comparison.matching) : nil }
    return (outer, .quantified(left: outer == .none ? .any : outer, right: inner))
  }

  private func isWorthSet(_ target: Table, _ ownerCount: Int) -> Bool {
    let (most, overflow) = ownerCount.multipliedReportingOverflow(by: QueryPlanner.objectsPerOwner)
    return usesShortcuts && target.objectCount <= setLimit - setCount && ownerCount > 0
      && (overflow || target.objectCount <= max(most, QueryPlanner.fewObjects))
  }

  /// Adds the set of a class's objects that match `condition`, and returns its position.
  private mutating func addSet(
    _ condition: Condition, _ table: Table
  ) throws(RealmFileError) -> Int {
    let keys = try find(condition, table, isLinked: true)
    plan.sets.append(KeySet(keys))
    setCount += keys.count
    return plan.sets.count - 1
  }
}

extension KeyPath {
  /// The part of the path after its links.
  fileprivate var withoutLinks: KeyPath { KeyPath(origin: target, end: end, reading: reading) }
}

extension Comparison {
  /// True if the values may be compared as sorted lists (chapter 6, Q2), which needs all values of an object
  /// together.
  fileprivate var comparesAsSubset: Bool {
    guard case .quantified(.all, .any) = matching, operation == .equal,
      case .constants(let constants) = right
    else { return false }
    return constants.count > 2
  }
}

extension Condition {
  /// Relative cost of the condition for one object.
  fileprivate var cost: Int {
    switch self {
    case .constant: 0
    case .and(let all), .or(let all): all.reduce(0) { $0 &+ $1.cost }
    case .not(let inner): inner.cost
    case .linked(let linked): 1 + 10 * linked.links.count
    case .text: 60
    case .geoWithin: 60
    case .comparison(let comparison):
      switch (comparison.left.cost + comparison.right.cost, comparison.operation) {
      case (let cost, .contains), (let cost, .like): cost + 6
      case (let cost, _): cost
      }
    }
  }
}

extension Expression {
  fileprivate var cost: Int {
    switch self {
    case .constant, .constants: 0
    case .path(let path): path.directProperty != nil ? 2 : 20 + 20 * path.links.count
    case .aggregate(let aggregate): 40 + 20 * aggregate.path.links.count
    case .linkedCount(let links, _): 10 * links.count
    case .subquery: 100
    case .arithmetic(_, let left, let right): 10 + left.cost + right.cost
    }
  }
}

/// The input of an evaluator besides the condition: the objects named in the query, and sets of objects
/// computed before.
struct QueryPlan: Sendable {
  /// The values of ``ResolvedQuery/objects``.
  var objects: [QueryValue] = []
  /// Keys of the objects of a class that match a condition.
  var sets: [KeySet] = []
  /// Ends the evaluation early; nil if nothing does. The threads that evaluate are not the one that made the plan.
  let cancellation = Cancellation.current

  func value(of constant: Constant) -> QueryValue {
    switch constant {
    case .value(let value): value
    case .object(let position): objects[position]
    }
  }
}
