package import RealmStorage

/// Reads the objects of parts of a damaged realm. Used by one thread.
package final class SalvageCursor: ObjectCursor {
  package typealias Failure = RealmFileError

  private let source: SalvageSource
  private let base: RealmCursor
  private let filter: SalvageFilter
  private let readers: [OlderReader]
  private let filler: ValueFiller?
  private var part: ObjectPart?
  /// Clusters that were not read yet.
  private var clusters: ArraySlice<ClusterPosition> = []
  private var isClusterOpen = false
  private var lossesBefore = 0
  /// Whether the next batch has the first objects of its cluster.
  private var isFirstOfCluster = true
  /// Objects of older versions that were not read yet.
  private var left: ArraySlice<OlderObjects.Entry> = []
  /// The object of the last batch, if it has large collections, which the sink reads after it has the batch; and
  /// the names of its properties that lack something anyway.
  private var large: (key: ObjectKey, lacking: Set<String>)?
  /// Finished batches in reverse order.
  private var ready: [ObjectBatch] = []
  private var tally = SalvageTally()

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
      // Clusters whose keys are not those of their place are left out.
      guard let survey = surveys[position] ?? (try? ClusterSurvey(root: table.clusters, nodes))
      else {
        return false
      }
      surveys[position] = survey
      guard key.raw >= 0, survey.cluster(around: UInt64(bitPattern: key.raw)) != nil,
        let gatherer = try? assembler.gatherer(of: table), let isThere = try? gatherer.contains(key)
      else { return false }
      return isThere
    }
    let schema = source.salvageSchema
    filter = SalvageFilter(
      source.base.schema, keeping: schema.properties, doubtsText: source.isDamaged, exists: exists)
    var readers: [OlderReader] = []
    if let older {
      for (i, version) in older.versions.enumerated() {
        readers.append(
          try OlderReader(
            version, older.matches[i], schema, gaps: older.gaps[i], exists: exists))
      }
    }
    self.readers = readers
    filler = older?.fillsLost ?? false ? ValueFiller(readers, schema) : nil
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
        // What a leaf lacks is told with the first batch of its cluster.
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
    guard let part, case .clusters = source.content(of: part) else { return tally.report([]) }
    var closed = base.close()
    // What could not be read is told with the part that has the other objects.
    let isWhole = source.origin(of: part.classPosition) == part.classPosition
    tally.finish(&closed, losses: isWhole ? closed.lost : [])
    return closed
  }

  // MARK: Objects of the version

  /// The next objects of the clusters; nil after the last ones.
  private func nextOfVersion(_ part: ObjectPart) throws(RealmFileError) -> ObjectBatch? {
    while true {
      if isClusterOpen, let batch = try base.next() { return batch }
      guard let cluster = clusters.popFirst() else { return nil }
      isClusterOpen = try isInOrder(cluster, part)
      guard isClusterOpen else { continue }
      (lossesBefore, isFirstOfCluster) = (base.ledger.lostCount, true)
      base.open(
        ObjectPart(
          classPosition: source.origin(of: part.classPosition), number: part.number,
          clusters: [cluster]))
    }
  }

  /// Whether the keys of a cluster ascend, are those of objects and lie where the tree says, as ``ClusterSurvey``
  /// asks too. Others would be those of other objects.
  private func isInOrder(
    _ place: ClusterPosition, _ part: ObjectPart
  ) throws(RealmFileError) -> Bool {
    let nodes = base.assembler.reader.nodes
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    // Whether it can be read at all is told by those who read it.
    guard let cluster = try readable(place), ClusterSurvey.keys(of: cluster, place) == nil else {
      return true
    }
    let keys = cluster.allKeys
    guard let first = keys.first, let last = keys.last else { return true }
    tally.add(
      LostValues(
        .objects, source.base.schema.classes[source.origin(of: part.classPosition)].name.text, nil,
        keys, .clusterKeyOrder, at: place.ref,
        "the keys \(first.raw) to \(last.raw) are not those of their place"))
    return false
  }

  private func readable(_ place: ClusterPosition) throws(RealmFileError) -> Cluster? {
    do throws(RealmFileError) {
      return try base.assembler.reader.cluster(place)
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The objects of the batch that belong to the class of the part.
  private func filtered(
    _ batch: ObjectBatch, of part: ObjectPart, _ losses: ArraySlice<LostValues>
  ) throws(RealmFileError) -> [ObjectBatch] {
    let origin = source.origin(of: part.classPosition)
    let objectClass = source.base.schema.classes[origin]
    var batch = batch
    let isLostClass = origin != part.classPosition
    let lost = source.lostKeys[origin] ?? []
    let absent = SalvageCursor.absent(batch, objectClass, losses, isFirst: isFirstOfCluster)
    if !lost.isEmpty || isLostClass || !absent.isEmpty {
      let rows = batch.keys.indices.filter {
        lost.contains(batch.keys[$0]) == isLostClass && !absent.contains(batch.keys[$0])
      }
      guard !rows.isEmpty else { return [] }
      if rows.count < batch.count {
        batch = ObjectBatch.picking(
          rows.map { RowPick(source: 0, row: $0) }, of: [batch], keys: rows.map { batch.keys[$0] })
      }
    }
    let draft = cleaned(batch, objectClass, part.classPosition, isLostClass, losses)
    guard let filler, !isLostClass else { return [finished(draft, part)] }
    return try filler.filled(draft, ofClass: origin).map { finished($0, part) }
  }

  /// The objects that no leaf of their cluster has: the cluster states more objects than there are.
  ///
  /// - Parameters:
  ///   - losses: of the cluster.
  ///   - isFirst: whether the batch has the first objects of the cluster, of which some exist.
  private static func absent(
    _ batch: ObjectBatch, _ objectClass: ObjectClass, _ losses: ArraySlice<LostValues>,
    isFirst: Bool
  ) -> Set<ObjectKey> {
    // Rows that a leaf lacks are told one by one; a leaf of another length is told for all.
    var lacking: [String: Set<ObjectKey>] = [:]
    for loss in losses where loss.rule == .leafRows && loss.keys.count == 1 {
      guard loss.className == objectClass.name.text, let property = loss.property else { continue }
      lacking[property, default: []].insert(loss.keys[0])
    }
    guard !lacking.isEmpty else { return [] }
    var absent = Set(batch.keys)
    for (property, column) in zip(objectClass.properties, batch.columns) where column != nil {
      absent.formIntersection(lacking[property.name.text] ?? [])
    }
    return isFirst && absent.count == batch.count ? [] : absent
  }

  /// The batch in the schema of the result, without what a new realm cannot hold.
  private func cleaned(
    _ batch: ObjectBatch, _ objectClass: ObjectClass, _ position: Int, _ isLostClass: Bool,
    _ losses: ArraySlice<LostValues>
  ) -> SalvageDraft {
    var known: [String: Set<ObjectKey>] = [:]
    for loss in losses where loss.className == objectClass.name.text {
      guard let property = loss.property else { continue }
      known[property, default: []].formUnion(loss.keys)
    }
    var columns: [ColumnValues?] = []
    let kept = source.salvageSchema.properties[position]
    var draft = SalvageDraft(propertyCount: kept.count)
    for (place, i) in kept.enumerated() {
      let property = objectClass.properties[i]
      guard let values = batch.columns[i] else {
        columns.append(nil)
        continue
      }
      guard !isLostClass || i != objectClass.primaryKey else {
        columns.append(values.withoutValues)
        draft.lost[place] = Set(0..<batch.count)
        continue
      }
      var removed = SalvageFilter.Removed()
      columns.append(filter.filtered(values, property, &removed))
      let unread = known[property.name.text] ?? []
      tally.add(removed, objectClass, property, batch.keys, unread: unread)
      draft.links[place] = removed.links
      draft.lost[place] = removed.doubtful.union(
        batch.keys.indices.filter { unread.contains(batch.keys[$0]) })
    }
    draft.batch = ObjectBatch(
      classPosition: position, count: batch.count, keys: batch.keys, columns: columns, owner: batch)
    if columns.contains(where: { $0?.hasRuns ?? false }) {
      let lacking = kept.indices.filter { !draft.lost[$0].isEmpty || !draft.links[$0].isEmpty }
      large = (batch.keys[0], Set(lacking.map { objectClass.properties[kept[$0]].name.text }))
    }
    return draft
  }

  /// Tells what was removed from the large collections of the last batch.
  private func noteRemovedFromRuns(_ part: ObjectPart) {
    defer { large = nil }
    guard let (key, before) = large else { return }
    var lacking = before
    let objectClass = source.base.schema.classes[source.origin(of: part.classPosition)]
    let all = filter.takeRemovedFromRuns()
    for property in objectClass.properties {
      guard let removed = all[property.name.text] else { continue }
      tally.add(removed, objectClass, property, [key], unread: [])
      tally.count(
        removed, isFirstOfObject: lacking.isEmpty,
        isFirstOfValue: lacking.insert(property.name.text).inserted)
    }
  }

  // MARK: Objects of older versions

  /// The next objects that the version lost.
  private func filled(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    let (entries, draft) = try older(part.classPosition)
    guard let first = entries.first, let draft, let filler, let older = source.older else {
      return []
    }
    tally.add(
      filledObjects: draft.batch.keys, from: older.versions[first.version].number,
      lostRef: first.lostRef)
    let drafts = try filler.filled(draft, ofClass: part.classPosition, from: first.version + 1)
    for draft in drafts { tally.add(lossesOf: draft, lostRef: first.lostRef) }
    return drafts.map { finished($0, part) }
  }

  /// The next objects in freed space.
  private func freed(_ part: ObjectPart) throws(RealmFileError) -> [ObjectBatch] {
    guard let draft = try older(source.origin(of: part.classPosition)).draft else { return [] }
    tally.add(freed: draft)
    return [placed(draft.batch, part)]
  }

  /// The next of the objects that are left.
  private func older(
    _ origin: Int
  ) throws(RealmFileError) -> (entries: ArraySlice<OlderObjects.Entry>, draft: SalvageDraft?) {
    guard let version = left.first?.version else { return ([], nil) }
    // No batch holds what was read to look for the targets of links.
    base.assembler.beginBatch()
    let draft = try readers[version].objects(left.map(\.key), ofClass: origin)
    let entries = left.prefix(draft?.batch.count ?? left.count)
    left = left.dropFirst(entries.count)
    return (entries, draft)
  }

  // MARK: The result

  private func finished(_ draft: SalvageDraft, _ part: ObjectPart) -> ObjectBatch {
    let refusing = refusing(draft, part.classPosition)
    tally.add(refusing, source.older)
    return placed(refusing.batch, part)
  }

  /// The batch as one of the class of the part.
  private func placed(_ batch: ObjectBatch, _ part: ObjectPart) -> ObjectBatch {
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
}

extension ColumnValues {
  /// As many nulls, in place of scalars.
  fileprivate var withoutValues: ColumnValues {
    guard case .scalar(let column) = self else { return self }
    return .scalar(column.replacing(Set(0..<column.count), isOptional: true))
  }
}
