/// Finds the row of an object by its key, for keys in ascending order as a cluster tree holds them: 8
/// bytes an object.
///
/// A table of buckets, and a guess by interpolation in a cluster, take the place of binary searches,
/// whose branches nothing can predict.
struct ObjectRows {
  /// Steps from a guess before the search is made from both ends.
  private static let stepLimit = 16

  /// Keys as unsigned numbers, by row.
  private var keys: [UInt64] = []
  /// First row of each cluster that has any; then the number of rows.
  private var starts: [Int] = []
  /// For each run of 2^`shift` keys the last cluster that starts at or before it.
  private var buckets: [Int32] = []
  private var shift: UInt64 = 0
  private var least: UInt64 = 0

  var count: Int { keys.count }

  mutating func append(_ cluster: Cluster) {
    guard cluster.count > 0 else { return }
    starts.append(keys.count)
    for row in 0..<cluster.count { keys.append(UInt64(bitPattern: cluster.key(at: row).raw)) }
  }

  /// Ends the appending.
  mutating func finish() {
    guard let first = keys.first, let last = keys.last, last >= first else { return }
    least = first
    // At most four buckets a cluster.
    while (last - first) >> shift >= UInt64(starts.count * 4) { shift += 1 }
    var cluster = 0
    for bucket in 0...(last - first) >> shift {
      let start = first + bucket << shift
      while cluster + 1 < starts.count, keys[starts[cluster + 1]] <= start { cluster += 1 }
      buckets.append(Int32(cluster))
    }
    starts.append(keys.count)
  }

  /// The key in `row`.
  func key(at row: Int) -> ObjectKey { ObjectKey(Int64(bitPattern: keys[row])) }

  /// The row of the object with `key`, nil where there is none.
  func row(of key: ObjectKey) -> Int? {
    let wanted = UInt64(bitPattern: key.raw)
    guard wanted >= least, Int(truncatingIfNeeded: (wanted - least) >> shift) < buckets.count,
      (wanted - least) >> shift < UInt64(buckets.count)
    else { return nil }
    var cluster = Int(buckets[Int((wanted - least) >> shift)])
    var steps = 0
    while cluster + 2 < starts.count, keys[starts[cluster + 1]] <= wanted {
      cluster += 1
      steps += 1
      if steps > ObjectRows.stepLimit { return search(wanted, starts[cluster], keys.count) }
    }
    return find(wanted, starts[cluster], starts[cluster + 1])
  }

  /// Looks among the rows `low..<high` of one cluster.
  private func find(_ wanted: UInt64, _ low: Int, _ high: Int) -> Int? {
    let (first, last) = (keys[low], keys[high - 1])
    guard wanted >= first, wanted <= last else { return nil }
    let span = last &- first
    // Counts are at most 256: the product is exact unless the span is beyond 2⁵⁵.
    guard span > 0, span < 1 << 55 else { return search(wanted, low, high) }
    var row = low + Int((wanted - first) * UInt64(high - 1 - low) / span)
    for _ in 0..<ObjectRows.stepLimit {
      if keys[row] == wanted { return row }
      if keys[row] < wanted {
        row += 1
        guard row < high, keys[row] <= wanted else { return nil }
      } else {
        row -= 1
        guard row >= low, keys[row] >= wanted else { return nil }
      }
    }
    return search(wanted, low, high)
  }

  private func search(_ wanted: UInt64, _ start: Int, _ end: Int) -> Int? {
    var (low, high) = (start, end)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low < end && keys[low] == wanted ? low : nil
  }
}
