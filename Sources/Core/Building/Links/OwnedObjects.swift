package import RealmModel
package import RealmStorage

/// Finds the embedded objects inside other objects, at any depth.
package struct OwnedObjects {
  private let realm: Realm
  /// Positions of the properties with embedded objects, by position of their class.
  private let owning: [Int: Set<Int>]

  package init(_ realm: Realm) {
    self.realm = realm
    let classes = realm.schema.objects.classes
    owning = Dictionary(
      uniqueKeysWithValues: classes.enumerated().map { position, objectClass in
        let properties = objectClass.properties.indices.filter {
          objectClass.properties[$0].target.map { classes[$0].kind == .embedded } ?? false
        }
        return (position, Set(properties))
      })
  }

  /// The keys of the embedded objects, by position of their class. Takes 16 bytes for each.
  ///
  /// - Parameters:
  ///   - keys: the keys of the owners.
  ///   - position: position of the owners' class.
  ///   - properties: positions of the properties of the owners whose objects are found; nil for all.
  /// - Throws: `damaged`; the errors of an encrypted realm.
  package func find(
    in keys: KeyList, ofClass position: Int, properties: Set<Int>? = nil
  ) throws(RealmFileError) -> [Int: KeyList] {
    var request = ObjectRequest()
    (request.links, request.embedded, request.properties) = (.keys, .asClass, owning)
    let fetcher = try ObjectFetcher(realm, request)
    var found: [Int: Set<ObjectKey>] = [:]
    var waiting = [position: keys.keys.map { ObjectKey($0) }]
    var isOwner = true
    while let (position, keys) = waiting.popFirst() {
      defer { isOwner = false }
      guard owning[position]?.isEmpty == false else { continue }
      let table = realm.schema.tables[position]
      var left = keys[...]
      while !left.isEmpty {
        let batch = try fetcher.fetch(Array(left.prefix(ObjectBatch.capacity)), of: table)
        left = left.dropFirst(batch.count)
        for (i, column) in batch.columns.enumerated()
        where !isOwner || properties?.contains(i) != false {
          try column?.forEachLink { target, key in
            // A damaged realm can have an object inside itself.
            guard found[target, default: []].insert(key).inserted else { return }
            waiting[target, default: []].append(key)
          }
        }
      }
    }
    return found.mapValues { KeyList(Array($0)) }
  }
}

extension ColumnValues {
  /// Passes the links, which are single or in collections, to `body`.
  fileprivate func forEachLink(
    _ body: (_ target: Int, ObjectKey) -> Void
  ) throws(RealmFileError) {
    switch self {
    case .link(let column):
      for row in 0..<column.count where !column.nulls[row] { body(column.target, column.keys[row]) }
    case .collection(let column):
      guard let runs = column.runs else { return try column.elements.forEachLink(body) }
      while let run = try runs.next() { try run.elements.forEachLink(body) }
    case .scalar, .embedded, .mixed: return
    }
  }
}
