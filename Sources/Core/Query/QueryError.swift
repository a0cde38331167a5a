/// An error in a query: what is wrong, where, and what the user can do.
public struct QueryError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The query does not follow the grammar.
    case syntax
    /// A constant that has no value, such as a date before 1900.
    case value
    /// A class or a property does not exist.
    case unknownName
    /// Types that cannot be combined, or an operator that a type does not have.
    case type
    /// An argument is missing or has the wrong type.
    case argument
    /// The query nests too deep or is too long.
    case tooLarge
  }

  public var kind: Kind
  /// One sentence: what was found and what was expected.
  public var message: String
  /// Place in the query: byte offsets. Empty at the end of the query.
  public var range: Range<Int>
  /// What the user can do.
  public var hint: String

  public init(_ kind: Kind, _ message: String, at range: Range<Int>, hint: String) {
    (self.kind, self.message, self.range, self.hint) = (kind, message, range, hint)
  }
}
