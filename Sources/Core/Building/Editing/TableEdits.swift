import RealmModel
import RealmStorage

/// What changes in edited tables, and in the tables to which they link, apart from the leaves of properties.
struct TableEdits {
  /// The links that an object gains and loses in one backlink column: the keys of the objects with the links.
  struct Links {
    var added: [Int64] = []
    var removed: [Int64] = []
  }

  /// By position of the table, backlink column, and key of the target.
  fileprivate(set) var links: [Int: [ColumnKey: [Int64: Links]]] = [:]
  /// The changes in the order of the index, by number of the column.
  fileprivate(set) var indexes: [Int: [IndexChange]] = [:]
  /// The number of objects that the clusters to build had, by position of the table.
  fileprivate(set) var oldCounts: [Int: Int] = [:]
}

extension BuildState {
  /// Finds what changes: encodes the objects that the clusters to build had as well, and compares their links and index
  /// entries with those of the new ones.
  ///
  /// - Returns: nil if no table is edited.
  /// - Throws: `file` for the errors of reading the old realm, and of unlinked files.
  func tableEdits() throws(BuildError) -> TableEdits? {
    guard let copied = request.copied, copied.isEdit else { return nil }
    var edits = TableEdits()
    let (oldLinks, oldIndexes) = try oldEntries(copied, &edits)
    for path in Set(backlinks.keys).union(oldLinks.keys).sorted() {
      try compare(oldLinks[path], backlinks[path], path, copied, &edits)
    }
    for (number, old) in oldIndexes {
      guard let new = indexes.removeValue(forKey: number), old.column.storesIndex else { continue }
      edits.indexes[number] = try inBuild(IndexChanges.between(old, new, layout.indexOrder))
    }
    return edits
  }

  /// The links and index entries of the objects that the clusters to build had.
  private func oldEntries(
    _ copied: CopiedTables, _ edits: inout TableEdits
  ) throws(BuildError) -> (links: [BuildPiece.LinkPath: SortedRuns], indexes: [Int: BuildIndex]) {
    var links: [BuildPiece.LinkPath: SortedRuns] = [:]
    var indexes: [Int: BuildIndex] = [:]
    for table in layout.slots where copied.edited[table.position] != nil {
      edits.oldCounts[table.position] = 0
      for column in table.columns where column.needsEntries {
        indexes[column.number] = BuildIndex(column, of: table, layout.indexOrder, budget)
      }
    }
    var request = ObjectRequest()
    (request.links, request.embedded) = (.keys, .asClass)
    let source = RealmSource(
      copied.realm, request, classes: copied.edited.keys.sorted(), only: copied.touched)
    let cursor = try inBuild(source.makeCursor())
    for part in try inBuild(source.parts()) {
      cursor.open(part)
      let piece = BuildPiece()
      let encoder = BatchEncoder(layout, piece, separatesMarks: false)
      while let batch = try inBuild(cursor.next()) { try encoder.add(batch) }
      try inBuild(source.accept(cursor.close(), of: part))
      piece.end(layout, scratchByteCount: budget.scratchByteCount)
      let keys = piece.objects[part.classPosition]?.keys ?? []
      edits.oldCounts[part.classPosition, default: 0] += keys.count
      for (path, some) in piece.links {
        let runs = links[path] ?? SortedRuns(width: 2, budget: budget)
        links[path] = runs
        try inBuild(runs.append(records(of: some, keys)))
      }
      for (number, run) in piece.runs { try inBuild(indexes[number]?.append(run, firstObject: 0)) }
    }
    return (links, indexes)
  }

  private func records(of links: [BuildPiece.Link], _ origins: [ObjectKey]) -> [UInt64] {
    links.flatMap { link in
      [UInt64(bitPattern: link.target.raw), UInt64(bitPattern: origins[link.origin].raw)]
    }
  }

  /// Notes the differences between the old and the new links of a column to a class.
  private func compare(
    _ old: SortedRuns?, _ new: SortedRuns?, _ path: BuildPiece.LinkPath, _ copied: CopiedTables,
    _ edits: inout TableEdits
  ) throws(BuildError) {
    let column = layout.columns[path.column]
    guard copied.edited[column.classPosition] != nil,
      let origin = copied.table(column.classPosition), let target = copied.table(path.target)
    else { return }
    let backlinks = target.backlinkColumns.first {
      $0.origin == origin.key && $0.originColumn == column.key
    }
    var (before, after) = (try inBuild(Links(old)), try inBuild(Links(new)))
    while before.current != nil || after.current != nil {
      let isAdded: Bool
      switch (before.current, after.current) {
      case (let a?, let b?) where a == b:
        try inBuild(before.advance())
        try inBuild(after.advance())
        continue
      case (let a?, let b?): isAdded = b < a
      case (let a, _): isAdded = a == nil
      }
      guard let link = isAdded ? after.current : before.current else { break }
      guard let backlinks else {
        throw BuildError(
          .file(
            .damaged(
              .linkBacklinkColumn, at: target.ref,
              "\(target.className) has no backlink column for \(origin.className)."
                + "\(column.property.name)")))
      }
      let key = Int64(bitPattern: link.target)
      let object = Int64(bitPattern: link.origin)
      if isAdded {
        edits.links[path.target, default: [:]][backlinks.key, default: [:]][key, default: .init()]
          .added.append(object)
        try inBuild(after.advance())
      } else {
        edits.links[path.target, default: [:]][backlinks.key, default: [:]][key, default: .init()]
          .removed.append(object)
        try inBuild(before.advance())
      }
    }
  }

  /// Reads sorted links.
  private struct Links {
    private let runs: SortedRuns?
    private var words: [UInt64] = []
    private var next = 0
    /// The current link; nil after the last one.
    private(set) var current: (target: UInt64, origin: UInt64)?

    init(_ runs: SortedRuns?) throws(RealmFileError) {
      self.runs = runs
      try runs?.finish()
      try advance()
    }

    mutating func advance() throws(RealmFileError) {
      if next == words.count { (words, next) = (try runs?.next() ?? [], 0) }
      current = next < words.count ? (words[next], words[next + 1]) : nil
      next += 2
    }
  }
}
