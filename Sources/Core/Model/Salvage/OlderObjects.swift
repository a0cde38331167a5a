package import RealmStorage

/// What of older versions comes into the result: values and objects that the salvaged version lost, and objects
/// in freed space.
///
/// * An object is taken for a lost one if the salvaged version lost the node that would lead to it, and no cluster
///   that was found since can have it. It may have been deleted since.
/// * An object is in freed space if the salvaged version does not have it.
///
/// Of several versions with an object the newest one counts. An object whose primary key is that of another
/// object of the result is left out. Memory: about 100 bytes for each object that comes from an older version.
package struct OlderObjects: Sendable {
  /// What is asked for.
  package struct Request: Sendable {
    /// Whether lost values and objects are taken from older versions.
    package var fillsLost = false
    /// Whether objects in freed space come too, in classes of their own.
    package var includesFreed = false

    package init() {}
  }

  /// An object of an older version.
  struct Entry: Sendable {
    let key: ObjectKey
    /// Position of the version.
    let version: Int
    /// The node that is lost, of a lost object.
    let lostRef: Ref
  }

  /// The newest first.
  package let versions: [OlderVersion]
  let matches: [VersionMatch]
  let fillsLost: Bool
  /// The keys of the objects that each version lost, by position of the class in the salvaged version.
  private(set) var gaps: [[Int: KeyGaps]]
  /// Lost objects by class, in the order of their keys.
  private(set) var filled: [Int: [Entry]] = [:]
  /// The first keys of the clusters that the salvaged version has, by ref, of classes with filled objects.
  private(set) var firstKeys: [Int: [Ref: UInt64]] = [:]
  /// Objects in freed space by class, in the order of their keys.
  private(set) var freed: [Int: [Entry]] = [:]

  /// - Parameters:
  ///   - salvaged: the version that is salvaged.
  ///   - lost: the keys of the objects that it may have lost.
  ///   - versions: the versions before, the newest first.
  ///   - isTaken: whether the salvaged version has the node at a ref.
  /// - Throws: errors that say nothing about the file.
  package init(
    _ request: Request, _ salvaged: SalvagedRealm, _ lost: LostKeys, versions: [OlderVersion],
    isTaken: @escaping (Ref) -> Bool
  ) throws(RealmFileError) {
    let schema = salvaged.realm.schema
    let kept = SalvageSchema(schema.objects, withLostObjects: []).properties
    (self.versions, fillsLost) = (versions, request.fillsLost)
    matches = versions.map { VersionMatch(schema, keeping: kept, in: $0.realm.schema) }
    gaps = versions.map { _ in [:] }
    let reader = try RealmReader(salvaged.realm)
    var readers: [RealmReader] = []
    for version in versions { readers.append(try RealmReader(version.realm)) }
    for position in schema.objects.topLevelClasses {
      var search = try Search(request, reader, schema.tables[position], lost, isTaken)
      for (i, older) in readers.enumerated() {
        guard let place = matches[i].classes[position] else { break }
        let table = older.realm.schema.tables[place]
        let primaryKey = schema.tables[position].primaryKey
          .flatMap { kept[position].firstIndex(of: $0) }
          .flatMap { matches[i].properties[position][$0] }
        gaps[i][position] = try search.visit(table, older, version: i, primaryKey: primaryKey)
      }
      let (filled, freed) = try search.unique()
      if !filled.isEmpty {
        self.filled[position] = filled
        firstKeys[position] = search.firstKeys
      }
      if !freed.isEmpty { self.freed[position] = freed }
    }
  }

  /// Whether a lost object comes from an older version.
  func isFilled(_ key: ObjectKey, ofClass position: Int) -> Bool {
    guard let entries = filled[position] else { return false }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.raw < key.raw { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].key == key
  }

  /// Leaves out the objects of a class that are in freed space.
  package mutating func removeFreed(ofClass position: Int) { freed[position] = nil }

  /// Whether some objects of the class are in freed space.
  package func hasFreed(ofClass position: Int) -> Bool { freed[position] != nil }
}

