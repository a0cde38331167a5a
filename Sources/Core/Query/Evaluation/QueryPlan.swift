import RealmModel

/// What an evaluator knows beside the condition: the objects that the query names, and sets of objects
/// that were computed before.
struct QueryPlan: Sendable {
  /// The values of ``ResolvedQuery/objects``.
  var objects: [QueryValue] = []
  /// The keys of the objects of a class for which a condition holds.
  var sets: [KeySet] = []

  func value(of constant: Constant) -> QueryValue {
    switch constant {
    case .value(let value): value
    case .object(let position): objects[position]
    }
  }
}
