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
  package func findings(of sides: LinkSides) -> Findings {
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
    for origin in sides.unreadColumns {
      guard var defects = defects(of: origin)?.findings else { continue }
      defects.add(.linkNotCompared, "links or backlinks cannot be read")
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

  /// Says of both sides of `table` that they cannot be read.
  package func unread(_ table: Table) -> LinkSides {
    var sides = LinkSides()
    for column in linkColumns(of: table) {
      sides.unreadLinks.insert(LinkOrigin(table: table.key, column: column.key))
    }
    for column in backlinkColumns(of: table) {
      sides.unreadBacklinks.insert(LinkGroup(column, of: table))
    }
    return sides
  }

  private func addLinks(
    of table: Table, _ clusters: ArraySlice<ClusterPosition>, to sides: inout LinkSides
  ) {
    let columns = linkColumns(of: table)
    guard !columns.isEmpty else { return }
    let walk = LinkWalk(reader: reader)
    let isWhole = forEachCluster(in: clusters) { cluster in
      for column in columns {
        let origin = LinkOrigin(table: table.key, column: column.key)
        var sums = TargetSums()
        do throws(RealmFileError) {
          try walk.forEachLink(of: column, in: cluster) { row, target, key in
            sums.add(existing(target), key, cluster.key(at: row))
          }
        } catch {
          sides.unreadLinks.insert(origin)
        }
        sums.finish()
        sides.addLinks(sums, from: origin)
      }
    }
    guard !isWhole else { return }
    for column in columns {
      sides.unreadLinks.insert(LinkOrigin(table: table.key, column: column.key))
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
    let isWhole = forEachCluster(in: clusters) { cluster in
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
          sides.unreadBacklinks.insert(group)
          areOwnersKnown = false
        }
        sides.backlinks[group, default: PairSum()] += sum
      }
      if areOwnersKnown { tellOwners(owners, of: cluster, &defects) }
    }
    guard !isWhole else { return }
    for column in columns { sides.unreadBacklinks.insert(LinkGroup(column, of: table)) }
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

  /// - Returns: false where clusters of the table cannot be read.
  private func forEachCluster(
    of table: Table, tombstones: Bool, _ body: (Cluster) -> Void
  ) -> Bool {
    let clusters = try? reader.nodes.lookingUp { () throws(RealmFileError) in
      try reader.clusters(of: table, tombstones: tombstones)
    }
    guard let clusters else { return false }
    return forEachCluster(in: clusters[...], body)
  }

  private func forEachCluster(
    in clusters: ArraySlice<ClusterPosition>, _ body: (Cluster) -> Void
  ) -> Bool {
    var isWhole = true
    do throws(RealmFileError) {
      try reader.nodes.traversing { () throws(RealmFileError) in
        for position in clusters {
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
    let areBacklinksKnown = !sides.unreadBacklinks.contains(group)
    let areLinksKnown = !sides.unreadLinks.contains(group.origin)
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

/// A column that holds links.
struct LinkOrigin: Hashable {
  let table: TableKey
  let column: ColumnKey
}

/// The links of a column into one table.
struct LinkGroup: Hashable {
  let origin: LinkOrigin
  let target: TableKey

  init(origin: LinkOrigin, target: TableKey) { (self.origin, self.target) = (origin, target) }

  /// The group whose backlinks `column` of `table` holds.
  init(_ column: BacklinkColumn, of table: Table) {
    origin = LinkOrigin(table: column.origin, column: column.originColumn)
    target = table.key
  }
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
package struct LinkSides: Sendable {
  private var links: [LinkGroup: PairSum] = [:]
  fileprivate(set) var backlinks: [LinkGroup: PairSum] = [:]
  fileprivate(set) var unreadLinks: Set<LinkOrigin> = []
  fileprivate(set) var unreadBacklinks: Set<LinkGroup> = []

  package init() {}

  /// Adds what other clusters have.
  package mutating func add(_ other: LinkSides) {
    for (group, sum) in other.links { links[group, default: PairSum()] += sum }
    for (group, sum) in other.backlinks { backlinks[group, default: PairSum()] += sum }
    unreadLinks.formUnion(other.unreadLinks)
    unreadBacklinks.formUnion(other.unreadBacklinks)
  }

  /// All groups of links, in order of their keys.
  fileprivate var groups: [LinkGroup] { LinkSides.sorted(Array(links.keys)) }

  private static func sorted(_ groups: [LinkGroup]) -> [LinkGroup] {
    groups.sorted {
      ($0.origin.table.raw, $0.origin.column.raw, $0.target.raw)
        < ($1.origin.table.raw, $1.origin.column.raw, $1.target.raw)
    }
  }

  fileprivate mutating func addLinks(_ sums: TargetSums, from origin: LinkOrigin) {
    for (target, sum) in sums.sums {
      links[LinkGroup(origin: origin, target: target), default: PairSum()] += sum
    }
  }

  /// The groups whose sides differ, in order of their keys.
  fileprivate var differing: [LinkGroup] {
    LinkSides.sorted(
      Set(links.keys).union(backlinks.keys).filter {
        links[$0, default: PairSum()] != backlinks[$0, default: PairSum()]
      })
  }

  /// The columns of which something was not compared, in order.
  fileprivate var unreadColumns: [LinkOrigin] {
    unreadLinks.union(unreadBacklinks.map(\.origin)).sorted {
      ($0.table.raw, $0.column.raw) < ($1.table.raw, $1.column.raw)
    }
  }
}
