import RealmModel
import RealmStorage

/// Compares links with backlinks: for each column and target table, links and backlinks must be the
/// same pairs of objects, with the same multiplicity (chapter 3, section 6.2; rules L4 to L7).
///
/// Scans over the objects compute a sum for each side, in any number of parts. If the sums of a column
/// differ, the pairs are collected and compared, which takes 16 bytes per link on each side.
struct LinkCheck {
  /// The most columns that are compared pair by pair; each takes a traversal.
  private static let comparisonLimit = 256

  private let schema: Schema
  /// The tables whose links and backlinks are compared; nil for all.
  private let wanted: Set<TableKey>?
  /// Slots of tables that exist but cannot be read. Links to and from them are unknown.
  private let unreadableSlots: Set<Int>

  init(_ schema: Schema, tables wanted: Set<TableKey>?, unreadableSlots: Set<Int>) {
    (self.schema, self.wanted, self.unreadableSlots) = (schema, wanted, unreadableSlots)
  }

  // MARK: Which links count

  /// Sets in `plan` which links and backlinks of its table are compared.
  func complete(_ plan: inout ObjectPlan) {
    let table = plan.table
    plan.unreadableSlots = unreadableSlots
    if !plan.isTombstones {
      plan.linkColumns = Set(
        table.columns.indices.filter { i in
          let column = table.columns[i]
          return column.canHoldLinks && isPaired(column, of: table)
            && (isWanted(table.key) || column.type != .link || column.target.map(isWanted) ?? true)
        })
    }
    plan.backlinkColumns = Set(
      table.backlinkColumns.indices.filter { i in
        let column = table.backlinkColumns[i]
        return (isWanted(table.key) || isWanted(column.origin)) && isPaired(column, of: table)
      })
    plan.hasOwners = table.kind == .embedded && !plan.isTombstones && isWanted(table.key)
  }

  private func isWanted(_ table: TableKey) -> Bool { wanted?.contains(table) ?? true }

  private func isWanted(_ group: LinkGroup) -> Bool {
    isWanted(group.origin.table) || isWanted(group.target)
  }

  private func isUnreadable(_ table: TableKey) -> Bool {
    schema.table(table) == nil && unreadableSlots.contains(table.slot)
  }

  /// Whether a link column and its backlink column name each other. If they do not, there is one finding
  /// about the columns instead of one for each link.
  private func isPaired(_ column: Column, of table: Table) -> Bool {
    guard column.type == .link, let target = column.target.flatMap({ schema.table($0) }) else {
      return column.type != .link || column.target.map { !isUnreadable($0) } ?? false
    }
    return target.backlinkColumns.contains {
      $0.key == column.opposite && $0.origin == table.key && $0.originColumn == column.key
    }
  }

  private func isPaired(_ column: BacklinkColumn, of table: Table) -> Bool {
    guard
      let origin = schema.table(column.origin)?.columns.first(where: {
        $0.key == column.originColumn
      })
    else { return false }
    return origin.type != .link || origin.target == table.key && origin.opposite == column.key
  }

  // MARK: Comparing

  /// Compares the sums of all objects, and the pairs if the sums differ.
  ///
  /// - Throws: errors other than damage.
  func compare(
    _ sides: LinkSides, reader: RealmReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    for group in sides.groups where isWanted(group) {
      guard let (_, column) = begin(group.origin, &findings), column.type != .link,
        let target = schema.table(group.target), target.kind != .topLevel
      else { continue }
      findings.add(
        .linkAsymmetric,
        "a mixed property links to class \(target.className.text), which is \(target.kind)")
    }
    for (i, group) in sides.differing.filter(isWanted).enumerated() {
      guard let (table, column) = begin(group.origin, &findings) else { continue }
      guard i < LinkCheck.comparisonLimit else {
        findings.add(.linkBacklinkMismatch, "links and backlinks differ")
        continue
      }
      try compare(group, column, of: table, sides, reader, &findings)
    }
    for (origin, error) in sides.unreadColumns where begin(origin, &findings) != nil {
      try findings.addUnread(.linkNotCompared, "links or backlinks cannot be read", because: error)
    }
  }

