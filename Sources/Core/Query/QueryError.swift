/// Why a text is not a query of a class: what is wrong, where, and what can be done.
public struct QueryError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The text does not follow the grammar.
    case syntax
    /// A constant that has no value, such as a date before 1900.
    case value
    /// A class or a property does not exist.
    case unknownName
    /// Types that do not go together, or an operator that a type does not have.
    case type
    /// An argument is missing or has the wrong type.
    case argument
    /// The query nests deeper, or is longer, than a query may be.
    case tooLarge
  }

  public var kind: Kind
  /// One sentence: what was found and what was expected.
  public var message: String
  /// Place in the text of the query: byte offsets. Empty at the end of the text.
  public var range: Range<Int>
  /// What the user can do; nil if the message says it.
  public var hint: String?

  public init(_ kind: Kind, _ message: String, at range: Range<Int>, hint: String? = nil) {
    (self.kind, self.message, self.range, self.hint) = (kind, message, range, hint)
  }
}
