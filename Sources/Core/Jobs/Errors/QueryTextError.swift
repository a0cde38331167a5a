public import RealmQuery
public import RealmStorage

/// Why a job cannot use a query or a path that the user wrote.
public struct QueryTextError: PathError, Equatable, Sendable {
  /// A part of a request that is a text.
  public enum Part: Equatable, Sendable {
    /// The name of the class.
    case className
    case query
    /// A value for `$0` and so on.
    case argument
    /// The condition of an export.
    case condition
    case order
    case distinct
    case columns
    case groups
    case total(QueryTotal.Operation)
  }

  public var error: QueryError
  /// The text that the places of the error are in.
  public var text: String
  public var part: Part
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(_ error: QueryError, in text: String, of part: Part, path: String = "") {
    (self.error, self.text, self.part, self.path) = (error, text, part, path)
  }
}

extension QueryTextError: CustomStringConvertible {
  /// One line: the problem in the text.
  public var description: String { error.message }
}

/// Runs `work` with a text of the user: its errors become ``QueryTextError``.
package func withText<Value>(
  _ text: String, of part: QueryTextError.Part, _ work: (String) throws(QueryError) -> Value
) throws -> Value {
  do throws(QueryError) {
    return try work(text)
  } catch {
    throw QueryTextError(error, in: text, of: part)
  }
}
