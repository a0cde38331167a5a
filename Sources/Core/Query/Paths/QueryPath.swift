package import RealmModel

/// A path for a column of a result or for a total: a key path of the query language, which may end in a
/// size or an aggregate.
package struct QueryPath: Sendable {
  /// The path as written.
  package let text: String
  /// Its place in the list of paths: byte offsets.
  package let range: Range<Int>
  let expression: Expression
  let type: ValueType
  /// True if the values are mixed values. All values of dictionaries have type mixed, but only those of a
  /// mixed property are mixed values.
  let isMixed: Bool
  /// True if the values of an object are a list.
  let isList: Bool

  /// The paths in `text`, with commas between them.
  ///
  /// - Throws: ``QueryError`` if a path has an error, or if a name does not exist.
  package static func paths(
    _ text: String, ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) -> [QueryPath] {
    var parser = try Parser(text)
    let columns = try parser.columns()
    var resolver = Resolver(
      schema: schema, arguments: [], text: parser.lexer.text,
      base: try Query.position(ofClass: name, in: schema))
    var paths: [QueryPath] = []
    for syntax in columns { paths.append(try QueryPath(syntax, &resolver)) }
    return paths
  }

  /// The path in `text` to the value to group objects by.
  ///
  /// - Throws: like ``paths(_:ofClass:in:)``; also if there are several paths, or if an object can have
  ///   several values.
  package static func group(
    _ text: String, ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) -> QueryPath {
    let all = try paths(text, ofClass: name, in: schema)
    guard let path = all.first, all.count == 1 else {
      throw QueryError(
        .syntax, "found \(all.count) paths, expected one to group by", at: 0..<text.utf8.count,
        hint: "name one path; its values make the groups")
    }
    guard !path.hasSeveralValues(in: schema, of: try Query.position(ofClass: name, in: schema))
    else {
      throw QueryError(
        .type, "found several values, expected a path to a single value", at: path.range,
        hint: "group by a property with one value, or by a number of values: dogs.@count")
    }
    return path
  }

  /// Whether an object can have several values.
  func hasSeveralValues(in schema: ObjectSchema, of position: Int) -> Bool {
    isList || property(in: schema, of: position).collection != nil
  }

  private init(
    _ syntax: ExpressionSyntax, _ resolver: inout Resolver
  ) throws(QueryError) {
    let operand = try resolver.operand(syntax, nil)
    (text, range) = (String(decoding: resolver.text[syntax.range], as: UTF8.self), syntax.range)
    (expression, type) = (operand.expression, operand.type)
    isMixed = type == .mixed && (operand.path?.property.map { ValueType($0) == .mixed } ?? true)
    isList = operand.isMultiple && !QueryPath.picksOne(operand.expression, resolver.schema)
  }

  /// Whether a path reaches one value because it picks an element of each collection on it.
  private static func picksOne(_ expression: Expression, _ schema: ObjectSchema) -> Bool {
    guard case .path(let path) = expression,
      !path.links.contains(where: { $0.isMultiple && $0.pick == nil })
    else { return false }
    guard case .property(let position, let steps) = path.end, path.reading != .size else {
      return true
    }
    let isCollection = schema.classes[path.target].properties[position].collection != nil
    return !steps.contains { $0.isMultiple } && !(isCollection && steps.isEmpty)
  }

  /// The position of the property if the path is only a property of the class.
  var wholeProperty: Int? {
    guard case .path(let path) = expression else { return nil }
    if let property = path.directProperty { return property }
    guard path.links.count == 1, let link = path.links.first, link.pick == nil,
      case .property(let position) = link.source, case .objects = path.end, path.reading == .values
    else { return nil }
    return position
  }

  /// The property that holds the values in the result.
  func property(in schema: ObjectSchema, of position: Int) -> Property {
    let name = Name(text)
    if let whole = wholeProperty {
      let property = schema.classes[position].properties[whole]
      return Property(
        name: name, type: property.type, isOptional: property.isOptional,
        collection: property.collection, target: property.target,
        hasIntegerKeys: property.hasIntegerKeys)
    }
    var target: Int?
    if case .link(let position) = type { target = position }
    return Property(
      name: name, type: type.propertyType, isOptional: true, collection: isList ? .list : nil,
      target: target)
  }
}

extension ValueType {
  /// The type of a property with such values.
  var propertyType: PropertyType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string, .typeName, .null: .string
    case .binary: .binary
    case .date: .timestamp
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .mixed: .mixed
    case .link: .link
    }
  }
}
