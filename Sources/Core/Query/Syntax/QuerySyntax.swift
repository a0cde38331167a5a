/// The tree that the parser returns for a query, with names not yet resolved (chapter 6, section 4.2).
/// Every part knows its place in the query.
package struct QuerySyntax: Sendable {
  /// The query as UTF-8.
  var text: [UInt8]
  var predicate: PredicateSyntax
  /// `SORT`, `DISTINCT` and `LIMIT` in the order of the query.
  var orderings: [OrderingSyntax]
}

/// A place in a query: byte offsets.
typealias TextRange = Range<Int>

indirect enum PredicateSyntax: Sendable {
  /// Two or more predicates.
  case and([PredicateSyntax])
  /// Two or more predicates.
  case or([PredicateSyntax])
  case not(PredicateSyntax)
  /// `TRUEPREDICATE` is true, `FALSEPREDICATE` false.
  case constant(Bool)
  case comparison(ComparisonSyntax)
  case between(BetweenSyntax)
  case geoWithin(GeoWithinSyntax)
}

/// `left operation right`, with or without `[c]`.
struct ComparisonSyntax: Sendable {
  enum Operation: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case isIn
    case beginsWith, endsWith, contains, like
    case text
  }

  var left: ExpressionSyntax
  var operation: Operation
  /// Place of the operator.
  var range: TextRange
  var ignoresCase: Bool
  var right: ExpressionSyntax
}

/// `value BETWEEN {a, b}`; the parser accepts any number of bounds.
struct BetweenSyntax: Sendable {
  var value: ExpressionSyntax
  /// Place of the operator.
  var range: TextRange
  var bounds: ListSyntax
}

/// `path GEOWITHIN shape`.
struct GeoWithinSyntax: Sendable {
  enum Shape: Sendable {
    case box(GeoPointSyntax, GeoPointSyntax)
    case circle(center: GeoPointSyntax, radius: GeoCoordinateSyntax)
    /// The outer ring, then the holes.
    case polygon([[GeoPointSyntax]])
    case argument(Int)
  }

  var path: PathSyntax
  /// Place of the operator.
  var range: TextRange
  var shape: Shape
  var shapeRange: TextRange
}

struct GeoPointSyntax: Sendable {
  var longitude: GeoCoordinateSyntax
  var latitude: GeoCoordinateSyntax
  var altitude: GeoCoordinateSyntax?
  var range: TextRange
}

struct GeoCoordinateSyntax: Sendable {
  enum Value: Sendable {
    case number(Double)
    case argument(Int)
  }

  var value: Value
  var range: TextRange
}

indirect enum ExpressionSyntax: Sendable {
  case constant(ConstantSyntax)
  case list(ListSyntax)
  case path(PathSyntax)
  case aggregate(AggregateSyntax)
  case subquery(SubquerySyntax)
  case arithmetic(ArithmeticSyntax)

  var range: TextRange {
    switch self {
    case .constant(let syntax): syntax.range
    case .list(let syntax): syntax.range
    case .path(let syntax): syntax.range
    case .aggregate(let syntax): syntax.range
    case .subquery(let syntax): syntax.range
    case .arithmetic(let syntax): syntax.range
    }
  }
}

enum Quantifier: Sendable {
  /// `ANY` or `SOME`.
  case any
  case all
  case none
}

struct ConstantSyntax: Sendable {
  enum Value: Sendable {
    case null
    case bool(Bool)
    /// An integer, saturated at the limits of Int64; octal and hexadecimal as in the reference.
    case int(Int64)
    /// A number with fraction, exponent or suffix `f`, infinity or NaN. `text` has no suffix; it becomes a
    /// decimal128 if the other side of the comparison is one.
    case float(Double, text: String)
    /// The bytes between the quotes: escapes are not translated.
    case string([UInt8])
    /// The decoded bytes of `B64"…"`.
    case base64([UInt8])
    /// `binary(…)`.
    case binary([UInt8])
    /// Seconds since 1970 and nanoseconds.
    case date(seconds: Int64, nanoseconds: Int64)
    /// 12 bytes.
    case objectId([UInt8])
    /// 16 bytes.
    case uuid([UInt8])
    /// `O<n>`.
    case objectKey(Int64)
    /// `L<t>:<n>`.
    case typedKey(table: UInt32, key: Int64)
    /// `obj('Class', primaryKey)`; the primary key is a string, int, objectId, uuid or argument.
    indirect case object(className: [UInt8], primaryKey: ConstantSyntax)
    /// `$<n>`.
    case argument(Int)
  }

  var value: Value
  /// Only before an argument.
  var quantifier: Quantifier?
  var range: TextRange
}

/// `{a, b, …}`.
struct ListSyntax: Sendable {
  var quantifier: Quantifier?
  var elements: [ConstantSyntax]
  var range: TextRange
}

/// A key path with its quantifier and suffix.
struct PathSyntax: Sendable {
  enum Suffix: Sendable {
    /// `.@size`, `.@count` or `[SIZE]`.
    case size
    /// `.@type`.
    case type
  }

  var quantifier: Quantifier?
  /// At least one; the first one is a name, `@links` or a key path argument.
  var steps: [PathStepSyntax]
  var suffix: Suffix?
  var range: TextRange
}

struct PathStepSyntax: Sendable {
  enum Step: Sendable {
    /// The UTF-8 of a name, with its escapes translated.
    case name([UInt8])
    /// `@links`, followed by a class and a property, or by a size.
    case links
    /// `@keys`.
    case keys
    /// `@values`.
    case values
    /// `$K<n>`.
    case keyPathArgument(Int)
    /// `[n]`.
    case index(Int)
    /// `[FIRST]`.
    case first
    /// `[LAST]`.
    case last
    /// `[*]`.
    case all
    /// `['key']`: the bytes between the quotes.
    case key([UInt8])
    /// `[$n]`: an index or a key.
    case argument(Int)
  }

  var step: Step
  var range: TextRange
}

/// `path.@max.property`; the property is absent for a collection of values.
struct AggregateSyntax: Sendable {
  enum Operation: Sendable { case max, min, sum, average }

  var path: PathSyntax
  var operation: Operation
  /// Place of the `@` word.
  var operationRange: TextRange
  var property: PathStepSyntax?
  var range: TextRange
}

/// `SUBQUERY(path, $v, predicate).@count`.
struct SubquerySyntax: Sendable {
  var path: PathSyntax
  /// The name with its `$`.
  var variable: [UInt8]
  var variableRange: TextRange
  var predicate: PredicateSyntax
  var range: TextRange
}

struct ArithmeticSyntax: Sendable {
  enum Operation: Sendable { case add, subtract, multiply, divide }

  var left: ExpressionSyntax
  var operation: Operation
  var operationRange: TextRange
  var right: ExpressionSyntax
  var range: TextRange { left.range.lowerBound..<right.range.upperBound }
}

enum OrderingSyntax: Sendable {
  case sort([SortKeySyntax])
  case distinct([PathSyntax])
  case limit(Int)
}

struct SortKeySyntax: Sendable {
  var path: PathSyntax
  var isAscending: Bool
}
