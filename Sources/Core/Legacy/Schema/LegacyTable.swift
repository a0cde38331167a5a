package import RealmModel
package import RealmStorage

/// A table as stored (chapter 5, section 5).
package struct LegacyTable: Sendable {
  /// The full name, with the prefix `class_` if it has one.
  package internal(set) var name: Name
  /// Ref of the table's top array.
  package let ref: Ref
  package let spec: LegacySpec
  /// The refs of the array of columns.
  package let roots: [Ref]
  package let rowCount: Int
  /// Which rows can be read, in a damaged realm; nil for a table that can be read completely.
  package private(set) var rows: LegacyRows?
  /// Why nothing of the table can be read; nil if something can.
  package private(set) var loss: RealmFileError?

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
    let top = try LegacyTable.top(at: ref, name: name, nodes)
    (self.name, self.ref) = (name, ref)
    spec = try specs.spec(at: try top.ref(at: Slot.spec))
    let columns = try top.ref(at: Slot.columns)
    roots = try LegacyTable.roots(at: columns, spec, nodes)
    rowCount = try LegacyTable.rowCount(spec, roots, at: columns, nodes)
  }

  /// A table of a damaged realm, without the columns and leaves that cannot be read.
  ///
  /// - Throws: `damaged` if the columns are unknown; `halfUpgraded`; errors that are not damage.
  init(
    leavingOutDamageAt ref: Ref, name: Name, _ specs: LegacySpecReader, _ reader: LegacyReader
  ) throws(RealmFileError) {
    let nodes = specs.nodes
    (self.name, self.ref) = (name, ref)
    let columns: Node
    if let (spec, array) = try LegacyTable.unfinished(try nodes.lookUp(ref), specs) {
      (self.spec, columns) = (spec, array)
    } else {
      let top = try LegacyTable.top(at: ref, name: name, nodes)
      spec = try specs.spec(at: try top.ref(at: Slot.spec))
      columns = try LegacyTable.columns(at: try top.ref(at: Slot.columns), spec, nodes)
    }
    var (roots, lost): ([Ref], [Int: RealmFileError]) = ([], [:])
    for i in 0..<columns.count {
      if case .ref(let ref) = columns.element(at: i) { roots.append(ref) } else { roots.append(0) }
    }
    for column in spec.columns where roots[column.slot] == 0 {
      lost[column.position] = LegacyTable.missing(column, at: columns.ref)
    }
    self.roots = roots
    let rows = try LegacyRows(spec, roots, lost: lost, reader)
    (self.rows, rowCount) = (rows, rows.count)
  }

  /// A table of which nothing can be read. It keeps the place that links refer to.
  init(lost loss: RealmFileError, name: Name, at ref: Ref) {
    (self.name, self.ref, self.loss) = (name, ref, loss)
    (spec, roots, rowCount) = (LegacySpec(columns: []), [], 0)
    rows = LegacyRows(noColumns: ())
  }

  /// The top array of a table.
  private static func top(
    at ref: Ref, name: Name, _ nodes: NodeReader
  ) throws(RealmFileError) -> Node {
    let top = try nodes.node(at: ref)
    guard top.hasRefs, !top.isInner, top.count >= Slot.count else {
      throw .damaged(.tableSlots, at: ref, "the table has \(top.form), expected \(Slot.count)")
    }
    guard top.count == Slot.count else {
      throw RealmFileError(
        .halfUpgraded("table \(name) has the \(top.count) slots of format 10, expected 2"),
        offset: ref)
    }
    return top
  }

  /// The refs in the array of columns at `ref`, which has the layout of `spec`.
  ///
  /// - Throws: `damaged` with rule `table.slots`.
  package static func roots(
    at ref: Ref, _ spec: LegacySpec, _ nodes: NodeReader
  ) throws(RealmFileError) -> [Ref] {
    let node = try columns(at: ref, spec, nodes)
    var roots: [Ref] = []
    roots.reserveCapacity(node.count)
    for i in 0..<node.count { roots.append(try node.ref(at: i)) }
    // An array without bits can claim any number of columns.
    if let column = spec.columns.first(where: { roots[$0.slot] == 0 }) {
      throw missing(column, at: ref)
    }
    return roots
  }

  private static func missing(_ column: LegacyColumn, at ref: Ref) -> RealmFileError {
    .damaged(.tableSlots, at: ref, "column \(column.name) has no ref, expected one")
  }

  /// The array of columns at `ref`, which has the layout of `spec`.
  private static func columns(
    at ref: Ref, _ spec: LegacySpec, _ nodes: NodeReader
  ) throws(RealmFileError) -> Node {
    let node = try nodes.node(at: ref)
    guard node.hasRefs, !node.isInner, node.count == spec.slotCount else {
      throw .damaged(
        .tableSlots, at: ref,
        "the array of columns has \(node.form), expected \(spec.slotCount) for \(spec.columns.count) "
          + "columns and their indexes")
    }
    return node
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
    guard canHave(rowCount: rowCount, nodes) else {
      throw .damaged(
        .btreeCount, at: ref,
        "there are \(rowCount) rows, but the file has \(nodes.logicalSize) bytes")
    }
  }

  /// Whether the file can hold this many rows.
  static func canHave(rowCount: Int, _ nodes: NodeReader) -> Bool {
    rowCount <= 1000 + nodes.logicalSize / 8 * 1000
  }
}

extension LegacyColumn {
  /// Number of rows below `root`, read from the root alone.
  ///
  /// - Throws: `damaged`.
  package func rowCount(root: Ref, _ nodes: NodeReader) throws(RealmFileError) -> Int {
    let (tree, content, isNullable) = try mainTree(root: root, nodes)
    return try BPlusTreeLeaves.count(root: tree, nodes: nodes) { leaf throws(RealmFileError) in
      try LegacyLeaf.count(leaf, content, isNullable: isNullable, nodes)
    }
  }

  /// The most rows of a leaf, and the most levels of inner nodes above it.
  private static let (leafLimit, levelLimit) = (1000, 10)

  /// Whether a tree has the form of this column, as far as its root and its first leaf show it, and enough rows.
  ///
  /// - Throws: errors that are not damage.
  package func fits(root: Ref, _ nodes: NodeReader) throws(RealmFileError) -> Bool {
    do throws(RealmFileError) {
      guard try rowCount(root: root, nodes) > 0 else { return false }
      let (tree, content, isNullable) = try mainTree(root: root, nodes)
      var leaf = try nodes.lookUp(tree)
      var level = 0
      while leaf.isInner {
        level += 1
        guard level <= LegacyColumn.levelLimit else { return false }
        leaf = try nodes.lookUp(try leaf.ref(at: 1))
      }
      let count = try LegacyLeaf.count(leaf, content, isNullable: isNullable, nodes)
      // No library writes larger leaves.
      guard count <= LegacyColumn.leafLimit else { return false }
      _ = try nodes.traversing { () throws(RealmFileError) in
        try LegacyLeaf.decode(leaf, content, isNullable: isNullable, nodes)
      }
      return true
    } catch {
      guard error.isDamage else { throw error }
      return false
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
    case .unreadable(let error): throw error
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
