import RealmStorage

/// Builds the search indexes of the new realm.
extension BuildState {
  /// A finished index.
  private struct Built: Sendable {
    let nodes: NodeBuffer
    let root: Ref
  }

  /// Appends some indexes, built in parallel.
  ///
  /// - Parameters:
  ///   - columns: numbers of the columns.
  ///   - hashes: receives hash and object key of each object, for primary keys that links use.
  /// - Returns: the roots, by number of the column.
  /// - Throws: `duplicatePrimaryKey`; the errors of files.
  func appendIndexes(
    _ columns: [Int], hashes: [Int: SortedRuns] = [:]
  ) throws(BuildError) -> [Int: Ref] {
    var roots: [Int: Ref] = [:]
    let parts = OrderedParts<Built, BuildError>(
      count: columns.count, jobs: request.jobs, waitingLimit: 64 << 20,
      weight: { $0.nodes.byteCount },
      accept: { [self] (number, built) throws(BuildError) in
        let move = built.nodes.move(to: writer.position)
        try inBuild { () throws(RealmFileError) in try built.nodes.write(to: writer) }
        roots[columns[number]] = move[built.root]
        self.indexes[columns[number]] = nil
      })
    let indexes = columns.map { self.indexes[$0] }
    try parts.run {
      while let turn = parts.take() {
        do throws(BuildError) {
          guard let index = indexes[turn.part] else { continue }
          parts.finish(turn, try build(index, hashes[columns[turn.part]]))
        } catch {
          parts.fail(turn, error)
        }
      }
    }
    return roots
  }

  private func build(_ index: BuildIndex, _ hashes: SortedRuns?) throws(BuildError) -> Built {
    let nodes = NodeBuffer()
    var builder = SearchIndexBuilder(index.form, bytes: index.bytes, into: nodes)
    try inBuild { () throws(RealmFileError) in
      try index.entries.finish()
      while case let words = try index.entries.next(), !words.isEmpty {
        var records: [UInt64] = []
        for i in stride(from: 0, to: words.count, by: IndexEntry.width) {
          let entry = IndexEntry(words, at: i)
          builder.append(entry)
          if hashes != nil { records += [index.data(of: entry).linkHash, entry.object] }
        }
        try hashes?.append(records)
      }
    }
    let root = builder.finish()
    if index.column.isPrimaryKey, let (entry, other) = builder.duplicate {
      throw BuildError(
        .duplicatePrimaryKey(index.value(of: entry), otherKey: other.raw),
        className: layout.schema.classes[index.column.classPosition].name.text,
        property: index.column.property.name.text, objectKey: Int64(bitPattern: entry.object))
    }
    return Built(nodes: nodes, root: root)
  }
}

extension BuildIndex {
  /// The bytes of the primary key in `entry`.
  func data(of entry: IndexEntry) -> IndexData {
    guard form == .short else {
      guard entry.byteCount > 0 else { return .null }
      return IndexData(bytes.slice(at: entry.position, count: entry.byteCount - 1))
    }
    // A chunk stores its first byte highest, index data stores it lowest.
    let low = (entry.first ^ IndexEntryList.signs).byteSwapped
    let high = (entry.second ^ IndexEntryList.signs).byteSwapped
    guard low != 0 || high != 0 else { return .null }
    return column.property.type == .int
      ? .short(low: low, high: 0, count: 8)
      : .short(low: low, high: high & 0xFFFF_FFFF, count: UInt8(FixedBytesLeaf.objectIdSize))
  }

  /// The primary key in `entry`, as messages show it.
  fileprivate func value(of entry: IndexEntry) -> RealmValue {
    let bytes: [UInt8]
    switch data(of: entry) {
    case .null: return .null
    case .short(let low, let high, let count):
      if column.property.type == .int { return .int(Int64(bitPattern: low)) }
      bytes = IndexData.bytes(low: low, high: high, count: Int(count))
    case .long(let slice): bytes = slice.bytes
    }
    switch column.property.type {
    case .objectId: return .objectId(bytes)
    case .uuid: return .uuid(bytes)
    default:
      return String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .malformedString(bytes)
    }
  }
}
