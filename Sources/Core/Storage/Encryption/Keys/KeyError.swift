/// Why no key is available to open or write a realm.
public struct KeyError: PathError, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The file with the key does not exist or cannot be read.
    case unreadable(SystemError)
    /// The content is not a key. The string says what was found, without quoting it.
    case unusable(String)
    /// The source of the key, such as a password manager, failed; the string says why.
    case sourceFailed(String)
    /// The system has no random numbers for a new key.
    case noRandomNumbers
  }

  public var kind: Kind
  /// The key file, or the realm that needs the key; empty if neither is known.
  public var path: String

  public init(_ kind: Kind, path: String = "") {
    self.kind = kind
    self.path = path
  }

  /// The same error with the path, if it has none yet.
  public func adding(path: String) -> KeyError {
    self.path.isEmpty ? KeyError(kind, path: path) : self
  }
}

extension KeyError: CustomStringConvertible {
  /// One line: the path, and what is wrong with the key.
  public var description: String { (path.isEmpty ? "" : "\(path): ") + problem }

  private var problem: String {
    switch kind {
    case .unreadable(let error): error.description
    case .unusable(let why): "unusable key: \(why)"
    case .sourceFailed(let why): "no key: \(why)"
    case .noRandomNumbers: "the system has no random numbers for a key"
    }
  }
}
