import RealmBuilding
import RealmModel
import RealmStorage

/// Finds the objects of one class that older versions have and the salvaged version does not.
struct OlderObjectSearch {
  private typealias Entry = OlderObjects.Entry

  private struct Candidate {
    let entry: Entry
    let isFreed: Bool
    /// Hash of the primary key; nil for a class without one.
    let hash: UInt64?
  }

  /// The primary key of an object.
  private struct PrimaryKey {
    let hash: UInt64
    /// Whether a new realm can hold it.
    let isValid: Bool
  }

  private let request: SalvageRequest
  private let reader: RealmReader
  private let table: Table
  private let isTaken: (Ref) -> Bool
  private let now: ClusterSurvey
  /// The keys of the objects that all versions so far lost.
  private var gaps: KeyGaps
  /// Whether objects without known keys were found: they can be the lost ones.
  private let hasUnknownObjects: Bool
  private var candidates: [Candidate] = []
  /// Lost objects with an unreadable or invalid primary key.
  private var keyless: [ObjectKey: Entry] = [:]
  private var seen = Set<ObjectKey>()
  /// How many more objects can be noted.
  private(set) var room: Int
  /// Whether there was no room for an object.
  private var isFull = false

  init(
    _ request: SalvageRequest, _ reader: RealmReader, _ table: Table, _ lost: LostKeys,
    room: Int, _ isTaken: @escaping (Ref) -> Bool
  ) throws(RealmFileError) {
    (self.request, self.reader, self.table, self.isTaken) = (request, reader, table, isTaken)
    self.room = room
    let now = try ClusterSurvey(root: table.clusters, reader.nodes)
    self.now = now
    gaps = lost.gaps(of: table, now)
    let renumbered = lost.firstNewKey(of: table).map { first in
      now.clusters.filter { $0.place.base >= first }
    }
    hasUnknownObjects = try OlderObjectSearch.hasUnknown(renumbered ?? [], table, reader)
  }

  /// Whether an object in clusters with new keys has no primary key.
  private static func hasUnknown(
    _ renumbered: [ClusterSurvey.Found], _ table: Table, _ reader: RealmReader
  ) throws(RealmFileError) -> Bool {
    guard let primaryKey = table.primaryKey else { return !renumbered.isEmpty }
    for found in renumbered {
      let mark = reader.nodes.mark()
      defer { reader.nodes.release(to: mark) }
      let keys = try primaryKeys(
        table.columns[primaryKey], of: try reader.cluster(found.place), reader)
      if keys.contains(where: { !($0?.isValid ?? false) }) { return true }
    }
    return false
  }

  /// Notes the objects of a version that newer ones do not have.
  ///
  /// - Parameters:
  ///   - number: position of the version.
  ///   - primaryKey: position of the primary key in `older`; nil for none.
  /// - Returns: the keys of the objects that the version lost.
  mutating func visit(
    _ older: Table, _ olderReader: RealmReader, of version: OlderVersion, number: Int,
    primaryKey: Int?
  ) throws(RealmFileError) -> KeyGaps {
    let nodes = olderReader.nodes
    let survey = try ClusterSurvey(root: older.clusters, nodes)
    // Without the primary keys, the objects are unknown.
    let tellsObjects = older.primaryKey == nil || primaryKey != nil
    for found in survey.clusters where tellsObjects && !isTaken(found.place.ref) {
      let mark = nodes.mark()
      let ownMark = reader.nodes.mark()
      defer {
        nodes.release(to: mark)
        reader.nodes.release(to: ownMark)
      }
      let cluster = try olderReader.cluster(found.place)
      let primaryKeys = try primaryKey.map { (column) throws(RealmFileError) in
        try OlderObjectSearch.primaryKeys(older.columns[column], of: cluster, olderReader)
      }
      for (row, key) in cluster.allKeys.enumerated() where !isFull && !seen.contains(key) {
        let raw = UInt64(bitPattern: key.raw)
        let around = now.cluster(around: raw)
        if let around, try has(raw, around.place) { continue }
        let gap = around == nil ? gaps.gap(of: raw) : nil
        let isLost =
          version.fillsLost && gap != nil && !hasUnknownObjects
          && (table.primaryKey == nil || primaryKeys != nil)
        let isFreed = request.includesFreed
        guard isLost || isFreed && !(gap != nil && hasUnknownObjects) else {
          continue
        }
        guard room > 0 else {
          isFull = true
          break
        }
        let entry = Entry(key: key, version: number, lostRef: gap?.ref ?? 0)
        let primaryKey = primaryKeys.flatMap { $0[row] }
        if primaryKeys != nil, isLost ? !(primaryKey?.isValid ?? false) : primaryKey == nil {
          if isLost, keyless[key] == nil {
            keyless[key] = entry
            room -= 1
          }
          continue
        }
        seen.insert(key)
        keyless[key] = nil
        candidates.append(Candidate(entry: entry, isFreed: !isLost, hash: primaryKey?.hash))
        room -= 1
      }
    }
    gaps = gaps.intersection(survey.gaps)
    return survey.gaps
  }

