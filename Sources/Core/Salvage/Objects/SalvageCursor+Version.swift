import RealmModel
import RealmStorage

/// Objects of the salvaged version.
extension SalvageCursor {
  /// The next objects of the clusters; nil after the last ones.
  func nextOfVersion(_ part: ObjectPart) throws(RealmFileError) -> ObjectBatch? {
    while true {
      if isClusterOpen, let batch = try base.next() { return batch }
      guard let cluster = clusters.popFirst() else { return nil }
      isClusterOpen = try isInOrder(cluster, part)
      guard isClusterOpen else { continue }
      (lossesBefore, isFirstOfCluster) = (base.ledger.lostCount, true)
      doubt = try doubt(about: cluster, part)
      base.open(
        ObjectPart(
          classPosition: source.origin(of: part.classPosition), number: part.number,
          clusters: [cluster]))
    }
  }

  /// What is doubtful in a cluster; nil if nothing is.
  private func doubt(
    about place: ClusterPosition, _ part: ObjectPart
  ) throws(RealmFileError) -> (Ref, DoubtfulNodes.Doubt, [ObjectKey: Int])? {
    guard let doubtful = source.doubtful else { return nil }
    let nodes = base.assembler.reader.nodes
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard let cluster = try undamaged(base.assembler.reader.cluster(place)) else { return nil }
    let table = base.assembler.schema.tables[source.origin(of: part.classPosition)]
    let kept = source.salvageSchema.properties[part.classPosition].map { table.columns[$0] }
    let doubt = try doubtful.doubt(
      about: cluster, kept.map { ($0.key.leafIndex, $0.property.collection != nil) }, nodes)
    guard !doubt.isEmpty else { return nil }
    let rows = cluster.allKeys.enumerated().map { ($1, $0) }
    return (place.ref, doubt, Dictionary(rows) { first, _ in first })
  }

  /// Reports which of some objects, and of their values, are doubtful.
  private func noteDoubtful(_ draft: SalvageDraft, _ names: [String]) {
    guard let (ref, doubt, rows) = doubt else { return }
    guard !doubt.isWhole else { return tally.add(doubtful: draft.batch.keys, of: nil, at: ref) }
    for (place, doubtful) in doubt.rows.sorted(by: { $0.key < $1.key }) {
      let found = draft.batch.keys.indices.filter { row in
        !draft.lost[place].contains(row)
          && rows[draft.batch.keys[row]].map(doubtful.contains) ?? false
      }
      tally.add(doubtful: found.map { draft.batch.keys[$0] }, of: names[place], at: ref)
    }
  }

  /// Whether the keys of a cluster ascend, are keys of objects, and belong in its place in the tree, as
  /// in ``ClusterSurvey``. Other keys would be those of other objects.
  private func isInOrder(
    _ place: ClusterPosition, _ part: ObjectPart
  ) throws(RealmFileError) -> Bool {
    let nodes = base.assembler.reader.nodes
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    // If it cannot be read at all, the cursor reports it.
    guard let cluster = try undamaged(base.assembler.reader.cluster(place)),
      ClusterSurvey.keys(of: cluster, place) == nil
    else {
      return true
    }
    let keys = cluster.allKeys
    guard let first = keys.first, let last = keys.last else { return true }
    // Keys that occur twice are those of other objects.
    let areUnique = Set(keys).count == keys.count
    tally.add(
      LostValues(
        .objects, source.base.schema.classes[source.origin(of: part.classPosition)].name.text, nil,
        areUnique ? keys : [], .clusterKeyOrder, at: place.ref,
        areUnique
          ? "found the keys \(first.raw) to \(last.raw), which do not belong in this place"
          : "\(keys.count) objects have \(Set(keys).count) different keys"))
    return false
  }

  /// The objects of the batch that belong to the class of the part.
  func filtered(
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
    let draft = try cleaned(batch, objectClass, part.classPosition, isLostClass, losses)
    guard let filler, !isLostClass else { return [finished(draft, part)] }
    return try filler.filled(draft, ofClass: origin).map { finished($0, part) }
  }

