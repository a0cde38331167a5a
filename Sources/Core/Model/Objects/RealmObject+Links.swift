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
      return try realm.object(ofClassAt: classPosition, key: key)
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
  private let realm: any OpenRealm
  private let classPosition: Int

  /// - Parameters:
  ///   - classPosition: position of the class with the link in the schema of `realm`.
  ///   - property: position of the property in that class.
  package init(of realm: any OpenRealm, classPosition: Int, property: Int, key: ObjectKey) {
    let objectClass = realm.objectSchema.classes[classPosition]
    (className, self.property) = (
      objectClass.name.text, objectClass.properties[property].name.text
    )
    (self.realm, self.classPosition, self.key) = (realm, classPosition, key)
  }

  /// The object with the link.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public var object: RealmObject? {
    get throws(RealmFileError) { try realm.object(ofClassAt: classPosition, key: key) }
  }
}

extension RealmObject {
  /// The links to the object, once for each link: class by class, in the order of the properties and of the objects'
  /// keys. The owner of an embedded object is its only backlink. In formats 2 to 9, this searches all objects.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public func backlinks() throws(RealmFileError) -> [RealmBacklink] {
    try realm.backlinks(ofClassAt: classPosition, key: key)
  }
}

extension RealmValue {
  /// The same value with links that know their realm.
  func linked(in realm: any OpenRealm) -> RealmValue {
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
