package import RealmModel
package import RealmStorage

/// Reads the objects of parts of a damaged realm. Used by one thread.
package final class SalvageCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  let source: SalvageSource
  let base: RealmCursor
  let filter: SalvageFilter
  /// Nil if nothing is wrong with the realm.
  let backlinks: BacklinkEvidence?
  let readers: [OlderReader]
  let filler: ValueFiller?
  private var part: ObjectPart?
  /// The clusters that are still to be read.
  var clusters: ArraySlice<ClusterPosition> = []
  var isClusterOpen = false
  var lossesBefore = 0
  /// What is doubtful in the open cluster, and its keys in the order of its rows.
  var doubt: (ref: Ref, DoubtfulNodes.Doubt, keys: [ObjectKey: Int])?
  /// Whether the next batch has the first objects of its cluster.
  var isFirstOfCluster = true
  /// The objects of older versions that are still to be read.
  var left: ArraySlice<OlderObjects.Entry> = []
  /// The object of the last batch if it has large collections, which the sink reads later; and the
  /// names of its properties that are known to lack something.
  var large: (key: ObjectKey, lacking: Set<String>)?
  /// Finished batches in reverse order.
  private var ready: [ObjectBatch] = []
  var tally = SalvageTally()

  init(_ source: SalvageSource) throws(RealmFileError) {
    self.source = source
    let base = try source.base.makeCursor()
    self.base = base
    let (assembler, lostKeys, older) = (base.assembler, source.lostKeys, source.older)
    let nodes = try source.base.realm.snapshot.makeReader()
    var surveys: [Int: ClusterSurvey] = [:]
    func exists(_ position: Int, _ key: ObjectKey) -> Bool {
      if lostKeys[position]?.contains(key) ?? false { return false }
      if older?.isFilled(key, ofClass: position) ?? false { return true }
      let table = assembler.schema.tables[position]
      // Clusters whose keys do not belong in their place are left out.
      guard let survey = surveys[position] ?? (try? ClusterSurvey(root: table.clusters, nodes))
      else {
        return false
      }
      surveys[position] = survey
      guard key.raw >= 0, survey.cluster(around: UInt64(bitPattern: key.raw)) != nil,
        let isThere = try? assembler.gatherer(of: table).contains(key)
      else { return false }
      return isThere
    }
    let schema = source.salvageSchema
    filter = SalvageFilter(
      source.base.schema, keeping: schema.properties, doubtsText: source.isDamaged, exists: exists)
    backlinks =
      source.isDoubtful
      ? try BacklinkEvidence(source.base.realm, firstNewKeys: source.firstNewKeys) : nil
    var readers: [OlderReader] = []
    if let older {
      for (i, version) in older.versions.enumerated() {
        readers.append(
          try OlderReader(
            version, older.matches[i], schema, gaps: older.gaps[i], exists: exists))
      }
    }
    self.readers = readers
    let fills = older?.versions.contains(where: \.fillsLost) ?? false
    filler = fills ? ValueFiller(readers, schema) : nil
  }

  package func open(_ part: ObjectPart) {
    self.part = part
    (clusters, isClusterOpen, lossesBefore, left, ready) = ([], false, 0, [], [])
    let origin = source.origin(of: part.classPosition)
    tally = SalvageTally(
      source.base.schema.classes[origin], keeping: source.salvageSchema.properties[origin])
    switch source.content(of: part) {
    case .clusters: clusters = part.clusters[...]
    case .filled(let entries), .freed(let entries): left = entries
    }
  }

  package func next() throws(RealmFileError) -> ObjectBatch? {
    guard let part else { return nil }
    noteRemovedFromRuns(part)
    while ready.isEmpty {
      switch source.content(of: part) {
      case .clusters:
        guard let batch = try nextOfVersion(part) else { return nil }
        // What a leaf lacks is reported with the first batch of its cluster.
        let losses = base.ledger.lost(since: lossesBefore)
        ready = try filtered(batch, of: part, losses).reversed()
        isFirstOfCluster = false
      case .filled:
        guard !left.isEmpty else { return nil }
        ready = try filled(part).reversed()
      case .freed:
        guard !left.isEmpty else { return nil }
        ready = try freed(part).reversed()
      }
    }
    return ready.removeLast()
  }

  package func close() -> PartReport {
    defer { part = nil }
    if let part { noteRemovedFromRuns(part) }
    guard let part, case .clusters = source.content(of: part) else { return tally.report() }
    var closed = base.close()
    // What could not be read is reported with the part of the other objects.
    let isWhole = source.origin(of: part.classPosition) == part.classPosition
    tally.finish(&closed, losses: isWhole ? closed.lost : [])
    return closed
  }

  // MARK: The result

  func finished(_ draft: SalvageDraft, _ part: ObjectPart) -> ObjectBatch {
    let refusing = refusing(draft, part.classPosition)
    tally.add(refusing, source.older)
    return placed(refusing.batch, part)
  }

  /// The batch, as one of the part's class.
  func placed(_ batch: ObjectBatch, _ part: ObjectPart) -> ObjectBatch {
    // Objects of several versions have keys in no order.
    let origin = source.origin(of: part.classPosition)
    let hasNoKeys = origin != part.classPosition && source.older?.freed[origin] != nil
    return ObjectBatch(
      classPosition: part.classPosition, count: batch.count, keys: hasNoKeys ? [] : batch.keys,
      columns: batch.columns, owner: batch)
  }

  /// The objects without the values that the builder refused before.
  private func refusing(_ draft: SalvageDraft, _ position: Int) -> SalvageDraft {
    guard !source.refused.isEmpty else { return draft }
    let objectClass = source.salvageSchema.objects.classes[position]
    var draft = draft
    for (i, property) in objectClass.properties.enumerated() {
      let some = source.refused.filter {
        $0.className == objectClass.name.text && $0.property == property.name.text
      }
      guard let rule = some.first?.rule else { continue }
      let lost = Set(some.map(\.key))
      let rows = draft.batch.keys.indices.filter { lost.contains(draft.batch.keys[$0]) }
      guard !rows.isEmpty else { continue }
      draft.removeValues(ofProperty: i, property, rows)
      tally.add(
        LostValues(
          property.collection == nil ? .values : .parts, objectClass.name.text, property.name.text,
          rows.map { draft.batch.keys[$0] }, rule, at: 0, rule.expectation))
    }
    return draft
  }

  // MARK: Objects of older versions

  /// The next objects that the version lost.
  func filled(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    let (entries, draft) = try older(part.classPosition)
    guard let first = entries.first, let draft, let filler, let older = source.older else {
      return []
    }
    tally.add(
      filledObjects: draft.batch.keys, from: older.versions[first.version],
      lostRef: first.lostRef)
    let drafts = try filler.filled(draft, ofClass: part.classPosition, from: first.version + 1)
    for draft in drafts { tally.add(lossesOf: draft, lostRef: first.lostRef) }
    return drafts.map { finished($0, part) }
  }

  /// The next objects in freed space.
  func freed(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    guard let draft = try older(source.origin(of: part.classPosition)).draft else { return [] }
    tally.add(freed: draft)
    return [placed(draft.batch, part)]
  }

  /// The next objects of an older version.
  private func older(
    _ origin: Int
  ) throws(RealmFileError) -> (entries: ArraySlice<OlderObjects.Entry>, draft: SalvageDraft?) {
    guard let version = left.first?.version else { return ([], nil) }
    // Releases what was read to look for the targets of links.
    base.assembler.beginBatch()
    let draft = try readers[version].objects(left.map(\.key), ofClass: origin)
    let entries = left.prefix(draft?.batch.count ?? left.count)
    left = left.dropFirst(entries.count)
    return (entries, draft)
  }
}
