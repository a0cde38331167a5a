package import RealmModel
package import RealmStorage
import Synchronization

/// The sink for the values of a property of a few objects.
package final class ValueSink: ObjectSink {
  package typealias Failure = RealmFileError
  package typealias Report = [ObjectKey: RealmValue]

  private let classPosition: Int
  private let property: Int
  private let keys: Set<ObjectKey>
  private let found = Mutex<[ObjectKey: RealmValue]>([:])

  /// - Parameter keys: keys of the objects.
  package init(classPosition: Int, property: Int, keys: Set<ObjectKey>) {
    (self.classPosition, self.property, self.keys) = (classPosition, property, keys)
  }

  package func begin(_ schema: ObjectSchema, classes: [Int]) {}
  package func makeEncoder() -> Encoder { Encoder(self) }

  package func accept(
    _ output: [ObjectKey: RealmValue], of part: ObjectPart, isLast: Bool
  ) {
    found.withLock { $0.merge(output) { first, _ in first } }
  }

  package func finish() -> Report { found.withLock { $0 } }

  /// Collects the values of a part. Used by one thread.
  package final class Encoder: ObjectEncoder {
    package typealias Failure = RealmFileError
    private let sink: ValueSink
    private var values: [ObjectKey: RealmValue] = [:]

    fileprivate init(_ sink: ValueSink) { self.sink = sink }

    package func begin(
      _ part: ObjectPart, _ outlet: PartOutlet<[ObjectKey: RealmValue], RealmFileError>
    ) {
      values = [:]
    }

    package func encode(_ batch: ObjectBatch) throws(RealmFileError) {
      guard batch.classPosition == sink.classPosition else { return }
      for (row, key) in batch.keys.enumerated() where sink.keys.contains(key) {
        values[key] = try batch.value(ofProperty: sink.property, row: row)
      }
    }

    package func end() -> [ObjectKey: RealmValue] { values }
    package static func weight(of output: [ObjectKey: RealmValue]) -> Int { 64 * output.count }
  }
}
