import RealmBuilding
import RealmModel
import RealmStorage

/// Reads objects of an older version, in the schema of the result. Used by one thread.
final class OlderReader {
  /// Whether the older version has an object.
  enum State {
    case present, absent
    /// Unknown: the version lost the node for its key.
    case lost
  }

  let version: OlderVersion
  private let match: VersionMatch
  private let result: SalvageSchema
  private let gaps: [Int: KeyGaps]
  private let fetcher: ObjectFetcher
  private let filter: SalvageFilter
  private let settler: LinkSettler

  /// - Parameters:
  ///   - gaps: the keys of objects that the version lost, by position of the class in the salvaged
  ///     version.
  ///   - exists: whether an object of a class of the salvaged version is in the result.
  init(
    _ version: OlderVersion, _ match: VersionMatch, _ result: SalvageSchema,
    gaps: [Int: KeyGaps],
    exists: @escaping (_ classPosition: Int, ObjectKey) -> Bool
  ) throws(RealmFileError) {
    (self.version, self.match, self.result, self.gaps) = (version, match, result, gaps)
    fetcher = try ObjectFetcher(version.realm, SalvageSource.request)
    filter = SalvageFilter(
      version.realm.schema.objects, keeping: match.kept, doubtsText: true
    ) { position, key in
      match.origins[position].map { exists($0, key) } ?? false
    }
    // The filter removed links to classes that the salvaged version does not have.
    settler = LinkSettler(
      positions: match.origins.map { $0 ?? 0 }, asksAboutKeys: false, keepsKeys: true
    ) { _, _ in .unresolved }
  }

  private func table(_ position: Int) -> Table? {
    match.classes[position].map { version.realm.schema.tables[$0] }
  }

  /// - Parameter position: position of the class in the salvaged version.
  func state(of key: ObjectKey, ofClass position: Int) throws(RealmFileError) -> State {
    guard let table = table(position) else { return .absent }
    // A cluster with wrong keys still has objects.
    guard gaps[position]?.gap(of: UInt64(bitPattern: key.raw)) == nil else { return .lost }
    guard let isThere = try undamaged(fetcher.contains(key, of: table)) else { return .lost }
    return isThere ? .present : .absent
  }

  /// The first of the objects with `keys`, as many as one batch can hold.
  ///
  /// - Parameters:
  ///   - keys: 1 to ``ObjectBatch/capacity`` keys of objects that are present.
  ///   - position: position of the class in the salvaged version.
  /// - Throws: errors that are not damage.
  func objects(
    _ keys: [ObjectKey], ofClass position: Int
  ) throws(RealmFileError) -> SalvageDraft? {
    guard let table = table(position) else { return nil }
    var draft = try read(keys, of: table, position)
    // Only reading shows what a large collection lacks, and so whether this version can fill it.
    try readRuns(of: &draft, result.objects.classes[position].properties)
    return draft
  }

  private func read(
    _ keys: [ObjectKey], of table: Table, _ position: Int
  ) throws(RealmFileError) -> SalvageDraft {
    let batch = try fetcher.fetch(keys, of: table)
    let unread = fetcher.takeLosses().keysByProperty(ofClass: table.className.text)
    var columns: [ColumnValues?] = []
    var draft = SalvageDraft(propertyCount: match.properties[position].count)
    for (i, place) in match.properties[position].enumerated() {
      guard let place, let values = batch.columns[place] else {
        columns.append(nil)
        draft.lost[i] = Set(0..<batch.count)
        continue
      }
      let property = table.objectClass.properties[place]
      var removed = SalvageFilter.Removed()
      columns.append(filter.filtered(values, property, &removed))
      draft.links[i] = removed.links
      let known = unread[property.name.text] ?? []
      draft.lost[i] = removed.doubtful.union(
        batch.keys.indices.filter { known.contains(batch.keys[$0]) })
    }
    draft.batch = try settler.settle(
      ObjectBatch(
        classPosition: table.position, count: batch.count, keys: batch.keys, columns: columns,
        owner: batch))
    for (i, property) in result.objects.classes[position].properties.enumerated()
    where columns[i] == nil {
      draft.batch.columns[i] = property.defaultValues(count: batch.count)
    }
    return draft
  }

  /// Reads the large collections of an object once, and notes what they lack. Their runs start again
  /// afterwards.
  private func readRuns(
    of draft: inout SalvageDraft, _ properties: [Property]
  ) throws(RealmFileError) {
    for (i, column) in draft.batch.columns.enumerated() {
      guard let column, column.hasRuns else { continue }
      let isReadable = try undamaged(column.readRuns()) != nil
      let isWhole = fetcher.takeLosses().isEmpty
      var removed = SalvageFilter.Removed()
      for some in filter.takeRemovedFromRuns().values { removed.formUnion(some) }
      if !isReadable {
        draft.removeValues(ofProperty: i, properties[i], [0])
      } else {
        if !isWhole || !removed.doubtful.isEmpty { draft.lost[i].insert(0) }
        if removed.linkCount > 0 { draft.links[i][0, default: 0] += removed.linkCount }
      }
    }
  }
}

extension ColumnValues {
  /// Reads all elements of the large collections among the values.
  fileprivate func readRuns() throws(RealmFileError) {
    switch self {
    case .scalar, .link: return
    case .embedded(let column):
      for values in column.objects.columns { try values?.readRuns() }
    case .mixed(let column):
      try column.lists?.readRuns()
      try column.dictionaries?.readRuns()
    case .collection(let column): try column.readRuns()
    }
  }
}

extension CollectionColumn {
  fileprivate func readRuns() throws(RealmFileError) {
    guard let runs else { return try elements.readRuns() }
    while let run = try runs.next() { try run.readRuns() }
  }
}