  /// The objects that are in no leaf of their cluster: it states more objects than there are.
  ///
  /// - Parameters:
  ///   - losses: those of the cluster.
  ///   - isFirst: whether the batch has the first objects of the cluster, some of which exist.
  private static func absent(
    _ batch: ObjectBatch, _ objectClass: ObjectClass, _ losses: ArraySlice<LostValues>,
    isFirst: Bool
  ) -> Set<ObjectKey> {
    // Rows that a leaf lacks are separate losses; a leaf of another length is one loss.
    let lacking = losses.filter { $0.rule == .leafRows && $0.keys.count == 1 }
      .keysByProperty(ofClass: objectClass.name.text)
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
  ) throws(RealmFileError) -> SalvageDraft {
    var known = losses.keysByProperty(ofClass: objectClass.name.text)
    if let conversion = source.conversion {
      known.merge(conversion.keysByProperty(ofClass: objectClass.name.text)) { $0.union($1) }
    }
    var columns: [ColumnValues?] = []
    let kept = source.salvageSchema.properties[position]
    var draft = SalvageDraft(propertyCount: kept.count)
    var contradicted: [(place: Int, rows: [Int], rule: Rule, message: String)] = []
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
      let besideDamage = doubtfulRows(
        batch, objectClass.name.text, property, losses, removed: removed.damaged)
      contradicted.append(
        (place, besideDamage.sorted(), .leafKind, "other values of the leaf are damaged"))
      if let backlinks, case .link(let links)? = columns[place] {
        let unconfirmed = try backlinks.contradicted(
          links, ofProperty: i, ofClass: source.origin(of: position), batch.keys)
        contradicted.append(
          (
            place, unconfirmed, .linkBacklinkMismatch, "the target has no backlink to the object"
          ))
      }
    }
    draft.batch = ObjectBatch(
      classPosition: position, count: batch.count, keys: batch.keys, columns: columns, owner: batch)
    for (place, rows, rule, message) in contradicted {
      let rows = rows.filter { !draft.lost[place].contains($0) }
      guard !rows.isEmpty else { continue }
      let property = objectClass.properties[kept[place]]
      draft.removeValues(ofProperty: place, property, rows)
      tally.add(
        LostValues(
          .values, objectClass.name.text, property.name.text, rows.map { batch.keys[$0] }, rule,
          at: 0, message))
    }
    noteDoubtful(draft, kept.map { objectClass.properties[$0].name.text })
    if columns.contains(where: { $0?.hasRuns ?? false }) {
      let lacking = kept.indices.filter { !draft.lost[$0].isEmpty || !draft.links[$0].isEmpty }
      large = (batch.keys[0], Set(lacking.map { objectClass.properties[kept[$0]].name.text }))
    }
    return draft
  }

  /// The rows of a property in whose leaf several values show damage. A single one can be a flipped bit.
  /// The values of a collection have leaves of their own.
  ///
  /// - Parameter removed: the rows from which such a value was removed.
  private func doubtfulRows(
    _ batch: ObjectBatch, _ className: String, _ property: Property,
    _ losses: ArraySlice<LostValues>, removed: Set<Int>
  ) -> Set<Int> {
    var counts: [ObjectKey: Int] = [:]
    for loss in losses
    where loss.className == className && loss.property == property.name.text
      && loss.rule.showsDamage
    {
      for key in loss.keys { counts[key, default: 0] += 1 }
    }
    for row in removed { counts[batch.keys[row], default: 0] += 1 }
    guard property.collection != nil else {
      return counts.values.reduce(0, +) > 1 ? Set(0..<batch.count) : []
    }
    return Set(batch.keys.indices.filter { counts[batch.keys[$0], default: 0] > 1 })
  }

  /// Reports what was removed from the large collections of the last batch.
  func noteRemovedFromRuns(_ part: ObjectPart) {
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
}

extension ColumnValues {
  /// The same number of nulls, for scalars.
  fileprivate var withoutValues: ColumnValues {
    guard case .scalar(let column) = self else { return self }
    return .scalar(column.replacing(Set(0..<column.count), isOptional: true))
  }
}
