public import RealmStorage

extension Realm {
  /// The object of a class with a key; nil if the class or the object does not exist.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public func object(
    ofClass name: String, key: ObjectKey
  ) throws(RealmFileError) -> RealmObject? {
    guard let table = table(ofClass: name) else { return nil }
    return try object(in: table, key)
  }

  /// The object of a class with a primary key; nil if the class or the object does not exist, or if the class has no
  /// primary key of this type. Uses the index of the primary key, which realms of format 10 and 11 can lack.
  ///
  /// - Throws: same as ``object(ofClass:key:)``.
  public func object(
    ofClass name: String, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    guard let table = table(ofClass: name), let position = table.primaryKey else { return nil }
    return try snapshot.proving { () throws(RealmFileError) in
      try object(in: table, position, primaryKey)
    }
  }

  func table(ofClass name: String) -> Table? {
    schema.objects.appClasses.first {
      schema.objects.classes[$0].name.text.utf8.elementsEqual(name.utf8)
    }.map { schema.tables[$0] }
  }

  /// The object of a table with a key; nil if it does not exist.
  func object(in table: Table, _ key: ObjectKey) throws(RealmFileError) -> RealmObject? {
    guard !key.isNull, !key.isUnresolved else { return nil }
    return try snapshot.proving { () throws(RealmFileError) in
      let fetcher = try fetcher(of: table)
      guard try fetcher.contains(key, of: table) else { return nil }
      let batch = try fetcher.fetch([key], of: table)
      return RealmObject(realm: self, objectClass: table.objectClass, batch: batch, row: 0)
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
    guard column.index != 0 else { return try scan(table, position, primaryKey) }
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

  /// Searches all objects.
  private func scan(
    _ table: Table, _ position: Int, _ primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    let objects = try RealmObjects(
      RealmSource(self, ObjectRequest(of: table.objectClass), classes: [table.position]))
    while let object = try objects.next() {
      if try object.value(of: table.columns[position].name.text) == primaryKey { return object }
    }
    return nil
  }
}

extension ObjectRequest {
  /// The request for objects of a class by themselves, even if it is embedded.
  init(of objectClass: ObjectClass) {
    self.init()
    embedded = objectClass.kind == .embedded ? .asClass : .nested
  }
}
