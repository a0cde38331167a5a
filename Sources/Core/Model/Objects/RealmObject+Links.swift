public import RealmStorage

extension RealmLink {
  /// The object that the link refers to; nil if another device deleted it or has yet to upload it.
  ///
  /// Only links of a ``RealmObject`` know their realm; for all others this is nil.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public var object: RealmObject? {
    get throws(RealmFileError) {
      guard let realm, let key, !isUnresolved else { return nil }
      return try realm.object(in: realm.schema.tables[classPosition], key)
    }
  }
}

/// A link from another object to an object.
public struct RealmBacklink: Sendable {
  /// The class and the property of the object with the link.
  public let className: String
  public let property: String
  /// Key of the object with the link.
  public let key: ObjectKey
  private let realm: Realm
  private let table: Table

  fileprivate init(_ realm: Realm, _ table: Table, _ property: String, _ key: ObjectKey) {
    (self.realm, self.table, self.property, self.key) = (realm, table, property, key)
    className = table.className.text
  }

  /// The object with the link.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public var object: RealmObject? {
    get throws(RealmFileError) { try realm.object(in: table, key) }
  }
}

extension RealmObject {
  /// The links to the object, once for each link: class by class, in the order of the properties and of the objects'
  /// keys. The owner of an embedded object is its only backlink.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public func backlinks() throws(RealmFileError) -> [RealmBacklink] {
    guard let table = realm.schema.tables.first(where: { $0.objectClass === objectClass }) else {
      return []
    }
    return try realm.snapshot.proving { () throws(RealmFileError) in
      let reader = try PropertyReader(realm)
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let rows = try reader.rows([key], of: table)
      var backlinks: [RealmBacklink] = []
      for column in table.backlinkColumns {
        guard let origin = realm.schema.table(column.origin),
          let property = origin.columns.first(where: { $0.key == column.originColumn })
        else { continue }
        let found = try reader.backlinks(column, rows, limit: .max)?.keys ?? []
        backlinks += found.map { RealmBacklink(realm, origin, property.name.text, $0) }
      }
      return backlinks
    }
  }
}

extension RealmValue {
  /// The same value with links that know their realm.
  func linked(in realm: Realm) -> RealmValue {
    switch self {
    case .link(var link):
      link.realm = realm
      return .link(link)
    case .object(let values): return .object(values.map { $0.linked(in: realm) })
    case .list(let values): return .list(values.map { $0.linked(in: realm) })
    case .dictionary(let entries):
      return .dictionary(
        entries.map { RealmEntry(key: $0.key, value: $0.value.linked(in: realm)) })
    default: return self
    }
  }
}
