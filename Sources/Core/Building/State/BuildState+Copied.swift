import RealmModel
import RealmStorage

/// Connects the tables that are built with those that are copied.
extension BuildState {
  /// Adds the links of copied tables to the backlinks of the tables that are built.
  func addCopiedLinks() throws(BuildError) {
    guard let copied = request.copied else { return }
    var numbers: [Int: [ColumnKey: Int]] = [:]
    for column in layout.columns where copied.positions.contains(column.classPosition) {
      numbers[column.classPosition, default: [:]][column.key] = column.number
    }
    try inBuild { () throws(RealmFileError) in
      for table in layout.slots where !table.isCopied {
        try copied.forEachLink(to: table.position) {
          (origin, column, links) throws(RealmFileError) in
          guard let number = numbers[origin]?[column] else { return }
          try backlinkRuns(BuildPiece.LinkPath(column: number, target: table.position))
            .append(links)
        }
      }
    }
  }

  /// Appends the copied tables.
  ///
  /// - Parameter backlinks: the backlink columns of the tables that are built.
  /// - Returns: the refs of the tables' top arrays, by position of the class.
  func appendCopied(_ backlinks: [Int: [BacklinkBuilder]]) throws(BuildError) -> [Int: Ref] {
    guard let copied = request.copied else { return [:] }
    var edits: [Int: CopiedTables.Edits] = [:]
    for column in backlinks.values.joined() {
      let origin = layout.columns[column.path.column]
      // Columns of mixed values have no opposite.
      guard origin.property.type == .link, copied.positions.contains(origin.classPosition) else {
        continue
      }
      edits[origin.classPosition, default: .init()].opposites[origin.key] = column.key
    }
    for link in copied.keptBacklinks {
      guard let origin = layout.tables[link.origin] else { continue }
      edits[link.target, default: .init()].opposites[link.column] =
        origin.columns[link.property].key
    }
    for table in layout.slots {
      guard let old = copied.table(table.position) else { continue }
      for (column, oldColumn) in zip(table.columns, old.columns)
      where column.property.name != oldColumn.name {
        edits[table.position, default: .init()].names[column.key] = column.property.name.bytes
      }
    }
    return try inBuild { () throws(RealmFileError) in try copied.copy(edits, to: writer) }
  }

  /// The keys of the backlink columns in copied tables, by number of the column with the links.
  func copiedBacklinks() -> [Int: ColumnKey] {
    var keys: [Int: ColumnKey] = [:]
    for link in request.copied?.keptBacklinks ?? [] {
      guard let origin = layout.tables[link.origin] else { continue }
      keys[origin.columns[link.property].number] = link.column
    }
    return keys
  }
}
