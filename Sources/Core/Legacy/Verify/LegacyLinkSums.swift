import RealmModel
package import RealmStorage

/// The links of all columns, and their backlinks, as sums that do not depend on the order.
package struct LegacyLinkSums: Sendable {
  /// A column with links.
  struct Column: Hashable {
    let table: Int
    let position: Int
  }

  /// Number of links, and a sum over their ends.
  struct Sum: Equatable {
    var count = 0
    var hash: UInt64 = 0
  }

  private(set) var links: [Column: Sum] = [:]
  private(set) var backlinks: [Column: Sum] = [:]

  package init() {}

  mutating func add(link origin: Int, _ target: Int, _ column: Column) {
    LegacyLinkSums.add(origin, target, to: &links[column, default: Sum()])
  }

  mutating func add(backlink target: Int, _ origin: Int, _ column: Column) {
    LegacyLinkSums.add(origin, target, to: &backlinks[column, default: Sum()])
  }

  package mutating func add(_ other: LegacyLinkSums) {
    links.merge(other.links) { LegacyLinkSums.sum($0, $1) }
    backlinks.merge(other.backlinks) { LegacyLinkSums.sum($0, $1) }
  }

  private static func sum(_ a: Sum, _ b: Sum) -> Sum {
    Sum(count: a.count + b.count, hash: a.hash &+ b.hash)
  }

  /// Wrapping: the sum is only compared.
  private static func add(_ origin: Int, _ target: Int, to sum: inout Sum) {
    var hash = UInt64(truncatingIfNeeded: origin) &* 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 29) &+ UInt64(truncatingIfNeeded: target)
    hash = (hash ^ hash >> 32) &* 0xD6E8_FEB8_6659_FD93
    sum.count += 1
    sum.hash &+= hash ^ hash >> 32
  }

  /// Compares the links of each column with the backlinks in its target table.
  package func compare(_ realm: LegacyRealm, _ findings: inout Findings) {
    for (origin, sum) in backlinks.sorted(by: {
      ($0.key.table, $0.key.position) < ($1.key.table, $1.key.position)
    }) {
      let table = realm.tables[origin.table]
      guard
        !table.spec.columns.indices.contains(origin.position)
          || !table.spec.columns[origin.position].isLink
      else { continue }
      findings.about(
        Findings.Subject(
          at: table.ref, className: realm.schema.classes[origin.table].name.text))
      findings.add(
        .linkBacklinkMismatch,
        "there are \(sum.count) backlinks of column \(origin.position), which has no links")
    }
    for (table, layout) in zip(realm.tables.indices, realm.tables) {
      for column in layout.spec.columns where column.isLink {
        let key = Column(table: table, position: column.position)
        let (links, backlinks) = (links[key] ?? Sum(), backlinks[key] ?? Sum())
        guard links != backlinks else { continue }
        findings.about(
          Findings.Subject(
            at: layout.roots[column.slot], className: realm.schema.classes[table].name.text,
            property: column.name.text))
        findings.add(
          .linkBacklinkMismatch,
          "there are \(links.count) links and \(backlinks.count) backlinks"
            + (links.count == backlinks.count ? " between other objects" : ""))
      }
    }
  }
}

extension LegacyColumn {
  fileprivate var isLink: Bool {
    switch kind {
    case .link, .linkList: true
    default: false
    }
  }
}
