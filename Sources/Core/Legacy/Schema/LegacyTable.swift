package import RealmModel
package import RealmStorage

/// A table as stored (chapter 5, section 5).
package struct LegacyTable: Sendable {
  /// The full name, with the prefix `class_` if it has one.
  package let name: Name
  /// Ref of the table's top array.
  package let ref: Ref
  package let spec: LegacySpec
  /// The refs of the array of columns.
  package let roots: [Ref]
  package let rowCount: Int

  /// Positions in a table's top array.
  private enum Slot {
    static let spec = 0
    static let columns = 1
    static let count = 2
  }

  /// - Throws: `damaged` with a rule of group `table`, `spec` or `btree`; `halfUpgraded` for a table of a
  ///   later format.
  package init(
    at ref: Ref, name: Name, _ specs: LegacySpecReader
  ) throws(RealmFileError) {
    let nodes = specs.nodes
    let top = try nodes.node(at: ref)
    guard top.hasRefs, !top.isInner, top.count >= Slot.count else {
      throw .damaged(.tableSlots, at: ref, "the table has \(top.form), expected \(Slot.count)")
    }
    guard top.count == Slot.count else {
      throw RealmFileError(
        .halfUpgraded("table \(name) has the \(top.count) slots of format 10, expected 2"),
        offset: ref)
    }
    (self.name, self.ref) = (name, ref)
    spec = try specs.spec(at: try top.ref(at: Slot.spec))
    let columns = try top.ref(at: Slot.columns)
    roots = try LegacyTable.roots(at: columns, spec, nodes)
    rowCount = try LegacyTable.rowCount(spec, roots, at: columns, nodes)
  }

  /// The refs in the array of columns at `ref`, which has the layout of `spec`.
  ///
  /// - Throws: `damaged` with rule `table.slots`.
  package static func roots(
    at ref: Ref, _ spec: LegacySpec, _ nodes: NodeReader
  ) throws(RealmFileError) -> [Ref] {
    let node = try nodes.node(at: ref)
    guard node.hasRefs, !node.isInner, node.count == spec.slotCount else {
      throw .damaged(
        .tableSlots, at: ref,
        "the array of columns has \(node.form), expected \(spec.slotCount) for \(spec.columns.count) "
          + "columns and their indexes")
    }
    var roots: [Ref] = []
    roots.reserveCapacity(node.count)
    for i in 0..<node.count { roots.append(try node.ref(at: i)) }
    // An array without bits can claim any number of columns.
    if let missing = spec.columns.first(where: { roots[$0.slot] == 0 }) {
      throw .damaged(.tableSlots, at: ref, "column \(missing.name) has no ref, expected one")
    }
    return roots
  }

  /// Number of rows, which all columns share.
  ///
  /// - Throws: `damaged` with rule `leaf.rows` if columns differ.
  package static func rowCount(
    _ spec: LegacySpec, _ roots: [Ref], at ref: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) -> Int {
    var rows: Int?
    for column in spec.columns {
      let count = try column.rowCount(root: roots[column.slot], nodes)
      guard count == rows ?? count else {
        throw .damaged(
          .leafRows, at: roots[column.slot],
          "column \(column.name) has \(count) rows, but the columns before have \(rows ?? 0)")
      }
      rows = count
    }
    try check(rowCount: rows ?? 0, at: ref, nodes)
    return rows ?? 0
  }

  /// Checks that the file can hold this many rows in a table, in all tables or in a list: a leaf has up to 1000 rows
  /// and takes at least the 8 bytes of its header. More rows could result in more parts than fit into memory.
  ///
  /// - Throws: `damaged` with rule `btree.count`.
  static func check(
    rowCount: Int, at ref: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) {
    guard rowCount <= 1000 + nodes.logicalSize / 8 * 1000 else {
      throw .damaged(
        .btreeCount, at: ref,
        "there are \(rowCount) rows, but the file has \(nodes.logicalSize) bytes")
    }
  }
}

extension LegacyColumn {
  /// Number of rows below `root`, read from the root alone.
  ///
  /// - Throws: `damaged`.
  func rowCount(root: Ref, _ nodes: NodeReader) throws(RealmFileError) -> Int {
    let (tree, content, isNullable) = try mainTree(root: root, nodes)
    return try BPlusTreeLeaves.count(root: tree, nodes: nodes) { leaf throws(RealmFileError) in
      try LegacyLeaf.count(leaf, content, isNullable: isNullable, nodes)
    }
  }

  /// The tree with an element for each row.
  private func mainTree(
    root: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) -> (Ref, LegacyLeaf.Content, isNullable: Bool) {
    switch kind {
    case .values(let content, _): return (root, content, isNullable)
    // Positions are integers.
    case .enumerated: return (root, .ints, false)
    case .timestamps: return (try LegacyParts.timestamps(root, nodes).seconds, .ints, true)
    case .mixed: return (try LegacyParts.mixed(root, nodes).types, .ints, false)
    case .link: return (root, .ints, false)
    case .linkList, .subtable, .backlinks: return (root, .elements, false)
    }
  }
}

/// The trees of columns that have several (chapter 5, sections 6.8 and 6.12).
package enum LegacyParts {
  /// The trees of a column of dates.
  ///
  /// - Throws: `damaged` with rule `leaf.timestamp`.
  package static func timestamps(
    _ root: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) -> (seconds: Ref, nanoseconds: Ref) {
    let node = try nodes.lookUp(root)
    guard node.hasRefs, !node.isInner, node.count == 2 else {
      throw .damaged(
        .leafTimestamp, at: root,
        "the column of dates has \(node.form), expected 2: to seconds and to nanoseconds")
    }
    return (try node.ref(at: 0), try node.ref(at: 1))
  }

  /// The trees of a column of mixed values.
  ///
  /// - Returns: refs of the trees; those of binaries and timestamps are 0 if no value needs them.
  /// - Throws: `damaged` with rule `mixed.slots`.
  package static func mixed(
    _ root: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) -> (types: Ref, data: Ref, binaries: Ref, timestamps: Ref) {
    let node = try nodes.lookUp(root)
    guard node.hasRefs, !node.isInner, 2...4 ~= node.count else {
      throw .damaged(
        .mixedSlots, at: root, "the column of mixed values has \(node.form), expected 2 to 4")
    }
    return (
      try node.ref(at: 0), try node.ref(at: 1), node.count > 2 ? try node.ref(at: 2) : 0,
      node.count > 3 ? try node.ref(at: 3) : 0
    )
  }
}
