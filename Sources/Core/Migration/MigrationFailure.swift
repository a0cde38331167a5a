import RealmModel
import RealmQuery
import RealmStorage

/// Why a pass over the objects failed.
enum MigrationFailure: Error {
  case file(RealmFileError)
  case migration(MigrationError)

  /// The error itself, for code that works in several domains.
  var cause: any Error {
    switch self {
    case .file(let error): error
    case .migration(let error): error
    }
  }
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
