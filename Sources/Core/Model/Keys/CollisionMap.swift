package import RealmStorage

/// The primary keys of a table whose objects have a key other than the hash of the primary key (chapter
/// 3, section 4.5): three arrays of equal length.
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
      throw .damaged(.tableCollisionMap, at: ref, "the map has \(map.form); 3 are expected")
    }
    let lows = try nodes.lookUp(try map.ref(at: 0))
    let highs = try nodes.lookUp(try map.ref(at: 1))
    let keys = try nodes.lookUp(try map.ref(at: 2))
    // The local keys differ, so the node has at least as many bytes as keys: this bounds the number of
    // rows.
    guard lows.isIntegers, highs.isIntegers, keys.isIntegers, lows.count == keys.count,
      highs.count == keys.count, keys.count <= keys.header.nodeByteCount
    else {
      throw .damaged(
        .tableCollisionMap, at: ref,
        "found \(lows.form), \(highs.form) and \(keys.form) in the map, expected equally many integers"
      )
    }
    return (0..<keys.count).map {
      Row(
        low: UInt64(bitPattern: lows.integer(at: $0)), high: highs.integer(at: $0),
        key: ObjectKey(keys.integer(at: $0)))
    }
  }
}
