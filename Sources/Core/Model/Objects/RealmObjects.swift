public import RealmStorage

/// Reads the objects of a class one after another. Used by one thread.
public final class RealmObjects {
  public let objectClass: ObjectClass
  private let realm: any OpenRealm
  private let nextBatch: () throws(RealmFileError) -> ObjectBatch?
  private var batch: BatchOfRealm?
  private var nextRow = 0

  /// - Parameter source: the objects of a single class of `realm`.
  package init<Source: RealmObjectSource>(
    _ source: Source, of realm: any OpenRealm
  ) throws(RealmFileError) {
    self.realm = realm
    objectClass = source.schema.classes[source.classes[0]]
    let batches = try Batches(source)
    nextBatch = { () throws(RealmFileError) in try batches.next() }
  }

  /// The next object, or nil after the last one.
  ///
  /// - Throws: `damaged`, with class, property and object if they are known; `changedWhileReading` if another process
  ///   changed the file meanwhile. Up to 256 of the objects returned before can then belong to another version.
  public func next() throws(RealmFileError) -> RealmObject? {
    while true {
      if let batch, nextRow < batch.objects.count {
        defer { nextRow += 1 }
        return RealmObject(batch, row: nextRow)
      }
      // The objects in the current batch and in the next one belong to the version.
      batch = try realm.snapshot.proving(nextBatch).map { BatchOfRealm(realm, objectClass, $0) }
      nextRow = 0
      guard batch != nil else { return nil }
    }
  }
}

/// Reads all parts of a source one after another.
private final class Batches<Source: RealmObjectSource> {
  private let source: Source
  private var cursor: Source.Cursor
  private let parts: [ObjectPart]
  private var nextPart = 0

  init(_ source: Source) throws(RealmFileError) {
    self.source = source
    cursor = try source.makeCursor()
    parts = try source.parts()
  }

  func next() throws(RealmFileError) -> ObjectBatch? {
    while true {
      if nextPart > 0 {
        if let batch = try cursor.next() { return batch }
        try source.accept(cursor.close(), of: parts[nextPart - 1])
      }
      guard nextPart < parts.count else { return nil }
      try cursor.open(parts[nextPart])
      nextPart += 1
    }
  }
}

/// Some objects of a class, and their realm. Copies of an object share it.
private final class BatchOfRealm: Sendable {
  let realm: any OpenRealm
  let objectClass: ObjectClass
  let objects: ObjectBatch

  init(_ realm: any OpenRealm, _ objectClass: ObjectClass, _ objects: ObjectBatch) {
    (self.realm, self.objectClass, self.objects) = (realm, objectClass, objects)
  }
}

/// An object of a realm. It stays readable as long as the program keeps it.
public struct RealmObject: Sendable {
  private let batch: BatchOfRealm
  private let row: Int

  package init(realm: any OpenRealm, objectClass: ObjectClass, batch: ObjectBatch, row: Int) {
    self.init(BatchOfRealm(realm, objectClass, batch), row: row)
  }

  fileprivate init(_ batch: BatchOfRealm, row: Int) { (self.batch, self.row) = (batch, row) }

  public var objectClass: ObjectClass { batch.objectClass }

  /// Key of the object in its realm. In formats 2 to 9, it is the row.
  public var key: ObjectKey { batch.objects.keys[row] }

  var realm: any OpenRealm { batch.realm }

  /// Position of the class in the schema.
  var classPosition: Int { batch.objects.classPosition }

  /// The value of a property. Links in it lead to their targets (``RealmLink/object``).
  ///
  /// - Returns: nil if the class has no such property.
  /// - Throws: the errors of reading a collection that is too large to be in memory; `changedWhileReading` if another
  ///   process changed the file, so that such a collection can no longer be read.
  public func value(of property: String) throws(RealmFileError) -> RealmValue? {
    guard let position = objectClass.position(ofPropertyNamed: property) else { return nil }
    return try value(at: position)
  }

  /// The value of the property at `position` in the class.
  package func value(at position: Int) throws(RealmFileError) -> RealmValue {
    try batch.objects.value(ofProperty: position, row: row).linked(in: realm)
  }
}
