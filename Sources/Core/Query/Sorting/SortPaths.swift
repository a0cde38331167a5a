public import RealmModel

/// Paths for sorting, or for finding distinct objects: over single links to one value.
public struct SortPaths: Sendable {
  let paths: [KeyPath]

  /// The paths in `text`, with commas between them.
  ///
  /// - Throws: ``QueryError`` if a path has an error, if a name does not exist, or if an object can have
  ///   several values.
  public init(
    _ text: String, ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) {
    var parser = try Parser(text)
    let columns = try parser.columns()
    var resolver = Resolver(
      schema: schema, arguments: [], text: parser.lexer.text,
      base: try Query.position(ofClass: name, in: schema))
    var paths: [KeyPath] = []
    for syntax in columns {
      guard case .path(let path) = syntax, path.suffix == nil else {
        throw QueryError(
          .type, "found \(resolver.source(syntax.range)), expected a path to a property",
          at: syntax.range, hint: "sort by a property, or by one of a linked object: dog.age")
      }
      paths.append(try resolver.singlePath(path))
    }
    self.paths = paths
  }
}

extension Query {
  /// Sorts the result by `keys`, the first one first. Equal objects keep their order.
  public mutating func sort(by keys: [(path: SortPaths, isAscending: Bool)]) {
    resolved.orderings.append(
      .sort(keys.flatMap { key in key.path.paths.map { ($0, key.isAscending) } }))
  }

  /// Keeps the first object of each combination of values.
  public mutating func distinct(by paths: SortPaths) {
    resolved.orderings.append(.distinct(paths.paths))
  }

  /// Turns the order around.
  package mutating func reverse() { resolved.orderings.append(.reversal) }

  /// Keeps the first `count` objects.
  public mutating func limit(to count: Int) { resolved.orderings.append(.limit(count)) }
}
