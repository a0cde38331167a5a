package import RealmInterchange

/// A patch, opened and checked for completeness (docs/patch.md).
public struct Patch: Sendable {
  package let input: PatchInput

  /// - Parameter path: the file of the patch; `-` for standard input, which is read once.
  /// - Throws: ``ImportError`` for an input that is not a whole patch.
  public init(path: String) throws {
    input = try PatchInput(path: path)
  }

  /// A patch in memory.
  ///
  /// - Parameter name: stands for the path in errors.
  /// - Throws: ``ImportError`` for a text that is not a whole patch.
  package init(text: [UInt8], name: String) throws(ImportError) {
    input = try PatchInput(text: text, name: name)
  }
}
