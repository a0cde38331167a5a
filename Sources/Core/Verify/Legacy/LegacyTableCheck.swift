import RealmLegacy
import RealmModel
import RealmStorage

/// Checks all columns of a table: the form of their trees and leaves, the number of their rows, strings,
/// dates, and the targets of links (chapter 5, section 6). Search indexes are not read: nothing trusts them.
struct LegacyTableCheck {
  let realm: LegacyRealm
  let reader: LegacyReader
  /// Position of the table.
  private let position: Int
  var findings: Findings
  private(set) var links = LegacyLinkSums()

  /// The levels of subtables and of tables in mixed values that are still allowed.
  var room = BatchAssembler.Room()
  /// The lists of distinct strings that were checked. The subtables of a column share one.
  private var checkedLists: Set<Ref> = []

  var nodes: NodeReader { reader.nodes }

  /// - Parameter position: position of the table.
  init(_ realm: LegacyRealm, position: Int, nodes: NodeReader, limit: Int) {
    (self.realm, self.position) = (realm, position)
    reader = LegacyReader(nodes, realm.lists)
    findings = Findings(limit: limit)
  }

  /// - Throws: errors other than damage.
  mutating func run() throws(RealmFileError) {
    let table = realm.tables[position]
    for column in table.spec.columns {
      findings.about(
        Findings.Subject(
          at: table.roots[column.slot], className: realm.schema.classes[position].name.text,
          property: column.name.text, ruleLimit: Findings.columnRuleLimit))
      let mark = nodes.mark()
      try check(column, root: table.roots[column.slot], rows: table.rowCount, owner: nil)
      nodes.release(to: mark)
    }
  }

