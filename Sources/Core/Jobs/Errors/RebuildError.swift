public import RealmBuilding
import RealmModel
public import RealmStorage

/// Why the objects of a realm cannot become a new realm.
public struct RebuildError: PathError, Equatable, Sendable {
  public var error: BuildError
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(_ error: BuildError, path: String = "") { (self.error, self.path) = (error, path) }
}

extension RebuildError: CustomStringConvertible {
  /// One line: the path, the place, and what is wrong.
  public var description: String { (path.isEmpty ? "" : "\(path): ") + error.description }
}

extension RebuildError {
  /// An error of the builder about objects that came from a realm: a ``RealmFileError`` if the files
  /// caused it, otherwise a ``RebuildError``.
  static func cause(_ error: BuildError) -> any Error {
    if case .file(let error) = error.kind { error } else { RebuildError(error) }
  }
}
