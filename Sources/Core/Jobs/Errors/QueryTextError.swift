public import RealmQuery
public import RealmStorage

/// Why a job cannot use a query or a path that the user wrote.
public struct QueryTextError: PathError, Equatable, Sendable {
  /// A part of a request that the user wrote.
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
    /// A property with its new value.
    case assignment
  }

  public var error: QueryError
  /// The string that the offsets of the error refer to.
  public var text: String
  public var part: Part
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(_ error: QueryError, in text: String, of part: Part, path: String = "") {
    (self.error, self.text, self.part, self.path) = (error, text, part, path)
  }
}

extension QueryTextError: CustomStringConvertible {
  /// One line: what is wrong.
  public var description: String { error.message }
}

/// Runs `work` with a string that the user wrote; its errors become ``QueryTextError``.
package func withText<Value>(
  _ text: String, of part: QueryTextError.Part, _ work: (String) throws(QueryError) -> Value
) throws -> Value {
  do throws(QueryError) {
    return try work(text)
  } catch {
    throw QueryTextError(error, in: text, of: part)
  }
}