  /// Checks a column of the table or, with an owner, of a subtable in the row `owner`.
  mutating func check(
    _ column: LegacyColumn, root: Ref, rows: Int, owner: Int?
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      switch column.kind {
      case .values(let content, _):
        try walk(root, content, isNullable: column.isNullable, rows: rows) {
          guard case .scalar(.string(let strings)) = $1 else { return }
          StringLeaf.checkUTF8(strings, at: $0, &$3.findings)
        }
      case .enumerated(let strings):
        let list = try reader.strings(at: strings, isNullable: column.isNullable)
        checkUTF8(list, at: strings)
        try walk(root, .enumerated(list), isNullable: column.isNullable, rows: rows)
      case .timestamps:
        let parts = try LegacyParts.timestamps(root, nodes)
        let errors = findings.count(.error)
        try walkBeforeValues { (check) throws(RealmFileError) in
          try check.walk(parts.seconds, .ints, isNullable: true, rows: rows)
          try check.walk(parts.nanoseconds, .ints, rows: rows)
        }
        // After an error in the trees, it is not certain which value a row has.
        guard findings.count(.error) == errors else { return }
        try checkRows(column, root: root, rows: rows, owner: owner)
      case .mixed:
        let errors = findings.count(.error)
        try walkTrees(ofMixed: root, rows: rows)
        guard findings.count(.error) == errors else { return }
        try checkRows(column, root: root, rows: rows, owner: owner)
      case .link(let target):
        try walk(root, .links, rows: rows) { (leaf, values, first, check) in
          check.addLinks(values, to: target, of: column, allowsNull: true, at: leaf) {
            owner ?? first + $0
          }
        }
      case .linkList(let target):
        try walk(root, .refs, rows: rows) { (_, values, first, check) throws(RealmFileError) in
          guard case .collection(let lists) = values else { return }
          for (row, list) in lists.enumerated() where list != 0 {
            let object = owner ?? first + row
            try check.attempt(object: object) { (check) throws(RealmFileError) in
              try check.walk(list, .targets, rows: nil) { (leaf, values, _, check) in
                check.addLinks(values, to: target, of: column, allowsNull: false, at: leaf) { _ in
                  object
                }
              }
            }
          }
        }
      case .subtable(let spec):
        try walk(root, .refs, rows: rows) { (_, values, first, check) throws(RealmFileError) in
          guard case .collection(let tables) = values else { return }
          for (row, table) in tables.enumerated() where table != 0 {
            let object = owner ?? first + row
            try check.attempt(object: object) { (check) throws(RealmFileError) in
              try check.checkSubtable(spec, at: table, owner: object)
            }
          }
        }
      case .backlinks(let origin, let position):
        let links = LegacyLinkSums.Column(table: origin, position: position)
        try walk(root, .elements, rows: rows) {
          (leaf, values, first, check) throws(RealmFileError) in
          try check.addBacklinks(values, first, links, at: leaf)
        }
      case .unreadable(let error): throw error
      }
    } catch {
      try findings.add(error.adding(objectKey: owner.map { Int64($0) }))
    }
  }

  /// Checks a leaf, given its node, its values and the row of the first value.
  private typealias Visit = (
    Node, LeafValues, Int, inout LegacyTableCheck
  ) throws(RealmFileError) -> Void

  /// Runs `body`, which checks one object of a column. If it throws, the next objects are still checked.
  ///
  /// - Throws: errors other than damage.
  mutating func attempt(
    object: Int, _ body: (inout LegacyTableCheck) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      try body(&self)
    } catch {
      try findings.add(error.adding(objectKey: Int64(object)))
    }
  }

  private mutating func checkUTF8(_ list: SliceColumn, at root: Ref) {
    guard checkedLists.insert(root).inserted else { return }
    let odd = list.count { $0?.isValidUTF8 == false }
    guard odd > 0 else { return }
    findings.add(
      .leafUtf8, at: root, "\(odd) of \(list.count) distinct strings are not valid UTF-8")
  }

  /// Runs `body`, which walks trees whose values are read afterwards. The traversal counts their nodes once.
  private mutating func walkBeforeValues(
    _ body: (inout LegacyTableCheck) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let opened = nodes.openedByteCount
    try body(&self)
    nodes.uncount(to: opened)
  }

  /// Walks the trees of a column of mixed values.
  private mutating func walkTrees(ofMixed root: Ref, rows: Int) throws(RealmFileError) {
    let parts = try LegacyParts.mixed(root, nodes)
    try walkBeforeValues { (check) throws(RealmFileError) in
      try check.walk(parts.types, .ints, rows: rows)
      try check.walk(parts.data, .elements, rows: rows)
    }
    // The values are looked up in these trees, which does not count their nodes.
    if parts.binaries != 0 { try walk(parts.binaries, .binaries, rows: nil) }
    if parts.timestamps != 0 {
      let dates = try LegacyParts.timestamps(parts.timestamps, nodes)
      try walk(dates.seconds, .ints, isNullable: true, rows: nil)
      try walk(dates.nanoseconds, .ints, rows: nil)
    }
  }

  /// Walks a tree. The pages of a leaf are released after its visit.
  ///
  /// - Parameter rows: the number of rows that the tree must have; nil for any number.
  /// - Throws: `damaged` for a node or leaf that cannot be read.
  private mutating func walk(
    _ root: Ref, _ content: LegacyLeaf.Content, isNullable: Bool = false, rows: Int?,
    _ visit: Visit = { _, _, _, _ in }
  ) throws(RealmFileError) {
    var leaves = BPlusTreeLeaves(
      root: root, nodes: nodes, depthLimit: BPlusTreeLeaves.legacyDepthLimit)
    var shape = ShapeVisitor(nodes: nodes)
    var first = 0
    while true {
      let mark = nodes.mark()
      defer { nodes.release(to: mark) }
      guard let leaf = try next(&leaves, &shape) else { break }
      let values = try LegacyLeaf.decode(leaf, content, isNullable: isNullable, nodes)
      shape.shape.read(leaf, count: values.count, &findings)
      do throws(RealmFileError) {
        try LegacyDoubts(isDamaged: false).check(
          values, of: leaf, content, isNullable: isNullable, target: nil, nodes)
      } catch {
        try findings.add(error)
      }
      try visit(leaf, values, first, &self)
      first += values.count
    }
    guard let rows, first != rows else { return }
    findings.add(.leafRows, at: root, "the column has \(first) rows, but its table has \(rows)")
  }

  private mutating func next(
    _ leaves: inout BPlusTreeLeaves, _ shape: inout ShapeVisitor
  ) throws(RealmFileError) -> Node? {
    swap(&shape.findings, &findings)
    defer { swap(&shape.findings, &findings) }
    return try leaves.next(&shape)
  }

  private struct ShapeVisitor: BPlusTreeVisitor {
    var shape = BPlusTreeShape(isLegacy: true)
    var findings = Findings(limit: 0)
    let nodes: NodeReader

    init(nodes: NodeReader) { self.nodes = nodes }

    mutating func enter(_ inner: Node) { shape.enter(inner) }
    mutating func leave() throws(RealmFileError) { try shape.leave(nodes, &findings) }
  }

  // MARK: Links

  private mutating func addLinks(
    _ values: LeafValues, to target: Int, of column: LegacyColumn, allowsNull: Bool,
    at leaf: Node, origin: (Int) -> Int
  ) {
    guard case .link(let keys) = values else { return }
    let rows = realm.tables[target].rowCount
    let own = LegacyLinkSums.Column(table: position, position: column.position)
    for (i, key) in keys.enumerated() where !allowsNull || !key.isNull {
      guard key.raw >= 0, key.raw < rows else {
        findings.add(
          .linkDangling, at: leaf.ref, object: Int64(origin(i)),
          "the link refers to row \(key.raw) of \(realm.schema.classes[target].name), which has "
            + "\(rows) rows")
        continue
      }
      links.add(link: origin(i), Int(key.raw), own)
    }
  }

  private mutating func addBacklinks(
    _ values: LeafValues, _ first: Int, _ column: LegacyLinkSums.Column, at leaf: Node
  ) throws(RealmFileError) {
    guard case .scalar(.int(let elements, _)) = values else { return }
    for (i, element) in elements.enumerated() where element != 0 {
      if element & 1 == 1 {
        links.add(backlink: first + i, Int(UInt64(bitPattern: element) >> 1), column)
        continue
      }
      try attempt(object: first + i) { (check) throws(RealmFileError) in
        try check.walk(try leaf.ref(at: i), .targets, rows: nil) { (_, values, _, check) in
          guard case .link(let origins) = values else { return }
          for origin in origins {
            check.links.add(backlink: first + i, Int(origin.raw), column)
          }
        }
      }
    }
  }
}
