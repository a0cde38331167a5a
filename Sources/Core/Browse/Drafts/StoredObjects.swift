import RealmInterchange
import RealmModel
import RealmStorage

/// Finds and reads stored objects for a draft. Used by one thread.
struct StoredObjects {
  private let view: RealmView
  private let fetcher: ObjectFetcher

  /// - Throws: the errors of an encrypted realm.
  init(_ view: RealmView) throws(RealmFileError) {
    self.view = view
    fetcher = try ObjectFetcher(view.realm)
  }

  /// The key of the object with an identity; nil if the realm does not have it.
  ///
  /// - Throws: the errors of reading.
  func key(_ address: DraftAddress) throws(RealmFileError) -> ObjectKey? {
    let owner = view.schema.classes[address.classPosition]
    guard owner.primaryKey == nil else {
      return try view.realm.object(
        ofClassAt: address.classPosition, primaryKey: address.identity)?.key
    }
    guard let raw = address.identity.int, raw >= 0 else { return nil }
    return try contains(ObjectKey(raw), address.classPosition) ? ObjectKey(raw) : nil
  }

  func contains(_ key: ObjectKey, _ classPosition: Int) throws(RealmFileError) -> Bool {
    try fetcher.contains(key, of: view.table(classPosition))
  }

  /// The identity of the stored object with a key.
  func address(_ key: ObjectKey, _ classPosition: Int) throws(RealmFileError) -> DraftAddress {
    guard let primaryKey = view.schema.classes[classPosition].primaryKey else {
      return DraftAddress(classPosition: classPosition, identity: .int(key.raw))
    }
    return DraftAddress(
      classPosition: classPosition,
      identity: try object(key, classPosition).value(ofProperty: primaryKey, row: 0))
  }

  /// The object with a key, with all its values, in row 0.
  func object(_ key: ObjectKey, _ classPosition: Int) throws(RealmFileError) -> ObjectBatch {
    try fetcher.fetch([key], of: view.table(classPosition))
  }

  /// A value of an object, in the form that values of drafts have.
  func value(
    _ property: Int, of batch: ObjectBatch
  ) throws(RealmFileError) -> RealmValue {
    try batch.value(ofProperty: property, row: 0).withoutKeysOfNamedLinks
  }

  /// The first key of a class from which on no object has one.
  func freeKey(_ classPosition: Int) throws(RealmFileError) -> Int64 {
    let table = view.table(classPosition)
    guard table.objectCount > 0 else { return 0 }
    let last = try PropertyReader(view.realm).keys(
      ofObjects: (table.objectCount - 1)..<table.objectCount, of: table)
    return (last.last?.raw ?? -1) + 1
  }
}
