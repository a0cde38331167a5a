import RealmBuilding
import RealmModel
import RealmStorage

/// The objects of a damaged realm that lost their primary key, or have the same one as another
/// object.
struct SalvageKeys: Sendable {
  /// The most groups of objects with equal primary keys in a class.
  private static let groupLimit = 10_000
  /// The most objects that an index may have for one value; more prove nothing.
  private static let candidateLimit = 4096
  /// The most bytes of sorted hashes in memory.
  private static let memoryByteCount = 64 << 20

  /// By position of the class.
  var lost: [Int: Set<ObjectKey>] = [:]

  /// - Parameters:
  ///   - isDamaged: whether bytes of the realm are known to be wrong, so that odd values are doubtful.
  ///   - isDoubtful: whether values can be wrong, so that other nodes must confirm them.
  /// - Throws: read errors that are not damage.
  init(
    _ salvaged: SalvagedRealm, isDamaged: Bool, isDoubtful: Bool, jobs: Int
  ) throws(RealmFileError) {
    let realm = salvaged.realm
    for position in realm.schema.objects.topLevelClasses {
      guard let property = realm.schema.tables[position].primaryKey else { continue }
      let objectClass = realm.schema.objects.classes[position]
      let unread = salvaged.conversion?.keysByProperty(ofClass: objectClass.name.text)
      var found = try SalvageKeys.lost(
        realm, position, property, isDamaged: isDamaged, isDoubtful: isDoubtful,
        // Formats 2 to 9 do not ensure that keys are unique. Without damage, they are those that the app gave.
        keepsFirst: !isDamaged && (!isDoubtful || salvaged.conversion != nil), jobs: jobs,
        unread: unread?[objectClass.properties[property].name.text] ?? [])
      if isDoubtful {
        found.formUnion(try SalvageKeys.contradicted(realm, position, property))
      }
      if !found.isEmpty { lost[position] = found }
    }
  }

  private static func lost(
    _ realm: Realm, _ position: Int, _ property: Int, isDamaged: Bool, isDoubtful: Bool,
    keepsFirst: Bool, jobs: Int, unread: Set<ObjectKey>
  ) throws(RealmFileError) -> Set<ObjectKey> {
    var request = SalvageSource.request
    request.properties = [position: [property]]
    request.lossLimit = .max
    let source = RealmSource(realm, request, classes: [position])
    let sink = DuplicateKeySink(
      classPosition: position, property: property, limit: groupLimit,
      budget: MemoryBudget(limit: memoryByteCount))
    let groups: [[ObjectKey]]
    do throws(RoadError<RealmFileError, RealmFileError>) {
      groups = try ObjectRoad(from: source, to: sink, jobs: jobs).run()
    } catch {
      throw error.failure
    }
    var lost = unread.union(source.lost.filter { $0.property != nil }.flatMap(\.keys))
    if isDoubtful {
      lost.formUnion(try impossible(realm, request, position, property, doubtsText: isDamaged))
    }
    for group in groups {
      // Unreadable keys are null. Of objects with null, at most one has it as its key.
      let others = group.filter { !lost.contains($0) }
      guard others.count > 1 else { continue }
      lost.formUnion(keepsFirst ? others.dropFirst() : others[...])
    }
    return lost
  }

  /// The objects whose primary key is not in its index. Often nothing else shows that a leaf of keys
  /// is damaged. If the index has another object for it, the key is lost too, unless all objects of the
  /// cluster are unknown to the index: they have new object keys if theirs were lost.
  private static func contradicted(
    _ realm: Realm, _ position: Int, _ property: Int
  ) throws(RealmFileError) -> Set<ObjectKey> {
    let table = realm.schema.tables[position]
    let column = table.columns[property]
    let reader = try RealmReader(realm)
    guard column.index != 0, column.enumeration == 0,
      let places = try unlessDamaged({ () throws(RealmFileError) in
        try reader.clusters(of: table, tombstones: false, damage: .leaveOut).0
      })
    else { return [] }
    let (nodes, search) = (reader.nodes, IndexSearch(column, reader.nodes))
    var found = Set<ObjectKey>()
    let mark = nodes.mark()
    for place in places {
      defer { nodes.release(to: mark) }
      let read = try unlessDamaged { () throws(RealmFileError) in
        let cluster = try reader.cluster(place)
        return (cluster, try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex)))
      }
      guard let (cluster, leaf) = read else { continue }
      var (others, isKnown) = ([ObjectKey](), false)
      for row in 0..<cluster.count {
        let indexed = try unlessDamaged { () throws(RealmFileError) in
          let value = try Leaf.value(of: column, in: leaf, row: row, enumeration: nil, nodes)
          return try search.candidates(for: value.plain, limit: candidateLimit)
        }
        guard let indexed, let keys = indexed else { continue }
        let key = cluster.key(at: row)
        if keys.isEmpty {
          found.insert(key)
        } else if keys.contains(key) {
          isKnown = true
        } else {
          others.append(key)
        }
      }
      if isKnown { found.formUnion(others) }
    }
    return found
  }

  /// The result of `body`; nil if it meets damage.
  ///
  /// - Throws: errors that are not damage.
  private static func unlessDamaged<Result>(
    _ body: () throws(RealmFileError) -> Result
  ) throws(RealmFileError) -> Result? {
    do throws(RealmFileError) {
      return try body()
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The objects whose primary key no new realm can hold.
  private static func impossible(
    _ realm: Realm, _ request: ObjectRequest, _ position: Int, _ property: Int, doubtsText: Bool
  ) throws(RealmFileError) -> Set<ObjectKey> {
    let schema = realm.schema.objects
    let filter = SalvageFilter(
      schema, keeping: schema.classes.map { Array($0.properties.indices) }, doubtsText: doubtsText
    ) { _, _ in true }
    let source = RealmSource(realm, request, classes: [position])
    let cursor = try source.makeCursor()
    var found = Set<ObjectKey>()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        guard let values = batch.columns[property] else { continue }
        var removed = SalvageFilter.Removed()
        _ = filter.filtered(values, schema.classes[position].properties[property], &removed)
        found.formUnion(removed.rows.map { batch.keys[$0] })
      }
      _ = cursor.close()
    }
    return found
  }
}
