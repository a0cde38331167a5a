import RealmStorage

/// Reads objects of an older version, in the schema of the result. Used by one thread.
final class OlderReader {
  /// What the older version says about an object.
  enum State {
    case present, absent
    /// It is not known whether there is such an object.
    case lost
  }

  private let version: OlderVersion
  private let match: VersionMatch
  private let result: SalvageSchema
  private let gaps: [Int: KeyGaps]
  private let fetcher: ObjectFetcher
  private let filter: SalvageFilter
  private let settler: LinkSettler

  /// - Parameters:
  ///   - gaps: the keys of objects that the version lost, by position of the class in the salvaged version.
  ///   - exists: whether the object of a class of the salvaged version is in the result.
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
    // Links to classes that the salvaged version does not have were removed.
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
    do throws(RealmFileError) {
      if try fetcher.contains(key, of: table) { return .present }
    } catch {
      guard error.isDamage else { throw error }
      return .lost
    }
    return gaps[position]?.gap(of: UInt64(bitPattern: key.raw)) == nil ? .absent : .lost
  }

  /// The first of the objects with `keys`, as many as one batch can hold.
  ///
  /// - Parameters:
  ///   - keys: 1 to ``ObjectBatch/capacity`` keys of objects that are present.
  ///   - position: position of the class in the salvaged version.
  /// - Throws: errors that say nothing about the file.
  func objects(
    _ keys: [ObjectKey], ofClass position: Int
  ) throws(RealmFileError) -> SalvageDraft? {
    guard let table = table(position) else { return nil }
    let batch = try fetcher.fetch(keys, of: table)
    let losses = fetcher.takeLosses()
    var unread: [String: Set<ObjectKey>] = [:]
    for loss in losses where loss.className == table.className.text {
      guard let property = loss.property else { continue }
      unread[property, default: []].formUnion(loss.keys)
    }
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
}
