public import RealmBuilding
import RealmModel
public import RealmStorage

/// Why a migration failed at the objects of a realm.
public struct MigrationError: PathError, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// A step cannot give an object its value; the string says why.
    case value(String)
    /// A step gives null to a property that is not optional; the string says so.
    case null(String)
    /// Objects have the same primary key; each string is a key with its objects.
    case duplicates([String])
    /// A mixed value links to an object that would become embedded.
    case mixedLink
    /// Objects that would become embedded have too many elements; the string says which.
    case tooMany(String)
    /// Objects that would become embedded would be nested deeper than this number of levels.
    case tooDeep(Int)
    /// The new realm cannot hold the objects.
    case build(BuildError)
  }

  public var kind: Kind
  /// Path of the realm as the user wrote it.
  public var path: String
  /// The step of a plan that failed, by the name that reports use; nil without a plan.
  public var step: String?
  public var className: String?
  public var property: String?
  /// The primary key of the object; its object key if the class has no primary key.
  public var identity: String?
  public var objectKey: Int64?
  /// Further errors of the same kind.
  public var others: [MigrationError] = []

  public init(_ kind: Kind, path: String = "", className: String? = nil) {
    (self.kind, self.path, self.className) = (kind, path, className)
  }
}

extension MigrationError: CustomStringConvertible {
  /// One line: the path, the step, the object, and what is wrong.
  public var description: String {
    // The name of the step contains the class and the property.
    let subject = step ?? className.map { "class \($0)" + (property.map { ".\($0)" } ?? "") }
    let place = [subject, identity.map { "object \($0)" }].compactMap(\.self)
      .joined(separator: ", ")
    return (path.isEmpty ? "" : "\(path): ") + (place.isEmpty ? "" : place + ": ") + problem
  }

  private var problem: String {
    switch kind {
    case .value(let problem), .null(let problem), .tooMany(let problem): problem
    case .duplicates(let values):
      "objects have the same primary key: \(values.joined(separator: "; "))"
    case .tooDeep(let limit):
      "objects of the class would be nested more than \(limit) levels deep"
    case .mixedLink:
      "a mixed value links to an object of the class, so the class cannot become embedded"
    case .build(let error): error.description
    }
  }
}

/// Why a pass over the objects failed.
enum MigrationFailure: Error {
  case file(RealmFileError)
  case migration(MigrationError)

  /// The error itself.
  var cause: any Error {
    switch self {
    case .file(let error): error
    case .migration(let error): error
    }
  }
}

extension RoadError where SourceFailure == MigrationFailure {
  /// The error of either side.
  var cause: any Error {
    switch self {
    case .source(let failure): failure.cause
    case .sink(let error): error
    }
  }
}

/// Evaluates `work`, and converts its errors.
@discardableResult
func inMigration<Value>(
  _ work: @autoclosure () throws(RealmFileError) -> Value
) throws(MigrationFailure) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw .file(error)
  }
}
