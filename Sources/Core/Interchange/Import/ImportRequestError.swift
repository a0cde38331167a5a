/// A request of the user that does not fit the text.
public enum ImportRequestError: Error, Equatable, Sendable {
  /// Neither the text nor the user names the class of the objects.
  case unnamedClass
  /// The user names a class, but the text names its classes itself.
  case classesAreNamed
  /// The user gives a schema, or options of an inferred schema, but the text contains a schema.
  case hasSchema
  /// A folder without texts; contains the path.
  case noTexts
  /// No class of the inferred schema has this property.
  case noSuchProperty(String)
  /// The property cannot be a primary key; `type` is its type.
  case notAKey(String, type: String)
  /// The property cannot have an index; `type` is its type.
  case notIndexable(String, type: String)
}

extension ImportRequestError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unnamedClass: "the text does not name the class of its objects"
    case .classesAreNamed: "the text names the classes of its objects itself"
    case .hasSchema: "the text has a schema of its own"
    case .noTexts: "the folder has no files of JSON or CSV"
    case .noSuchProperty(let name): "no class has a property named \(name)"
    case .notAKey(let name, let type):
      "the property \(name) is of the type \(type); a primary key is an int, string, objectId or uuid"
    case .notIndexable(let name, let type):
      "the property \(name) is of the type \(type), which cannot have an index"
    }
  }
}
