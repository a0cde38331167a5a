public import RealmModel
public import RealmStorage

/// Why a realm cannot be built from some objects.
public struct BuildError: Error, Equatable, Sendable {
  /// What is wrong, one case for each thing that the user can do about it.
  public enum Kind: Equatable, Sendable {
    /// The realm cannot be written, or a collection of the source cannot be read.
    case file(RealmFileError)
    /// A realm cannot have this class or property; the string says why.
    case schema(String)
    /// The value of a required property is null.
    case nullInRequired
    /// The value is not of the property's type.
    case wrongType
    /// A string or binary is longer than a property can hold.
    case tooLong(byteCount: Int, limit: Int)
    /// No date has these seconds and nanoseconds together.
    case impossibleDate(seconds: Int64, nanoseconds: Int64)
    /// The object keys of a class do not ascend; `after` is the previous key.
    case keyOrder(after: Int64)
    /// Some objects of a class have keys and others have none.
    case someKeys
    /// No object can have this key.
    case illegalKey
    /// Two objects have this primary key; `otherKey` is the object key of the other one.
    case duplicatePrimaryKey(RealmValue, otherKey: Int64)
    /// Two entries of a dictionary have this key.
    case duplicateEntry(RealmValue)
    /// A link names a missing object by its primary key.
    case missingTarget(className: String, primaryKey: RealmValue)
    /// A link names a missing object by its object key.
    case missingTargetKey(className: String, key: Int64)
    /// An embedded object has no owner, or several.
    case embeddedOwners(count: Int)
    /// A string is too long for an index on a list of strings.
    case wordTooLong(byteCount: Int, limit: Int)
    /// The file format has no such class, property, index or value; the string says what.
    case unsupported(String, format: Int)
    /// There are more objects or values than the format allows; the string says which.
    case tooMany(String)
  }

  public var kind: Kind
  /// The class, if known.
  public var className: String?
  /// The property, if known.
  public var property: String?
  /// The key of the object, if known.
  public var objectKey: Int64?
  /// Further errors, if the caller asked for several.
  public var others: [BuildError] = []

  public init(
    _ kind: Kind, className: String? = nil, property: String? = nil, objectKey: Int64? = nil
  ) {
    (self.kind, self.className, self.property) = (kind, className, property)
    self.objectKey = objectKey
  }

  /// Fills in the facts that the error lacks.
  func adding(
    className: String? = nil, property: String? = nil, objectKey: Int64? = nil
  ) -> BuildError {
    var error = self
    if error.className == nil { error.className = className }
    if error.property == nil { error.property = property }
    if error.objectKey == nil { error.objectKey = objectKey }
    return error
  }

  /// Adds `others` to the error.
  func adding(others: some Sequence<BuildError>) -> BuildError {
    var error = self
    error.others += others
    return error
  }
}

extension BuildError: CustomStringConvertible {
  /// One line: where, and what is wrong.
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
    case .wrongType: "the value is not of the property's type"
    case .tooLong(let count, let limit): "the value has \(count) bytes, expected at most \(limit)"
    case .impossibleDate(let seconds, let nanoseconds):
      "no date has \(seconds) seconds and \(nanoseconds) nanoseconds"
    case .keyOrder(let previous):
      "the key follows key \(previous); the object keys of a class must ascend"
    case .someKeys: "some of its objects have keys and others have none"
    case .illegalKey: "the key is negative, expected 0 or more"
    case .duplicatePrimaryKey(let value, let other):
      "object \(other) has the same primary key, \(value.quoted)"
    case .duplicateEntry(let key): "two entries of the dictionary have the key \(key.quoted)"
    case .missingTarget(let name, let value):
      "the link refers to the object of class \(name) with primary key \(value.quoted), which does not "
        + "exist"
    case .missingTargetKey(let name, let key):
      "the link refers to object \(key) of class \(name), which does not exist"
    case .embeddedOwners(0): "no object owns this embedded object"
    case .embeddedOwners(let count): "\(count) objects own this embedded object, expected one"
    case .wordTooLong(let count, let limit):
      "an indexed list has a string of \(count) bytes, expected at most \(limit)"
    case .unsupported(let what, let format): "file format \(format) has no \(what)"
    case .tooMany(let what): what
    }
  }
}

/// Evaluates `work`, and converts its errors to errors of the builder.
@discardableResult
func inBuild<Value>(
  _ work: @autoclosure () throws(RealmFileError) -> Value
) throws(BuildError) -> Value {
  do throws(RealmFileError) { return try work() } catch { throw BuildError(.file(error)) }
}
