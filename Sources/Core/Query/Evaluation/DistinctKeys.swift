import RealmModel

/// Object keys without repetitions: an object with many links to it is read once.
struct DistinctKeys {
  /// Each key once, in the order of first occurrence.
  private(set) var keys: [ObjectKey]
  /// The position in ``keys`` of each given key.
  private(set) var rows: [Int]

  init(_ all: [ObjectKey]) {
    guard zip(all, all.dropFirst()).contains(where: { $0.raw >= $1.raw }) else {
      // Ascending keys differ.
      (keys, rows) = (all, Array(all.indices))
      return
    }
    (keys, rows) = ([], [])
    rows.reserveCapacity(all.count)
    var known: [Int64: Int] = [:]
    for key in all {
      let row = known[key.raw] ?? keys.count
      if row == keys.count {
        known[key.raw] = row
        keys.append(key)
      }
      rows.append(row)
    }
  }
}
