import RealmModel
import RealmStorage

/// Looks up the objects that can match a condition: in an index, or backwards over links from objects that are
/// known to match.
struct CandidateSearch {
  /// A look-up is used if it gives at most one in `share` objects of a class, or few objects: reading objects
  /// one by one costs more than reading all of them in order.
  private static let share = 16
  static let fewObjects = 1024
  /// The same for objects at the start of links.
  private static let (linkShare, fewLinks) = (64, 256)

  private let realm: Realm
  private let table: Table
  private let plan: QueryPlan
  private let jobs: Int
  private let limit: Int

  /// - Parameter limit: the most objects that a look-up may give.
  init(_ realm: Realm, _ table: Table, _ plan: QueryPlan, jobs: Int, limit: Int = .max) {
    (self.realm, self.table, self.plan, self.jobs) = (realm, table, plan, jobs)
    self.limit = min(
      limit, max(CandidateSearch.fewObjects, table.objectCount / CandidateSearch.share))
  }

  /// The objects that can match a condition.
  struct Candidates {
    /// The look-up that gave them, and the time that it took.
    var kind: QueryStep.Kind
    var duration = Duration.zero
    /// Look-ups of which it is the union or the intersection.
    var earlierSteps: [QueryStep] = []
    /// In ascending order.
    var keys: [ObjectKey]
    /// True if `keys` can have keys of objects that do not exist.
    var mayBeMissing = false
    /// The part of the condition that the look-up does not decide.
    var rest: Condition
  }

  /// The fewest objects that a look-up gives for `condition`; nil if none gives few enough.
  func candidates(for condition: Condition) throws(RealmFileError) -> Candidates? {
    guard isWorthwhile(condition) else { return nil }
    let reader = try PropertyReader(realm)
    let mark = reader.mark()
    defer { reader.release(to: mark) }
    return try candidates(for: condition, reader)
  }

  private func candidates(
    for condition: Condition, _ reader: PropertyReader
  ) throws(RealmFileError) -> Candidates? {
    let clock = ContinuousClock()
    let start = clock.now
    var found = try untimedCandidates(for: condition, reader)
    found?.duration = clock.now - start
    return found
  }

  private func untimedCandidates(
    for condition: Condition, _ reader: PropertyReader
  ) throws(RealmFileError) -> Candidates? {
    switch condition {
    case .comparison(let comparison):
      if let (links, set) = comparison.countedLinks(plan) {
        return try owners(links, set, condition, reader)
      }
      return try equality(comparison, reader)
    case .text(let text): return try words(text)
    case .linked(let linked): return try owners(linked.links, linked.set, condition, reader)
    case .and(let all):
      var best: Candidates?
      for (i, part) in all.enumerated() {
        guard var found = try candidates(for: part, reader),
          best.map({ found.keys.count < $0.keys.count }) ?? true
        else { continue }
        var rest = all
        rest[i] = found.rest
        found.rest = .and(rest)
        best = found
      }
      return best
    case .or(let all): return try union(all, reader)
    case .constant, .not, .geoWithin: return nil
    }
  }

  /// Whether a look-up could give the objects for the condition, by the schema alone.
  private func isWorthwhile(_ condition: Condition) -> Bool {
    switch condition {
    case .comparison(let comparison):
      CandidateSearch.isIndexed(comparison, table) || comparison.countedLinks(plan) != nil
    case .text(let text): text.path.links.isEmpty
    case .linked(let linked): linked.needsObjectInSet
    case .and(let all): all.contains { isWorthwhile($0) }
    case .or(let all): !all.isEmpty && all.allSatisfy { isWorthwhile($0) }
    case .constant, .not, .geoWithin: false
    }
  }

  // MARK: Several look-ups

  /// The objects of any of several conditions; nil if one of them has no look-up.
  private func union(
    _ all: [Condition], _ reader: PropertyReader
  ) throws(RealmFileError) -> Candidates? {
    var union = Candidates(
      kind: .union(className: table.className.text), keys: [], rest: .or(all))
    for part in all {
      guard let found = try candidates(for: part, reader),
        found.keys.count <= limit - union.keys.count
      else { return nil }
      union.keys += found.keys
      union.mayBeMissing = union.mayBeMissing || found.mayBeMissing
      union.earlierSteps.add(found.steps)
    }
    union.keys = Set(union.keys).sorted { $0.raw < $1.raw }
    if union.earlierSteps.count == 1 { union.kind = union.earlierSteps.removeLast().kind }
    return union
  }

  // MARK: Links

  /// The objects whose links lead to objects of a set.
  private func owners(
    _ links: [LinkStep], _ set: Int, _ condition: Condition, _ reader: PropertyReader
  ) throws(RealmFileError) -> Candidates? {
    guard let reverse = ReverseLinks(realm, table, links) else { return nil }
    let evaluator = Evaluator(reader, plan)
    let limit = min(
      limit, max(CandidateSearch.fewLinks, table.objectCount / CandidateSearch.linkShare))
    return try reverse.owners(of: plan.sets[set], evaluator, limit: limit).map {
      Candidates(
        kind: .backlinks(className: table.className.text, path: reverse.path), keys: $0,
        mayBeMissing: true, rest: condition)
    }
  }

  // MARK: Equality

