/// The end position of each row of a prepared column. Millions of positions are appended, so this type
/// avoids the uniqueness check that an array makes at each append.
///
/// Invariant 1: the first `count` positions are initialized, and `count <= capacity`.
@safe
struct RowEnds: ~Copyable {
  private var base: UnsafeMutablePointer<Int>
  private var capacity = 64
  /// Number of positions.
  private(set) var count = 0

  init() { unsafe base = .allocate(capacity: capacity) }

  deinit { unsafe base.deallocate() }

  @inline(__always)
  mutating func append(_ end: Int) {
    if count == capacity { grow() }
    unsafe base[count] = end
    // Less than the capacity.
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    let block = UnsafeMutablePointer<Int>.allocate(capacity: capacity * 2)
    unsafe block.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = block
    capacity *= 2
  }

  /// The positions at `index` and `index + 1`, which must both be below ``count``.
  @inline(__always)
  func pair(at index: Int) -> (Int, Int) {
    precondition(index >= 0 && index < count &- 1)
    return unsafe (base[index], base[index &+ 1])
  }

  /// Removes all but the first `newCount` positions.
  mutating func cut(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count)
    count = newCount
  }
}
