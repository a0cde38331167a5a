import RealmStorage

/// Compares links and backlinks: for each column and target table the links and the backlinks are the
/// same pairs of objects, each as often (chapter 3, section 6.2; rules L1 to L8).
///
/// Both sides become a sum; only where the sums of a column differ are its pairs collected and
/// compared, with 16 bytes a link on each side.
public struct LinkCheck {
  /// The rules that the check tells about.
  public static let rules: [IntegrityRule] = [
    IntegrityRule(
      "link.opposite", .error,
      "a link column and the backlink column in its target table name each other",
      chapter: "3 §11 L1–L3"),
    IntegrityRule(
      "link.opposite-not-null", .warning,
      "a property without links names no other column; early files of format 10 have zeros there",
      chapter: "3 §11 L3"),
    IntegrityRule(
      "link.orphan-backlinks", .warning,
      "a backlink column belongs to a column that exists; removing a mixed property leaves it behind",
      chapter: "3 §12"),
    IntegrityRule(
      "link.target", .error,
      "no link leads to an asymmetric class, no set or mixed property to an embedded one",
      chapter: "3 §11 L6"),
    IntegrityRule(
      "link.backlink-mismatch", .error,
      "each link has its backlink in the target, and each backlink its link", chapter: "3 §6.2"),
    IntegrityRule(
      "link.dangling", .error, "the target of each link exists, live or as a tombstone",
      chapter: "3 §11 L5"),
    IntegrityRule(
      "link.embedded-orphan", .error, "an embedded object has an owner", chapter: "3 §6.5"),
    IntegrityRule(
      "link.embedded-shared", .error, "an embedded object has one owner only",
      chapter: "3 §6.5"),
    IntegrityRule(
      "link.short-list", .warning, "a list of backlinks has two entries or more",
      chapter: "3 §11 L8"),
    IntegrityRule(
      "link.not-compared", .note, "links that cannot be read are not compared with backlinks",
      chapter: "3 §11"),
  ]

  /// Columns that are compared pair by pair, at a traversal each.
  private static let comparisonLimit = 256

  let reader: RealmReader

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  public init(reader: RealmReader) { self.reader = reader }

  var schema: Schema { reader.realm.schema }

  /// Checks all links of the realm.
  public func check(report: (Defect) -> Void) {
    for table in schema.tables { checkColumns(of: table, report) }
    var sides = LinkSides()
    for table in schema.tables {
      addLinks(of: table, to: &sides)
      addBacklinks(of: table, to: &sides, report)
    }
    for (i, group) in sides.differing.enumerated() {
      if i < LinkCheck.comparisonLimit {
        compare(group, sides, report)
      } else {
        report(
          Defect(
            "link.backlink-mismatch", "links and backlinks differ", table: group.origin.table,
            column: group.origin.column))
      }
    }
    for (table, column) in sides.unreadColumns {
      report(
        Defect(
          "link.not-compared", "links or backlinks cannot be read", table: table, column: column))
    }
  }

  // MARK: Columns

  private func checkColumns(of table: Table, _ report: (Defect) -> Void) {
    guard let top = try? TableTop(of: table, reader) else { return }
    for column in table.columns {
      var defects = DefectCollector(table: table.key, column: column.key)
      if let (rule, text) = fault(of: column, of: table, top) {
        defects.add(rule, text, at: top.ref)
      }
      if column.type == .link, let target = column.target.flatMap({ schema.table($0) }) {
        if target.kind == .asymmetric {
          defects.add("link.target", "the target class is asymmetric", at: top.ref)
        }
        if target.kind == .embedded, column.collection == .set {
          defects.add("link.target", "a set of embedded objects", at: top.ref)
        }
      }
      defects.flush(report)
    }
    for column in table.backlinkColumns {
      var defects = DefectCollector(table: table.key, column: column.key)
      checkOrigin(of: column, of: table, at: top.ref, &defects)
      defects.flush(report)
    }
  }

  /// What is wrong with the pair of a property, if anything, and the rule that it breaks.
  private func fault(
    of column: Column, of table: Table, _ top: TableTop
  ) -> (rule: String, text: String)? {
    guard let opposite = try? top.opposite(ofLeafIndex: column.key.leafIndex) else { return nil }
    let target = schema.table(opposite.table)
    let pair = target?.backlinkColumns.first { $0.key == opposite.column }
    guard column.type == .link else {
      guard opposite.table != .null || opposite.column != .null else { return nil }
      return pair == nil
        ? ("link.opposite-not-null", "a property without links names another column")
        : ("link.opposite", "a property without links is paired with a backlink column")
    }
    guard target != nil else { return ("link.opposite", "the target table does not exist") }
    guard let pair else { return ("link.opposite", "the target table has no such backlink column") }
    return pair.origin == table.key && pair.originColumn == column.key
      ? nil : ("link.opposite", "the backlink column belongs to another property")
  }

