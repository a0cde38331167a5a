package import RealmStorage

/// Copies of values that outlive the memory from which they were read, for elements of a large collection that are
/// needed after the next run is requested.
extension ColumnValues {
  /// The same links or mixed values with copies of their bytes; nil for values of other kinds, and for mixed values
  /// with nested collections.
  package var copied: ColumnValues? {
    switch self {
    case .link(var column):
      column.identities = column.identities?.copied
      return .link(column)
    case .mixed(let column): return column.copied.map { .mixed($0) }
    case .scalar, .embedded, .collection: return nil
    }
  }
}

extension ScalarColumn {
  /// The same primary keys with copies of their bytes.
  fileprivate var copied: ScalarColumn {
    switch self {
    case .string(let values): .string(values.copied)
    case .objectId(let values): .objectId(values.copied)
    case .uuid(let values): .uuid(values.copied)
    default: self
    }
  }
}

extension SliceColumn {
  fileprivate var copied: SliceColumn { SliceColumn(copying: map { $0?.bytes }) }
}

extension MixedColumn {
  fileprivate var copied: MixedColumn? {
    guard lists == nil, dictionaries == nil else { return nil }
    let all = values + links.map { $0.identity ?? .null }
    let copies = ByteArena.copy(all.map { $0.slice?.bytes })
    func copy(_ i: Int) -> BatchValue { copies.slices[i].map { all[i].with($0) } ?? all[i] }
    var column = MixedColumn(values: values.indices.map(copy), arena: copies.arena)
    column.links = links.enumerated().map { i, link in
      Link(
        target: link.target, key: link.key,
        identity: link.identity == nil ? nil : copy(values.count + i),
        isUnresolved: link.isUnresolved)
    }
    return column
  }
}

extension BatchValue {
  /// The bytes of a value that has bytes.
  package var slice: ByteSlice? {
    switch self {
    case .string(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes): bytes
    case .null, .int, .bool, .float, .double, .timestamp, .decimal, .link, .list, .dictionary: nil
    }
  }

  /// The same value with other bytes.
  package func with(_ bytes: ByteSlice) -> BatchValue {
    switch self {
    case .string: .string(bytes)
    case .binary: .binary(bytes)
    case .objectId: .objectId(bytes)
    case .uuid: .uuid(bytes)
    default: self
    }
  }
}
