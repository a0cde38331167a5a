/// Checks whether values ascend like the members of a set in format 24 (chapter 2, section 6.3).
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
