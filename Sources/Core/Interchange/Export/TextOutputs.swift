package import RealmModel
package import RealmStorage

/// Where the texts of an export go: one text, or one for each class.
package protocol TextOutputs: AnyObject, Sendable {
  /// The output for the objects of a class, and for what stands in front of the first class.
  ///
  /// - Parameter objectClass: nil in front of the first class.
  /// - Returns: nil where nothing is written in front of the first class.
  /// - Throws: `outputExists`, `cannotCreate`.
  func output(
    for objectClass: ObjectClass?
  ) throws(RealmFileError) -> (any OutputSink & Sendable)?
}

/// All classes in one text.
package final class SingleOutput: TextOutputs {
  private let sink: any OutputSink & Sendable

  package init(_ sink: any OutputSink & Sendable) { self.sink = sink }

  package func output(for objectClass: ObjectClass?) -> (any OutputSink & Sendable)? { sink }
}
