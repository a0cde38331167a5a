package import RealmModel
package import RealmStorage

/// The outputs of an export: one text, or one text per class.
package protocol TextOutputs: AnyObject, Sendable {
  /// The output for the objects of a class, and for the text before the first class.
  ///
  /// - Parameter objectClass: nil for the text before the first class.
  /// - Returns: nil if no text comes before the first class.
  /// - Throws: `outputExists`, `cannotCreate`.
  func output(
    for objectClass: ObjectClass?
  ) throws(RealmFileError) -> (any OutputSink & Sendable)?
}

/// Writes all classes to one text.
package final class SingleOutput: TextOutputs {
  private let sink: any OutputSink & Sendable

  package init(_ sink: any OutputSink & Sendable) { self.sink = sink }

  package func output(for objectClass: ObjectClass?) -> (any OutputSink & Sendable)? { sink }
}