  /// The position of the property that a comparison tests for equality with constants, and the constants.
  private static func equality(
    of comparison: Comparison
  ) -> (property: Int, constants: [Constant])? {
    let comparison = comparison.withPathFirst
    guard comparison.operation == .equal, !comparison.ignoresCase,
      case .path(let path) = comparison.left, let property = path.directProperty,
      case .quantified(_, .any) = comparison.matching, let constants = comparison.right.constants
    else { return nil }
    return (property, constants)
  }

  private func equality(
    _ comparison: Comparison, _ reader: PropertyReader
  ) throws(RealmFileError) -> Candidates? {
    guard let (property, constants) = CandidateSearch.equality(of: comparison) else { return nil }
    let column = table.columns[property]
    guard column.isIndexed, column.index != 0, column.collection == nil else { return nil }
    let search = IndexSearch(column, reader.nodes)
    var keys: [ObjectKey] = []
    for constant in constants {
      guard let value = plan.value(of: constant).indexValue(of: column.property.type),
        let found = try search.candidates(for: value, limit: limit - keys.count)
      else { return nil }
      keys += found
    }
    return Candidates(
      kind: .index(className: table.className.text, property: column.name.text),
      // The keys for a single constant ascend.
      keys: constants.count == 1 ? keys : Set(keys).sorted { $0.raw < $1.raw },
      rest: .comparison(comparison))
  }

  /// Whether an index could answer a comparison of a property of `table`.
  static func isIndexed(_ comparison: Comparison, _ table: Table) -> Bool {
    equality(of: comparison).map { table.columns[$0.property].isIndexed } ?? false
  }

  // MARK: Words

  private func words(_ condition: TextCondition) throws(RealmFileError) -> Candidates? {
    guard condition.path.links.isEmpty, case .property(let property, _) = condition.path.end,
      !condition.search.isExclusion
    else { return nil }
    let column = table.columns[property]
    guard column.isFulltextIndexed, column.index != 0 else { return nil }
    let search = WordSearch(realm, table, column, jobs: jobs)
    return try search.run(condition.search).map {
      Candidates(
        kind: .index(className: table.className.text, property: column.name.text), keys: $0,
        rest: .constant(true))
    }
  }

  // MARK: Suggestions

  /// The property that a condition tests for equality and that has no index but could have one.
  static func suggestion(for condition: Condition, _ table: Table) -> String? {
    switch condition {
    case .comparison(let comparison):
      guard let property = equality(of: comparison)?.property else { return nil }
      let column = table.columns[property]
      guard column.collection == nil, !column.isIndexed else { return nil }
      switch column.property.type {
      case .int, .bool, .string, .timestamp, .objectId, .uuid, .mixed: return column.name.text
      case .float, .double, .decimal, .binary, .link, .typedLink: return nil
      }
    case .and(let all): return all.lazy.compactMap { suggestion(for: $0, table) }.first
    default: return nil
    }
  }
}

extension CandidateSearch.Candidates {
  /// The steps that gave the candidates, which are not tested yet.
  fileprivate var steps: [QueryStep] {
    earlierSteps + [
      QueryStep(kind, lookedAtCount: keys.count, foundCount: keys.count, duration: duration)
    ]
  }

  /// The candidates that `other`, a look-up for another part of the condition, gave too.
  func intersection(_ other: CandidateSearch.Candidates) -> CandidateSearch.Candidates {
    var both = other
    both.earlierSteps = steps + other.earlierSteps
    both.keys = Array(SortedKeys.intersection(keys[...], other.keys[...]))
    both.mayBeMissing = mayBeMissing || other.mayBeMissing
    return both
  }
}

extension [QueryStep] {
  /// Adds the numbers of `other` to those of the same look-ups, and the other look-ups at the end.
  fileprivate mutating func add(_ other: [QueryStep]) {
    for step in other {
      guard let known = firstIndex(where: { $0.kind == step.kind }) else {
        append(step)
        continue
      }
      self[known].lookedAtCount += step.lookedAtCount
      self[known].foundCount += step.foundCount
      self[known].duration += step.duration
    }
  }
}

extension LinkedCondition {
  /// True if only objects match that link to an object of the set.
  fileprivate var needsObjectInSet: Bool { !matchesWithoutObjects && quantifier != .none }
}

extension Comparison {
  /// The links and the set of a condition on the number of linked objects in a set, if no object without such
  /// objects matches.
  fileprivate func countedLinks(_ plan: QueryPlan) -> (links: [LinkStep], set: Int)? {
    guard case .linkedCount(let links, let set) = left, case .constant(let constant) = right,
      !ValueTest(self).holds(.int(0), plan.value(of: constant))
    else { return nil }
    return (links, set)
  }
}

extension QueryValue {
  /// The value to look up in the index of a property of `type`; nil if equal values can have different
  /// entries.
  fileprivate func indexValue(of type: PropertyType) -> BatchValue? {
    switch (type, self) {
    case (.int, .int(let number)): .int(number)
    case (.bool, .bool(let flag)): .bool(flag)
    case (.string, .string(let bytes)), (.mixed, .string(let bytes)): .string(bytes)
    case (.timestamp, .date(let seconds, let nanoseconds)):
      .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case (.objectId, .objectId(let bytes)): .objectId(bytes)
    case (.uuid, .uuid(let bytes)): .uuid(bytes)
    case (.mixed, _): nil
    case (_, .null): .null
    default: nil
    }
  }
}
