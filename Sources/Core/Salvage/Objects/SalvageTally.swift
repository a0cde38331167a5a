import RealmModel
import RealmStorage

/// Counts what the objects of a part lack, and what they have from older versions.
struct SalvageTally {
  private var className = ""
  /// The names, in the damaged realm, of the properties in the result, which may rename them.
  private var propertyNames: [String] = []
  private var counts = PartReport()
  private var losses: [LostValues] = []
  /// By property, where each object's value is from, if not from the salvaged version.
  private var origins: [String: [ObjectKey: LostValues.Origin]] = [:]

  init() {}

  /// - Parameters:
  ///   - objectClass: the class in the damaged realm.
  ///   - kept: positions of the properties that are in the result.
  init(_ objectClass: ObjectClass, keeping kept: [Int]) {
    className = objectClass.name.text
    propertyNames = kept.map { objectClass.properties[$0].name.text }
  }

  mutating func add(_ loss: LostValues) { losses.append(loss) }

  /// Adds what a filter removed from values of a property, except what could not be read.
  mutating func add(
    _ removed: SalvageFilter.Removed, _ objectClass: ObjectClass, _ property: Property,
    _ keys: [ObjectKey], unread: Set<ObjectKey>
  ) {
    let added = removed.rows.filter { !unread.contains(keys[$0]) }
    guard !added.isEmpty, let rule = removed.rule else { return }
    losses.append(
      LostValues(
        property.collection == nil ? .values : .parts, objectClass.name.text, property.name.text,
        added.sorted().map { keys[$0] }, rule, at: 0, rule.expectation))
  }

  /// Counts what was removed from a value after its object was added.
  ///
  /// - Parameters:
  ///   - isFirstOfObject: whether the object lacked nothing before.
  ///   - isFirstOfValue: whether the value lacked nothing before.
  mutating func count(
    _ removed: SalvageFilter.Removed, isFirstOfObject: Bool, isFirstOfValue: Bool
  ) {
    counts.lostLinks += removed.linkCount
    counts.partialObjects += isFirstOfObject ? 1 : 0
    counts.lostValues += isFirstOfValue ? 1 : 0
  }

  /// Adds values that are in the result although bytes near them are damaged; objects if `property` is nil.
  mutating func add(doubtful keys: [ObjectKey], of property: String?, at ref: Ref) {
    guard !keys.isEmpty else { return }
    if property == nil {
      counts.doubtfulObjects += keys.count
    } else {
      counts.doubtfulValues += keys.count
    }
    let loss = LostValues(
      property == nil ? .objects : .values, className, property, keys,
      property == nil ? .clusterNode : .leafKind, at: ref,
      "bytes near the \(property == nil ? "objects" : "values") are damaged")
    losses.append(loss.with(keys, from: .doubtful))
  }

  /// Adds objects of the result.
  mutating func add(_ draft: SalvageDraft, _ older: OlderObjects?) {
    var partial = Set<Int>()
    for i in draft.lost.indices {
      let rows = draft.lost[i].union(draft.links[i].keys)
      partial.formUnion(rows)
      counts.lostValues += rows.count
      counts.lostLinks += draft.links[i].values.reduce(0, +)
      for (row, number) in draft.filled[i] {
        guard let version = older?.versions[number] else { continue }
        counts.filledValues += 1
        origins[propertyNames[i], default: [:]][draft.batch.keys[row]] = version.origin
      }
    }
    counts.partialObjects += partial.count
  }

  /// Adds objects that the version lost.
  mutating func add(filledObjects keys: [ObjectKey], from version: OlderVersion, lostRef: Ref) {
    counts.objectCount += keys.count
    counts.filledObjects += keys.count
    let loss = LostValues(
      .objects, className, nil, keys, .clusterNode, at: lostRef,
      "the node of the objects is lost; they may also have been deleted")
    losses.append(loss.with(keys, from: version.origin))
  }

  /// Adds the values that filled objects lack, or have from a version before their own.
  mutating func add(lossesOf draft: SalvageDraft, lostRef: Ref) {
    for (i, name) in propertyNames.enumerated() {
      let rows = draft.lost[i].union(draft.filled[i].keys).sorted()
      guard !rows.isEmpty else { continue }
      losses.append(
        LostValues(
          .values, className, name, rows.map { draft.batch.keys[$0] }, .clusterNode,
          at: lostRef, "the value cannot be read in the version that the object is from"))
    }
  }

  /// Adds objects in freed space. What they lack is not a loss of the version.
  mutating func add(freed draft: SalvageDraft) {
    counts.objectCount += draft.batch.count
    counts.freedObjects += draft.batch.count
    counts.freedPartial +=
      draft.lackingRows.union(draft.links.flatMap(\.keys)).count
  }

  /// The report on a part without clusters.
  func report() -> PartReport {
    var report = PartReport(objectCount: counts.objectCount)
    finish(&report, losses: [])
    return report
  }

  /// Adds the counts to the report on a part.
  ///
  /// - Parameter read: what could not be read.
  func finish(_ report: inout PartReport, losses read: [LostValues]) {
    report.partialObjects = counts.partialObjects
    (report.lostValues, report.lostLinks) = (counts.lostValues, counts.lostLinks)
    (report.filledValues, report.filledObjects) = (counts.filledValues, counts.filledObjects)
    (report.doubtfulValues, report.doubtfulObjects) = (
      counts.doubtfulValues, counts.doubtfulObjects
    )
    (report.freedObjects, report.freedPartial) = (counts.freedObjects, counts.freedPartial)
    report.lost = (read + losses).flatMap(split)
  }

  /// Splits a loss by where the values are from.
  private func split(_ loss: LostValues) -> [LostValues] {
    guard loss.origin == .lost, loss.className == className, !loss.keys.isEmpty,
      let property = loss.property,
      let known = origins[property]
    else { return [loss] }
    return Dictionary(grouping: loss.keys) { known[$0] ?? .lost }.sorted { $0.key < $1.key }.map {
      loss.with($1, from: $0)
    }
  }
}

extension OlderVersion {
  fileprivate var origin: LostValues.Origin { .version(number) }
}
