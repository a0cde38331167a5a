public import RealmModel

/// Why the objects of a realm cannot become a new realm.
public struct RebuildError: Error, Equatable, Sendable {
  public var error: BuildError
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(_ error: BuildError, path: String = "") { (self.error, self.path) = (error, path) }
}

extension RebuildError: CustomStringConvertible {
  /// One line: the path, the place, and what is wrong.
  public var description: String { (path.isEmpty ? "" : "\(path): ") + error.description }
}

extension JobError {
  /// An error of the builder about objects that came from a realm.
  init(_ error: BuildError) {
    if case .file(let error) = error.kind {
      self = .file(error)
    } else {
      self = .rebuild(RebuildError(error))
    }
  }
}
