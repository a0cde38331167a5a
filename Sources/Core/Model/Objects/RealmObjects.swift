public import RealmStorage

extension Realm {
  /// Opens the realm at `path` for reading. The file is never changed.
  ///
  /// - Parameter key: the key of an encrypted realm.
  /// - Throws: the errors of ``Snapshot/init(path:key:version:access:cacheByteCount:)``; `damaged` if the schema cannot
  ///   be read.
  public init(path: String, key: RealmKey? = nil) throws(RealmFileError) {
    try self.init(try Snapshot(path: path, key: key))
  }

  /// The names of the app's classes.
  public var classNames: [String] {
    schema.objects.appClasses.map { schema.objects.classes[$0].name.text }
  }

  /// The objects of a class in the order of their keys; nil if the class does not exist.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  public func objects(ofClass name: String) throws(RealmFileError) -> RealmObjects? {
    guard let table = table(ofClass: name) else { return nil }
    return try RealmObjects(
      RealmSource(self, ObjectRequest(of: table.objectClass), classes: [table.position]))
  }
}

/// Reads the objects of a class one after another. Used by one thread.
public final class RealmObjects {
  public let objectClass: ObjectClass
  private let source: RealmSource
  private let cursor: RealmCursor
  private let parts: [ObjectPart]
  private var nextPart = 0
  private var batch: ObjectBatch?
  private var nextRow = 0

  init(_ source: RealmSource) throws(RealmFileError) {
    self.source = source
    objectClass = source.schema.classes[source.classes[0]]
    cursor = try source.makeCursor()
    parts = try source.parts()
  }

  /// The next object, or nil after the last one.
  ///
  /// - Throws: `damaged`, with class, property and object if they are known; `changedWhileReading` if another process
  ///   changed the file meanwhile. Up to 256 of the objects returned before can then belong to another version.
  public func next() throws(RealmFileError) -> RealmObject? {
    while true {
      if let batch, nextRow < batch.count {
        defer { nextRow += 1 }
        return RealmObject(
          realm: source.realm, objectClass: objectClass, batch: batch, row: nextRow)
      }
      // The objects in the current batch and in the next one belong to the version.
      batch = try source.realm.snapshot.proving(nextBatch)
      nextRow = 0
      guard batch != nil else { return nil }
    }
  }

  private func nextBatch() throws(RealmFileError) -> ObjectBatch? {
    while true {
      if nextPart > 0 {
        if let batch = try cursor.next() { return batch }
        try source.accept(cursor.close(), of: parts[nextPart - 1])
      }
      guard nextPart < parts.count else { return nil }
      cursor.open(parts[nextPart])
      nextPart += 1
    }
  }
}

/// An object of a realm. It stays readable as long as the program keeps it.
public struct RealmObject: Sendable {
  public let objectClass: ObjectClass
  let realm: Realm
  private let batch: ObjectBatch
  private let row: Int

  init(realm: Realm, objectClass: ObjectClass, batch: ObjectBatch, row: Int) {
    (self.realm, self.objectClass, self.batch, self.row) = (realm, objectClass, batch, row)
  }

  /// Key of the object in its realm.
  public var key: ObjectKey { batch.keys[row] }

  /// The value of a property. Links in it lead to their targets (``RealmLink/object``).
  ///
  /// - Returns: nil if the class has no such property.
  /// - Throws: the errors of reading a collection that is too large to be in memory; `changedWhileReading` if another
  ///   process changed the file, so that such a collection can no longer be read.
  public func value(of property: String) throws(RealmFileError) -> RealmValue? {
    guard let position = objectClass.position(ofPropertyNamed: property) else { return nil }
    return try batch.value(ofProperty: position, row: row).linked(in: realm)
  }
}
