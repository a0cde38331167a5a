package import RealmModel
package import RealmStorage

/// Why objects cannot be added.
package struct MergeError: Error {
  package enum Kind {
    /// A realm cannot be read.
    case file(RealmFileError)
    /// The realm has an object with this identity.
    case exists(identity: RealmValue)
    /// A new object lacks a value for a required property.
    case missingProperty
    /// The class has no keys left for more objects.
    case tooMany
  }

  package let kind: Kind
  /// Position of the class in the schema of the result, if known.
  package let classPosition: Int?
  /// Position of the property, if known.
  package let property: Int?
  /// Key of the object in the added realm, if known.
  package let addedKey: ObjectKey?
  /// Further errors, if the caller asked for several.
  package private(set) var others: [MergeError] = []

  init(
    _ kind: Kind, classPosition: Int? = nil, property: Int? = nil, addedKey: ObjectKey? = nil
  ) {
    (self.kind, self.classPosition) = (kind, classPosition)
    (self.property, self.addedKey) = (property, addedKey)
  }
}

extension MergeError {
  /// Adds the position of the class to the error and to ``others``.
  func placed(in classPosition: Int) -> MergeError {
    var error = MergeError(
      kind, classPosition: classPosition, property: property, addedKey: addedKey)
    error.others = others.map { $0.placed(in: classPosition) }
    return error
  }

  /// All errors as one, at most `limit` of them; nil if there are none.
  static func joined(_ errors: [MergeError], limit: Int) -> MergeError? {
    let all = errors.flatMap { [$0] + $0.others }.prefix(limit)
    guard var first = all.first else { return nil }
    first.others = Array(all.dropFirst())
    return first
  }

  /// Number of added objects of the class before the one with ``addedKey``; nil if the objects had keys in their
  /// source.
  package func addedNumber(in objectClass: ObjectClass) -> Int? {
    guard let key = addedKey else { return nil }
    guard objectClass.primaryKey == nil else { return Int(key.raw) }
    return GlobalKey(squeezed: key).map { Int($0.low) }
  }
}

/// Evaluates `work`, and converts its errors to errors of the merge.
@discardableResult
func inMerge<Value>(
  _ work: @autoclosure () throws(RealmFileError) -> Value
) throws(MergeError) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw MergeError(.file(error))
  }
}
