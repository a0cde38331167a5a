import RealmModel
import RealmStorage

/// The parts of a salvaged realm: clusters, and between them objects of older versions, in the order
/// of the keys.
struct SalvagePlan {
  /// Clusters in a part, as in ``RealmSource``.
  private static let clustersPerPart = 2

  private(set) var parts: [ObjectPart] = []
  private(set) var contents: [SalvageSource.Content] = []

  /// Adds the objects of a class.
  mutating func add(_ own: [ObjectPart], ofClass position: Int, _ older: OlderObjects?) {
    guard var entries = older?.filled[position]?[...], let firstKeys = older?.firstKeys[position]
    else {
      for part in own { add(part.clusters, ofClass: position) }
      return
    }
    var open: [ClusterPosition] = []
    for cluster in own.flatMap(\.clusters) {
      let first = firstKeys[cluster.ref] ?? cluster.base
      let before = entries.prefix { UInt64(bitPattern: $0.key.raw) < first }
      if !before.isEmpty || open.count == SalvagePlan.clustersPerPart {
        add(open, ofClass: position)
        open = []
      }
      add(filled: before, ofClass: position)
      entries = entries.dropFirst(before.count)
      open.append(cluster)
    }
    add(open, ofClass: position)
    add(filled: entries, ofClass: position)
  }

  mutating func add(_ clusters: [ClusterPosition], ofClass position: Int) {
    guard !clusters.isEmpty else { return }
    add(.clusters, position, clusters)
  }

  private mutating func add(
    filled entries: ArraySlice<OlderObjects.Entry>, ofClass position: Int
  ) {
    for run in SalvagePlan.runs(of: entries) { add(.filled(run), position) }
  }

  mutating func add(freed entries: [OlderObjects.Entry], ofClass position: Int) {
    for run in SalvagePlan.runs(of: entries[...]) { add(.freed(run), position) }
  }

  private mutating func add(
    _ content: SalvageSource.Content, _ position: Int, _ clusters: [ClusterPosition] = []
  ) {
    parts.append(
      ObjectPart(classPosition: position, number: parts.count, clusters: clusters))
    contents.append(content)
  }

  /// Splits objects into runs of one version that fit a batch.
  private static func runs(
    of entries: ArraySlice<OlderObjects.Entry>
  ) -> [ArraySlice<OlderObjects.Entry>] {
    var runs: [ArraySlice<OlderObjects.Entry>] = []
    var left = entries
    while let first = left.first {
      let run = left.prefix(ObjectBatch.capacity).prefix { $0.version == first.version }
      runs.append(run)
      left = left.dropFirst(run.count)
    }
    return runs
  }
}
