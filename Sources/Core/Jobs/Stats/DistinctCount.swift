import RealmStorage

/// Counts distinct values by their hashes: exactly up to 4,095 values, approximately from then on.
///
/// Keeps the 4,096 smallest hashes. If hashes are spread evenly, the largest of them shows how many there
/// are (Bar-Yossef and others, 2002); the standard error is 1.6 %.
package struct DistinctCount: Sendable {
  private static let keptCount = 4096

  /// Without a secret, the values of a file could be chosen so that all their hashes are small.
  private static let secretOfProcess = UInt64.random(in: .min ... .max)

  private let secret: UInt64
  /// Hashes below ``limit``, some of them repeatedly, in any order.
  private var hashes: [UInt64] = []
  private var limit = UInt64.max

  package init() { self.init(secret: DistinctCount.secretOfProcess) }

  /// - Parameter secret: the same in all counts that are added up.
  init(secret: UInt64) { self.secret = secret }

  /// - Parameter value: equal for equal values.
  @inline(__always)
  mutating func add(_ value: UInt64) { add(hash: mixed(value ^ secret)) }

  @inline(__always)
  private mutating func add(hash: UInt64) {
    guard hash < limit else { return }
    hashes.append(hash)
    if hashes.count == 2 * DistinctCount.keptCount { shrink() }
  }

  mutating func add(_ other: DistinctCount) {
    for hash in other.hashes { add(hash: hash) }
  }

  /// Bytes of the hashes in memory.
  var byteCount: Int { hashes.count * MemoryLayout<UInt64>.size }

  private mutating func shrink() {
    let kept = DistinctCount.smallest(hashes)
    if kept.count == DistinctCount.keptCount, let last = kept.last { limit = last }
    hashes = kept
  }

  private static func smallest(_ hashes: [UInt64]) -> [UInt64] {
    var kept: [UInt64] = []
    for hash in hashes.sorted() where hash != kept.last {
      kept.append(hash)
      if kept.count == keptCount { break }
    }
    return kept
  }

  /// Whether ``value`` is exact.
  package var isExact: Bool { DistinctCount.smallest(hashes).count < DistinctCount.keptCount }

  /// The number of distinct values.
  package var value: Int {
    let kept = DistinctCount.smallest(hashes)
    guard kept.count == DistinctCount.keptCount, let last = kept.last else { return kept.count }
    let estimate = Double(DistinctCount.keptCount - 1) / (Double(last) / Double(UInt64.max))
    // If the hashes are the smallest possible ones, the estimate exceeds an integer.
    return Int(exactly: estimate.rounded(.down)) ?? .max
  }
}
