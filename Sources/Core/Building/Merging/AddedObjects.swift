package import RealmModel
package import RealmStorage

/// A batch of added objects, for code that records the changes.
package struct AddedObjects {
  /// The objects, with the class positions of the result and without keys. Only
  /// ``values(ofProperty:row:)`` gives the right values.
  package let batch: ObjectBatch
  /// Whether the objects are new in the realm.
  package let areNew: Bool
  private let marks: [AddedMark?]
  private let objectClass: ObjectClass
  private let mode: MergeRequest.Mode

  fileprivate init(
    _ fetched: MergeCursor.Fetched, areNew: Bool, _ objectClass: ObjectClass,
    _ mode: MergeRequest.Mode
  ) {
    (batch, marks) = (fetched.objects, fetched.marks)
    (self.areNew, self.objectClass, self.mode) = (areNew, objectClass, mode)
  }

  /// The place of the new value of a property; nil if the object keeps its value.
  package func values(
    ofProperty position: Int, row: Int
  ) -> (values: ColumnValues, row: Int)? {
    let property = objectClass.properties[position]
    guard marks[row]?.contains(position) == true else {
      return batch.columns[position].map { ($0, row) }
    }
    if !areNew, mode.keepsValues { return nil }
    return (property.defaultValues(count: 1), 0)
  }
}

extension MergedSource {
  /// Passes the added objects to `body` class by class, first those that the realm has.
  ///
  /// Every class with added objects must have a primary key.
  ///
  /// - Throws: the errors of reading both realms; the errors of `body`.
  package func forEachAdded(
    _ body: (AddedObjects) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    let cursor = try MergeCursor(self, isForHistory: true)
    for (position, plan) in addedPlans.sorted(by: { $0.key < $1.key }) {
      guard let table = input.addedTables[position] else { continue }
      let objectClass = schema.classes[position]
      // With a primary key, the objects that replace others come first.
      for (keys, areNew) in [
        (plan.added[..<plan.replacingCount], false), (plan.added[plan.replacingCount...], true),
      ] {
        var left = keys
        while !left.isEmpty {
          let some = try cursor.fetch(Array(left.prefix(ObjectBatch.capacity)), table)
          left = left.dropFirst(some.objects.count)
          try body(AddedObjects(some, areNew: areNew, objectClass, request.mode))
        }
      }
    }
  }
}

/// The properties for which an added object has no value, stored in the last property of its class.
///
/// ```
/// bit i   the object has no value for property i
/// ```
package struct AddedMark: Sendable {
  private var bytes: [UInt8]

  package init(propertyCount: Int) {
    bytes = Array(repeating: 0, count: (propertyCount + 7) / 8)
  }

  private init(_ bytes: ByteSlice) { self.bytes = bytes.bytes }

  /// The marks of staged objects; nil for an object with values for all properties.
  package static func marks(of objects: ObjectBatch) -> [AddedMark?] {
    guard case .scalar(.binary(let stored))? = objects.columns.last ?? nil else {
      return Array(repeating: nil, count: objects.count)
    }
    return stored.map { $0.map { AddedMark($0) } }
  }

  package mutating func insert(_ bit: Int) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }

  /// Inserts the bits of another mark of the same class.
  mutating func formUnion(_ other: AddedMark) {
    for i in bytes.indices { bytes[i] |= other.bytes[i] }
  }

  package func contains(_ bit: Int) -> Bool { bytes[bit / 8] >> UInt8(bit % 8) & 1 != 0 }

  /// The value to store; nil if the object has values for all properties.
  package var stored: [UInt8]? { bytes.allSatisfy { $0 == 0 } ? nil : bytes }
}
