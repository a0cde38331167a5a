import RealmBuilding
import RealmMigration
import RealmModel
import RealmStorage

/// The deletion of objects, together with the embedded objects in them, as steps of a migration.
struct DeletionSteps {
  /// The objects, by position of their class, with the embedded objects in them.
  let deleted: [Int: KeyList]
  /// The first steps are about the classes of the objects, in ascending order of their positions.
  let steps: [MigrationStep]

  /// - Parameter objects: the keys of the objects, by position of their class.
  /// - Throws: `damaged`; the errors of an encrypted realm.
  init(of objects: [Int: KeyList], in realm: Realm) throws(RealmFileError) {
    var deleted = objects
    for (position, keys) in objects {
      for (inner, owned) in try OwnedObjects(realm).find(in: keys, ofClass: position) {
        deleted[inner] = owned.union(deleted[inner] ?? KeyList())
      }
    }
    self.deleted = deleted
    let others = deleted.keys.filter { objects[$0] == nil }.sorted()
    steps = (objects.keys.sorted() + others).map { position in
      MigrationStep.deleteObjects(
        of: realm.schema.objects.classes[position].name, deleted[position] ?? KeyList())
    }
  }
}
