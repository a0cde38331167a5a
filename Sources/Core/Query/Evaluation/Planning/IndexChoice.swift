import RealmModel
import RealmStorage

/// Chooses an index that gives the objects that can match a condition.
struct IndexChoice {
  /// An index is used if it gives at most one in `share` objects of a class, or few objects: reading
  /// objects one by one costs more than reading all of them in order.
  private static let (share, fewObjects) = (16, 1024)
  private let realm: Realm
  private let table: Table
  private let plan: QueryPlan
  private let jobs: Int

  init(_ realm: Realm, _ table: Table, _ plan: QueryPlan, jobs: Int) {
    (self.realm, self.table, self.plan, self.jobs) = (realm, table, plan, jobs)
  }

  struct Choice {
    var property: String
    /// In ascending order.
    var keys: [ObjectKey]
    /// The part of the condition that the index does not decide.
    var rest: Condition
  }

  /// The index that gives the fewest objects for `condition`; nil if none gives few enough.
  func choice(for condition: Condition) throws(RealmFileError) -> Choice? {
    guard isWorthwhile(condition) else { return nil }
    let reader = try PropertyReader(realm)
    let mark = reader.mark()
    defer { reader.release(to: mark) }
    return try choice(for: condition, reader)
  }

  private func choice(
    for condition: Condition, _ reader: PropertyReader
  ) throws(RealmFileError) -> Choice? {
    switch condition {
    case .comparison(let comparison): return try equality(comparison, reader)
    case .text(let text): return try words(text)
    case .and(let all):
      var best: Choice?
      for (i, part) in all.enumerated() {
        guard var choice = try choice(for: part, reader),
          best.map({ choice.keys.count < $0.keys.count }) ?? true
        else { continue }
        var rest = all
        rest[i] = choice.rest
        choice.rest = .and(rest)
        best = choice
      }
      return best
    default: return nil
    }
  }

  /// Whether a part of the condition could use an index, by the schema alone.
  private func isWorthwhile(_ condition: Condition) -> Bool {
    switch condition {
    case .comparison(let comparison):
      IndexChoice.property(of: comparison).map { table.columns[$0].isIndexed } ?? false
    case .text(let text): text.path.links.isEmpty
    case .and(let all): all.contains { isWorthwhile($0) }
    default: false
    }
  }

  // MARK: Equality

  /// The position of the property that a comparison tests for equality with constants.
  private static func property(of comparison: Comparison) -> Int? {
    guard comparison.operation == .equal, !comparison.ignoresCase,
      case .path(let path) = comparison.left, let property = path.directProperty,
      case .quantified(_, .any) = comparison.matching
    else { return nil }
    switch comparison.right {
    case .constant, .constants: return property
    default: return nil
    }
  }

  private func equality(
    _ comparison: Comparison, _ reader: PropertyReader
  ) throws(RealmFileError) -> Choice? {
    guard let property = IndexChoice.property(of: comparison) else { return nil }
    let column = table.columns[property]
    guard column.isIndexed, column.index != 0, column.collection == nil else { return nil }
    let constants: [Constant] =
      switch comparison.right {
      case .constant(let constant): [constant]
      case .constants(let constants): constants
      default: []
      }
    let limit = max(IndexChoice.fewObjects, table.objectCount / IndexChoice.share)
    let search = IndexSearch(column, reader.nodes)
    var keys: [ObjectKey] = []
    for constant in constants {
      guard let value = plan.value(of: constant).indexValue(of: column.property.type),
        let found = try search.candidates(for: value, limit: limit - keys.count)
      else { return nil }
      keys += found
    }
    return Choice(
      property: column.name.text, keys: Set(keys).sorted { $0.raw < $1.raw },
      rest: .comparison(comparison))
  }

  // MARK: Words

  private func words(_ condition: TextCondition) throws(RealmFileError) -> Choice? {
    guard condition.path.links.isEmpty, case .property(let property, _) = condition.path.end,
      !condition.search.isExclusion
    else { return nil }
    let column = table.columns[property]
    guard column.isFulltextIndexed, column.index != 0 else { return nil }
    let search = WordSearch(realm, table, column, jobs: jobs)
    return try search.run(condition.search).map {
      Choice(property: column.name.text, keys: $0, rest: .constant(true))
    }
  }

  // MARK: Suggestions

  /// The property that a condition tests for equality and that has no index but could have one.
  static func suggestion(for condition: Condition, _ table: Table) -> String? {
    switch condition {
    case .comparison(let comparison):
      guard let property = property(of: comparison) else { return nil }
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