  /// The first key of each cluster that the salvaged version has.
  var firstKeys: [Ref: UInt64] {
    Dictionary(
      now.clusters.map { ($0.place.ref, $0.keys.lowerBound) }, uniquingKeysWith: { min($0, $1) })
  }

  private func has(_ key: UInt64, _ place: ClusterPosition) throws(RealmFileError) -> Bool {
    try reader.cluster(place).row(ofRelativeKey: key - place.base) != nil
  }

  /// The primary keys of the objects of a cluster; nil for unreadable ones.
  private static func primaryKeys(
    _ column: Column, of cluster: Cluster, _ reader: RealmReader
  ) throws(RealmFileError) -> [PrimaryKey?] {
    var readable: Leaf.Readable?
    let values: LeafValues
    do throws(RealmFileError) {
      values = try reader.batch(column, of: cluster, damage: .leaveOut)
    } catch {
      guard error.isDamage else { throw error }
      let some = try reader.readable(column, of: cluster, because: error)
      (readable, values) = (some, some.batch)
    }
    var keys: [PrimaryKey?] = Array(repeating: nil, count: cluster.count)
    guard case .scalar(let scalars) = values, scalars.count == keys.count else { return keys }
    let broken = ValueRules(doubtsText: true).broken(in: scalars, isRequired: !column.isNullable)
    IndexData.forEach(in: values) { row, data in
      guard readable?.failure(of: row) == nil else { return }
      keys[row] = PrimaryKey(hash: data.linkHash, isValid: broken[row] == nil)
    }
    return keys
  }

  /// The objects that were found, without those with the primary key of another object in the result.
  func unique() throws(RealmFileError) -> (
    filled: [OlderObjects.Entry], freed: [OlderObjects.Entry]
  ) {
    guard !candidates.isEmpty else { return ([], []) }
    let wanted = Set(candidates.compactMap(\.hash))
    var known = Set<UInt64>()
    if let primaryKey = table.primaryKey, !wanted.isEmpty {
      for found in now.clusters {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        let keys = try OlderObjectSearch.primaryKeys(
          table.columns[primaryKey], of: try reader.cluster(found.place), reader)
        for case let key? in keys where wanted.contains(key.hash) { known.insert(key.hash) }
      }
    }
    let inOrder = candidates.filter { !$0.isFreed } + candidates.filter(\.isFreed)
    let kept = inOrder.filter { $0.hash.map { known.insert($0).inserted } ?? true }
    func entries(isFreed: Bool) -> [Entry] {
      kept.filter { $0.isFreed == isFreed }.map(\.entry).sorted { $0.key.raw < $1.key.raw }
    }
    return (entries(isFreed: false), entries(isFreed: true))
  }

  // MARK: Losses

  /// The lost objects that older versions have, but that cannot be taken.
  ///
  /// - Parameter number: the number of the version at a position.
  func losses(_ number: (Int) -> Int) -> [LostValues] {
    var losses: [LostValues] = []
    for (version, entries) in Dictionary(grouping: keyless.values, by: \.version).sorted(by: {
      $0.key < $1.key
    }) {
      losses.append(
        loss(
          entries.map(\.key).sorted { $0.raw < $1.raw }, at: entries[0].lostRef,
          "version \(number(version)) has the objects, but not their primary keys"))
    }
    if isFull {
      losses.append(
        loss(
          [], at: 0,
          "older versions have more than \(request.olderObjectLimit) objects; the rest is left out")
      )
    }
    return losses
  }

  private func loss(_ keys: [ObjectKey], at ref: Ref, _ message: String) -> LostValues {
    LostValues(.objects, table.className.text, nil, keys, .clusterNode, at: ref, message)
  }
}
