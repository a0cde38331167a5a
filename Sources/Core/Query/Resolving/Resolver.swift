import RealmModel
import RealmStorage

/// Resolves a syntax tree: names become positions in the schema, constants take the type of the other
/// side, and values that cannot be compared are errors (chapter 6, sections 4.3 to 4.18).
struct Resolver {
  let schema: ObjectSchema
  let arguments: [QueryArgument]
  /// The query, for messages.
  let text: [UInt8]
  /// Position of the class whose names are looked up: the base class, or the class of a subquery.
  var base: Int
  /// The variables of the subqueries around the current place, with their classes.
  var variables: [(name: [UInt8], position: Int)] = []
  /// The constants' bytes, and the objects named by constants.
  var bytes: [SliceColumn] = []
  var objects: [ObjectReference] = []

  static func resolve(
    _ syntax: QuerySyntax, ofClass position: Int, in schema: ObjectSchema,
    arguments: [QueryArgument]
  ) throws(QueryError) -> ResolvedQuery {
    var resolver = Resolver(
      schema: schema, arguments: arguments, text: syntax.text, base: position)
    let condition = try resolver.condition(syntax.predicate)
    var orderings: [Ordering] = []
    for ordering in syntax.orderings { orderings.append(try resolver.ordering(ordering)) }
    return ResolvedQuery(
      classPosition: position, condition: condition, orderings: orderings,
      objects: resolver.objects, bytes: resolver.bytes)
  }

  mutating func condition(_ syntax: PredicateSyntax) throws(QueryError) -> Condition {
    switch syntax {
    case .constant(let value): return .constant(value)
    case .not(let inner): return .not(try condition(inner))
    case .and(let all): return .and(try conditions(all))
    case .or(let all): return .or(try conditions(all))
    case .comparison(let syntax):
      return syntax.operation == .text ? try textCondition(syntax) : try comparison(syntax)
    case .between(let syntax): return try between(syntax)
    case .geoWithin(let syntax): return try geoWithin(syntax)
    }
  }

  private mutating func conditions(
    _ syntax: [PredicateSyntax]
  ) throws(QueryError) -> [Condition] {
    var all: [Condition] = []
    for part in syntax { all.append(try condition(part)) }
    return all
  }

  // MARK: Sorting

  private mutating func ordering(_ syntax: OrderingSyntax) throws(QueryError) -> Ordering {
    switch syntax {
    case .limit(let count): return .limit(count)
    case .sort(let keys):
      var sorted: [(path: KeyPath, isAscending: Bool)] = []
      for key in keys { sorted.append((try singlePath(key.path), key.isAscending)) }
      return .sort(sorted)
    case .distinct(let paths):
      var distinct: [KeyPath] = []
      for path in paths { distinct.append(try singlePath(path)) }
      return .distinct(distinct)
    }
  }

  /// A path for `SORT` and `DISTINCT`: over single links to one value.
  mutating func singlePath(_ syntax: PathSyntax) throws(QueryError) -> KeyPath {
    if case .keyPathArgument = syntax.steps.first?.step {
      throw QueryError(
        .argument, "a key path argument cannot be used in SORT or DISTINCT", at: syntax.range,
        hint: "write the path itself")
    }
    let path = try self.path(syntax)
    let isSingle =
      !path.keyPath.links.dropLast(path.keyPath.endsInEntryOfLinks ? 1 : 0).contains(
        where: \.isMultiple)
      && (!path.isMultiple || path.isDictionaryEntry || path.keyPath.endsInEntryOfLinks)
      && syntax.suffix == nil && syntax.quantifier == nil
    guard isSingle else {
      throw QueryError(
        .type, "\(source(syntax.range)) has several values; SORT and DISTINCT need a single value",
        at: syntax.range, hint: "name a single value, or follow links that have one target: dog.age"
      )
    }
    return path.keyPath
  }

  // MARK: Names

  /// The query at `range`, as the user wrote it.
  func source(_ range: TextRange) -> String {
    let range = range.clamped(to: 0..<text.count)
    return "`" + String(decoding: text[range], as: UTF8.self) + "`"
  }

  func name(_ type: ValueType) -> String { type.name(in: schema) }

  /// The position of the app's class with `name`.
  ///
  /// - Parameter allowsPrefix: whether the name of the table, `class_Person`, is also accepted.
  func classPosition(
    _ name: [UInt8], at range: TextRange, allowsPrefix: Bool = false
  ) throws(QueryError) -> Int {
    let found = schema.appClasses.first {
      schema.classes[$0].name.bytes == name
        || (allowsPrefix && schema.classes[$0].tableName == name)
    }
    guard let found else {
      let name = String(decoding: name, as: UTF8.self)
      let names = schema.appClasses.map { schema.classes[$0].name.text }
      throw QueryError(
        .unknownName, "there is no class '\(name)'", at: range,
        hint: NearestName.suggestion(name, names, of: "the classes are")
          ?? "the realm has no classes")
    }
    return found
  }

  /// The position of the property with `name` in a class.
  func propertyPosition(
    _ name: [UInt8], of position: Int, at range: TextRange
  ) throws(QueryError) -> Int {
    let objectClass = schema.classes[position]
    if let found = objectClass.properties.firstIndex(where: { $0.name.bytes == name }) {
      return found
    }
    let name = String(decoding: name, as: UTF8.self)
    throw QueryError(
      .unknownName, "\(objectClass.name.text) has no property '\(name)'", at: range,
      hint: NearestName.suggestion(
        name, objectClass.properties.map(\.name.text), of: "the properties are")
        ?? "\(objectClass.name.text) has no properties")
  }

  /// The argument with `number`.
  func argument(_ number: Int, at range: TextRange) throws(QueryError) -> QueryArgument {
    guard number < arguments.count else {
      let given =
        switch arguments.count {
        case 0: "none was given"
        case 1: "only $0 was given"
        case let count: "only $0 to $\(count - 1) were given"
        }
      throw QueryError(
        .argument, "argument $\(number) is missing: \(given)", at: range,
        hint: "give a value for each of $0, $1 and so on")
    }
    return arguments[number]
  }
}

/// Key paths (chapter 6, section 4.3).
extension Resolver {
  /// A path with the facts that the rest of the query needs.
  struct ResolvedPath {
    var keyPath: KeyPath
    var type: ValueType
    /// True if the path passes or ends in a collection: a quantifier is allowed.
    var passesCollection = false
    /// True if the path ends in a stored collection, or passes one without picking an element.
    var isMultiple = false
    /// True if the values are compared as a sequence.
    var isSequence = false
    /// True if the path ends in an entry of a dictionary.
    var isDictionaryEntry = false
    /// The last property, for messages.
    var property: Property?
  }

  mutating func path(_ syntax: PathSyntax) throws(QueryError) -> ResolvedPath {
    var walk = PathWalk(resolver: self, syntax: syntax)
    let path = try walk.resolve()
    if syntax.quantifier != nil, !path.passesCollection {
      throw QueryError(
        .type, "\(source(syntax.range)) has a quantifier, but its path has no collection",
        at: syntax.range, hint: "ANY, ALL and NONE need a list, a set, a dictionary or @links")
    }
    return path
  }
}
