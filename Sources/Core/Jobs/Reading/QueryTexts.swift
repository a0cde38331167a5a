import RealmInterchange
import RealmModel
import RealmQuery

/// The query and the paths of a request, resolved for a realm.
struct QueryTexts {
  enum Answer {
    case nothing
    case objects
    case columns([QueryPath])
    case totals([QueryTotal], groupedBy: QueryPath?)
  }

  let realm: Realm
  let classPosition: Int
  let query: Query
  let answer: Answer

  private var objectClass: ObjectClass { realm.schema.objects.classes[classPosition] }

  /// - Throws: ``QueryTextError`` with the string that is wrong.
  init(_ request: QueryJob.Request, _ realm: Realm) throws {
    self.realm = realm
    let schema = realm.schema.objects
    let name = request.className
    var query = try withText(name, of: .className) { (name) throws(QueryError) in
      try Query("", ofClass: name, in: schema)
    }
    classPosition = query.classPosition
    let arguments = try QueryTexts.arguments(request.arguments, schema)
    query = try withText(request.text, of: .query) { (text) throws(QueryError) in
      try Query(text, ofClass: name, in: schema, arguments: arguments)
    }
    try QueryTexts.order(&query, request, schema)
    self.query = query
    answer = try QueryTexts.answer(request, schema)
  }

  var isEmbedded: Bool { objectClass.kind == .embedded }

  /// The properties to read of the objects, by class: identities need no others.
  func properties(for format: RowTextFormat) -> [Int: Set<Int>] {
    guard format == .ids else { return [:] }
    return [classPosition: objectClass.primaryKey.map { [$0] } ?? []]
  }

  private static func arguments(
    _ texts: [String], _ schema: ObjectSchema
  ) throws -> [QueryArgument] {
    var arguments: [QueryArgument] = []
    for text in texts {
      do throws(ImportError) {
        arguments.append(.value(try ValueText.value(text, in: schema)))
      } catch {
        let place = error.offset ?? 0
        let problem = QueryError(
          .argument, error.description, at: place..<place,
          hint:
            "a word that is not JSON is a string; docs/realm-json.md shows how to write other values"
        )
        throw QueryTextError(problem, in: text, of: .argument)
      }
    }
    return arguments
  }

  /// Adds the orderings of the options to those of the query.
  private static func order(
    _ query: inout Query, _ request: QueryJob.Request, _ schema: ObjectSchema
  ) throws {
    func paths(
      _ text: String, _ part: QueryTextError.Part
    ) throws -> SortPaths {
      try withText(text, of: part) { (text) throws(QueryError) in
        try SortPaths(text, ofClass: request.className, in: schema)
      }
    }
    var keys: [(path: SortPaths, isAscending: Bool)] = []
    for key in request.sort { keys.append((try paths(key.path, .order), key.isAscending)) }
    if !keys.isEmpty { query.sort(by: keys) }
    if !request.distinct.isEmpty {
      query.distinct(by: try paths(request.distinct.joined(separator: ","), .distinct))
    }
    if let limit = request.limit {
      let (end, overflows) = request.offset.addingReportingOverflow(limit)
      query.limit(to: overflows ? .max : end)
    }
  }

  private static func answer(
    _ request: QueryJob.Request, _ schema: ObjectSchema
  ) throws -> Answer {
    func paths(
      _ text: String, _ part: QueryTextError.Part
    ) throws -> [QueryPath] {
      try withText(text, of: part) { (text) throws(QueryError) in
        try QueryPath.paths(text, ofClass: request.className, in: schema)
      }
    }
    switch request.answer {
    case .nothing: return .nothing
    case .objects(let texts):
      var columns: [QueryPath] = []
      for text in texts { columns += try paths(text, .columns) }
      return columns.isEmpty ? .objects : .columns(columns)
    case .totals(let totals, let group):
      let groups = try group.map { (text) in
        try withText(text, of: .groups) { (text) throws(QueryError) in
          try QueryPath.group(text, ofClass: request.className, in: schema)
        }
      }
      var made: [QueryTotal] = []
      for total in totals {
        switch total {
        case .count: made.append(.count)
        case .values(let operation, let text):
          made += try withText(text, of: .total(operation)) { (text) throws(QueryError) in
            try QueryTotal.totals(operation, of: text, ofClass: request.className, in: schema)
          }
        }
      }
      return .totals(made, groupedBy: groups)
    }
  }
}
