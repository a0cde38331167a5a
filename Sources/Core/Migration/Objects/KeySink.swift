import RealmModel
import Synchronization

/// The sink that collects the keys of objects.
final class KeySink: ObjectSink {
  typealias Failure = Never
  typealias Report = KeyList

  private let found = Mutex(KeyList())

  func begin(_ schema: ObjectSchema, classes: [Int]) {}
  func makeEncoder() -> KeyEncoder { KeyEncoder() }

  func accept(_ output: [ObjectKey], of part: ObjectPart, isLast: Bool) {
    found.withLock { $0.append(output) }
  }

  func finish() -> KeyList { found.withLock { $0 } }
}

/// Collects the keys of the objects of a part.
final class KeyEncoder: ObjectEncoder {
  typealias Failure = Never
  private var keys: [ObjectKey] = []

  func begin(_ part: ObjectPart, _ outlet: PartOutlet<[ObjectKey], Never>) { keys = [] }
  func encode(_ batch: ObjectBatch) { keys += batch.keys }
  func end() -> [ObjectKey] { keys }
  static func weight(of output: [ObjectKey]) -> Int { 8 * output.count }
}
