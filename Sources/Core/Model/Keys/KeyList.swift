/// Object keys in ascending order, 8 bytes each.
package struct KeyList: Sendable {
  package private(set) var keys: [Int64] = []

  package init() {}

  /// - Parameter keys: in any order, without duplicates.
  package init(_ keys: [ObjectKey]) { self.keys = keys.map(\.raw).sorted() }

  /// Appends keys, which must be above all keys so far.
  package mutating func append(_ some: [ObjectKey]) { keys += some.map(\.raw) }

  package func contains(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key.raw { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && keys[low] == key.raw
  }

  /// The keys of both lists.
  package func union(_ other: KeyList) -> KeyList {
    var result = KeyList()
    for key in (keys + other.keys).sorted() where key != result.keys.last {
      result.keys.append(key)
    }
    return result
  }
}
