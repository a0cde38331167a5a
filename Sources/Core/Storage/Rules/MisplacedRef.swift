/// A slot with a ref that leads to no node: its value is not a multiple of 8, or outside the file.
package struct MisplacedRef: Sendable {
  /// The node with the slot.
  let node: Ref
  let slot: Int
  /// What the slot holds.
  let value: Int
  /// Size of the version in bytes.
  let logicalSize: Int
  let className: String?
  /// The number of other slots with the same value, which come later.
  fileprivate(set) var others = 0

  package init(_ node: Ref, slot: Int, value: Int, logicalSize: Int, className: String?) {
    (self.node, self.slot, self.value) = (node, slot, value)
    (self.logicalSize, self.className) = (logicalSize, className)
  }

  /// What was found and what was expected.
  package var message: String {
    let more =
      others == 0 ? "" : others == 1 ? ", and another slot," : ", and \(others) other slots,"
    let verb = others == 0 ? "holds" : "hold"
    return
      "slot \(slot) of the node at byte \(node)\(more) \(verb) \(value), expected a ref: a multiple "
      + "of 8 from \(FileHeader.byteCount) to \(logicalSize - NodeHeader.byteCount)"
  }
}

/// The slots with refs that lead to no node. Of equal values, only the first slot is kept, and the number of the
/// others: a node can have millions.
struct MisplacedRefs: Sendable {
  /// Largest number of different values that are kept.
  private static let limit = 10_000

  private struct Key: Hashable {
    let value: Int
    let className: String?
  }

  private var all: [Int: MisplacedRef] = [:]
  private var ofClasses: [Key: MisplacedRef] = [:]

  mutating func add(_ ref: MisplacedRef) {
    MisplacedRefs.merge(ref, into: &all, key: ref.value)
    MisplacedRefs.merge(ref, into: &ofClasses, key: Key(value: ref.value, className: ref.className))
  }

  mutating func add(contentsOf other: MisplacedRefs) {
    for (key, ref) in other.all { MisplacedRefs.merge(ref, into: &all, key: key) }
    for (key, ref) in other.ofClasses { MisplacedRefs.merge(ref, into: &ofClasses, key: key) }
  }

  /// The first slot of a class that holds `value`; of any class if this one has none; nil if there is none.
  func first(holding value: Int, className: String?) -> MisplacedRef? {
    ofClasses[Key(value: value, className: className)] ?? all[value]
  }

  private static func merge<Key>(
    _ ref: MisplacedRef, into refs: inout [Key: MisplacedRef], key: Key
  ) {
    guard let known = refs[key] else {
      if refs.count < limit { refs[key] = ref }
      return
    }
    let isFirst = (ref.node, ref.slot) < (known.node, known.slot)
    var first = isFirst ? ref : known
    first.others = ref.others + known.others + 1
    refs[key] = first
  }
}