  private func checkOrigin(
    of column: BacklinkColumn, of table: Table, at ref: Ref, _ defects: inout DefectCollector
  ) {
    guard let origin = origin(of: column) else {
      let isMixed = column.originColumn.type == .mixed
      defects.add(
        isMixed ? "link.orphan-backlinks" : "link.opposite",
        "the property that the backlinks come from does not exist", at: ref)
      return
    }
    if origin.type == .link, origin.target != table.key {
      defects.add("link.opposite", "the property links to another class", at: ref)
    } else if !LinkWalk.canHoldLinks(origin) {
      defects.add("link.opposite", "the property holds no links", at: ref)
    }
  }

  /// The property that the backlinks of `column` come from.
  private func origin(of column: BacklinkColumn) -> Column? {
    schema.table(column.origin)?.columns.first { $0.key == column.originColumn }
  }

  // MARK: Both sides

  /// All tables that do not exist count as one: a damaged file can name any number of them.
  private func existing(_ target: TableKey) -> TableKey {
    schema.table(target) == nil ? .null : target
  }

  private func addLinks(of table: Table, to sides: inout LinkSides) {
    let columns = table.columns.filter { LinkWalk.canHoldLinks($0) }
    guard !columns.isEmpty else { return }
    let walk = LinkWalk(reader: reader)
    let isWhole = forEachCluster(of: table, tombstones: false) { cluster in
      for column in columns {
        var sums = TargetSums()
        do throws(RealmFileError) {
          try walk.forEachLink(of: column, in: cluster) { row, target, key in
            sums.add(existing(target), key, cluster.key(at: row))
          }
        } catch {
          sides.unreadLinks.insert(LinkOrigin(table: table.key, column: column.key))
        }
        sums.finish()
        sides.addLinks(sums, from: LinkOrigin(table: table.key, column: column.key))
      }
    }
    guard !isWhole else { return }
    for column in columns {
      sides.unreadLinks.insert(LinkOrigin(table: table.key, column: column.key))
    }
  }

  private func addBacklinks(
    of table: Table, to sides: inout LinkSides, _ report: (Defect) -> Void
  ) {
    let columns = table.backlinkColumns.filter { origin(of: $0) != nil }
    let walk = BacklinkWalk(reader: reader)
    var defects = DefectCollector(table: table.key)
    for tombstones in [false, true] {
      let isWhole = forEachCluster(of: table, tombstones: tombstones) { cluster in
        var owners = [Int](repeating: 0, count: table.kind == .embedded ? cluster.count : 0)
        var areOwnersKnown = table.kind == .embedded && !tombstones
        for column in columns {
          let group = LinkGroup(
            origin: LinkOrigin(table: column.origin, column: column.originColumn),
            target: table.key)
          var sum = PairSum()
          do throws(RealmFileError) {
            try walk.forEachBacklink(
              of: column, in: cluster,
              shortList: { defects.add("link.short-list", "a list of one backlink", at: $0) }
            ) { row, origin in
              sum.add(
                UInt64(bitPattern: cluster.key(at: row).raw), UInt64(bitPattern: origin.raw))
              if row < owners.count { owners[row] += 1 }
            }
          } catch {
            sides.unreadBacklinks.insert(group)
            areOwnersKnown = false
          }
          sides.backlinks[group, default: PairSum()] += sum
        }
        if areOwnersKnown { tellOwners(owners, of: cluster, &defects) }
      }
      guard !isWhole else { continue }
      for column in columns {
        sides.unreadBacklinks.insert(
          LinkGroup(
            origin: LinkOrigin(table: column.origin, column: column.originColumn),
            target: table.key))
      }
    }
    defects.flush(report)
  }

  private func tellOwners(
    _ owners: [Int], of cluster: Cluster, _ defects: inout DefectCollector
  ) {
    for row in owners.indices where owners[row] != 1 {
      if owners[row] == 0 {
        defects.add(
          "link.embedded-orphan", "no object owns this embedded one", at: cluster.ref,
          object: cluster.key(at: row))
      } else {
        defects.add(
          "link.embedded-shared", "\(owners[row]) links lead to this embedded object",
          at: cluster.ref, object: cluster.key(at: row))
      }
    }
  }

  /// - Returns: false where clusters of the table cannot be read.
  private func forEachCluster(
    of table: Table, tombstones: Bool, _ body: (Cluster) -> Void
  ) -> Bool {
    var isWhole = true
    do throws(RealmFileError) {
      try reader.nodes.traversing { () throws(RealmFileError) in
        for position in try reader.clusters(of: table, tombstones: tombstones) {
          let mark = reader.nodes.mark()
          defer { reader.nodes.release(to: mark) }
          guard let cluster = try? reader.cluster(position) else {
            isWhole = false
            continue
          }
          body(cluster)
        }
      }
    } catch {
      return false
    }
    return isWhole
  }

  // MARK: Pair by pair

