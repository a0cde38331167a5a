import RealmStorage

/// Single values, for look-ups of primary keys: only what is needed is opened, and nothing counted.
extension Leaf {
  /// The value in `row` of the leaf of a primary key column: integer, string, ObjectId or UUID.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`.
  static func value(
    of column: Column, in node: Node, row: Int, enumeration: SliceColumn?, _ nodes: NodeReader
  ) throws(RealmFileError) -> MixedValue {
    guard !node.isInner else { throw .damaged(.leafKind, at: node.ref) }
    switch column.type {
    case .int:
      let first = column.isNullable ? 1 : 0
      guard node.isIntegers, row + first < node.count else {
        throw .damaged(.leafRows, at: node.ref)
      }
      let value = node.integer(at: row + first)
      return column.isNullable && value == node.integer(at: 0) ? .null : .int(value)
    case .string:
      return try string(node, row: row, enumeration: enumeration, nodes).map { .string($0) }
        ?? .null
    case .objectId: return try fixed(node, size: 12, row: row).map { .objectId($0) } ?? .null
    case .uuid: return try fixed(node, size: 16, row: row).map { .uuid($0) } ?? .null
    default: throw .damaged(.leafKind, at: node.ref)
    }
  }

  private static func fixed(
    _ node: Node, size: Int, row: Int
  ) throws(RealmFileError) -> ByteSlice? {
    guard row < (try fixedBytesRows(node, size: size)) else {
      throw .damaged(.leafRows, at: node.ref)
    }
    return fixedBytes(node.bytes, size: size, row: row)
  }

  private static func string(
    _ node: Node, row: Int, enumeration: SliceColumn?, _ nodes: NodeReader
  ) throws(RealmFileError) -> ByteSlice? {
    if let enumeration, node.isIntegers {
      guard row < node.count else { throw .damaged(.leafRows, at: node.ref) }
      let position = node.integer(at: row)
      guard position >= 0, position < enumeration.count else {
        throw .damaged(.leafEnumeration, at: node.ref)
      }
      return enumeration[Int(position)]
    }
    if !node.hasRefs {
      guard node.header.widthType == .multiply, row < node.count else {
        throw .damaged(.leafRows, at: node.ref)
      }
      try checkShortString(node, row: row)
      return shortString(node.bytes, width: node.width, row: row)
    }
    if node.hasContext {
      guard row < node.count else { throw .damaged(.leafRows, at: node.ref) }
      let ref = try node.ref(at: row)
      guard ref != 0 else { return nil }
      return try nodes.traversing { () throws(RealmFileError) in
        try blob(at: ref, nodes, terminator: 1)
      }
    }
    return try smallBlob(node, row: row, nodes)
  }

  private static func smallBlob(
    _ node: Node, row: Int, _ nodes: NodeReader
  ) throws(RealmFileError) -> ByteSlice? {
    guard node.count == 3 else { throw .damaged(.leafSmallBlobs, at: node.ref) }
    let offsets = try nodes.lookUp(try node.ref(at: 0))
    let bytes = try nodes.lookUp(try node.ref(at: 1)).bytes
    let nulls = try nodes.lookUp(try node.ref(at: 2))
    guard offsets.isIntegers, nulls.isIntegers, row < offsets.count, row < nulls.count else {
      throw .damaged(.leafSmallBlobs, at: node.ref)
    }
    if nulls.integer(at: row) != 0 { return nil }
    let start = row == 0 ? 0 : offsets.integer(at: row - 1)
    let end = offsets.integer(at: row)
    guard start >= 0, end > start, end <= bytes.count else {
      throw .damaged(.leafStringOffsets, at: offsets.ref)
    }
    return bytes.part(Int(start)..<Int(end) - 1)
  }
}
