import RealmModel
import RealmStorage

/// Writes the identities of objects, one per line, in the form of Realm JSON. Used by one thread.
final class IdentityWriter {
  private let writer: ObjectTextWriter<RealmJSONStyle>
  private let schema: ObjectSchema

  init(_ schema: ObjectSchema) {
    self.schema = schema
    writer = ObjectTextWriter(RealmJSONStyle(), schema: schema)
  }

  /// Appends the primary keys of the objects of `batch`, or their object keys if the class has no primary
  /// key.
  ///
  /// - Throws: the errors of reading a batch.
  func append(_ batch: ObjectBatch, to target: inout TextTarget) throws(RealmFileError) {
    let objectClass = schema.classes[batch.classPosition]
    let primaryKey = objectClass.primaryKey
    for row in 0..<batch.count {
      if let primaryKey, let column = batch.columns[primaryKey] {
        _ = try writer.append(
          column, row..<(row + 1), of: objectClass.properties[primaryKey], prefix: writer.nothing,
          to: &target)
      } else if row < batch.keys.count {
        target.text.append(decimal: batch.keys[row].raw)
      }
      target.text.append("\n")
      target.relieve()
    }
  }
}
