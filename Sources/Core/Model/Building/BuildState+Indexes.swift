import RealmStorage

/// Builds the search indexes of the new realm.
extension BuildState {
  /// The last nodes of a finished index.
  private struct Built: Sendable {
    let nodes: NodeBuffer
    let root: Ref
  }

  private typealias Turn = OrderedParts<Built, BuildError>.Turn

  /// Byte counts above which nodes are written: if it is the index's turn already, and after waiting for its
  /// turn.
  private static let (easyByteCount, fullByteCount) = (4 << 20, 32 << 20)

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
          guard let built = try build(index, hashes[columns[turn.part]], turn) else { return }
          parts.finish(turn, built)
        } catch {
          parts.fail(turn, error)
        }
      }
    }
    return roots
  }

  /// - Returns: nil if an earlier index failed.
  private func build(
    _ index: BuildIndex, _ hashes: SortedRuns?, _ turn: Turn
  ) throws(BuildError) -> Built? {
    var nodes = NodeBuffer()
    var builder = SearchIndexBuilder(index.form, into: nodes)
    try inBuild { () throws(RealmFileError) in try index.finish() }
    while case let batch = try inBuild({ () throws(RealmFileError) in try index.next() }),
      !batch.words.isEmpty
    {
      builder.append(batch)
      if index.column.isPrimaryKey, let (entry, other) = builder.duplicate {
        throw BuildError(
          .duplicatePrimaryKey(index.value(of: entry, in: batch), otherKey: other.raw),
          className: layout.schema.classes[index.column.classPosition].name.text,
          property: index.column.property.name.text, objectKey: Int64(bitPattern: entry.object))
      }
      if let hashes {
        var records: [UInt64] = []
        records.reserveCapacity(batch.words.count)
        for i in stride(from: 0, to: batch.words.count, by: IndexEntry.width) {
          let entry = IndexEntry(batch.words, at: i)
          records.append(index.data(of: entry, in: batch).linkHash)
          records.append(entry.object)
        }
        try inBuild { () throws(RealmFileError) in try hashes.append(records) }
      }
      guard nodes.byteCount > BuildState.easyByteCount else { continue }
      if !turn.isNow {
        guard nodes.byteCount > BuildState.fullByteCount else { continue }
        guard turn.wait() else { return nil }
      }
      // During its turn nobody else writes.
      let move = nodes.move(to: writer.position)
      try inBuild { () throws(RealmFileError) in try nodes.write(to: writer) }
      nodes = NodeBuffer(base: writer.position)
      builder.continues(in: nodes, after: move)
    }
    let root = builder.finish()
    return Built(nodes: nodes, root: root)
  }
}
