/// Why a changeset cannot be decoded.
package struct ChangesetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Byte offset in the unwrapped changeset.
  package let offset: Int
  /// The problem: a clause without a full stop.
  package let problem: String

  package init(_ problem: String, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  package var description: String { "byte \(offset) of the changeset: \(problem)" }
}
