/// What the user asked of an import that the text does not go with.
public enum ImportRequestError: Error, Equatable, Sendable {
  /// Neither the text nor the user says which class the objects are of.
  case unnamedClass
  /// The user names a class, but the text does so itself.
  case classesAreNamed
  /// The user gives a schema, or what an inferred schema is to have, but the text has a schema.
  case hasSchema
  /// The path of a folder without any text.
  case noTexts
  /// No class of the inferred schema has the property.
  case noSuchProperty(String)
  /// The property cannot be a primary key; its type.
  case notAKey(String, type: String)
  /// The property cannot have an index; its type.
  case notIndexable(String, type: String)
}

extension ImportRequestError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unnamedClass: "the text does not say of which class its objects are"
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