/// The search for the objects of one class.
private struct Search {
  private struct Candidate {
    let entry: OlderObjects.Entry
    let isFreed: Bool
    /// Hash of the primary key; nil for a class without one, or if it cannot be read.
    let hash: UInt64?
  }

  private let request: OlderObjects.Request
  private let reader: RealmReader
  private let table: Table
  private let isTaken: (Ref) -> Bool
  private let now: ClusterSurvey
  /// The keys of the objects that all versions so far lost.
  private var gaps: KeyGaps
  private let hasNewKeys: Bool
  private var candidates: [Candidate] = []
  private var seen = Set<ObjectKey>()

  init(
    _ request: OlderObjects.Request, _ reader: RealmReader, _ table: Table, _ lost: LostKeys,
    _ isTaken: @escaping (Ref) -> Bool
  ) throws(RealmFileError) {
    (self.request, self.reader, self.table, self.isTaken) = (request, reader, table, isTaken)
    now = try ClusterSurvey(table, reader.nodes)
    gaps = lost.gaps(of: table, now)
    // Lost objects can be those that have new keys now.
    hasNewKeys = lost.hasNewKeys(table, now)
  }

  /// Notes the objects of a version that newer ones do not have.
  ///
  /// - Returns: the keys of the objects that the version lost.
  mutating func visit(
    _ older: Table, _ olderReader: RealmReader, version: Int, primaryKey: Int?
  ) throws(RealmFileError) -> KeyGaps {
    let nodes = olderReader.nodes
    let survey = try ClusterSurvey(older, nodes)
    for found in survey.clusters where !isTaken(found.place.ref) {
      let mark = nodes.mark()
      let ownMark = reader.nodes.mark()
      defer {
        nodes.release(to: mark)
        reader.nodes.release(to: ownMark)
      }
      let cluster = try olderReader.cluster(found.place)
      let hashes = try primaryKey.flatMap { (column) throws(RealmFileError) in
        try Search.hashes(older.columns[column], of: cluster, olderReader)
      }
      // Without its primary keys nothing tells whose values these are.
      guard older.primaryKey == nil || hashes != nil else { continue }
      for (row, key) in cluster.allKeys.enumerated() where !seen.contains(key) {
        let raw = UInt64(bitPattern: key.raw)
        let around = now.cluster(around: raw)
        if let around, try has(raw, around.place) { continue }
        let gap = around == nil ? gaps.gap(of: raw) : nil
        let isFilled =
          request.fillsLost && gap != nil && !hasNewKeys
          && (table.primaryKey == nil || hashes != nil)
        guard isFilled || request.includesFreed && !(gap != nil && hasNewKeys) else { continue }
        seen.insert(key)
        candidates.append(
          Candidate(
            entry: OlderObjects.Entry(key: key, version: version, lostRef: gap?.ref ?? 0),
            isFreed: !isFilled, hash: hashes?[row]))
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

  /// The hashes of the values of a column; nil if it cannot be read.
  private static func hashes(
    _ column: Column, of cluster: Cluster, _ reader: RealmReader
  ) throws(RealmFileError) -> [UInt64]? {
    var hashes: [UInt64] = []
    do throws(RealmFileError) {
      IndexData.forEach(in: try reader.batch(column, of: cluster)) { _, data in
        hashes.append(data.linkHash)
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
    return hashes.count == cluster.count ? hashes : nil
  }

  /// The objects that were found, without those whose primary key another object of the result has.
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
        let hashes = try Search.hashes(
          table.columns[primaryKey], of: try reader.cluster(found.place), reader)
        for hash in hashes ?? [] where wanted.contains(hash) { known.insert(hash) }
      }
    }
    let inOrder = candidates.filter { !$0.isFreed } + candidates.filter(\.isFreed)
    let kept = inOrder.filter { $0.hash.map { known.insert($0).inserted } ?? true }
    func entries(isFreed: Bool) -> [OlderObjects.Entry] {
      kept.filter { $0.isFreed == isFreed }.map(\.entry).sorted { $0.key.raw < $1.key.raw }
    }
    return (entries(isFreed: false), entries(isFreed: true))
  }
}
