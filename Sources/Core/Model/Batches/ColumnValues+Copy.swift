package import RealmStorage

/// Copies of values that outlive the memory from which they were read, for elements of a large collection that are
/// needed after the next run is requested.
extension ColumnValues {
  /// The same values with copies of their bytes. Collections in runs have readers of their own, so they are not copied.
  package var copied: ColumnValues {
    switch self {
    case .scalar(let column): return .scalar(column.copied)
    case .link(var column):
      column.identities = column.identities?.copied
      return .link(column)
    case .mixed(let column): return .mixed(column.copied)
    case .embedded(let column):
      let objects = column.objects
      return .embedded(
        EmbeddedColumn(
          rows: column.rows,
          objects: ObjectBatch(
            classPosition: objects.classPosition, count: objects.count, keys: objects.keys,
            columns: objects.columns.map { $0?.copied }, owner: nil)))
    case .collection(let column): return .collection(column.copied)
    }
  }
}

extension CollectionColumn {
  fileprivate var copied: CollectionColumn {
    runs == nil
      ? CollectionColumn(ends: ends, elements: elements.copied, keys: keys?.copied) : self
  }
}

extension ScalarColumn {
  /// The same values with copies of their bytes.
  package var copied: ScalarColumn {
    switch self {
    case .string(let values): .string(values.copied)
    case .binary(let values): .binary(values.copied)
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
  fileprivate var copied: MixedColumn {
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
    (column.lists, column.dictionaries) = (lists?.copied, dictionaries?.copied)
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
