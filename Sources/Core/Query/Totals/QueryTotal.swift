package import RealmModel
import RealmStorage

/// A total over the objects of a result, or over those of a group.
public struct QueryTotal: Sendable {
  public enum Operation: Sendable {
    case sum, average, min, max

    /// The word of the query language.
    var word: String {
      switch self {
      case .sum: "@sum"
      case .average: "@avg"
      case .min: "@min"
      case .max: "@max"
      }
    }

    var syntax: AggregateSyntax.Operation {
      switch self {
      case .sum: .sum
      case .average: .average
      case .min: .min
      case .max: .max
      }
    }
  }

  enum Kind: Sendable {
    case count
    case values(Operation, QueryPath)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// The number of objects.
  package static let count = QueryTotal(.count)

  /// Totals of the values of the paths in `text`.
  ///
  /// - Throws: ``QueryError`` if a path has an error, if a name does not exist, or if the values have no sum
  ///   or no order.
  package static func totals(
    _ operation: Operation, of text: String, ofClass name: String, in schema: ObjectSchema
  ) throws(QueryError) -> [QueryTotal] {
    var totals: [QueryTotal] = []
    let position = try Query.position(ofClass: name, in: schema)
    for path in try QueryPath.paths(text, ofClass: name, in: schema) {
      totals.append(try QueryTotal(operation, of: path, ofClass: position, schema))
    }
    return totals
  }

  /// A total of the values of `path`; nulls are skipped.
  ///
  /// - Throws: ``QueryError`` if the values have no sum, or no order.
  private init(
    _ operation: Operation, of path: QueryPath, ofClass position: Int, _ schema: ObjectSchema
  ) throws(QueryError) {
    guard operation.takes(path.type) else {
      throw QueryError(
        .type,
        "found values of type \(path.type.name(in: schema)), expected \(operation.operands)",
        at: path.range, hint: operation.hint(insteadOf: path, ofClass: position, in: schema))
    }
    kind = .values(operation, path)
  }

  /// The name of the total in a result.
  package var name: String {
    switch kind {
    case .count: "@count"
    case .values(let operation, let path): "\(operation.word).\(path.text)"
    }
  }

  /// The type of the result.
  var type: ValueType {
    switch kind {
    case .count: .int
    case .values(let operation, let path):
      Aggregate.resultType(of: operation.syntax, path.type, isOfObjects: true)
    }
  }
}

extension QueryTotal.Operation {
  fileprivate var operands: String {
    switch self {
    case .sum, .average: "numbers"
    case .min, .max: "values with an order"
    }
  }

  fileprivate func takes(_ type: ValueType) -> Bool {
    switch self {
    case .sum, .average: type.isNumeric || type == .mixed
    case .min, .max: !type.isLink && type != .typeName
    }
  }

  /// The properties that have this total: of the objects that the path leads to, or of the class.
  fileprivate func hint(
    insteadOf path: QueryPath, ofClass position: Int, in schema: ObjectSchema
  ) -> String {
    var (target, prefix) = (position, "")
    if case .link(let end) = path.type {
      (target, prefix) = (end, path.text + ".")
    } else if case .path(let keyPath) = path.expression, !keyPath.links.isEmpty,
      let dot = path.text.lastIndex(of: ".")
    {
      (target, prefix) = (keyPath.target, String(path.text[...dot]))
    }
    let owner = schema.classes[target]
    let names = owner.properties.filter { $0.type != .mixed && takes(ValueType($0)) }
      .map { prefix + $0.name.text }
    let kind =
      switch self {
      case .sum, .average: "numbers"
      case .min, .max: "an order"
      }
    return names.isEmpty
      ? "\(owner.name.text) has no property with \(kind)"
      : "the properties of \(owner.name.text) with \(kind) are \(NearestName.list(names))"
  }
}
