import RealmStorage

/// The state of a realm that is being built: what is in the file already, and what waits for the end.
/// Used by one thread at a time.
final class BuildState: @unchecked Sendable {
  let layout: BuildLayout
  let request: RealmBuilder.Request
  let writer: RealmFileWriter
  let budget: MemoryBudget
  /// The objects by position of their class; nil for classes that are left out.
  var objects: [TableObjects?]
  /// Object key of the target and of the object that contains the link, sorted by both.
  var backlinks: [BuildPiece.LinkPath: SortedRuns] = [:]
  /// The indexes, by number of the column.
  var indexes: [Int: BuildIndex] = [:]
  /// Leaves that wait for object keys, sorted by class and cluster.
  var pending: [BuildPiece.PendingLeaf] = []
  /// Hash of the target's primary key and number of the link, for each class that links name by primary
  /// key.
  var identityLinks: [Int: SortedRuns] = [:]
  /// Object keys of the targets of those links, by number of the link.
  let resolvedLinks: SortedRuns
  /// The targets of those links, by number of the link.
  let identities = IdentityList()
  var linkCount = 0
  var tombstones: [Int: Tombstones] = [:]

  init(_ layout: BuildLayout, _ request: RealmBuilder.Request, _ writer: RealmFileWriter) {
    (self.layout, self.request, self.writer) = (layout, request, writer)
    budget = MemoryBudget(limit: request.memoryByteCount)
    resolvedLinks = SortedRuns(width: 2, keyCount: 1, budget: budget)
    objects = layout.tables.map { $0.map { TableObjects($0) } }
    for column in layout.columns where column.isIndexed || column.isFulltextIndexed {
      indexes[column.number] = BuildIndex(column, budget)
    }
  }

  // MARK: Placing

  /// Places a piece after the current content of the file.
  ///
  /// - Throws: `file` for the errors of the output; what ``TableObjects/add(_:_:)`` throws.
  func place(_ piece: BuildPiece) throws(BuildError) {
    let move = piece.nodes.move(to: writer.position)
    try inBuild { () throws(RealmFileError) in try piece.nodes.write(to: writer) }
    var firstClusters: [Int: Int] = [:]
    var firstObjects: [Int: Int] = [:]
    for (position, added) in piece.objects.sorted(by: { $0.key < $1.key }) {
      firstClusters[position] = objects[position]?.clusterCount ?? 0
      firstObjects[position] = objects[position]?.count ?? 0
      do throws(BuildError) {
        try objects[position]?.add(added, move)
      } catch {
        throw error.adding(className: layout.schema.classes[position].name.text)
      }
    }
    func keys(of position: Int) -> (Int) -> ObjectKey {
      let (table, known) = (objects[position], piece.objects[position]?.keys ?? [])
      let first = firstObjects[position] ?? 0
      guard known.isEmpty else { return { known[$0] } }
      return { table?.givenKey(first + $0) ?? .null }
    }
    try inBuild { () throws(RealmFileError) in
      for (path, links) in piece.links.sorted(by: { $0.key < $1.key }) {
        let key = keys(of: layout.columns[path.column].classPosition)
        var records: [UInt64] = []
        records.reserveCapacity(2 * links.count)
        for link in links {
          records.append(UInt64(bitPattern: link.target.raw))
          records.append(UInt64(bitPattern: key(link.origin).raw))
        }
        try backlinkRuns(path).append(records)
      }
      for (number, entries) in piece.entries {
        try indexes[number]?.append(entries, key: keys(of: layout.columns[number].classPosition))
      }
    }
    placePending(piece, move, firstClusters, firstObjects)
    try inBuild { () throws(RealmFileError) in
      for (i, link) in piece.identityLinks.enumerated() {
        if let key = link.key {
          try resolvedLinks.append([UInt64(linkCount + i), UInt64(bitPattern: key.raw)])
          continue
        }
        let runs =
          identityLinks[link.target] ?? SortedRuns(width: 2, keyCount: 1, budget: budget)
        identityLinks[link.target] = runs
        try runs.append([link.hash, UInt64(linkCount + i)])
      }
    }
    linkCount += piece.identityLinks.count
    identities.append(piece.identities)
  }

  func backlinkRuns(_ path: BuildPiece.LinkPath) -> SortedRuns {
    if let runs = backlinks[path] { return runs }
    let runs = SortedRuns(width: 2, keyCount: 2, budget: budget)
    backlinks[path] = runs
    return runs
  }

  private func placePending(
    _ piece: BuildPiece, _ move: RefMove, _ firstClusters: [Int: Int], _ firstObjects: [Int: Int]
  ) {
    for var leaf in piece.pending {
      leaf.program.move(move)
      leaf.program.renumber { firstObjects[$0] ?? 0 }
      pending.append(
        BuildPiece.PendingLeaf(
          classPosition: leaf.classPosition,
          cluster: leaf.cluster + (firstClusters[leaf.classPosition] ?? 0),
          leafIndex: leaf.leafIndex, program: leaf.program))
    }
  }
}

extension BuildPiece.LinkPath: Comparable {
  static func < (a: BuildPiece.LinkPath, b: BuildPiece.LinkPath) -> Bool {
    (a.column, a.target) < (b.column, b.target)
  }
}

/// The entries of one index. Used by one thread at a time.
final class BuildIndex: @unchecked Sendable {
  let column: BuildColumn
  let form: IndexEntryList.Form
  let bytes = ByteStore()
  let entries: SortedRuns

  init(_ column: BuildColumn, _ budget: MemoryBudget) {
    self.column = column
    form = IndexEntryList(for: column).form
    entries = SortedRuns(
      width: IndexEntry.width, keyCount: form == .short ? 2 : 1, budget: budget,
      ties: form == .short ? nil : SearchIndexBuilder.ties(form, bytes))
  }

  /// Appends the entries of a piece.
  ///
  /// - Throws: the errors of a file of entries.
  func append(_ added: IndexEntryList, key: (Int) -> ObjectKey) throws(RealmFileError) {
    let placed = added.placed(from: bytes.count, key: key)
    bytes.append(added.bytes)
    try entries.append(placed)
  }
}
