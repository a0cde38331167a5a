package import RealmBuilding
package import RealmModel

/// An object that a changeset creates or changes.
package struct ChangedObject {
  let batch: ObjectBatch
  let row: Int
  /// Whether the realm did not have the object before.
  let isNew: Bool
  private let values: (Int) -> (values: ColumnValues, row: Int)?

  /// A new object with all values of the batch.
  package init(_ batch: ObjectBatch, row: Int) {
    (self.batch, self.row, isNew) = (batch, row, true)
    values = { property in batch.columns[property].map { ($0, row) } }
  }

  /// An object that is added to a realm.
  package init(_ objects: AddedObjects, row: Int) {
    (batch, self.row, isNew) = (objects.batch, row, objects.areNew)
    values = { objects.values(ofProperty: $0, row: row) }
  }

  /// Whether a collection of the object comes in runs.
  var isLarge: Bool { batch.columns.contains { $0?.hasRuns ?? false } }

  /// Where the value of a property is; nil for a property that the changeset leaves alone.
  func values(ofProperty property: Int) -> (values: ColumnValues, row: Int)? { values(property) }
}
