package import RealmModel
package import RealmStorage

/// The outputs of an export: one for all classes, or one per class.
package protocol TextOutputs: AnyObject, Sendable {
  /// The output for the objects of a class, or for the part before the first class.
  ///
  /// - Parameter objectClass: nil for the part before the first class.
  /// - Returns: nil if nothing precedes the first class.
  /// - Throws: `outputExists`, `cannotCreate`.
  func output(
    for objectClass: ObjectClass?
  ) throws(RealmFileError) -> (any OutputSink & Sendable)?
}

/// One output for everything.
package final class SingleOutput: TextOutputs {
  private let sink: any OutputSink & Sendable

  package init(_ sink: any OutputSink & Sendable) { self.sink = sink }

  package func output(for objectClass: ObjectClass?) -> (any OutputSink & Sendable)? { sink }
}
