public import RealmBuilding
import RealmModel
public import RealmStorage

/// Why the objects of a realm cannot be migrated.
public struct MigrationError: PathError, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// A value that a step cannot give an object; the text says why, with values.
    case value(String)
    /// Objects with the same primary key, each with its value.
    case duplicates([String])
    /// An object that would become embedded is the target of a link in a mixed value.
    case mixedLink
    /// Objects that would become embedded have too many elements; the text says which.
    case tooMany(String)
    /// Objects that would become embedded would be nested too deep, with the most levels.
    case tooDeep(Int)
    /// The new realm cannot hold the objects.
    case build(BuildError)
  }

  public var kind: Kind
  /// Path of the realm as the user wrote it.
  public var path: String
  /// The step that failed, as reports name it; nil if it is unknown.
  public var step: String?
  public var className: String?
  public var property: String?
  /// The primary key of the object, or its object key if the class has no primary key.
  public var identity: String?
  public var objectKey: Int64?

  public init(_ kind: Kind, path: String = "", className: String? = nil) {
    (self.kind, self.path, self.className) = (kind, path, className)
  }
}

extension MigrationError: CustomStringConvertible {
  /// One line: the path, the step, the object, and what is wrong.
  public var description: String {
    // The step names the class and the property.
    let subject = step ?? className.map { "class \($0)" + (property.map { ".\($0)" } ?? "") }
    let place = [subject, identity.map { "object \($0)" }].compactMap(\.self)
      .joined(separator: ", ")
    return (path.isEmpty ? "" : "\(path): ") + (place.isEmpty ? "" : place + ": ") + problem
  }

  private var problem: String {
    switch kind {
    case .value(let problem), .tooMany(let problem): problem
    case .duplicates(let values):
      "objects have the same primary key: \(values.joined(separator: "; "))"
    case .tooDeep(let limit):
      "objects of the class would be nested more than \(limit) levels deep"
    case .mixedLink:
      "a link in a mixed value leads to an object of the class, so the class cannot become embedded"
    case .build(let error): error.description
    }
  }
}
