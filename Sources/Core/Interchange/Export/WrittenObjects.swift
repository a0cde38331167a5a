package import RealmModel

/// What an export wrote.
package struct WrittenObjects: Sendable {
  /// Objects of each class, in the order of the document.
  package var counts: [(objectClass: ObjectClass, objects: Int)]
  /// What the format could not hold.
  package var losses: FormatLosses
}
