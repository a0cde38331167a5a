/// A query as it was written: the tree that the parser returns, without the meaning of its names
/// (chapter 6, section 4.2). Every part knows its place in the text.
package struct QuerySyntax: Sendable {
  /// The text of the query, as UTF-8.
  package var text: [UInt8]
  package var predicate: PredicateSyntax
  /// `SORT`, `DISTINCT` and `LIMIT` in the order of the text.
  package var orderings: [OrderingSyntax]
}

/// A place in the text of a query: byte offsets.
package typealias TextRange = Range<Int>

package indirect enum PredicateSyntax: Sendable {
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
package struct ComparisonSyntax: Sendable {
  package enum Operation: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case isIn
    case beginsWith, endsWith, contains, like
    case text
  }

  package var left: ExpressionSyntax
  package var operation: Operation
  /// Place of the operator.
  package var range: TextRange
  package var ignoresCase: Bool
  package var right: ExpressionSyntax
}

/// `value BETWEEN {a, b}`; the parser accepts any number of bounds.
package struct BetweenSyntax: Sendable {
  package var value: ExpressionSyntax
  /// Place of the operator.
  package var range: TextRange
  package var bounds: ListSyntax
}

/// `path GEOWITHIN shape`.
package struct GeoWithinSyntax: Sendable {
  package enum Shape: Sendable {
    case box(GeoPointSyntax, GeoPointSyntax)
    case circle(center: GeoPointSyntax, radius: GeoCoordinateSyntax)
    /// The outer ring, then the holes.
    case polygon([[GeoPointSyntax]])
    case argument(Int)
  }

  package var path: PathSyntax
  /// Place of the operator.
  package var range: TextRange
  package var shape: Shape
  package var shapeRange: TextRange
}

package struct GeoPointSyntax: Sendable {
  package var longitude: GeoCoordinateSyntax
  package var latitude: GeoCoordinateSyntax
  package var altitude: GeoCoordinateSyntax?
  package var range: TextRange
}

package struct GeoCoordinateSyntax: Sendable {
  package enum Value: Sendable {
    case number(Double)
    case argument(Int)
  }

  package var value: Value
  package var range: TextRange
}

package indirect enum ExpressionSyntax: Sendable {
  case constant(ConstantSyntax)
  case list(ListSyntax)
  case path(PathSyntax)
  case aggregate(AggregateSyntax)
  case subquery(SubquerySyntax)
  case arithmetic(ArithmeticSyntax)

  package var range: TextRange {
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

package enum QuantifierSyntax: Sendable {
  /// `ANY` or `SOME`.
  case any
  case all
  case none
}

package struct ConstantSyntax: Sendable {
  package enum Value: Sendable {
    case null
    case bool(Bool)
    /// A natural number or a number; saturated at the limits of Int64, octal and hexadecimal as the
    /// reference reads them.
    case int(Int64)
    /// A number with fraction, exponent or suffix `f`, infinity or NaN. The text, which is without the
    /// suffix, is read again when the other side of a comparison is a decimal128.
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
    case object(className: [UInt8], primaryKey: [ConstantSyntax])
    /// `$<n>`.
    case argument(Int)
  }

  package var value: Value
  /// Only before an argument.
  package var quantifier: QuantifierSyntax?
  package var range: TextRange
}

/// `{a, b, …}`.
package struct ListSyntax: Sendable {
  package var quantifier: QuantifierSyntax?
  package var elements: [ConstantSyntax]
  package var range: TextRange
}

/// A key path, with what may stand before and after it.
package struct PathSyntax: Sendable {
  package enum Suffix: Sendable {
    /// `.@size`, `.@count` or `[SIZE]`.
    case size
    /// `.@type`.
    case type
  }

  package var quantifier: QuantifierSyntax?
  /// At least one; the first is a name, `@links` or a key path argument.
  package var steps: [PathStepSyntax]
  package var suffix: Suffix?
  package var range: TextRange
}

package struct PathStepSyntax: Sendable {
  package enum Step: Sendable {
    /// The UTF-8 of a name, with its escapes translated.
    case name([UInt8])
    /// `@links`; the next two steps name the class and the property, or a size follows.
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

  package var step: Step
  package var range: TextRange
}

/// `path.@max.property`; the property is absent for a collection of values.
package struct AggregateSyntax: Sendable {
  package enum Operation: Sendable { case max, min, sum, average }

  package var path: PathSyntax
  package var operation: Operation
  /// Place of the `@` word.
  package var operationRange: TextRange
  package var property: PathStepSyntax?
  package var range: TextRange
}

/// `SUBQUERY(path, $v, predicate).@count`.
package struct SubquerySyntax: Sendable {
  package var path: PathSyntax
  /// With its `$`.
  package var variable: [UInt8]
  package var variableRange: TextRange
  package var predicate: PredicateSyntax
  package var range: TextRange
}

package struct ArithmeticSyntax: Sendable {
  package enum Operation: Sendable { case add, subtract, multiply, divide }

  package var left: ExpressionSyntax
  package var operation: Operation
  package var operationRange: TextRange
  package var right: ExpressionSyntax
  package var range: TextRange { left.range.lowerBound..<right.range.upperBound }
}

package enum OrderingSyntax: Sendable {
  case sort([SortKeySyntax])
  case distinct([PathSyntax])
  case limit(Int)
}

package struct SortKeySyntax: Sendable {
  package var path: PathSyntax
  package var isAscending: Bool
}
