public import RealmStorage

extension Realm: OpenRealm {
  /// Opens the realm at `path` for reading. The file is never changed.
  ///
  /// - Parameter key: the key of an encrypted realm.
  /// - Throws: the errors of ``Snapshot/init(path:key:version:access:cacheByteCount:)``; `damaged` if the schema cannot
  ///   be read.
  public init(path: String, key: RealmKey? = nil) throws(RealmFileError) {
    try self.init(try Snapshot(path: path, key: key))
  }

  public func objectCount(ofClassAt position: Int) -> Int? { schema.tables[position].objectCount }

  public func objects(ofClassAt position: Int) throws(RealmFileError) -> RealmObjects {
    let objectClass = objectSchema.classes[position]
    return try RealmObjects(
      RealmSource(self, ObjectRequest(of: objectClass), classes: [position]), of: self)
  }

  public func object(
    ofClassAt position: Int, key: ObjectKey
  ) throws(RealmFileError) -> RealmObject? {
    guard !key.isNull, !key.isUnresolved else { return nil }
    let table = schema.tables[position]
    return try snapshot.proving { () throws(RealmFileError) in
      let fetcher = try fetcher(of: table)
      guard try fetcher.contains(key, of: table) else { return nil }
      let batch = try fetcher.fetch([key], of: table)
      return RealmObject(realm: self, objectClass: table.objectClass, batch: batch, row: 0)
    }
  }

  public func object(
    ofClassAt position: Int, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    let table = schema.tables[position]
    guard let property = table.primaryKey else { return nil }
    return try snapshot.proving { () throws(RealmFileError) in
      try object(in: table, property, primaryKey)
    }
  }

  private func fetcher(of table: Table) throws(RealmFileError) -> ObjectFetcher {
    try ObjectFetcher(self, ObjectRequest(of: table.objectClass))
  }

  private func object(
    in table: Table, _ position: Int, _ primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    let column = table.columns[position]
    let slices: SliceColumn
    let value: BatchValue
    switch (primaryKey, column.property.type) {
    case (.int(let number), .int): (slices, value) = (SliceColumn([]), .int(number))
    case (.null, _): (slices, value) = (SliceColumn([]), .null)
    case (.string(let text), .string):
      slices = SliceColumn(copying: [Array(text.utf8)])
      value = .string(slices[0] ?? .empty)
    case (.objectId(let bytes), .objectId):
      slices = SliceColumn(copying: [bytes])
      value = .objectId(slices[0] ?? .empty)
    case (.uuid(let bytes), .uuid):
      slices = SliceColumn(copying: [bytes])
      value = .uuid(slices[0] ?? .empty)
    default: return nil
    }
    defer { withExtendedLifetime(slices) {} }
    guard column.index != 0 else {
      return try search(classAt: table.position, primaryKey: primaryKey)
    }
    let nodes = try snapshot.makeReader()
    let keys = try nodes.traversing { () throws(RealmFileError) in
      try IndexSearch(column, nodes).candidates(for: value, limit: .max)
    }
    let fetcher = try fetcher(of: table)
    for key in keys ?? [] {
      let batch = try fetcher.fetch([key], of: table)
      if try batch.value(ofProperty: position, row: 0) == primaryKey {
        return RealmObject(realm: self, objectClass: table.objectClass, batch: batch, row: 0)
      }
    }
    return nil
  }

  public func backlinks(
    ofClassAt position: Int, key: ObjectKey
  ) throws(RealmFileError) -> [RealmBacklink] {
    let table = schema.tables[position]
    return try snapshot.proving { () throws(RealmFileError) in
      let reader = try PropertyReader(self)
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let rows = try reader.rows([key], of: table)
      var backlinks: [RealmBacklink] = []
      for column in table.backlinkColumns {
        guard let origin = schema.table(column.origin),
          let property = origin.columns.firstIndex(where: { $0.key == column.originColumn })
        else { continue }
        let found = try reader.backlinks(column, rows, limit: .max)?.keys ?? []
        backlinks += found.map {
          RealmBacklink(of: self, classPosition: origin.position, property: property, key: $0)
        }
      }
      return backlinks
    }
  }
}

extension ObjectRequest {
  /// The request for objects of a class by themselves, even if it is embedded.
  package init(of objectClass: ObjectClass) {
    self.init()
    embedded = objectClass.kind == .embedded ? .asClass : .nested
  }
}
