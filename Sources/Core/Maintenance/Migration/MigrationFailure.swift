import RealmModel
import RealmQuery
import RealmStorage

/// Why a pass over the objects failed.
enum MigrationFailure: Error {
  case file(RealmFileError)
  case migration(MigrationError)
}

func inMigration<Value>(
  _ work: () throws(RealmFileError) -> Value
) throws(MigrationFailure) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw .file(error)
  }
}
