import RealmBuilding
import RealmLegacy
import RealmModel
import RealmStorage
import Synchronization

/// The readable objects of a damaged realm of formats 2 to 9, with values that a realm of format 24 can hold.
final class LegacySalvageSource: ObjectSource {
  typealias Failure = RealmFileError

  /// What the objects lack.
  struct Outcome: Sendable {
    /// The losses, up to a limit, in the order of the objects.
    var losses: [LostValues] = []
    /// Number of losses that are not in `losses`.
    var furtherLosses = 0
    /// Links that are null because their target is lost.
    var links = 0
  }

  let base: LegacySource
  let realm: LegacyRealm
  private let doubtsText: Bool
  private let outcomeState = Mutex(Outcome())

  /// - Parameters:
  ///   - realm: opened to leave out damage.
  ///   - doubtsText: whether strings that are not UTF-8 or contain zero bytes are damage.
  init(_ realm: LegacyRealm, doubtsText: Bool) {
    var request = ObjectRequest()
    request.links = .keys
    request.damage = .leaveOut
    (self.realm, self.doubtsText) = (realm, doubtsText)
    base = LegacySource(realm, request)
  }

  var schema: ObjectSchema { realm.schema }
  var classes: [Int] { base.classes }
  var objectCount: Int { base.objectCount }
  var outcome: Outcome { outcomeState.withLock { $0 } }

  func parts() -> [ObjectPart] { base.parts() }

  func makeCursor() throws(RealmFileError) -> LegacySalvageCursor {
    let realm = realm
    let filter = SalvageFilter(
      schema, keeping: schema.classes.map { Array($0.properties.indices) }, doubtsText: doubtsText
    ) { position, key in
      guard let table = realm.layouts[position].table, let row = Int(exactly: key.raw) else {
        return false
      }
      return table.rows?.contains(row) ?? (0..<table.rowCount).contains(row)
    }
    return LegacySalvageCursor(try base.makeCursor(), realm, filter)
  }

  func accept(_ report: PartReport, of part: ObjectPart) {
    outcomeState.withLock {
      $0.links += report.lostLinks
      for loss in report.lost {
        if $0.losses.count < SalvageSource.lossLimit {
          $0.losses.append(loss)
        } else {
          $0.furtherLosses += 1
        }
      }
    }
  }

  /// Reads all objects.
  ///
  /// - Returns: the nodes because of which values are left out, and the rules that they break.
  /// - Throws: errors that are not damage.
  func impossibleNodes() throws(RealmFileError) -> [Ref: Rule] {
    var found: [Ref: Rule] = [:]
    for table in realm.tables {
      for error in table.rows?.failures ?? [] {
        // That a column has no ref says nothing about the bytes of the array.
        guard case .damaged(let rule) = error.kind, let offset = error.offset, rule != .tableSlots
        else { continue }
        found[offset] = rule
      }
    }
    let cursor = try base.makeCursor()
    for part in base.parts() {
      try cursor.open(part)
      while try cursor.next() != nil {}
      for loss in cursor.close().lost where found[loss.offset] == nil {
        found[loss.offset] = loss.rule
      }
    }
    return found
  }
}

/// Reads the objects of parts of a ``LegacySalvageSource``. Used by one thread.
final class LegacySalvageCursor: ObjectCursor {
  typealias Failure = RealmFileError

  private let base: LegacyCursor
  private let realm: LegacyRealm
  private let filter: SalvageFilter
  private var classPosition = 0
  /// What the filter removed from each batch.
  private var removed: [(property: Int, removed: SalvageFilter.Removed, keys: [ObjectKey])] = []
  /// The object of the last batch if it has large collections, which the sink reads later.
  private var large: ObjectKey?

  init(_ base: LegacyCursor, _ realm: LegacyRealm, _ filter: SalvageFilter) {
    (self.base, self.realm, self.filter) = (base, realm, filter)
  }

  func open(_ part: ObjectPart) throws(RealmFileError) {
    (classPosition, removed, large) = (part.classPosition, [], nil)
    try base.open(part)
  }

  func next() throws(RealmFileError) -> ObjectBatch? {
    noteRemovedFromRuns()
    return try base.next().map(filtered)
  }

  func close() -> PartReport {
    noteRemovedFromRuns()
    var report = base.close()
    let objectClass = realm.schema.classes[classPosition]
    let losses = report.lost
    let unread = losses[...].keysByProperty(ofClass: objectClass.name.text)
    var tally = SalvageTally()
    var links = 0
    for (property, removed, keys) in removed {
      let property = objectClass.properties[property]
      links += removed.linkCount
      tally.add(removed, objectClass, property, keys, unread: unread[property.name.text] ?? [])
    }
    tally.finish(&report, losses: losses)
    report.lostLinks = links
    return report
  }

  private func filtered(_ batch: ObjectBatch) -> ObjectBatch {
    let objectClass = realm.schema.classes[classPosition]
    var columns: [ColumnValues?] = []
    for (i, property) in objectClass.properties.enumerated() {
      guard let values = batch.columns[i] else {
        columns.append(nil)
        continue
      }
      var removed = SalvageFilter.Removed()
      columns.append(filter.filtered(values, property, &removed))
      if !removed.rows.isEmpty { self.removed.append((i, removed, batch.keys)) }
    }
    if columns.contains(where: { $0?.hasRuns ?? false }) { large = batch.keys[0] }
    return ObjectBatch(
      classPosition: classPosition, count: batch.count, keys: batch.keys, columns: columns,
      owner: batch)
  }

  /// Notes what was removed from the large collections of the last batch.
  private func noteRemovedFromRuns() {
    defer { large = nil }
    guard let large else { return }
    let all = filter.takeRemovedFromRuns()
    for (i, property) in realm.schema.classes[classPosition].properties.enumerated() {
      if let removed = all[property.name.text] { self.removed.append((i, removed, [large])) }
    }
  }
}
