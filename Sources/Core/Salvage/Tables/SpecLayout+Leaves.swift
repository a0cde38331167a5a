import RealmModel
import RealmStorage

/// Which nodes can be leaves of a column, so that leaves to which nothing leads are known by their form.
extension SpecLayout {
  /// Whether the leaves of a column have positions in a list of distinct texts.
  func isEnumerated(_ position: Int) -> Bool { ((try? enumeration(position)) ?? 0) != 0 }

  /// Number of rows of a leaf of column `position`.
  ///
  /// - Parameter expected: the number that it must have; nil for what it says.
  /// - Returns: nil if the node has not the form of such a leaf, or if some of its nodes cannot be read.
  func rows(of leaf: Node, column position: Int, expected: Int? = nil, _ nodes: NodeReader) -> Int?
  {
    let key = keys[position]
    guard let type = key.type, !leaf.isInner else { return nil }
    if key.collection == nil, type != .backlink, !isEnumerated(position) {
      let values = try? Leaf.decode(
        leaf, type: type, isNullable: key.isNullable, isBiased: true, rows: expected, nodes: nodes)
      return values?.count
    }
    let hasForm =
      if key.collection != nil {
        (try? CollectionRootsLeaf(leaf).values(rows: leaf.count)) != nil
      } else {
        type == .backlink ? leaf.hasRefs : leaf.isIntegers
      }
    return hasForm && !leaf.hasContext && (expected ?? leaf.count) == leaf.count ? leaf.count : nil
  }
}
