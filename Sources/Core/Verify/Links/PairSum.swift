import RealmModel
import RealmStorage

/// A sum over a multiset of pairs that does not depend on their order.
///
/// Two different multisets have equal sums with a probability of 1 in 2¹²⁸. The sum does not protect
/// against pairs that are crafted to collide.
struct PairSum: Equatable, Sendable {
  private(set) var count = 0
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  @inline(__always)
  mutating func add(_ a: UInt64, _ b: UInt64) {
    // Wrapping: sums modulo 2⁶⁴.
    count &+= 1
    low &+= mixed(a &+ b &* 0x9E37_79B9_7F4A_7C15)
    high &+= mixed(b &+ a &* 0xD1B5_4A32_D192_ED03)
  }

  static func += (a: inout PairSum, b: PairSum) {
    a.count &+= b.count
    a.low &+= b.low
    a.high &+= b.high
  }
}

/// A pair of a multiset, for comparing pairs one by one.
struct Pair: Comparable, Hashable {
  var first: UInt64
  var second: UInt64

  static func < (a: Pair, b: Pair) -> Bool {
    a.first == b.first ? a.second < b.second : a.first < b.first
  }

  /// Calls `onlyLeft` for each excess occurrence of a pair in the left multiset, and `onlyRight` for each in
  /// the right one, in ascending order.
  static func compare(
    _ left: [Pair], _ right: [Pair], onlyLeft: (Pair) -> Void, onlyRight: (Pair) -> Void
  ) {
    let (left, right) = (left.sorted(), right.sorted())
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if j == right.count || (i < left.count && left[i] < right[j]) {
        onlyLeft(left[i])
        i += 1
      } else if i == left.count || right[j] < left[i] {
        onlyRight(right[j])
        j += 1
      } else {
        i += 1
        j += 1
      }
    }
  }
}
