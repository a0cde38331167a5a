import RealmModel
import RealmStorage

/// The state of a new realm: what is in the file already, and what waits for the end. Used by one thread at a
/// time.
final class BuildState: @unchecked Sendable {
  let layout: BuildLayout
  let request: RealmBuilder.Request
  let writer: RealmFileWriter
  let budget: MemoryBudget
  /// The objects by position of their class; nil for a class that is left out.
  var objects: [TableObjects?]
  /// Object key of the target and of the object with the link, sorted by both.
  var backlinks: [BuildPiece.LinkPath: SortedRuns] = [:]
  /// The indexes, by number of the column.
  var indexes: [Int: BuildIndex] = [:]
  /// The leaves that wait for object keys.
  let pending: PendingLog
  /// Hash of the target's primary key and number of the link, by position of the target class.
  var identityLinks: [Int: SortedRuns] = [:]
  /// Object keys of the targets of those links, by number of the link.
  let resolvedLinks: SortedRuns
  /// The targets of those links, by number of the link.
  let identities: IdentityLog
  var linkCount = 0
  var tombstones: [Int: Tombstones] = [:]
  var faults: BuildFaults
  var unsupported = UnsupportedValues()

  init(_ layout: BuildLayout, _ request: RealmBuilder.Request, _ writer: RealmFileWriter) {
    (self.layout, self.request, self.writer) = (layout, request, writer)
    let budget = MemoryBudget(
      limit: request.memoryByteCount, encryptsFiles: writer.isEncrypted)
    self.budget = budget
    faults = BuildFaults(limit: request.errorLimit)
    if let places = layout.unsupported { unsupported.add(places) }
    resolvedLinks = SortedRuns(width: 2, budget: budget)
    (pending, identities) = (PendingLog(budget: budget), IdentityLog(budget: budget))
    objects = layout.tables.map { $0.map { TableObjects($0) } }
    for table in layout.slots {
      for column in table.builtPositions.map({ table.columns[$0] }) where column.needsEntries {
        indexes[column.number] = BuildIndex(column, of: table, layout.indexOrder, budget)
      }
    }
  }

  // MARK: Placing

  /// Places a piece at the end of the file.
  ///
  /// - Throws: `file` for the errors of the output; the errors of ``TableObjects/add(_:_:)``.
  func place(_ piece: BuildPiece) throws(BuildError) {
    let move = piece.nodes.move(to: writer.position)
    try inBuild(piece.nodes.write(to: writer))
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
    var keysByClass: [Int: [UInt64]] = [:]
    /// The keys of the objects that the piece has of a class.
    func keys(of position: Int) -> [UInt64] {
      if let known = keysByClass[position] { return known }
      let (table, added, first) = (
        objects[position], piece.objects[position], firstObjects[position] ?? 0
      )
      let all =
        added?.keys.isEmpty == false
        ? added?.keys.map { UInt64(bitPattern: $0.raw) }
        : (0..<(added?.count ?? 0)).map {
          UInt64(bitPattern: (table?.givenKey(first + $0) ?? .null).raw)
        }
      keysByClass[position] = all
      return all ?? []
    }
    for (path, links) in piece.links.sorted(by: { $0.key < $1.key })
    where layout.tables[path.target]?.isCopied != true || request.copied?.isEdit == true {
      let origins = keys(of: layout.columns[path.column].classPosition)
      var records: [UInt64] = []
      records.reserveCapacity(2 * links.count)
      for link in links {
        records.append(UInt64(bitPattern: link.target.raw))
        records.append(origins[link.origin])
      }
      try inBuild(backlinkRuns(path).append(records))
    }
    for (number, object) in piece.unsupported {
      let column = layout.columns[number]
      unsupported.add(
        BuildError(
          .unsupported("lists and dictionaries in mixed values", format: layout.format.number),
          className: layout.schema.classes[column.classPosition].name.text,
          property: column.property.name.text,
          objectKey: Int64(bitPattern: keys(of: column.classPosition)[object])))
    }
    unsupported.add(uncounted: piece.unsupportedCount - piece.unsupported.count)
    for (number, run) in piece.runs {
      let first = firstObjects[layout.columns[number].classPosition] ?? 0
      try inBuild(indexes[number]?.append(run, firstObject: first))
    }
    try inBuild(placePending(piece, move, firstClusters, firstObjects))
    try inBuild(place(piece.identityLinks))
    try inBuild(identities.append(piece.identities))
  }

  /// Records links by primary key. The links of a column follow each other, so most have the same target class
  /// as the link before.
  private func place(_ links: [BuildPiece.IdentityLink]) throws(RealmFileError) {
    var start = 0
    while start < links.count {
      let target = links[start].target
      if let key = links[start].key {
        try resolvedLinks.append([UInt64(linkCount + start), UInt64(bitPattern: key.raw)])
        start += 1
        continue
      }
      let runs = identityLinks[target] ?? SortedRuns(width: 2, budget: budget)
      identityLinks[target] = runs
      var records: [UInt64] = []
      var end = start
      while end < links.count, links[end].target == target, links[end].key == nil {
        records.append(links[end].hash)
        records.append(UInt64(linkCount + end))
        end += 1
      }
      try runs.append(records)
      start = end
    }
    linkCount += links.count
  }

  func backlinkRuns(_ path: BuildPiece.LinkPath) -> SortedRuns {
    if let runs = backlinks[path] { return runs }
    let runs = SortedRuns(width: 2, budget: budget)
    backlinks[path] = runs
    return runs
  }

  private func placePending(
    _ piece: BuildPiece, _ move: RefMove, _ firstClusters: [Int: Int], _ firstObjects: [Int: Int]
  ) throws(RealmFileError) {
    try pending.append(
      piece.pending.map { leaf in
        var leaf = leaf
        leaf.program.move(move)
        leaf.program.renumber { firstObjects[$0] ?? 0 }
        return BuildPiece.PendingLeaf(
          classPosition: leaf.classPosition,
          cluster: leaf.cluster + (firstClusters[leaf.classPosition] ?? 0),
          leafIndex: leaf.leafIndex, program: leaf.program)
      })
  }
}

extension BuildPiece.LinkPath: Comparable {
  static func < (a: BuildPiece.LinkPath, b: BuildPiece.LinkPath) -> Bool {
    (a.column, a.target) < (b.column, b.target)
  }
}
