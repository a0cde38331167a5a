package import RealmInterchange

/// A patch, opened and checked for completeness (docs/patch.md).
public struct Patch: Sendable {
  package let input: PatchInput

  /// - Parameter path: the file of the patch; `-` for standard input, which is read once.
  /// - Throws: ``ImportError`` for an input that is not a whole patch.
  public init(path: String) throws {
    input = try PatchInput(path: path)
  }
}
