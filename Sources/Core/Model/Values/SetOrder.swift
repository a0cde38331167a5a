import RealmStorage

/// The order of the members of a set in format 24 (chapter 2, section 6.3).
package enum SetOrder {
  /// Sorts `members`, if they are not sorted already, as those of sets written by format 24 are.
  ///
  /// - Returns: the sorted members, and the number of duplicates that were left out.
  package static func sorted(
    _ members: [MixedValue], keepingDuplicates: Bool
  ) -> (members: [MixedValue], duplicates: Int) {
    let isAscending = zip(members, members.dropFirst()).allSatisfy { compare($0, $1) < 0 }
    guard !isAscending else { return (members, 0) }
    // Swift's sort is stable, so equal members keep their stored order.
    let ordered = members.sorted { compare($0, $1) < 0 }
    guard !keepingDuplicates else { return (ordered, 0) }
    var unique: [MixedValue] = []
    unique.reserveCapacity(ordered.count)
    for member in ordered {
      if let last = unique.last, compare(last, member) == 0 { continue }
      unique.append(member)
    }
    return (unique, ordered.count - unique.count)
  }

  /// -1, 0 or 1: null first, then by the rank of the type, within a rank by value.
  package static func compare(_ a: MixedValue, _ b: MixedValue) -> Int {
    switch (a, b) {
    case (.bool(let x), .bool(let y)): return NumberOrder.order(x ? 1 : 0, y ? 1 : 0)
    case (.string(let x), .string(let y)), (.binary(let x), .binary(let y)),
      (.objectId(let x), .objectId(let y)), (.uuid(let x), .uuid(let y)):
      return NumberOrder.order(x, y)
    case (.timestamp(let s, let n), .timestamp(let t, let m)):
      return s == t ? NumberOrder.order(n, m) : NumberOrder.order(s, t)
    case (.link(let x), .link(let y)): return NumberOrder.order(x.raw, y.raw)
    case (.typedLink(let t, let x), .typedLink(let u, let y)):
      return t == u ? NumberOrder.order(x.raw, y.raw) : NumberOrder.order(t.raw, u.raw)
    default:
      let (rankA, rankB) = (rank(a), rank(b))
      guard rankA == rankB else { return NumberOrder.order(rankA, rankB) }
      guard rankA == numericRank, let x = NumberOrder(a), let y = NumberOrder(b) else { return 0 }
      return NumberOrder.compare(x, y)
    }
  }

  private static let numericRank = 2

  private static func rank(_ value: MixedValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: numericRank
    case .string: 3
    case .binary: 4
    case .timestamp: 5
    case .objectId: 6
    case .uuid: 7
    case .typedLink: 8
    case .link: 9
    case .list: 10
    case .dictionary: 11
    }
  }
}

/// Checks run by run whether values ascend like the members of a set in format 24.
struct AscendingOrder {
  private var previous: MixedValue?

  /// Whether the rows of `batch` from `start` on continue the ascending order.
  mutating func continues(with batch: LeafValues, from start: Int) -> Bool {
    for row in start..<batch.count {
      let value = batch.member(at: row)
      if let previous, SetOrder.compare(previous, value) >= 0 { return false }
      previous = value
    }
    return true
  }
}
