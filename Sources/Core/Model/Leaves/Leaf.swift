import RealmStorage

/// The leaf codecs: each takes the node of a leaf and returns its rows (chapter 2, section 3).
///
/// `rows` is the number of rows that the leaf must have, nil where the leaf itself says it; the
/// codec throws `damaged` with rule `leaf.rows` where they differ.
enum Leaf {
  /// The most values that one leaf of a B+tree or one cluster may hold (chapter 2, sections 4.1
  /// and 5). Without this bound a leaf of width 0 would turn eight bytes into sixteen million rows.
  static let capacity = 1000

  /// Checks a row count that is not given by the cluster: bounded by the capacity, or by the bytes
  /// of the node for the lists that are one leaf whatever their size.
  static func check(_ found: Int, rows: Int?, at node: Node) throws(RealmFileError) {
    if let rows {
      guard found == rows else { throw .damaged(.leafRows, at: node.ref) }
    } else {
      guard found <= max(capacity, node.header.nodeByteCount) else {
        throw .damaged(.leafCapacity, at: node.ref)
      }
    }
  }

  /// Decodes the leaf of single values of `type`.
  ///
  /// - Parameters:
  ///   - isNullable: matters for integers only, which have two encodings (section 3.0).
  ///   - isBiased: links in clusters are stored plus one, in collections as they are.
  ///   - enumeration: the distinct values of an enumerated string column.
  /// - Throws: `damaged` with a rule of group `leaf`, or what opening a node throws.
  static func decode(
    _ node: Node, type: ColumnType, isNullable: Bool, isBiased: Bool, rows: Int?,
    enumeration: SliceColumn? = nil, nodes: NodeReader
  ) throws(RealmFileError) -> ColumnBatch {
    guard !node.isInner else { throw .damaged(.leafKind, at: node.ref) }
    switch type {
    case .int: return try int(node, isNullable: isNullable, rows: rows)
    case .bool: return try bool(node, rows: rows)
    case .float: return try float(node, rows: rows)
    case .double: return try double(node, rows: rows)
    case .string:
      // The leaf says whether its values are enumerated: those of tombstones can have been left in
      // plain form (chapter 3, section 12, no. 14).
      if let enumeration, node.isIntegers {
        return .string(try enumerated(node, enumeration, rows: rows))
      }
      return .string(try strings(node, nodes, rows: rows))
    case .binary: return .binary(try binaries(node, nodes, rows: rows))
    case .timestamp: return try timestamp(node, nodes, rows: rows)
    case .decimal: return .decimal(try decimals(node, rows: rows))
    case .objectId: return .objectId(try fixedBytes(node, size: 12, rows: rows))
    case .uuid: return .uuid(try fixedBytes(node, size: 16, rows: rows))
    case .link: return .link(try links(node, isBiased: isBiased, rows: rows))
    case .typedLink: return .mixed(try typedLinks(node, rows: rows))
    case .mixed: return .mixed(try mixed(node, nodes, rows: rows))
    case .backlink: throw .damaged(.leafKind, at: node.ref)
    }
  }
}
