import RealmStorage

/// The largest objects, values or collections of a realm.
package struct Largest: Sendable {
  /// One of them.
  package struct Entry: Sendable {
    /// Position of the class in the schema.
    package let classPosition: Int
    /// Position of the property; nil for a whole object.
    package let property: Int?
    /// Null if the class has no primary key.
    package let primaryKey: RealmValue
    package let key: ObjectKey
    /// Bytes, or elements.
    package let size: Int

    fileprivate func isBefore(_ other: Entry) -> Bool {
      (other.size, classPosition, key.raw, property ?? -1)
        < (size, other.classPosition, other.key.raw, other.property ?? -1)
    }
  }

  private let count: Int
  /// At most ``count``, the largest first.
  package private(set) var entries: [Entry] = []

  /// - Parameter count: the most entries that are kept.
  package init(count: Int) { self.count = count }

  /// Whether something of `size` can be one of the largest.
  @inline(__always)
  func isWanted(_ size: Int) -> Bool {
    size > 0 && count > 0 && (entries.count < count || size >= (entries.last?.size ?? 0))
  }

  mutating func add(_ entry: Entry) {
    guard isWanted(entry.size) else { return }
    let position = entries.firstIndex { entry.isBefore($0) } ?? entries.count
    entries.insert(entry, at: position)
    if entries.count > count { entries.removeLast() }
  }

  mutating func add(_ other: Largest) {
    for entry in other.entries { add(entry) }
  }
}
