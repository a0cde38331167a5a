public import RealmModel

/// The objects that a query found, and the steps that found them.
public struct QueryResult: Sendable {
  /// The objects, in the order of the result: by key, unless the query sorts.
  public var keys: [ObjectKey]
  /// The steps in the order in which they ran.
  public var steps: [QueryStep]
}

/// A step of running a query.
public struct QueryStep: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// All objects of a class were looked at.
    case scan(className: String)
    /// An index gave the objects to look at.
    case index(className: String, property: String)
    /// Links were followed back from known objects at the end of a path, which gave the objects to look at.
    case backlinks(className: String, path: String)
    /// The objects that any of the look-ups before gave were looked at.
    case union(className: String)
    /// The objects of a linked class that match a condition were found first.
    case linkedScan(className: String)
    case sort
    case distinct
    case limit
  }

  public var kind: Kind
  /// Number of objects that the step looked at.
  public var lookedAtCount: Int
  /// Number of objects that are left.
  public var foundCount: Int
  public var duration: Duration
  /// The property whose index would make the step faster, if there is one.
  public var indexSuggestion: String?

  public init(
    _ kind: Kind, lookedAtCount: Int, foundCount: Int, duration: Duration,
    indexSuggestion: String? = nil
  ) {
    (self.kind, self.lookedAtCount, self.foundCount) = (kind, lookedAtCount, foundCount)
    (self.duration, self.indexSuggestion) = (duration, indexSuggestion)
  }
}