  /// Tells the pairs that only one side has.
  private func compare(_ group: LinkGroup, _ sides: LinkSides, _ report: (Defect) -> Void) {
    guard let table = schema.table(group.origin.table),
      let column = table.columns.first(where: { $0.key == group.origin.column })
    else { return }
    var defects = DefectCollector(table: table.key, column: column.key)
    defer { defects.flush(report) }
    guard let target = schema.table(group.target) else {
      for pair in linkPairs(column, of: table, to: group.target) ?? [] {
        defects.add(
          "link.dangling", "a link to an object of a table that does not exist",
          object: ObjectKey(Int64(bitPattern: pair.second)))
      }
      return
    }
    if column.type != .link, target.kind != .topLevel {
      defects.add("link.target", "a mixed property links to \(target.className.text)")
    }
    guard let links = linkPairs(column, of: table, to: group.target),
      let backlinks = backlinkPairs(group, of: target)
    else {
      defects.add("link.backlink-mismatch", "too many links to tell which of them differ")
      return
    }
    // What cannot be read is no proof that the other side is wrong.
    let areBacklinksKnown = !sides.unreadBacklinks.contains(group)
    let areLinksKnown = !sides.unreadLinks.contains(group.origin)
    Pair.compare(
      links, backlinks,
      onlyLeft: { pair in
        let to = ObjectKey(Int64(bitPattern: pair.first))
        let from = ObjectKey(Int64(bitPattern: pair.second))
        if reader.exists(to, in: target) == false {
          defects.add(
            "link.dangling",
            "a link to object \(to.raw) of \(target.className.text), which does not exist",
            object: from)
        } else if areBacklinksKnown {
          defects.add(
            "link.backlink-mismatch",
            "object \(to.raw) of \(target.className.text) has no backlink for this link",
            object: from)
        }
      },
      onlyRight: { pair in
        guard areLinksKnown else { return }
        defects.add(
          "link.backlink-mismatch",
          "object \(Int64(bitPattern: pair.first)) of \(target.className.text) has a backlink from"
            + " here without a link", object: ObjectKey(Int64(bitPattern: pair.second)))
      })
  }

  /// Pairs that are collected: no sound file has more links than bytes.
  private var pairLimit: Int { reader.nodes.logicalSize }

  /// Target and origin of every link of `column` into one table; nil where there are too many.
  private func linkPairs(_ column: Column, of table: Table, to target: TableKey) -> [Pair]? {
    var pairs: [Pair] = []
    let walk = LinkWalk(reader: reader)
    _ = forEachCluster(of: table, tombstones: false) { cluster in
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
      _ = forEachCluster(of: table, tombstones: tombstones) { cluster in
        for column in columns {
          try? walk.forEachBacklink(of: column, in: cluster, shortList: { _ in }) { row, origin in
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

/// A column that holds links.
private struct LinkOrigin: Hashable {
  let table: TableKey
  let column: ColumnKey
}

/// The links of a column into one table.
private struct LinkGroup: Hashable {
  let origin: LinkOrigin
  let target: TableKey
}

/// The links of one column in one cluster, by target; nearly always one table.
private struct TargetSums {
  private(set) var sums: [TableKey: PairSum] = [:]
  private var last: (target: TableKey, sum: PairSum)?

  @inline(__always)
  mutating func add(_ target: TableKey, _ key: ObjectKey, _ origin: ObjectKey) {
    if last?.target != target {
      finish()
      last = (target, PairSum())
    }
    last?.sum.add(UInt64(bitPattern: key.raw), UInt64(bitPattern: origin.raw))
  }

  /// Puts the newest sum to the others.
  mutating func finish() {
    guard let (target, sum) = last else { return }
    sums[target, default: PairSum()] += sum
    last = nil
  }
}

/// The sums of both sides, and what could not be read of them.
private struct LinkSides {
  private var links: [LinkGroup: PairSum] = [:]
  var backlinks: [LinkGroup: PairSum] = [:]
  var unreadLinks: Set<LinkOrigin> = []
  var unreadBacklinks: Set<LinkGroup> = []

  mutating func addLinks(_ sums: TargetSums, from origin: LinkOrigin) {
    for (target, sum) in sums.sums {
      links[LinkGroup(origin: origin, target: target), default: PairSum()] += sum
    }
  }

  /// The groups whose sides differ, in order of their keys.
  var differing: [LinkGroup] {
    Set(links.keys).union(backlinks.keys).filter {
      links[$0, default: PairSum()] != backlinks[$0, default: PairSum()]
    }.sorted {
      ($0.origin.table.raw, $0.origin.column.raw, $0.target.raw)
        < ($1.origin.table.raw, $1.origin.column.raw, $1.target.raw)
    }
  }

  /// The columns of which something was not compared, in order.
  var unreadColumns: [(TableKey, ColumnKey)] {
    unreadLinks.union(unreadBacklinks.map(\.origin)).sorted {
      ($0.table.raw, $0.column.raw) < ($1.table.raw, $1.column.raw)
    }.map { ($0.table, $0.column) }
  }
}
