public import RealmStorage

/// A version of a realm of any format, opened for reading. Threads may share it.
///
/// ``Realm`` is one of formats 10 to 24. The module RealmReader opens those of formats 2 to 9 too.
public protocol OpenRealm: Sendable {
  var snapshot: Snapshot { get }
  /// The classes and properties.
  var objectSchema: ObjectSchema { get }

  /// The schema version that the app set; nil if it set none.
  ///
  /// - Throws: `damaged` if the table with the version cannot be read.
  func schemaVersion() throws(RealmFileError) -> UInt64?

  /// The number of objects of the class at `position`; nil for an embedded class of formats 2 to 9, because only reading all
  /// objects shows it.
  func objectCount(ofClassAt position: Int) -> Int?

  /// The objects of the class at `position` in the order of their keys; those of an embedded class of formats 2 to 9 are
  /// only in the objects that own them.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  func objects(ofClassAt position: Int) throws(RealmFileError) -> RealmObjects

  /// The object of the class at `position` with a key; nil if it does not exist.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  func object(ofClassAt position: Int, key: ObjectKey) throws(RealmFileError) -> RealmObject?

  /// The object of the class at `position` with a primary key; nil if it does not exist, or if the class has no primary key of
  /// this type. Uses the index of the primary key; realms of format 10 and 11 can lack it, those of formats 2 to 9 do, and
  /// all objects are searched.
  ///
  /// - Throws: same as ``object(ofClassAt:key:)``.
  func object(
    ofClassAt position: Int, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject?

  /// The links to the object with `key` of the class at `position`; see ``RealmObject/backlinks()``.
  func backlinks(
    ofClassAt position: Int, key: ObjectKey
  ) throws(RealmFileError) -> [RealmBacklink]
}

extension OpenRealm {
  /// The app's classes.
  public var classes: [ObjectClass] {
    objectSchema.appClasses.map { objectSchema.classes[$0] }
  }

  /// The names of the app's classes.
  public var classNames: [String] { classes.map(\.name.text) }

  /// The number of objects of a class; nil if the class does not exist, or for an embedded class of formats 2 to 9.
  public func objectCount(ofClass name: String) -> Int? {
    position(ofClass: name).flatMap(objectCount)
  }

  /// The objects of a class in the order of their keys; nil if the class does not exist.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  public func objects(ofClass name: String) throws(RealmFileError) -> RealmObjects? {
    guard let position = position(ofClass: name) else { return nil }
    return try objects(ofClassAt: position)
  }

  /// The object of a class with a key; nil if the class or the object does not exist.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm; `changedWhileReading`.
  public func object(
    ofClass name: String, key: ObjectKey
  ) throws(RealmFileError) -> RealmObject? {
    guard let position = position(ofClass: name) else { return nil }
    return try object(ofClassAt: position, key: key)
  }

  /// The object of a class with a primary key; nil if the class or the object does not exist, or if the class has no
  /// primary key of this type. See ``object(ofClassAt:primaryKey:)``.
  ///
  /// - Throws: same as ``object(ofClass:key:)``.
  public func object(
    ofClass name: String, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    guard let position = position(ofClass: name) else { return nil }
    return try object(ofClassAt: position, primaryKey: primaryKey)
  }

  private func position(ofClass name: String) -> Int? {
    objectSchema.appClasses.first {
      objectSchema.classes[$0].name.text.utf8.elementsEqual(name.utf8)
    }
  }

  /// Searches all objects of a class for a primary key.
  package func search(
    classAt position: Int, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    guard let property = objectSchema.classes[position].primaryKey else { return nil }
    let objects = try objects(ofClassAt: position)
    while let object = try objects.next() {
      if try object.value(at: property) == primaryKey { return object }
    }
    return nil
  }
}
