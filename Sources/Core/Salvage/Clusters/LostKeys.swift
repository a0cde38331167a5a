import RealmModel
import RealmStorage

/// Ranges of object keys, each with the objects below one unreadable node.
struct KeyGaps: Sendable {
  struct Gap: Sendable {
    let keys: Range<UInt64>
    let ref: Ref
    /// Whether the node is known to be a cluster.
    let isCluster: Bool
  }

  /// In ascending order, without overlaps.
  private var gaps: [Gap] = []

  init() {}

  /// - Parameter gaps: if ranges overlap, the common keys belong to the first one.
  init(_ gaps: [Gap]) {
    var end: UInt64 = 0
    for gap in gaps.sorted(by: { $0.keys.lowerBound < $1.keys.lowerBound }) {
      let start = max(end, gap.keys.lowerBound)
      guard start < gap.keys.upperBound else { continue }
      end = gap.keys.upperBound
      self.gaps.append(Gap(keys: start..<end, ref: gap.ref, isCluster: gap.isCluster))
    }
  }

  /// The gap with an object key.
  func gap(of key: UInt64) -> Gap? { overlapping(key..<key + 1).first }

  func filter(_ isKept: (Gap) -> Bool) -> KeyGaps { KeyGaps(gaps.filter(isKept)) }

  func union(_ other: KeyGaps) -> KeyGaps { KeyGaps(gaps + other.gaps) }

  /// The parts of the gaps that are also in gaps of `other`.
  func intersection(_ other: KeyGaps) -> KeyGaps {
    var parts: [Gap] = []
    for gap in gaps {
      for part in other.overlapping(gap.keys) {
        parts.append(
          Gap(keys: gap.keys.clamped(to: part.keys), ref: gap.ref, isCluster: gap.isCluster))
      }
    }
    return KeyGaps(parts)
  }

  private func overlapping(_ keys: Range<UInt64>) -> ArraySlice<Gap> {
    let first = gaps.prefixEnd { $0.keys.upperBound <= keys.lowerBound }
    return gaps[first...].prefix { $0.keys.lowerBound < keys.upperBound }
  }
}

/// The keys of objects that a damaged realm may have lost, by the key of their table.
struct LostKeys: Sendable {
  /// The survey of each readable table before lost clusters were searched.
  private var surveys: [TableKey: ClusterSurvey] = [:]
  /// Number of objects that broken tables stated, by slot, if known.
  private var statedCounts: [Int: Int] = [:]
  /// The first key given to objects that lost theirs, by slot.
  private var firstNewKeys: [Int: UInt64] = [:]

  /// - Parameter salvaged: the realm before lost clusters were searched.
  /// - Throws: errors that are not damage.
  init(_ salvaged: SalvagedRealm) throws(RealmFileError) {
    let nodes = try salvaged.realm.snapshot.makeReader()
    for position in salvaged.realm.schema.objects.topLevelClasses {
      let table = salvaged.realm.schema.tables[position]
      surveys[table.key] = try ClusterSurvey(root: table.clusters, nodes)
    }
  }

  /// Notes what was found since.
  mutating func note(_ recovered: ClusterRecovery.Result) {
    statedCounts = recovered.statedCounts.compactMapValues { $0 }
    firstNewKeys = recovered.firstNewKeys
  }

  /// Notes which tables can be read now. The others lost all objects.
  mutating func note(_ salvaged: SalvagedRealm) {
    let known = Set(salvaged.realm.schema.tables.map(\.key))
    surveys = surveys.filter { known.contains($0.key) }
  }

  /// The gaps of a table that no found clusters closed, and those of clusters that proved damaged
  /// since; none if the table has as many objects as it stated.
  func gaps(of table: Table, _ now: ClusterSurvey) -> KeyGaps {
    if let stated = statedCounts[table.key.slot], stated == now.objectCount { return KeyGaps() }
    guard let before = surveys[table.key] else {
      return KeyGaps([
        // No node of the file refers to them.
        KeyGaps.Gap(keys: ClusterSurvey.allKeys, ref: 0, isCluster: false)
      ])
    }
    let bases = Set(now.clusters.map(\.place.base))
    return before.gaps.filter { !$0.isCluster || !bases.contains($0.keys.lowerBound) }
      .union(now.gaps)
  }

  /// The first key given to objects of the table that lost theirs; nil for none.
  func firstNewKey(of table: Table) -> UInt64? { firstNewKeys[table.key.slot] }
}
