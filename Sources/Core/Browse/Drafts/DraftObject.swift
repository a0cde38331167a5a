package import RealmInterchange
package import RealmModel

/// How a draft names an object.
struct DraftAddress: Hashable, Sendable {
  var classPosition: Int
  /// The primary key; the object key for a class without one.
  var identity: RealmValue
}

/// An object that a draft changes.
package struct DraftObject: Sendable {
  package enum Kind: String, Sendable { case added, changed, removed }

  let address: DraftAddress
  package let kind: Kind
  /// The key of the stored object; of an added one, a key that no object has, for its page.
  package let key: ObjectKey
  /// The values before, by position of the property, without the primary key: those that change, or all of a removed object.
  package let old: [Int: RealmValue]
  /// The values after: those that change, or all of an added object.
  package let new: [Int: RealmValue]
  /// The object in row 0, as it is after the changes, or as it was if it is removed. Nil if the realm does not have it any
  /// more.
  let batch: ObjectBatch?
  /// Bytes of the line in a patch.
  let byteCount: Int

  package var classPosition: Int { address.classPosition }
  package var identity: RealmValue { address.identity }

  /// The change as a line of a patch.
  package var line: PatchLine {
    PatchLine(
      classPosition: classPosition, identity: identity, old: kind == .added ? nil : old,
      new: kind == .removed ? nil : new)
  }
}
