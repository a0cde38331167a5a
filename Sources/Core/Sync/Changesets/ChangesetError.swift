/// Why a changeset cannot be decoded.
public struct ChangesetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Byte offset in the unwrapped changeset.
  public let offset: Int
  /// The problem: a clause without a full stop.
  public let problem: String

  public init(_ problem: String, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  public var description: String { "byte \(offset) of the changeset: \(problem)" }
}
