import RealmLegacy
import RealmModel
import RealmStorage

/// The sums of the links of all columns, and of their backlinks.
struct LegacyLinkSums: Sendable {
  /// A column with links.
  struct Column: Hashable {
    let table: Int
    let position: Int
  }

  private var links: [Column: PairSum] = [:]
  private var backlinks: [Column: PairSum] = [:]

  mutating func add(link origin: Int, _ target: Int, _ column: Column) {
    links[column, default: PairSum()].add(UInt64(origin), UInt64(target))
  }

  mutating func add(backlink target: Int, _ origin: Int, _ column: Column) {
    backlinks[column, default: PairSum()].add(
      UInt64(truncatingIfNeeded: origin), UInt64(target))
  }

  mutating func add(_ other: LegacyLinkSums) {
    for (column, sum) in other.links { links[column, default: PairSum()] += sum }
    for (column, sum) in other.backlinks { backlinks[column, default: PairSum()] += sum }
  }

  /// Compares the links of each column with the backlinks in its target table.
  func compare(_ realm: LegacyRealm, _ findings: inout Findings) {
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
        "\(sum.count) backlinks belong to column \(origin.position), which holds no links")
    }
    for (table, layout) in zip(realm.tables.indices, realm.tables) {
      for column in layout.spec.columns where column.isLink {
        let key = Column(table: table, position: column.position)
        let (links, backlinks) = (links[key] ?? PairSum(), backlinks[key] ?? PairSum())
        guard links != backlinks else { continue }
        findings.about(
          Findings.Subject(
            at: layout.roots[column.slot], className: realm.schema.classes[table].name.text,
            property: column.name.text))
        findings.add(
          .linkBacklinkMismatch,
          "the property has \(links.count) links and \(backlinks.count) backlinks"
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
