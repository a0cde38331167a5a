import RealmModel
import RealmStorage

/// A column that holds links.
struct LinkOrigin: Hashable {
  let table: TableKey
  let column: ColumnKey
}

/// The links of a column to objects of one table.
struct LinkGroup: Hashable {
  let origin: LinkOrigin
  let target: TableKey

  init(origin: LinkOrigin, target: TableKey) { (self.origin, self.target) = (origin, target) }

  /// The group of links whose backlinks are in `column` of `table`.
  init(_ column: BacklinkColumn, of table: Table) {
    origin = LinkOrigin(table: column.origin, column: column.originColumn)
    target = table.key
  }
}

/// The sums of the links of one column in one cluster, by target table. Nearly always, there is one table.
struct TargetSums {
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

  /// Adds the current sum to the finished ones.
  mutating func finish() {
    guard let (target, sum) = last else { return }
    sums[target, default: PairSum()] += sum
    last = nil
  }
}

/// The sums of links and of backlinks, and the errors of the unreadable parts.
struct LinkSides: Sendable {
  private var links: [LinkGroup: PairSum] = [:]
  private var backlinks: [LinkGroup: PairSum] = [:]
  /// The first error of unreadable links, by column.
  private(set) var unreadLinks: [LinkOrigin: RealmFileError] = [:]
  /// The first error of unreadable backlinks, by group.
  private(set) var unreadBacklinks: [LinkGroup: RealmFileError] = [:]

  /// Adds the sums and errors of other clusters.
  mutating func add(_ other: LinkSides) {
    for (group, sum) in other.links { links[group, default: PairSum()] += sum }
    for (group, sum) in other.backlinks { backlinks[group, default: PairSum()] += sum }
    for (origin, error) in other.unreadLinks { addUnread(origin, error) }
    for (group, error) in other.unreadBacklinks { addUnread(group, error) }
  }

  mutating func addBacklinks(_ sum: PairSum, of group: LinkGroup) {
    backlinks[group, default: PairSum()] += sum
  }

  /// Records that some links of a column cannot be read. The error must name the class.
  mutating func addUnread(_ origin: LinkOrigin, _ error: RealmFileError) {
    unreadLinks[origin] = error.first(of: unreadLinks[origin])
  }

  /// Records that some backlinks of a group cannot be read. The error must name the class.
  mutating func addUnread(_ group: LinkGroup, _ error: RealmFileError) {
    unreadBacklinks[group] = error.first(of: unreadBacklinks[group])
  }

  /// All groups of links, sorted by their keys.
  var groups: [LinkGroup] { LinkSides.sorted(Array(links.keys)) }

  private static func sorted(_ groups: [LinkGroup]) -> [LinkGroup] {
    groups.sorted {
      ($0.origin.table.raw, $0.origin.column.raw, $0.target.raw)
        < ($1.origin.table.raw, $1.origin.column.raw, $1.target.raw)
    }
  }

  mutating func addLinks(_ sums: TargetSums, from origin: LinkOrigin) {
    for (target, sum) in sums.sums {
      links[LinkGroup(origin: origin, target: target), default: PairSum()] += sum
    }
  }

  /// The groups whose sums differ, sorted by their keys.
  var differing: [LinkGroup] {
    LinkSides.sorted(
      Set(links.keys).union(backlinks.keys).filter {
        links[$0, default: PairSum()] != backlinks[$0, default: PairSum()]
      })
  }

  /// The columns that cannot be compared completely, sorted by their keys, each with the first error.
  var unreadColumns: [(origin: LinkOrigin, error: RealmFileError)] {
    var columns = unreadLinks
    for (group, error) in unreadBacklinks {
      columns[group.origin] = error.first(of: columns[group.origin])
    }
    return columns.sorted {
      ($0.key.table.raw, $0.key.column.raw) < ($1.key.table.raw, $1.key.column.raw)
    }.map { ($0.key, $0.value) }
  }
}
