import RealmBuilding
import RealmModel
import RealmStorage

extension MigrationStage {
  /// The objects that change: those that the stage deletes, those that link to them, and those that get new values.
  ///
  /// - Parameter deleted: the keys of the objects that the deletions found, by number of the step.
  /// - Returns: the keys by position of the class; nil if the stage changes something else, or objects that are not known
  ///   before they are read.
  /// - Throws: the errors of reading the backlinks.
  func changedKeys(
    of realm: Realm, _ deleted: [Int: KeyList]
  ) throws(RealmFileError) -> [Int: [ObjectKey]]? {
    let old = realm.schema.objects.classes
    guard !operations.isEmpty, draft.classes.count == old.count else { return nil }
    var changed: [Int: Set<ObjectKey>] = [:]
    for (position, objectClass) in old.enumerated() {
      var written = Set<Int>()
      for operation in operations[position] ?? [] {
        switch operation.change {
        case .delete: continue
        case .set(where: .keys(let keys), let values) where !operation.givesMixedValues:
          changed[position, default: []].formUnion(keys.keys.map { ObjectKey($0) })
          written.formUnion(values.map(\.position))
        default: return nil
        }
      }
      guard draft.classes[position]?.keepsTable(of: objectClass, changing: written) == true,
        objectClass.primaryKey.map(written.contains) != true
      else { return nil }
    }
    for deletion in deletions {
      guard let keys = deleted[deletion.step], !keys.keys.isEmpty else { continue }
      let table = realm.schema.tables[deletion.classPosition]
      changed[table.position, default: []].formUnion(keys.keys.map { ObjectKey($0) })
      try addOrigins(ofLinksTo: keys, in: table, of: realm, to: &changed)
    }
    return changed.mapValues { Array($0) }
  }

  private func addOrigins(
    ofLinksTo keys: KeyList, in table: Table, of realm: Realm,
    to changed: inout [Int: Set<ObjectKey>]
  ) throws(RealmFileError) {
    let reader = try PropertyReader(realm)
    for start in stride(from: 0, to: keys.keys.count, by: ObjectBatch.capacity) {
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let some = keys.keys[start...].prefix(ObjectBatch.capacity).map { ObjectKey($0) }
      let rows = try reader.rows(some, of: table)
      for column in table.backlinkColumns {
        guard let origin = realm.schema.table(column.origin) else { continue }
        let origins = try reader.backlinks(column, rows, limit: .max)?.keys ?? []
        if !origins.isEmpty { changed[origin.position, default: []].formUnion(origins) }
      }
    }
  }
}
