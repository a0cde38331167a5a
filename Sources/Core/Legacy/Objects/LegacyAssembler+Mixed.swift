import RealmModel
import RealmStorage

/// Mixed values. A table in a mixed value, which later formats do not have, becomes a list with a dictionary for each
/// row.
extension LegacyAssembler {
  /// A column of mixed values.
  ///
  /// - Parameters:
  ///   - stored: the values; a table is a list at the ref of its top array.
  ///   - owners: the row of the object with each value.
  /// - Returns: nil if `room` has too little space for the values in tables.
  func mixed(
    _ stored: [MixedValue], owners: [Int], _ room: inout Room
  ) throws(RealmFileError) -> MixedColumn? {
    guard stored.contains(where: { if case .list = $0 { true } else { false } }) else {
      return MixedColumn(values: stored.map(\.plain))
    }
    var trees: [LegacyMixedTree] = []
    for (row, value) in stored.enumerated() {
      do {
        guard let tree = try tree(value, &room) else { return nil }
        trees.append(tree)
      } catch {
        guard leavesOut else { throw error.adding(objectKey: Int64(owners[row])) }
        try leaveOut(error, ofRow: owners[row], isPart: true)
        trees.append(.plain(.null))
      }
    }
    return LegacyMixedTree.column(trees)
  }

  private func tree(
    _ value: MixedValue, _ room: inout Room
  ) throws(RealmFileError) -> LegacyMixedTree? {
    guard case .list(let ref) = value else { return .plain(value.plain) }
    return try room.descend(at: ref) {
      (room: inout Room) throws(RealmFileError) -> LegacyMixedTree? in
      let table = try LegacyTable(
        at: ref, name: Name("in a mixed value"),
        LegacySpecReader(nodes: nodes, tableCount: realm.tables.count))
      return try rows(table.spec, table.roots, count: table.rowCount, &room)
    }
  }

  /// The rows of a table or subtable in a mixed value.
  private func rows(
    _ spec: LegacySpec, _ roots: [Ref], count: Int, _ room: inout Room
  ) throws(RealmFileError) -> LegacyMixedTree? {
    let columns = spec.properties
    // A row takes room even without columns.
    let (cells, overflows) = count.multipliedReportingOverflow(by: columns.count + 1)
    guard !overflows, cells <= BatchAssembler.elementLimit, room.take(cells) else { return nil }
    var names = LegacyNames()
    var rows = Array(repeating: [LegacyMixedTree.Entry](), count: count)
    for column in columns {
      let name = names.unique(
        column.name, prefix: "col", position: column.position,
        byteLimit: LegacyNames.propertyByteLimit)
      guard
        let values = try trees(
          of: column, root: roots[column.slot], count: count, isNullable: column.isNullable, &room)
      else { return nil }
      for (row, value) in values.enumerated() {
        rows[row].append(LegacyMixedTree.Entry(name: name.bytes, value: value))
      }
    }
    return .list(rows.map { .dictionary($0) })
  }

  private func trees(
    of column: LegacyColumn, root: Ref, count: Int, isNullable: Bool, _ room: inout Room
  ) throws(RealmFileError) -> [LegacyMixedTree]? {
    var columnReader = try LegacyColumnReader(column, root: root, reader)
    let values = try columnReader.values(0..<count)
    var trees: [LegacyMixedTree] = []
    switch (values, column.kind) {
    case (.mixed(let mixed), _):
      for value in mixed {
        guard let tree = try tree(value, &room) else { return nil }
        trees.append(tree)
      }
    case (.link(let keys), .link(let target)):
      let links = try links(keys, to: target, allowsNull: true, owners: { $0 })
      trees = keys.indices.map { links.tree($0) }
    case (.collection(let roots), .linkList(let target)):
      for root in roots {
        let rows = root == 0 ? 0 : try BPlusTreeLeaves.count(root: root, nodes: nodes) { $0.count }
        guard room.take(rows) else { return nil }
        let list = LegacyTree(root: root, .targets, isNullable: false, reader, target: target)
        guard case .link(let keys) = try list.values(0..<rows) else { return nil }
        let links = try links(keys, to: target, allowsNull: false, owners: { $0 })
        trees.append(.list(keys.indices.map { links.tree($0) }))
      }
    case (.collection(let roots), .subtable(let spec)):
      for root in roots {
        guard let tree = try subtable(root, spec, &room) else { return nil }
        trees.append(tree)
      }
    default: trees = values.scalars.map { all in (0..<all.count).map { .plain(all[$0]) } } ?? []
    }
    return trees
  }

  private func subtable(
    _ root: Ref, _ spec: LegacySpec, _ room: inout Room
  ) throws(RealmFileError) -> LegacyMixedTree? {
    guard root != 0 else { return .list([]) }
    return try room.descend(at: root) {
      (room: inout Room) throws(RealmFileError) -> LegacyMixedTree? in
      let roots = try LegacyTable.roots(at: root, spec, nodes)
      let count = try LegacyTable.rowCount(spec, roots, at: root, nodes)
      return try rows(spec, roots, count: count, &room)
    }
  }
}

extension LinkColumn {
  /// The link in `row`.
  fileprivate func tree(_ row: Int) -> LegacyMixedTree {
    guard !nulls[row] else { return .plain(.null) }
    return .link(
      MixedColumn.Link(
        target: target, key: keys[row], identity: identities.map { $0[row] }, isUnresolved: false))
  }
}

/// A mixed value with the collections nested in it.
indirect enum LegacyMixedTree {
  struct Entry {
    let name: [UInt8]
    let value: LegacyMixedTree
  }

  case plain(BatchValue)
  case link(MixedColumn.Link)
  case list([LegacyMixedTree])
  case dictionary([Entry])

  /// A column of these values.
  static func column(_ values: [LegacyMixedTree]) -> MixedColumn {
    var column = MixedColumn(values: [])
    var (links, lists, dictionaries): ([MixedColumn.Link], [[LegacyMixedTree]], [[Entry]])
    (links, lists, dictionaries) = ([], [], [])
    for value in values {
      switch value {
      case .plain(let plain): column.values.append(plain)
      case .link(let link):
        column.values.append(.link(links.count))
        links.append(link)
      case .list(let elements):
        column.values.append(.list(lists.count))
        lists.append(elements)
      case .dictionary(let entries):
        column.values.append(.dictionary(dictionaries.count))
        dictionaries.append(entries)
      }
    }
    column.links = links
    if !lists.isEmpty {
      column.lists = CollectionColumn(
        ends: ends(of: lists.map(\.count)), elements: .mixed(self.column(lists.flatMap(\.self))))
    }
    if !dictionaries.isEmpty {
      let entries = dictionaries.flatMap(\.self)
      column.dictionaries = CollectionColumn(
        ends: ends(of: dictionaries.map(\.count)),
        elements: .mixed(self.column(entries.map(\.value))),
        keys: .string(SliceColumn(copying: entries.map(\.name))))
    }
    return column
  }

  private static func ends(of counts: [Int]) -> [Int] {
    var end = 0
    return counts.map { count in
      end += count
      return end
    }
  }
}
