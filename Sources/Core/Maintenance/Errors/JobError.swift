public import RealmInterchange
public import RealmStorage

/// Why a job failed: an error of one domain.
///
/// A new domain needs a type with its facts and sentences in its own file, and a case here. The
/// compiler then reports the tables in Commands that need a row for it.
public enum JobError: Error, Equatable, Sendable {
  /// An error of reading or writing a realm file.
  case file(RealmFileError)
  case key(KeyError)
  case request(RequestError)
  case archive(ArchiveError)
  /// A text that does not become objects.
  case text(ImportError)
  /// A query, or a path of properties, that has no meaning for the realm.
  case query(QueryTextError)
  /// Objects of a realm that do not become a new realm.
  case rebuild(RebuildError)
  /// A migration plan that cannot be applied.
  case plan(PlanError)
  /// Objects that a migration cannot change.
  case migration(MigrationError)

  /// The kind of a ``file(_:)`` error; nil for the other domains.
  public var fileKind: RealmFileError.Kind? {
    if case .file(let error) = self { error.kind } else { nil }
  }

  /// The file that the error is about; empty if unknown.
  public var path: String {
    get {
      switch self {
      case .file(let error): error.path
      case .key(let error): error.path
      case .request(let error): error.path
      case .archive(let error): error.path
      case .text(let error): error.path
      case .query(let error): error.path
      case .rebuild(let error): error.path
      case .plan(let error): error.path
      case .migration(let error): error.path
      }
    }
    set {
      switch self {
      case .file(var error):
        error.path = newValue
        self = .file(error)
      case .key(var error):
        error.path = newValue
        self = .key(error)
      case .request(var error):
        error.path = newValue
        self = .request(error)
      case .archive(var error):
        error.path = newValue
        self = .archive(error)
      case .text(var error):
        error.path = newValue
        self = .text(error)
      case .query(var error):
        error.path = newValue
        self = .query(error)
      case .rebuild(var error):
        error.path = newValue
        self = .rebuild(error)
      case .plan(var error):
        error.path = newValue
        self = .plan(error)
      case .migration(var error):
        error.path = newValue
        self = .migration(error)
      }
    }
  }

  /// The same error with the path, if it has none yet.
  public func adding(path: String) -> JobError {
    var error = self
    if error.path.isEmpty { error.path = path }
    return error
  }
}

extension JobError: CustomStringConvertible {
  /// One line: the place and the problem.
  public var description: String {
    switch self {
    case .file(let error): error.description
    case .key(let error): error.description
    case .request(let error): error.description
    case .archive(let error): error.description
    case .text(let error): error.description
    case .query(let error): error.description
    case .rebuild(let error): error.description
    case .plan(let error): error.description
    case .migration(let error): error.description
    }
  }
}

/// Runs `work` as a part of a job: its errors become ``JobError/file(_:)``.
package func inJob<Value>(
  _ work: @autoclosure () throws(RealmFileError) -> Value
) throws(JobError) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw .file(error)
  }
}
