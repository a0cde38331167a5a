public import RealmModel
public import RealmStorage

/// Why objects cannot become a realm.
public struct BuildError: Error, Equatable, Sendable {
  /// What is wrong: one case per action that the user can take.
  public enum Kind: Equatable, Sendable {
    /// The realm cannot be written, or a collection of the source cannot be read.
    case file(RealmFileError)
    /// A class or property that no realm can have; the text says why.
    case schema(String)
    /// A null value for a property that is not optional.
    case nullInRequired
    /// A value of a type other than the property's.
    case wrongType
    /// A string or binary longer than a property may hold.
    case tooLong(byteCount: Int, limit: Int)
    /// A date with seconds and nanoseconds that do not fit together.
    case impossibleDate(seconds: Int64, nanoseconds: Int64)
    /// The keys of the objects of a class do not ascend; `after` is the previous key.
    case keyOrder(after: Int64)
    /// A key that no object can have.
    case illegalKey
    /// Two objects have the same primary key; `otherKey` is the object key of the other one.
    case duplicatePrimaryKey(RealmValue, otherKey: Int64)
    /// Two entries of a dictionary have the same key.
    case duplicateEntry(RealmValue)
    /// A link to a missing object, by its primary key.
    case missingTarget(className: String, primaryKey: RealmValue)
    /// A link to a missing object, by its object key.
    case missingTargetKey(className: String, key: Int64)
    /// An embedded object without an owner, or with several owners.
    case embeddedOwners(count: Int)
    /// A word or text that is too long for an index on a list of strings.
    case wordTooLong(byteCount: Int, limit: Int)
    /// More objects or values than the format allows; the text says which.
    case tooMany(String)
  }

  public var kind: Kind
  /// Name of the class, if it is known.
  public var className: String?
  /// Name of the property, if it is known.
  public var property: String?
  /// Key of the object, if it is known.
  public var objectKey: Int64?
  /// Further errors, if several are asked for.
  public var others: [BuildError] = []

  public init(
    _ kind: Kind, className: String? = nil, property: String? = nil, objectKey: Int64? = nil
  ) {
    (self.kind, self.className, self.property) = (kind, className, property)
    self.objectKey = objectKey
  }

  /// The error for a class in which some objects have keys and others have none.
  static let someKeys = BuildError(
    .schema("some of its objects come with keys, and others without"))

  /// The same error with the given facts added where they are missing.
  func adding(
    className: String? = nil, property: String? = nil, objectKey: Int64? = nil
  ) -> BuildError {
    var error = self
    if error.className == nil { error.className = className }
    if error.property == nil { error.property = property }
    if error.objectKey == nil { error.objectKey = objectKey }
    return error
  }

  /// The same error together with `others`.
  func adding(others: some Sequence<BuildError>) -> BuildError {
    var error = self
    error.others += others
    return error
  }
}

extension BuildError: CustomStringConvertible {
  /// One line: the place, and what is wrong.
  public var description: String {
    if case .file(let error) = kind { return error.description }
    var parts: [String] = []
    if let className { parts.append("class \(className)" + (property.map { ".\($0)" } ?? "")) }
    if let objectKey { parts.append("object \(objectKey)") }
    return (parts.isEmpty ? "" : parts.joined(separator: ", ") + ": ") + problem
  }

  private var problem: String {
    switch kind {
    case .file(let error): error.description
    case .schema(let why): why
    case .nullInRequired: "the value is null, but the property is not optional"
    case .wrongType: "the value has another type than the property"
    case .tooLong(let count, let limit): "the value has \(count) bytes; the most is \(limit)"
    case .impossibleDate(let seconds, let nanoseconds):
      "no date has \(seconds) seconds and \(nanoseconds) nanoseconds"
    case .keyOrder(let previous):
      "the key follows key \(previous); the objects of a class come in the order of their keys"
    case .illegalKey: "the key is negative; keys of objects are 0 or more"
    case .duplicatePrimaryKey(let value, let other):
      "object \(other) has the same primary key, \(value.quoted)"
    case .duplicateEntry(let key): "two entries of the dictionary have the key \(key.quoted)"
    case .missingTarget(let name, let value):
      "the link leads to the object of class \(name) with primary key \(value.quoted), which does not "
        + "exist"
    case .missingTargetKey(let name, let key):
      "the link leads to object \(key) of class \(name), which does not exist"
    case .embeddedOwners(0): "no object owns this embedded object"
    case .embeddedOwners(let count): "\(count) objects own this embedded object; one is expected"
    case .wordTooLong(let count, let limit):
      "an indexed list has a string of \(count) bytes; the most is \(limit)"
    case .tooMany(let what): what
    }
  }
}

extension RealmValue {
  /// The most characters of a string that a message shows.
  private static let shownCount = 100

  /// The value of a primary key, as messages show it.
  package var quoted: String {
    switch self {
    case .int(let number): return "\(number)"
    case .string(let text):
      let shown = text.prefix(RealmValue.shownCount)
      return "\"\(shown)\(shown.endIndex < text.endIndex ? "…" : "")\""
    case .objectId(let bytes), .uuid(let bytes), .malformedString(let bytes):
      return bytes.prefix(RealmValue.shownCount).hexadecimal
    default: return "null"
    }
  }
}
