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
  /// - Parameters:
  ///   - isLinked: false for the base class of the query.
  ///   - candidates: the result of looking up the condition, if that was done.
  mutating func find(
    _ condition: Condition, _ table: Table, isLinked: Bool,
    candidates known: CandidateSearch.Candidates? = nil
  ) throws(RealmFileError) -> [ObjectKey] {
    let clock = ContinuousClock()
    let start = clock.now
    var candidates = known
    if usesShortcuts, candidates == nil {
      candidates = try CandidateSearch(realm, table, plan, jobs: jobs).candidates(for: condition)
    }
    let planned = try planned(condition, table, narrowing: &candidates)
    let found: ClassScan.Result
    if let candidates, case .constant(true) = planned {
      // The look-up decides the whole condition.
      found = ClassScan.Result(keys: candidates.keys, lookedAtCount: candidates.keys.count)
    } else {
      let scan = ClassScan(realm: realm, table: table, condition: planned, plan: plan, jobs: jobs)
      found = try scan.run(
        candidates.map { .keys($0.keys, mayBeMissing: $0.mayBeMissing) } ?? .all)
    }
    let className = table.className.text
    steps += candidates?.earlierSteps ?? []
    steps.append(
      QueryStep(
        candidates?.kind
          ?? (isLinked ? .linkedScan(className: className) : .scan(className: className)),
        lookedAtCount: found.lookedAtCount, foundCount: found.keys.count,
        duration: clock.now - start,
        indexSuggestion: candidates == nil
          ? CandidateSearch.suggestion(for: condition, table) : nil))
    return found.keys
  }

  // MARK: Planning

  /// The condition to evaluate, with its parts in the order of their costs.
  ///
  /// Sets of linked objects that an index gives are made first: if few objects link to one of them, the other parts
  /// of the condition are planned for these.
  ///
  /// - Parameter candidates: the objects that a look-up for the condition gave; nil for all. Replaced by fewer if
  ///   links lead back to fewer.
  private mutating func planned(
    _ condition: Condition, _ table: Table, narrowing candidates: inout CandidateSearch.Candidates?
  ) throws(RealmFileError) -> Condition {
    let rest = candidates?.rest ?? condition
    guard usesShortcuts else { return try planned(rest, table, ownerCount: table.objectCount) }
    var all: [Condition] = []
    for part in rest.parts.sorted(by: { scanCount($0) < scanCount($1) }) {
      let count = candidates?.keys.count ?? table.objectCount
      let part = try planned(part, table, ownerCount: count)
      all.append(part)
      // Without a set, it was looked up before.
      guard part.hasSet, candidates == nil || count > CandidateSearch.fewObjects else { continue }
      let search = CandidateSearch(realm, table, plan, jobs: jobs, limit: count)
      guard let fewer = try search.candidates(for: part) else { continue }
      candidates = candidates?.intersection(fewer) ?? fewer
    }
    return all.count == 1 ? all[0] : .and(all.sorted { $0.cost < $1.cost })
  }

  /// The number of linked objects to look at for the sets of a condition.
  private func scanCount(_ condition: Condition) -> Int {
    switch condition {
    case .constant, .geoWithin, .linked, .text: return 0
    case .not(let inner): return scanCount(inner)
    case .and(let all), .or(let all): return all.reduce(0) { $0 &+ scanCount($1) }
    case .comparison(let given):
      let comparison = given.withPathFirst
      guard case .path(let path) = comparison.left, !path.links.isEmpty, case .property = path.end
      else { return scanCount(comparison.left) &+ scanCount(comparison.right) }
      let target = realm.schema.tables[path.target]
      var own = comparison
      own.left = .path(path.withoutLinks)
      return CandidateSearch.isIndexed(own, target) ? 0 : target.objectCount
    }
  }

  private func scanCount(_ expression: Expression) -> Int {
    switch expression {
    case .constant, .constants, .path, .aggregate, .linkedCount: 0
    case .arithmetic(_, let left, let right): scanCount(left) &+ scanCount(right)
    case .subquery(let subquery): realm.schema.tables[subquery.path.target].objectCount
    }
  }

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
      var direct = text
      direct.path = text.path.withoutLinks
      guard !text.search.isExclusion, let set = try addSet(.text(direct), target, ownerCount)
      else { return condition }
      return .linked(
        LinkedCondition(
          links: text.path.links, set: set, quantifier: .any, matchesWithoutObjects: false))
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
      let set = try addSet(
        subquery.condition, target, subqueryDepth > 0 ? .max : ownerCount)
      guard let set else {
        subqueryDepth += 1
        defer { subqueryDepth -= 1 }
        subquery.condition = try planned(subquery.condition, target, ownerCount: ownerCount)
        return .subquery(subquery)
      }
      return .linkedCount(subquery.path.links, set: set)
    }
  }

  /// A comparison of a path over links with constants, as a condition on the linked objects; nil for
  /// other comparisons.
  private mutating func linked(
    _ comparison: Comparison, _ ownerCount: Int
  ) throws(RealmFileError) -> Condition? {
    let comparison = comparison.withPathFirst
    guard case .path(let path) = comparison.left, !path.links.isEmpty,
      let split = split(comparison, path), let constants = comparison.right.constants
    else { return nil }
    let values = constants.map { plan.value(of: $0) }
    var own = comparison
    own.left = .path(path.withoutLinks)
    own.isSimple = false
    own.matching = split.matching
    let set: Int?
    switch path.end {
    case .property: set = try addSet(.comparison(own), realm.schema.tables[path.target], ownerCount)
    case .objects: set = addSet(ofObjectsIn: values, own, path)
    case .allLinks: set = nil
    }
    guard let set else { return nil }
    var missing = ValueColumn(values: [], ends: [0])
    if !path.followsSeveral {
      missing.fillMissing(of: path, objectEnds: [0], realm.schema)
    }
    let matchesWithout = ValueMatcher(comparison, .column(missing), .constant(values)).matches(0)
    return .linked(
      LinkedCondition(
        links: path.links, set: set, quantifier: split.quantifier,
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

  /// Adds the set of a class's objects that match `condition`.
  ///
  /// - Returns: the position of the set; nil if it is not worth it for `ownerCount` objects.
  private mutating func addSet(
    _ condition: Condition, _ table: Table, _ ownerCount: Int
  ) throws(RealmFileError) -> Int? {
    var candidates: CandidateSearch.Candidates?
    if !isWorthSet(table, ownerCount) {
      guard usesShortcuts else { return nil }
      // A look-up of fewer objects than there are owners is worth it for any class.
      let search = CandidateSearch(
        realm, table, plan, jobs: jobs, limit: min(ownerCount, setLimit - setCount))
      candidates = try search.candidates(for: condition)
      guard candidates != nil else { return nil }
    }
    let keys = try find(condition, table, isLinked: true, candidates: candidates)
    return addSet(of: keys)
  }

  /// Adds the set of the objects among `values`, which a comparison tests linked objects against.
  ///
  /// - Returns: the position of the set; nil for other comparisons.
  private mutating func addSet(
    ofObjectsIn values: [QueryValue], _ comparison: Comparison, _ path: KeyPath
  ) -> Int? {
    guard usesShortcuts, comparison.operation == .equal, path.reading == .values,
      case .quantified(_, .any) = comparison.matching
    else { return nil }
    let keys = values.compactMap { value in
      if case .link(path.target, let key) = value { key } else { nil }
    }
    return addSet(of: Array(Set(keys.filter { !$0.isNull && !$0.isUnresolved })))
  }

  private mutating func addSet(of keys: [ObjectKey]) -> Int {
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
  /// The conditions that must all match.
  fileprivate var parts: [Condition] {
    if case .and(let all) = self { all.flatMap(\.parts) } else { [self] }
  }

  /// Whether a look-up of the condition would start from a set.
  fileprivate var hasSet: Bool {
    switch self {
    case .linked: return true
    case .comparison(let comparison):
      if case .linkedCount = comparison.left { return true }
      return false
    case .and(let all), .or(let all): return all.contains(where: \.hasSet)
    case .constant, .not, .text, .geoWithin: return false
    }
  }

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
