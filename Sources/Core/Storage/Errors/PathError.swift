/// An error about a file. Code that knows the path adds it.
///
/// Each domain has its own error type: ``RealmFileError`` for realm files, ``KeyError`` for keys, and others in
/// the modules above. Code that works in one domain throws its type; a job works in several and throws any of
/// them.
public protocol PathError: Error {
  /// The file that the error is about, as the user wrote it; empty if unknown.
  var path: String { get set }
}

extension Error {
  /// The file that the error is about; empty if there is none or it is unknown.
  package var path: String { (self as? any PathError)?.path ?? "" }

  /// The same error about the file at `path`, if it is about a file.
  package func with(path: String) -> any Error {
    guard var error = self as? any PathError else { return self }
    error.path = path
    return error
  }

  /// The same error with the path, if it has none yet.
  package func adding(path: String) -> any Error {
    self.path.isEmpty ? with(path: path) : self
  }

  /// The kind of a ``RealmFileError``; nil for errors of other domains.
  package var fileKind: RealmFileError.Kind? { (self as? RealmFileError)?.kind }
}
