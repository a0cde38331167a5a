package import RealmStorage
import Synchronization

/// The objects of a damaged realm, as far as they can be read, for a new realm.
///
/// Objects whose primary key is lost, or is that of another object too, come as objects of a class of their
/// own, which has no primary key (``SalvageSchema``). Links to objects that are not in their class are null.
package final class SalvageSource: ObjectSource {
  package typealias Failure = RealmFileError

  /// What is not in the result although the realm had it.
  package struct Outcome: Sendable {
    /// Losses one by one, up to a limit, in the order of the objects.
    package var losses: [LostValues] = []
    /// Number of losses that are not in `losses`.
    package var furtherLosses = 0
    /// Objects that lack a value, by class in the schema of the result.
    package var partial: [Int: Int] = [:]
    /// Values that are lost or incomplete, by class in the schema of the result.
    package var values: [Int: Int] = [:]
    /// Links that are null because their target is lost.
    package var links = 0
  }

  /// The most losses that are told one by one.
  package static let lossLimit = 100_000

  package let salvageSchema: SalvageSchema
  let base: RealmSource
  let isDamaged: Bool
  /// Objects that are not in their class, because they lost their primary key.
  private let lostKeys: [Int: Set<ObjectKey>]
  /// Values that a new realm cannot hold, by class and property of the realm.
  private let refused: [RefusedValue]
  private let outcomeState: Mutex<Outcome>

  /// A value that the builder of the new realm refused.
  package struct RefusedValue: Hashable, Sendable {
    package let className: String
    package let property: String
    package let key: ObjectKey
    package let rule: Rule

    package init(className: String, property: String, key: ObjectKey, _ rule: Rule) {
      (self.className, self.property) = (className, property)
      (self.key, self.rule) = (key, rule)
    }
  }

  /// - Parameters:
  ///   - isDamaged: whether something is known to be wrong with the realm, so that odd values are doubtful.
  ///   - keys: the objects that lost their primary key.
  ///   - refused: values that are taken for lost.
  package init(
    _ salvaged: SalvagedRealm, isDamaged: Bool, _ keys: SalvageKeys, refused: [RefusedValue] = []
  ) {
    self.isDamaged = isDamaged
    self.refused = refused
    lostKeys = keys.lost
    salvageSchema = SalvageSchema(
      salvaged.realm.schema.objects, withLostKeys: keys.lost.keys.sorted())
    var request = SalvageSource.request
    for (position, kept) in salvageSchema.properties.enumerated()
    where position < salvaged.realm.schema.tables.count {
      request.properties[position] = Set(kept)
    }
    base = RealmSource(salvaged.realm, request, classes: salvageSchema.classes)
    outcomeState = Mutex(Outcome())
  }

  /// What is read of a damaged realm.
  static var request: ObjectRequest {
    var request = ObjectRequest()
    request.links = .keys
    request.damage = .leaveOut
    // ``DamageWalk`` made sure of that.
    request.isProvenTree = true
    request.lossLimit = lossLimit
    return request
  }

  package var schema: ObjectSchema { salvageSchema.objects }
  package var classes: [Int] { salvageSchema.classes + salvageSchema.lostClasses.values.sorted() }
  package var objectCount: Int { base.objectCount }
  package var duplicateMembers: Int { base.duplicateMembers }
  package var outcome: Outcome { outcomeState.withLock { $0 } }

  /// The class of the realm that the class of the result gets its objects from.
  func origin(of position: Int) -> Int {
    salvageSchema.lostClasses.first { $0.value == position }?.key ?? position
  }

  package func parts() throws(RealmFileError) -> [ObjectPart] {
    var parts = try base.parts()
    for loss in base.lost { note(loss) }
    for (origin, position) in salvageSchema.lostClasses.sorted(by: { $0.value < $1.value }) {
      for part in parts where part.classPosition == origin {
        parts.append(
          ObjectPart(classPosition: position, number: parts.count, clusters: part.clusters))
      }
    }
    return parts
  }

  package func makeCursor() throws(RealmFileError) -> SalvageCursor {
    SalvageCursor(self, try base.makeCursor(), lostKeys, refused)
  }

  package func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    // The objects without primary key are read once more; what they own was counted with the others.
    if origin(of: part.classPosition) == part.classPosition {
      try base.accept(report, of: part)
    }
    for loss in report.lost { note(loss) }
    outcomeState.withLock {
      $0.partial[part.classPosition, default: 0] += report.partialObjects
      $0.values[part.classPosition, default: 0] += report.lostValues
      $0.links += report.lostLinks
    }
  }

  private func note(_ loss: LostValues) {
    outcomeState.withLock {
      if $0.losses.count < SalvageSource.lossLimit {
        $0.losses.append(loss)
      } else {
        $0.furtherLosses += 1
      }
    }
  }
}

