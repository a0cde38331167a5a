import RealmInterchange
package import RealmModel
package import RealmStorage

/// Writes all classes to one output.
package final class SingleOutput: TextOutputs {
  private let sink: any OutputSink & Sendable

  package init(_ sink: any OutputSink & Sendable) { self.sink = sink }

  package func output(for objectClass: ObjectClass?) -> (any OutputSink & Sendable)? { sink }
}