  /// Sets the subject of findings to a column; nil if the column does not exist.
  private func begin(
    _ origin: LinkOrigin, _ findings: inout Findings
  ) -> (table: Table, column: Column)? {
    guard let table = schema.table(origin.table),
      let column = table.columns.first(where: { $0.key == origin.column })
    else { return nil }
    findings.about(
      Findings.Subject(
        at: table.ref, className: table.className.text, property: column.name.text,
        ruleLimit: Findings.columnRuleLimit))
    return (table, column)
  }

  /// Reports the pairs that exist on one side only.
  private func compare(
    _ group: LinkGroup, _ column: Column, of table: Table, _ sides: LinkSides,
    _ reader: RealmReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    /// The leaf of the column with an object, as the place of a finding. Nil if it cannot be read, which
    /// the scan of the objects reports.
    func leaf(_ key: ObjectKey) -> Ref? {
      try? reader.find(key, in: table)?.cluster.leaf(at: column.key.leafIndex)
    }
    guard let target = schema.table(group.target) else {
      guard group.target == .null else { return }
      for pair in try links(column, of: table, to: group.target, reader) ?? [] {
        let object = ObjectKey(Int64(bitPattern: pair.second))
        findings.add(
          .linkDangling, at: leaf(object), object: object.raw,
          "the link refers to a table that does not exist")
      }
      return
    }
    guard let links = try links(column, of: table, to: group.target, reader),
      let backlinks = try backlinks(group, of: target, reader)
    else {
      return findings.add(
        .linkBacklinkMismatch, "links and backlinks differ, but are too many to compare one by one")
    }
    // A side that cannot be read completely proves nothing about the other side.
    let areBacklinksKnown = sides.unreadBacklinks[group] == nil
    let areLinksKnown = sides.unreadLinks[group.origin] == nil
    let name = target.className.text
    Pair.compare(
      links, backlinks,
      onlyLeft: { pair in
        let to = ObjectKey(Int64(bitPattern: pair.first))
        let from = ObjectKey(Int64(bitPattern: pair.second))
        if reader.exists(to, in: target) == false {
          findings.add(
            .linkDangling, at: leaf(from), object: from.raw,
            "the link refers to object \(to.raw) of \(name), which does not exist")
        } else if areBacklinksKnown {
          findings.add(
            .linkBacklinkMismatch, at: leaf(from), object: from.raw,
            "object \(to.raw) of \(name) has no backlink for this link")
        }
      },
      onlyRight: { pair in
        guard areLinksKnown else { return }
        let (to, from) = (Int64(bitPattern: pair.first), Int64(bitPattern: pair.second))
        findings.add(
          .linkBacklinkMismatch, object: from,
          "object \(to) of \(name) has a backlink from this object, which has no such link")
      })
  }

  /// Target and origin of every link of `column` to objects of one table; nil if there are too many.
  private func links(
    _ column: Column, of table: Table, to target: TableKey, _ reader: RealmReader
  ) throws(RealmFileError) -> [Pair]? {
    var plan = ObjectPlan(table, tombstones: false)
    plan.unreadableSlots = unreadableSlots
    plan.linkColumns = Set(table.columns.indices.filter { table.columns[$0].key == column.key })
    plan.collected = .links(to: target, limit: reader.nodes.logicalSize)
    return try ObjectScan.pairs(plan, reader)
  }

  /// Target and origin of every backlink of a group; nil if there are too many.
  private func backlinks(
    _ group: LinkGroup, of table: Table, _ reader: RealmReader
  ) throws(RealmFileError) -> [Pair]? {
    var all: [Pair] = []
    for tombstones in [false, true] {
      var plan = ObjectPlan(table, tombstones: tombstones)
      plan.backlinkColumns = Set(
        table.backlinkColumns.indices.filter {
          LinkGroup(table.backlinkColumns[$0], of: table) == group
        })
      // A valid file never has more links than bytes.
      plan.collected = .backlinks(limit: reader.nodes.logicalSize)
      guard let pairs = try ObjectScan.pairs(plan, reader) else { return nil }
      all += pairs
    }
    return all
  }
}
