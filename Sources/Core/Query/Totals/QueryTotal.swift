package import RealmModel

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
    for path in try QueryPath.paths(text, ofClass: name, in: schema) {
      totals.append(try QueryTotal(operation, of: path, schema))
    }
    return totals
  }

  /// A total of the values of `path`; nulls are skipped.
  ///
  /// - Throws: ``QueryError`` if the values have no sum, or no order.
  private init(
    _ operation: Operation, of path: QueryPath, _ schema: ObjectSchema
  ) throws(QueryError) {
    let isPossible =
      switch operation {
      case .sum, .average: path.type.isNumeric || path.type == .mixed
      case .min, .max: !path.type.isLink && path.type != .typeName
      }
    guard isPossible else {
      let expected = operation == .sum || operation == .average ? "numbers" : "values with an order"
      throw QueryError(
        .type, "found values of type \(path.type.name(in: schema)), expected \(expected)",
        at: path.range)
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
