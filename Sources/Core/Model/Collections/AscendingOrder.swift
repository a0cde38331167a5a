/// Watches whether values ascend as the members of a set in format 24 do (chapter 2, section 6.3).
struct AscendingOrder {
  private var previous: MixedValue?

  /// Whether the rows of `batch` from `start` on follow what was seen before in ascending order.
  mutating func continues(with batch: ColumnBatch, from start: Int) -> Bool {
    for row in start..<batch.count {
      let value: MixedValue
      if case .decimal(let values) = batch {
        // The null of a set of decimals is ordered as the NaN that it is.
        value = .decimal(values[row])
      } else {
        value = batch.value(at: row)
      }
      if let previous, SetOrder.compare(previous, value) >= 0 { return false }
      previous = value
    }
    return true
  }
}
