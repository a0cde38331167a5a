import RealmModel

/// A resolved predicate, which the evaluator runs.
indirect enum Condition: Sendable {
  case constant(Bool)
  case and([Condition])
  case or([Condition])
  case not(Condition)
  case comparison(Comparison)
  case text(TextCondition)
  case geoWithin(KeyPath, GeoShape)
  /// Made by the planner.
  case linked(LinkedCondition)
}

/// A comparison of two operands.
struct Comparison: Sendable {
  enum Operation: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, endsWith, contains, like
  }

  /// How several values of one object on either side give one result (chapter 6, section 4.7).
  enum Matching: Sendable {
    /// Sequences: the same number of values, and the operation holds for each pair.
    case pairwise
    /// The operation holds for any, all or none of the values on the left (`left`) and, for each of them,
    /// for any, all or none of the values on the right (`right`).
    case quantified(left: Quantifier, right: Quantifier)
    /// One side is an entry of a dictionary: the operation holds for it and any value of the other side. The
    /// missing entry of an empty dictionary compares as an empty sequence.
    case entry(isLeft: Bool)
  }

  var left: Expression
  var operation: Operation
  var ignoresCase: Bool
  var right: Expression
  var matching: Matching
  /// True if a property of the class itself is compared with a constant of its type. The reference has
  /// other rules for this case: null is smaller than every string, and NaN is neither smaller nor larger
  /// than a number (chapter 6, section 4.6).
  var isSimple = false

  /// The same comparison with the path on the left, if it tests whether any value of a path equals any constant.
  var withPathFirst: Comparison {
    guard operation == .equal, !ignoresCase, case .quantified(.any, .any) = matching,
      left.constants != nil, case .path = right
    else { return self }
    var turned = self
    (turned.left, turned.right) = (right, left)
    return turned
  }
}

/// Full-text search in a property.
struct TextCondition: Sendable {
  var path: KeyPath
  var search: TextSearch
}

/// A condition on linked objects, given as a set of keys that is complete before evaluation.
struct LinkedCondition: Sendable {
  var links: [LinkStep]
  /// Position in ``QueryPlan/sets``.
  var set: Int
  var quantifier: Quantifier
  /// The result for an object without linked objects.
  var matchesWithoutObjects: Bool
}

/// One side of a comparison.
indirect enum Expression: Sendable {
  case constant(Constant)
  case constants([Constant])
  case path(KeyPath)
  case aggregate(Aggregate)
  case subquery(Subquery)
  /// The number of linked objects that are in a set, by position in ``QueryPlan/sets``; made by the
  /// planner.
  case linkedCount([LinkStep], set: Int)
  case arithmetic(ArithmeticSyntax.Operation, Expression, Expression)

  /// The values of a constant or of a list of constants; nil for other expressions.
  var constants: [Constant]? {
    switch self {
    case .constant(let constant): [constant]
    case .constants(let constants): constants
    default: nil
    }
  }
}

/// A value in a query.
enum Constant: Sendable {
  case value(QueryValue)
  /// An object that is looked up when the query runs: position in ``ResolvedQuery/objects``.
  case object(Int)
}

/// `path.@max` or `path.@max.property`
struct Aggregate: Sendable {
  /// The path to the values. With a property, the values of all objects at the end of the links together;
  /// otherwise the elements of one collection.
  var path: KeyPath
  var operation: AggregateSyntax.Operation
  var isOfObjects: Bool
  /// Type of the values.
  var type: ValueType
  /// True if the values are treated as mixed values, so that a float or double NaN counts. The reference
  /// does so for the smallest and the largest value of a dictionary of any type.
  var isMixed: Bool
}

/// `SUBQUERY(path, $v, condition).@count`
struct Subquery: Sendable {
  var path: KeyPath
  var condition: Condition
}

/// `SORT`, `DISTINCT` or `LIMIT`
enum Ordering: Sendable {
  case sort([(path: KeyPath, isAscending: Bool)])
  case distinct([KeyPath])
  case limit(Int)
  /// The other way around.
  case reversal
}

/// An object named in a query.
enum ObjectReference: Sendable {
  /// `obj('Class', primaryKey)`
  case primaryKey(classPosition: Int, QueryValue)
  /// `L<t>:<n>`
  case tableKey(UInt32, key: Int64)
}

/// A query with its names resolved. It depends on the schema, not on a file.
struct ResolvedQuery: Sendable {
  var classPosition: Int
  var condition: Condition
  var orderings: [Ordering]
  var objects: [ObjectReference]
  /// Owners of the constants' bytes.
  var bytes: [SliceColumn]
}
