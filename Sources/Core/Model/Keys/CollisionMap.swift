package import RealmStorage

/// The map of a table's objects whose keys are not the hash of their primary key (chapter 3, section 4.5).
/// It has three arrays of equal length.
package enum CollisionMap {
  package struct Row {
    package let low: UInt64
    package let high: Int64
    package let key: ObjectKey
  }

  /// The rows in stored order; empty if the table has no map.
  ///
  /// - Throws: `damaged` with rule `table.collision-map` if the map does not have three arrays of equal
  ///   length.
  package static func rows(of table: Table, _ nodes: NodeReader) throws(RealmFileError) -> [Row] {
    let top = try nodes.lookUp(table.ref)
    guard TableLayout.Slot.collisions < top.count,
      case .ref(let ref) = top.element(at: TableLayout.Slot.collisions)
    else { return [] }
    return try rows(at: ref, nodes)
  }

  package static func rows(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) -> [Row] {
    let map = try nodes.lookUp(ref)
    guard map.hasRefs, map.count == 3 else {
      throw .damaged(.tableCollisionMap, at: ref, "the collision map has \(map.form), expected 3")
    }
    let lows = try nodes.lookUp(try map.ref(at: 0))
    let highs = try nodes.lookUp(try map.ref(at: 1))
    let keys = try nodes.lookUp(try map.ref(at: 2))
    // The keys differ, so their node has at least as many bytes as keys, which bounds the number of rows.
    guard lows.isIntegers, highs.isIntegers, keys.isIntegers, lows.count == keys.count,
      highs.count == keys.count, keys.count <= keys.header.nodeByteCount
    else {
      throw .damaged(
        .tableCollisionMap, at: ref,
        "the collision map has \(lows.form), \(highs.form) and \(keys.form), expected equal counts of integers"
      )
    }
    return (0..<keys.count).map {
      Row(
        low: UInt64(bitPattern: lows.integer(at: $0)), high: highs.integer(at: $0),
        key: ObjectKey(keys.integer(at: $0)))
    }
  }
}
