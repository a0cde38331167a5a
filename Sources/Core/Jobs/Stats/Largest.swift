package import RealmModel
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
  /// The candidates for the largest, in any order; fewer than twice ``count``.
  private var candidates: [Entry] = []
  /// The smallest of the largest when ``candidates`` was sorted last; nil before.
  private var last: Entry?

  /// - Parameter count: the most entries that are kept.
  package init(count: Int) { self.count = count }

  /// At most `count`, the largest first.
  package var entries: [Entry] { Array(candidates.sorted { $0.isBefore($1) }.prefix(count)) }

  /// Number of entries in memory.
  var keptCount: Int { candidates.count }

  /// Whether something of `size` can be one of the largest.
  @inline(__always)
  func isWanted(_ size: Int) -> Bool { size > 0 && count > 0 && size >= (last?.size ?? 0) }

  mutating func add(_ entry: Entry) {
    guard isWanted(entry.size), last.map({ entry.isBefore($0) }) ?? true else { return }
    candidates.append(entry)
    // Sorted once per `count` entries: an entry costs about as many comparisons as the logarithm of `count`.
    if candidates.count / 2 >= count { shrink() }
  }

  private mutating func shrink() {
    candidates = entries
    last = candidates.last
  }

  mutating func add(_ other: Largest) {
    for entry in other.candidates { add(entry) }
  }
}
