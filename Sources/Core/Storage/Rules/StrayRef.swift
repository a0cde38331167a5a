/// A slot with a ref that leads to no node: its value is not a multiple of 8, or outside the file.
package struct StrayRef: Sendable {
  /// Largest number of values that are kept with their slots.
  static let limit = 10_000

  /// The node with the slot.
  let node: Ref
  let slot: Int
  /// What the slot holds.
  let value: Int
  /// Size of the version in bytes.
  let logicalSize: Int
  let className: String?

  package init(_ node: Ref, slot: Int, value: Int, logicalSize: Int, className: String?) {
    (self.node, self.slot, self.value) = (node, slot, value)
    (self.logicalSize, self.className) = (logicalSize, className)
  }

  /// What was found and what was expected.
  ///
  /// - Parameter others: the number of other slots with the same value.
  package func message(others: Int = 0) -> String {
    let more =
      others == 0 ? "" : others == 1 ? ", and another slot," : ", and \(others) other slots,"
    let verb = others == 0 ? "holds" : "hold"
    return
      "slot \(slot) of the node at byte \(node)\(more) \(verb) \(value), expected a ref: a multiple "
      + "of 8 from \(FileHeader.byteCount) to \(logicalSize - NodeHeader.byteCount)"
  }
}
