public import RealmModel
public import RealmStorage

/// Why a text does not become objects: what is wrong, and where.
public struct ImportError: Error, Equatable, Sendable {
  /// What is wrong, one case for each thing that the user can do about it.
  public enum Kind: Equatable, Sendable {
    /// The input cannot be read.
    case file(RealmFileError)
    /// The text has no values.
    case empty
    /// The text is not UTF-8; what it is instead.
    case encoding(String)
    /// The text is not JSON; why.
    case notJSON(String)
    /// The text ends too early; what is missing.
    case truncated(String)
    /// The text is JSON or CSV, but has another form than that of its format; how.
    case structure(String)
    /// One object is larger than an import takes; the limit.
    case tooLarge(String)
    /// The schema is not one; why.
    case schema(String)
    /// A value of another type; what is expected.
    case wrongType(expected: String)
    /// Null for a value that is not optional; what is expected.
    case nullInRequired(expected: String)
    /// A number that the type has no room for.
    case outOfRange(expected: String)
    /// Text that is not of the expected form.
    case invalidValue(expected: String)
    case unknownClass(String)
    case unknownProperty(String)
    /// A required property without a value.
    case missingProperty
    /// An object with two members of one name.
    case duplicateMember(String)
    /// The number of objects is not the one that the text states.
    case wrongCount(stated: Int, found: Int)
    /// The realm that the objects are added to has an object of this identity.
    case exists(identity: String)
    /// Another object has the same primary key; the line of that one, where it is known.
    case duplicatePrimaryKey(value: String, otherLine: Int?)
    /// A link to an object that does not exist.
    case missingTarget(className: String, identity: String)
    /// The objects cannot be a realm.
    case build(BuildError)
    /// What the user asked for does not go with the text.
    case request(ImportRequestError)
  }

  public var kind: Kind
  /// Path as the user wrote it.
  public var path: String
  /// Byte offset in the text.
  public var offset: Int?
  /// From 1 on.
  public var line: Int?
  /// From 1 on, in characters.
  public var column: Int?
  /// JSON pointer (RFC 6901) to the value; in texts of lines, from the line on.
  public var pointer: String?
  /// Name of the class, as far as it is known.
  public var className: String?
  /// Name of the property, as far as it is known.
  public var property: String?
  /// The start of the text that is wrong.
  public var found: String?
  /// What else is wrong with the text, where that was asked for.
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
  /// One line: the path, the place in the text, and what is wrong there.
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
    let instead = found.map { ", not \($0)" } ?? ""
    switch kind {
    case .file(let error): return error.description
    case .empty: return "the text is empty"
    case .encoding(let what): return "the text is \(what); UTF-8 is expected"
    case .notJSON(let why): return "this is not JSON: \(why)"
    case .truncated(let what): return "the text is incomplete: \(what)"
    case .structure(let why): return why
    case .tooLarge(let limit): return "an object is too large: \(limit)"
    case .schema(let why): return "the schema is wrong: \(why)"
    case .wrongType(let expected): return "\(expected) is expected" + instead
    case .nullInRequired(let expected):
      return "\(expected) is expected, not null; the property is not optional"
    case .outOfRange(let expected):
      return "\(found ?? "the number") does not fit: \(expected) is expected"
    case .invalidValue(let expected): return "\(expected) is expected" + instead
    case .unknownClass(let name): return "the schema has no class named \(name)"
    case .unknownProperty(let name): return "the class has no property named \(name)"
    case .missingProperty: return "the property has no value, and is not optional"
    case .duplicateMember(let name): return "the object has two members named \(name)"
    case .wrongCount(let stated, let found):
      return "the last line states \(stated) objects, but there are \(found)"
    case .exists(let identity): return "the realm has this object already: \(identity)"
    case .duplicatePrimaryKey(let value, let line):
      return "the primary key \(value) is there twice"
        + (line.map { ", first in line \($0)" } ?? "")
    case .missingTarget(let name, let identity):
      return "the link leads to the \(name) \(identity), which does not exist"
    case .build(let error): return error.description
    case .request(let error): return error.description
    }
  }
}