/// Reads the objects of parts of a damaged realm. Used by one thread.
package final class SalvageCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  private let source: SalvageSource
  private let base: RealmCursor
  private let lostKeys: [Int: Set<ObjectKey>]
  /// Values that are taken for lost: by property, the keys of the objects.
  private let refused: [SalvageSource.RefusedValue]
  private var filter: SalvageFilter
  private var part: ObjectPart?
  private var lastKey: ObjectKey?
  private var lossesBefore = 0
  private var report = PartReport()
  private var extra: [LostValues] = []

  init(
    _ source: SalvageSource, _ base: RealmCursor, _ lostKeys: [Int: Set<ObjectKey>],
    _ refused: [SalvageSource.RefusedValue]
  ) {
    (self.source, self.base, self.lostKeys, self.refused) = (source, base, lostKeys, refused)
    let assembler = base.assembler
    filter = SalvageFilter(
      source.base.schema, keeping: source.salvageSchema.properties, doubtsText: source.isDamaged
    ) { position, key in
      if lostKeys[position]?.contains(key) ?? false { return false }
      guard let gatherer = try? assembler.gatherer(of: assembler.schema.tables[position]),
        let isThere = try? gatherer.contains(key)
      else { return false }
      return isThere
    }
  }

  package func open(_ part: ObjectPart) {
    self.part = part
    (lastKey, lossesBefore, extra) = (nil, 0, [])
    report = PartReport()
    base.open(
      ObjectPart(
        classPosition: source.origin(of: part.classPosition), number: part.number,
        clusters: part.clusters))
  }

  package func next() throws(RealmFileError) -> ObjectBatch? {
    while let part, let batch = try base.next() {
      let losses = base.ledger.lost(since: lossesBefore)
      lossesBefore += losses.count
      if let batch = try filtered(batch, of: part, losses) { return batch }
    }
    return nil
  }

  package func close() -> PartReport {
    let isWhole = part.map { source.origin(of: $0.classPosition) == $0.classPosition } ?? true
    var closed = base.close()
    closed.partialObjects = report.partialObjects
    closed.lostValues = report.lostValues
    closed.lostLinks = report.lostLinks
    // What could not be read is told with the part that has the other objects.
    closed.lost = isWhole ? closed.lost + extra : extra
    part = nil
    return closed
  }

  /// The objects of the batch that belong to the class of the part; nil if there are none.
  private func filtered(
    _ batch: ObjectBatch, of part: ObjectPart, _ losses: ArraySlice<LostValues>
  ) throws(RealmFileError) -> ObjectBatch? {
    let origin = source.origin(of: part.classPosition)
    let objectClass = source.base.schema.classes[origin]
    guard isInOrder(batch.keys, part) else {
      extra.append(
        LostValues(
          .objects, objectClass.name.text, nil, batch.keys, .clusterKeyOrder,
          at: part.clusters.first?.ref ?? 0,
          "the keys \(batch.keys[0].raw) to \(batch.keys[batch.count - 1].raw) are not those of their place"
        ))
      return nil
    }
    lastKey = batch.keys.last
    var batch = batch
    let isLostClass = origin != part.classPosition
    let lost = lostKeys[origin] ?? []
    if !lost.isEmpty || isLostClass {
      let rows = batch.keys.indices.filter { lost.contains(batch.keys[$0]) == isLostClass }
      guard !rows.isEmpty else { return nil }
      if rows.count < batch.count {
        batch = ObjectBatch.picking(
          rows.map { RowPick(source: 0, row: $0) }, of: [batch], keys: rows.map { batch.keys[$0] })
      }
    }
    return cleaned(batch, objectClass, part.classPosition, isLostClass, losses)
  }

  /// Whether the keys ascend, are those of objects and lie where the tree says. Others would be those of
  /// other objects.
  private func isInOrder(_ keys: [ObjectKey], _ part: ObjectPart) -> Bool {
    guard let first = keys.first, let last = keys.last, let cluster = part.clusters.first,
      let lastCluster = part.clusters.last
    else { return false }
    let end = lastCluster.limit.map { lastCluster.base &+ $0 }
    return first.raw >= 0 && (lastKey.map { $0.raw < first.raw } ?? true)
      && UInt64(bitPattern: first.raw) >= cluster.base
      && (end.map { UInt64(bitPattern: last.raw) < $0 } ?? true)
      && zip(keys, keys.dropFirst()).allSatisfy { $0.raw < $1.raw }
  }

  /// The batch in the schema of the result, without what a new realm cannot hold.
  private func cleaned(
    _ batch: ObjectBatch, _ objectClass: ObjectClass, _ position: Int, _ isLostClass: Bool,
    _ losses: ArraySlice<LostValues>
  ) -> ObjectBatch {
    var known: [String: Set<ObjectKey>] = [:]
    for loss in losses where loss.className == objectClass.name.text {
      guard let property = loss.property else { continue }
      known[property, default: []].formUnion(loss.keys)
    }
    var columns: [ColumnValues?] = []
    var partial = Set<Int>()
    for i in source.salvageSchema.properties[position] {
      let property = objectClass.properties[i]
      let isPrimaryKey = isLostClass && i == objectClass.primaryKey
      guard let values = batch.columns[i] else {
        columns.append(nil)
        continue
      }
      guard !isPrimaryKey else {
        columns.append(ColumnValues.nulls(like: values, count: batch.count))
        partial.formUnion(0..<batch.count)
        report.lostValues += batch.count
        continue
      }
      var removed = SalvageFilter.Removed()
      var result = filter.filtered(values, property, &removed)
      result = refusing(
        result, property, source.schema.classes[position].name.text, batch.keys, &removed)
      report.lostLinks += removed.links
      let unread = known[property.name.text] ?? []
      var rows = removed.rows
      let added = rows.filter { !unread.contains(batch.keys[$0]) }
      if !added.isEmpty {
        extra.append(
          LostValues(
            property.collection == nil ? .values : .parts, objectClass.name.text,
            property.name.text, added.sorted().map { batch.keys[$0] }, removed.rule ?? .leafNull,
            at: 0, removed.rule?.expectation ?? ""))
      }
      if !unread.isEmpty {
        for row in 0..<batch.count where unread.contains(batch.keys[row]) { rows.insert(row) }
      }
      report.lostValues += rows.count
      partial.formUnion(rows)
      columns.append(result)
    }
    report.partialObjects += partial.count
    return ObjectBatch(
      classPosition: position, count: batch.count, keys: batch.keys, columns: columns, owner: batch)
  }

  /// The values without those that the builder refused before.
  private func refusing(
    _ values: ColumnValues, _ property: Property, _ className: String, _ keys: [ObjectKey],
    _ removed: inout SalvageFilter.Removed
  ) -> ColumnValues {
    guard !refused.isEmpty else { return values }
    let some = refused.filter { $0.className == className && $0.property == property.name.text }
    let lost = Set(some.map(\.key))
    let rows = keys.indices.filter { lost.contains(keys[$0]) }
    guard !rows.isEmpty else { return values }
    for row in rows { removed.insert(row, some[0].rule) }
    let defaults = property.defaultValues(count: keys.count)
    guard keys.count > 1 else { return defaults }
    return ColumnValues.picking(
      keys.indices.map { RowPick(source: lost.contains(keys[$0]) ? 1 : 0, row: $0) },
      of: [values, defaults])
  }
}

extension ColumnValues {
  /// Nulls of the same type as `values`, which are scalars.
  fileprivate static func nulls(like values: ColumnValues, count: Int) -> ColumnValues {
    guard case .scalar(let column) = values else { return values }
    var builder = ColumnBuilder(type: column.type)
    for _ in 0..<count { builder.append(MixedValue.null) }
    return .scalar(builder.batch.scalars ?? column)
  }
}
