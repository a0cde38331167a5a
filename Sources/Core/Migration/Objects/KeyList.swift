import RealmModel
import RealmStorage
import Synchronization

/// Object keys in ascending order, 8 bytes each.
struct KeyList: Sendable {
  private(set) var keys: [Int64] = []

  /// Appends keys, which must be above all keys so far.
  mutating func append(_ some: [ObjectKey]) { keys += some.map(\.raw) }

  func contains(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key.raw { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key.raw
  }

  /// The keys of both lists.
  func union(_ other: KeyList) -> KeyList {
    var result = KeyList()
    result.keys = (keys + other.keys).sorted()
    return result
  }
}

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
