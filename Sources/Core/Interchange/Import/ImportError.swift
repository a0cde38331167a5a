public import RealmBuilding
import RealmModel
public import RealmStorage

/// An error in imported data: what is wrong, and where.
public struct ImportError: PathError, Equatable, Sendable {
  /// What is wrong, with one case per action that the user can take.
  public enum Kind: Equatable, Sendable {
    /// The input cannot be read.
    case file(RealmFileError)
    /// The input has no values.
    case empty
    /// The input is not UTF-8; names the encoding found.
    case encoding(String)
    /// The input is not valid JSON; says why.
    case notJSON(String)
    /// The input ends too early; says what is missing.
    case truncated(String)
    /// The input is valid JSON or CSV but does not have the structure of its format; says how.
    case structure(String)
    /// The input is a realm, and JSON or CSV is expected.
    case isRealm
    /// The input is a patch, and objects are expected.
    case isPatch
    /// The input is not a patch.
    case notAPatch
    /// The input is a patch but does not have its structure; says how.
    case patch(String)
    /// An object is larger than an import accepts; names the limit.
    case tooLarge(String)
    /// The schema is invalid; says why.
    case schema(String)
    /// A value has the wrong type; names the expected one.
    case wrongType(expected: String)
    /// A null for a value that is not optional; names the expected type.
    case nullInRequired(expected: String)
    /// A number that the type cannot hold.
    case outOfRange(expected: String)
    /// A number that the type can hold only after rounding.
    case rounded(expected: String)
    /// A string or field that does not have the expected form.
    case invalidValue(expected: String)
    case unknownClass(String)
    /// A partial export refers to a class that it does not have.
    case classLeftOut(String)
    case unknownProperty(String)
    /// An object has no value for a required property.
    case missingProperty
    /// An object has two members with the same name.
    case duplicateMember(String)
    /// The number of objects differs from the number stated in the input.
    case wrongCount(stated: Int, found: Int)
    /// The realm that receives the objects already has an object with this identity.
    case exists(identity: String)
    /// Another object has the same primary key; `otherLine` is the line of that object, if it is known.
    case duplicatePrimaryKey(value: String, otherLine: Int?)
    /// A link to an object that does not exist.
    case missingTarget(className: String, identity: String)
    /// The objects cannot be stored in a realm.
    case build(BuildError)
    /// The user's request does not fit the input.
    case request(ImportRequestError)
  }

  public var kind: Kind
  /// Path as the user wrote it.
  public var path: String
  /// Byte offset in the input.
  public var offset: Int?
  /// Line, counted from 1.
  public var line: Int?
  /// Column in characters, counted from 1.
  public var column: Int?
  /// JSON pointer (RFC 6901) to the value. In line formats, the pointer starts at the line.
  public var pointer: String?
  /// Name of the class, if it is known.
  public var className: String?
  /// Name of the property, if it is known.
  public var property: String?
  /// The start of the wrong value.
  public var found: String?
  /// Further errors in the input, if the user asked for several.
  public var others: [ImportError] = []

  public init(
    _ kind: Kind, path: String = "", offset: Int? = nil, className: String? = nil,
    property: String? = nil
  ) {
    (self.kind, self.path, self.offset) = (kind, path, offset)
    (self.className, self.property) = (className, property)
  }
}

extension ImportError: CustomStringConvertible {
  /// One line: the path, the place in the input, and what is wrong.
  public var description: String {
    if case .file(let error) = kind { return error.description }
    return (path.isEmpty ? "" : "\(path): ") + place + problem
  }

  private var place: String {
    var parts: [String] = []
    if let line { parts.append("line \(line)" + (column.map { ", column \($0)" } ?? "")) }
    if let pointer, !pointer.isEmpty { parts.append(pointer) }
    if let className {
      parts.append("class \(className)" + (property.map { ".\($0)" } ?? ""))
    }
    return parts.isEmpty ? "" : parts.joined(separator: ", ") + ": "
  }

  private var problem: String {
    switch kind {
    case .file(let error): return error.description
    case .empty: return "the input is empty"
    case .encoding(let what): return "the input is \(what), expected UTF-8"
    case .notJSON(let why): return "this is not JSON: \(why)"
    case .truncated(let what): return "the input is incomplete: \(what)"
    case .structure(let why): return why
    case .isRealm: return "found a realm, expected JSON or CSV"
    case .isPatch: return "found a patch, expected objects"
    case .notAPatch: return "this is not a patch: its first line has no format realm-patch"
    case .patch(let why): return "the patch is wrong: \(why)"
    case .tooLarge(let limit): return "an object is too large: \(limit)"
    case .schema(let why): return "the schema is wrong: \(why)"
    case .wrongType(let expected), .invalidValue(let expected):
      return (found.map { "found \($0), " } ?? "") + "expected \(expected)"
    case .nullInRequired(let expected):
      return "found null, expected \(expected); the property is not optional"
    case .outOfRange(let expected), .rounded(let expected):
      return "\(found ?? "the number") does not fit, expected \(expected)"
    case .unknownClass(let name): return "the schema has no class named \(name)"
    case .classLeftOut(let name):
      return "the partial export has a link to class \(name), but not the class"
    case .unknownProperty(let name): return "the class has no property named \(name)"
    case .missingProperty: return "the property has no value and is not optional"
    case .duplicateMember(let name): return "the object has two members named \(name)"
    case .wrongCount(let stated, let found):
      return "the last line states \(stated) objects, but there are \(found)"
    case .exists(let identity): return "the realm already has this object: \(identity)"
    case .duplicatePrimaryKey(let value, let line):
      return "the primary key \(value) occurs twice"
        + (line.map { ", first in line \($0)" } ?? "")
    case .missingTarget(let name, let identity):
      return "the link refers to the \(name) \(identity), which does not exist"
    case .build(let error): return error.description
    case .request(let error): return error.description
    }
  }
}

/// A request of the user that does not fit the input.
public enum ImportRequestError: Error, Equatable, Sendable {
  /// Neither the input nor the user names the class of the objects.
  case unnamedClass
  /// The user names a class, but the input already names its classes.
  case classesAreNamed
  /// The user gives a schema or options for an inferred schema, but the input contains a schema.
  case hasSchema
  /// A folder without files to import.
  case noFiles
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
    case .unnamedClass: "the input does not name the class of its objects"
    case .classesAreNamed: "the input already names the classes of its objects"
    case .hasSchema: "the input has its own schema"
    case .noFiles: "the folder has no JSON or CSV files"
    case .noSuchProperty(let name): "no class has a property named \(name)"
    case .notAKey(let name, let type):
      "the property \(name) is of type \(type); a primary key is an int, string, objectId or uuid"
    case .notIndexable(let name, let type):
      "the property \(name) is of type \(type), which cannot have an index"
    }
  }
}
