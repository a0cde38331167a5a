/// Finds the row of an object by its key, for keys in ascending order as a cluster tree holds them: 9
/// bytes an object.
///
/// A table of buckets takes the place of a binary search, whose branches nothing can predict.
struct ObjectRows {
  /// Rows of an ordinary bucket. Object keys are consecutive numbers or hashes: both spread evenly.
  private static let bucketSize = 4
  /// Rows of a bucket that are looked at one after the other.
  private static let scanLimit = 32

  /// Keys as unsigned numbers, by row.
  private var keys: [UInt64] = []
  /// For each run of 2^`shift` keys from `least` on the row of the first that is not below it; then
  /// the number of rows.
  private var buckets: [Int32] = []
  private var shift: UInt64 = 0
  private var least: UInt64 = 0

  var count: Int { keys.count }

  /// Gives the next row to the object with `key`.
  mutating func append(_ key: ObjectKey) { keys.append(UInt64(bitPattern: key.raw)) }

  /// Ends the appending.
  mutating func finish() {
    guard let first = keys.first, let last = keys.last, last >= first else { return }
    least = first
    while (last - first) >> shift >= UInt64(keys.count / ObjectRows.bucketSize + 1) { shift += 1 }
    var row = 0
    for bucket in 0...(last - first) >> shift {
      while row < keys.count, (keys[row] &- first) >> shift < bucket { row += 1 }
      buckets.append(Int32(row))
    }
    buckets.append(Int32(keys.count))
  }

  /// The key in `row`.
  func key(at row: Int) -> ObjectKey { ObjectKey(Int64(bitPattern: keys[row])) }

  /// The row of the object with `key`, nil where there is none.
  @inline(__always)
  func row(of key: ObjectKey) -> Int? {
    let wanted = UInt64(bitPattern: key.raw)
    let bucket = (wanted &- least) >> shift
    guard wanted >= least, bucket < UInt64(max(1, buckets.count) - 1) else { return nil }
    var (low, high) = (Int(buckets[Int(bucket)]), Int(buckets[Int(bucket) + 1]))
    while high - low > ObjectRows.scanLimit {
      let middle = (low + high) / 2
      if keys[middle] < wanted { low = middle + 1 } else { high = middle + 1 }
    }
    while low < high, keys[low] < wanted { low += 1 }
    return low < high && keys[low] == wanted ? low : nil
  }
}
