package import RealmStorage

/// Compares links and backlinks: for each column and target table the links and the backlinks are the
/// same pairs of objects, each as often (chapter 3, section 6.2; rules L4 to L7).
///
/// Both sides become a sum, in any number of parts; only where the sums of a column differ are its
/// pairs collected and compared, with 16 bytes a link on each side.
package struct LinkCheck {
  /// Columns that are compared pair by pair, at a traversal each.
  private static let comparisonLimit = 256

  let reader: RealmReader
  /// The tables whose links and backlinks are compared; nil for all.
  private let wanted: Set<TableKey>?
  /// Slots of tables that exist and cannot be read: nothing is known of links to and from them.
  private let unreadableSlots: Set<Int>
  private let limit: Int

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  package init(
    reader: RealmReader, tables wanted: Set<TableKey>? = nil, unreadableSlots: Set<Int> = [],
    limit: Int
  ) {
    (self.reader, self.wanted, self.limit) = (reader, wanted, limit)
    self.unreadableSlots = unreadableSlots
  }

  var schema: Schema { reader.realm.schema }

  /// Compares the sums of all clusters, and the pairs where they differ.
  ///
  /// - Throws: what kept links from being read, where it says nothing about the file.
  package func findings(of sides: LinkSides) throws(RealmFileError) -> Findings {
    var findings = Findings(limit: limit)
    for group in sides.groups where isWanted(group) {
      guard let (_, column, defects) = defects(of: group.origin),
        column.type != .link, let target = schema.table(group.target), target.kind != .topLevel
      else { continue }
      var own = defects
      own.add(.linkAsymmetric, "a mixed property links to \(target.className.text)")
      findings.add(contentsOf: own.findings)
    }
    for (i, group) in sides.differing.filter(isWanted).enumerated() {
      if i < LinkCheck.comparisonLimit {
        compare(group, sides, &findings)
      } else if var defects = defects(of: group.origin)?.findings {
        defects.add(.linkBacklinkMismatch, "links and backlinks differ")
        findings.add(contentsOf: defects.findings)
      }
    }
    for (origin, error) in sides.unreadColumns {
      guard var defects = defects(of: origin)?.findings else { continue }
      try defects.addUnread(.linkNotCompared, "links or backlinks cannot be read", because: error)
      findings.add(contentsOf: defects.findings)
    }
    return findings
  }

  /// A column, its table, and an empty list of findings about it.
  private func defects(
    of origin: LinkOrigin
  ) -> (table: Table, column: Column, findings: ColumnFindings)? {
    guard let table = schema.table(origin.table),
      let column = table.columns.first(where: { $0.key == origin.column })
    else { return nil }
    let findings = ColumnFindings(
      at: table.ref, className: table.className.text, property: column.name.text, limit: limit)
    return (table, column, findings)
  }

  // MARK: Tables

  private func isWanted(_ table: TableKey) -> Bool { wanted?.contains(table) ?? true }

  private func isWanted(_ group: LinkGroup) -> Bool {
    isWanted(group.origin.table) || isWanted(group.target)
  }

  private func isUnreadable(_ table: TableKey) -> Bool {
    schema.table(table) == nil && unreadableSlots.contains(table.slot)
  }

  /// The property that the backlinks of `column` come from.
  private func origin(of column: BacklinkColumn) -> Column? {
    schema.table(column.origin)?.columns.first { $0.key == column.originColumn }
  }

  /// The columns of `table` whose links count.
  private func linkColumns(of table: Table) -> [Column] {
    table.columns.filter {
      LinkWalk.canHoldLinks($0) && isPaired($0, of: table)
        && (isWanted(table.key) || $0.type != .link || $0.target.map(isWanted) ?? true)
    }
  }

  private func backlinkColumns(of table: Table) -> [BacklinkColumn] {
    table.backlinkColumns.filter {
      (isWanted(table.key) || isWanted($0.origin)) && isPaired($0, of: table)
    }
  }

  /// False for a column of links that does not name its backlinks, or is not named by them: that is
  /// a finding about the two, not about each link.
  private func isPaired(_ column: Column, of table: Table) -> Bool {
    guard column.type == .link, let target = column.target.flatMap({ schema.table($0) }) else {
      return column.type != .link || column.target.map { !isUnreadable($0) } ?? false
    }
    return target.backlinkColumns.contains {
      $0.key == column.opposite && $0.origin == table.key && $0.originColumn == column.key
    }
  }

  private func isPaired(_ column: BacklinkColumn, of table: Table) -> Bool {
    guard let origin = origin(of: column) else { return false }
    return origin.type != .link || origin.target == table.key && origin.opposite == column.key
  }

  /// True where ``sides(of:in:tombstones:)`` has nothing to add.
  package func isIdle(_ table: Table, tombstones: Bool) -> Bool {
    backlinkColumns(of: table).isEmpty && (tombstones || linkColumns(of: table).isEmpty)
      && table.kind != .embedded
  }

  // MARK: Both sides

  /// What some clusters of `table` add to both sides, and what is found meanwhile.
  package func sides(
    of table: Table, in clusters: ArraySlice<ClusterPosition>, tombstones: Bool
  ) -> (sides: LinkSides, findings: Findings) {
    var sides = LinkSides()
    var defects = ColumnFindings(
      at: table.ref, className: table.className.text, limit: limit)
    if !tombstones { addLinks(of: table, clusters, to: &sides) }
    addBacklinks(of: table, clusters, tombstones: tombstones, to: &sides, &defects)
    return (sides, defects.findings)
  }

  /// All tables that do not exist count as one: a damaged file can name any number of them.
  private func existing(_ target: TableKey) -> TableKey {
    schema.table(target) == nil && !isUnreadable(target) ? .null : target
  }

  /// Says of both sides of `table` why they cannot be read.
  package func unread(_ table: Table, _ error: RealmFileError) -> LinkSides {
    let error = error.adding(className: table.className.text)
    var sides = LinkSides()
    for column in linkColumns(of: table) {
      sides.addUnread(LinkOrigin(table: table.key, column: column.key), error)
    }
    for column in backlinkColumns(of: table) {
      sides.addUnread(LinkGroup(column, of: table), error)
    }
    return sides
  }

  private func addLinks(
    of table: Table, _ clusters: ArraySlice<ClusterPosition>, to sides: inout LinkSides
  ) {
    let columns = linkColumns(of: table)
    guard !columns.isEmpty else { return }
    let walk = LinkWalk(reader: reader)
    let failure = forEachCluster(in: clusters) { cluster in
      for column in columns {
        let origin = LinkOrigin(table: table.key, column: column.key)
        var sums = TargetSums()
        do throws(RealmFileError) {
          try walk.forEachLink(of: column, in: cluster) { row, target, key in
            sums.add(existing(target), key, cluster.key(at: row))
          }
        } catch {
          sides.addUnread(origin, error.adding(className: table.className.text))
        }
        sums.finish()
        sides.addLinks(sums, from: origin)
      }
    }
    guard let failure = failure?.adding(className: table.className.text) else { return }
    for column in columns {
      sides.addUnread(LinkOrigin(table: table.key, column: column.key), failure)
    }
  }

  private func addBacklinks(
    of table: Table, _ clusters: ArraySlice<ClusterPosition>, tombstones: Bool,
    to sides: inout LinkSides, _ defects: inout ColumnFindings
  ) {
    let columns = backlinkColumns(of: table)
    let hasOwners = table.kind == .embedded && !tombstones && isWanted(table.key)
    guard !columns.isEmpty || hasOwners else { return }
    // Owners may be named by a column that is left out.
    let areColumnsKnown = columns.count == table.backlinkColumns.count
    let walk = BacklinkWalk(reader: reader)
    let failure = forEachCluster(in: clusters) { cluster in
      var owners = [Int](repeating: 0, count: hasOwners ? cluster.count : 0)
      var areOwnersKnown = hasOwners && areColumnsKnown
      for column in columns {
        let group = LinkGroup(column, of: table)
        var sum = PairSum()
        do throws(RealmFileError) {
          try walk.forEachBacklink(of: column, in: cluster) { row, origin in
            sum.add(UInt64(bitPattern: cluster.key(at: row).raw), UInt64(bitPattern: origin.raw))
            if row < owners.count { owners[row] += 1 }
          }
        } catch {
          sides.addUnread(group, error.adding(className: table.className.text))
          areOwnersKnown = false
        }
        sides.addBacklinks(sum, of: group)
      }
      if areOwnersKnown { tellOwners(owners, of: cluster, &defects) }
    }
    guard let failure = failure?.adding(className: table.className.text) else { return }
    for column in columns { sides.addUnread(LinkGroup(column, of: table), failure) }
  }

  private func tellOwners(
    _ owners: [Int], of cluster: Cluster, _ defects: inout ColumnFindings
  ) {
    for row in owners.indices where owners[row] != 1 {
      if owners[row] == 0 {
        defects.add(
          .linkEmbeddedOrphan, "no object owns this embedded one", at: cluster.ref,
          object: cluster.key(at: row))
      } else {
        defects.add(
          .linkEmbeddedShared, "\(owners[row]) links lead to this embedded object",
          at: cluster.ref, object: cluster.key(at: row))
      }
    }
  }

  /// Passes over what cannot be read, which was told when the sums were made.
  private func forEachReadable(
    of table: Table, tombstones: Bool, _ body: (Cluster) -> Void
  ) {
    let clusters = try? reader.nodes.traversing { () throws(RealmFileError) in
      try reader.clusters(of: table, tombstones: tombstones)
    }
    guard let clusters else { return }
    _ = forEachCluster(in: clusters[...], body)
  }

  /// - Returns: the first reason why clusters cannot be read, nil where all can.
  private func forEachCluster(
    in clusters: ArraySlice<ClusterPosition>, _ body: (Cluster) -> Void
  ) -> RealmFileError? {
    var failure: RealmFileError?
    do throws(RealmFileError) {
      try reader.nodes.traversing { () throws(RealmFileError) in
        for position in clusters {
          let mark = reader.nodes.mark()
          defer { reader.nodes.release(to: mark) }
          do throws(RealmFileError) {
            body(try reader.cluster(position))
          } catch {
            failure = error.first(of: failure)
          }
        }
      }
    } catch {
      return error.first(of: failure)
    }
    return failure
  }

  // MARK: Pair by pair

  /// Tells the pairs that only one side has.
  private func compare(_ group: LinkGroup, _ sides: LinkSides, _ findings: inout Findings) {
    guard let (table, column, empty) = defects(of: group.origin) else { return }
    var defects = empty
    defer { findings.add(contentsOf: defects.findings) }
    guard let target = schema.table(group.target) else {
      guard group.target == .null else { return }
      for pair in linkPairs(column, of: table, to: group.target) ?? [] {
        let object = ObjectKey(Int64(bitPattern: pair.second))
        defects.add(
          .linkDangling, "a link to an object of a table that does not exist",
          at: leaf(of: column, object, in: table), object: object)
      }
      return
    }
    guard let links = linkPairs(column, of: table, to: group.target),
      let backlinks = backlinkPairs(group, of: target)
    else {
      defects.add(.linkBacklinkMismatch, "too many links to tell which of them differ")
      return
    }
    // What cannot be read is no proof that the other side is wrong.
    let areBacklinksKnown = sides.unreadBacklinks[group] == nil
    let areLinksKnown = sides.unreadLinks[group.origin] == nil
    Pair.compare(
      links, backlinks,
      onlyLeft: { pair in
        let to = ObjectKey(Int64(bitPattern: pair.first))
        let from = ObjectKey(Int64(bitPattern: pair.second))
        if reader.exists(to, in: target) == false {
          defects.add(
            .linkDangling,
            "a link to object \(to.raw) of \(target.className.text), which does not exist",
            at: leaf(of: column, from, in: table), object: from)
        } else if areBacklinksKnown {
          defects.add(
            .linkBacklinkMismatch,
            "object \(to.raw) of \(target.className.text) has no backlink for this link",
            at: leaf(of: column, from, in: table), object: from)
        }
      },
      onlyRight: { pair in
        guard areLinksKnown else { return }
        defects.add(
          .linkBacklinkMismatch,
          "object \(Int64(bitPattern: pair.first)) of \(target.className.text) has a backlink from"
            + " here without a link", object: ObjectKey(Int64(bitPattern: pair.second)))
      })
  }

  /// The leaf of `column` with the object `key`.
  private func leaf(of column: Column, _ key: ObjectKey, in table: Table) -> Ref? {
    try? reader.find(key, in: table)?.cluster.leaf(at: column.key.leafIndex)
  }

  /// Pairs that are collected: no sound file has more links than bytes.
  private var pairLimit: Int { reader.nodes.logicalSize }

  /// Target and origin of every link of `column` into one table; nil where there are too many.
  private func linkPairs(_ column: Column, of table: Table, to target: TableKey) -> [Pair]? {
    var pairs: [Pair] = []
    let walk = LinkWalk(reader: reader)
    forEachReadable(of: table, tombstones: false) { cluster in
      // Was told when the sums were made.
      try? walk.forEachLink(of: column, in: cluster) { row, table, key in
        guard existing(table) == target, pairs.count <= pairLimit else { return }
        pairs.append(
          Pair(
            first: UInt64(bitPattern: key.raw),
            second: UInt64(bitPattern: cluster.key(at: row).raw)))
      }
    }
    return pairs.count <= pairLimit ? pairs : nil
  }

  private func backlinkPairs(_ group: LinkGroup, of table: Table) -> [Pair]? {
    var pairs: [Pair] = []
    let walk = BacklinkWalk(reader: reader)
    let columns = table.backlinkColumns.filter {
      $0.origin == group.origin.table && $0.originColumn == group.origin.column
    }
    for tombstones in [false, true] {
      forEachReadable(of: table, tombstones: tombstones) { cluster in
        for column in columns {
          try? walk.forEachBacklink(of: column, in: cluster) { row, origin in
            guard pairs.count <= pairLimit else { return }
            pairs.append(
              Pair(
                first: UInt64(bitPattern: cluster.key(at: row).raw),
                second: UInt64(bitPattern: origin.raw)))
          }
        }
      }
    }
    return pairs.count <= pairLimit ? pairs : nil
  }
}
