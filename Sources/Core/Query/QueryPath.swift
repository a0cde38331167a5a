public import RealmModel

/// A key path for columns of output, sorting, grouping and sums: `name`, `dog.name`, `dogs.@count`,
/// `attrs['eye']`, `mix.@type` (chapter 6, section 4.3).
public struct QueryPath: Sendable {
  /// What ``QueryColumns`` returns for the path, with the text of the path as its name: a property as it
  /// is, a size, or mixed values. A path over several links has a list of values.
  public let property: Property
  let path: KeyPath
  /// The schema of the class.
  let schema: ObjectSchema

  /// - Parameters:
  ///   - text: the path; untrusted.
  ///   - name: the name of the class.
  /// - Throws: ``QueryError`` if the text is no path, or if names do not fit the schema.
  public init(
    _ text: String, ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) {
    let position = try Query.position(ofClass: name, in: schema)
    let syntax = try QueryPath.syntax(text)
    var resolver = Resolver(
      schema: schema, arguments: [], text: Array(text.utf8), base: position)
    let resolved = try resolver.path(syntax)
    self.schema = schema
    path = resolved.path.readingWholeProperties
    property = QueryPath.property(named: text, path, resolved, in: schema)
  }

  /// A path is read as one side of a comparison.
  private static func syntax(_ text: String) throws(QueryError) -> PathSyntax {
    let end = text.utf8.count
    do throws(QueryError) {
      let query = try QuerySyntax(parsing: "\(text) == null")
      guard case .comparison(let comparison) = query.predicate,
        case .path(let path) = comparison.left, path.quantifier == nil,
        comparison.range.lowerBound >= end, query.orderings.isEmpty
      else { throw QueryError(.syntax, "'\(text)' is no key path", at: 0..<end) }
      return path
    } catch {
      throw QueryError(
        error.kind, error.message, at: error.range.clamped(to: 0..<end), hint: error.hint)
    }
  }

  private static func property(
    named text: String, _ path: KeyPath, _ resolved: Resolver.ResolvedPath,
    in schema: ObjectSchema
  ) -> Property {
    if let whole = path.wholeProperty {
      let property = schema.classes[path.target].properties[whole]
      return Property(
        name: Name(text), type: property.type,
        isOptional: property.isOptional || !path.links.isEmpty,
        collection: path.followsSeveral ? .list : property.collection, target: property.target,
        hasIntegerKeys: property.hasIntegerKeys && !path.followsSeveral)
    }
    let isCount = path.reading == .size || path.reading == .elementSizes
    let isSingle =
      !resolved.isMultiple || (resolved.isDictionaryEntry && !path.followsSeveral)
    return Property(
      name: Name(text), type: isCount ? .int : .mixed, isOptional: true,
      collection: isSingle ? nil : .list)
  }
}

extension KeyPath {
  /// The position of the property at the end, if the path reads it as it is.
  var wholeProperty: Int? {
    guard case .property(let position, let steps) = end, steps.isEmpty, reading == .values else {
      return nil
    }
    return position
  }

  /// The same path; if it ends in the objects of a link property, it ends in that property.
  fileprivate var readingWholeProperties: KeyPath {
    guard case .objects = end, reading == .values, let last = links.last, last.pick == nil,
      case .property(let position) = last.source
    else { return self }
    var path = self
    path.links.removeLast()
    path.end = .property(position, [])
    return path
  }
}
