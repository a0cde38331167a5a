public import RealmQuery

/// Why a job cannot use a query or a path that the user wrote.
public struct QueryTextError: Error, Equatable, Sendable {
  public var error: QueryError
  /// The text that the places of the error are in.
  public var text: String
  /// Where the user wrote it: `query`, or the name of an option.
  public var source: String
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(_ error: QueryError, in text: String, of source: String, path: String = "") {
    (self.error, self.text, self.source, self.path) = (error, text, source, path)
  }
}

extension QueryTextError: CustomStringConvertible {
  /// One line: where the text comes from, and the problem.
  public var description: String { "\(source): \(error.message)" }
}

/// Runs `work` with a text of the user: its errors become ``JobError/query(_:)``.
package func withText<Value>(
  _ text: String, of source: String, _ work: (String) throws(QueryError) -> Value
) throws(JobError) -> Value {
  do throws(QueryError) {
    return try work(text)
  } catch {
    throw .query(QueryTextError(error, in: text, of: source))
  }
}
