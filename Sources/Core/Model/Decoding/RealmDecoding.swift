public import RealmStorage

extension OpenRealm {
  /// The objects of a class, each decoded as a value of a type; nil if the class does not exist.
  ///
  /// A property of the type takes the value of the property with the same name. Lists and sets decode as arrays,
  /// dictionaries as dictionaries, embedded objects as values of a type of their own. A link decodes as such a value, too,
  /// or as the primary key of its target. Dates decode as `Date`, which rounds to what it can hold, binaries as `Data` or
  /// `[UInt8]`, UUIDs as `UUID`, ObjectIds as strings of 24 hexadecimal digits, decimals as strings or as `Decimal`, and every
  /// value as ``RealmValue``, also those of `mixed`.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  public func objects<Content: Decodable>(
    ofClass name: String, as type: Content.Type
  ) throws(RealmFileError) -> DecodedObjects<Content>? {
    try objects(ofClass: name).map { DecodedObjects($0) }
  }
}

/// Decodes the objects of a class one after another. Used by one thread.
public final class DecodedObjects<Content: Decodable> {
  private let objects: RealmObjects

  fileprivate init(_ objects: RealmObjects) { self.objects = objects }

  /// The next object, or nil after the last one. After an error in one object, the next call continues behind it.
  ///
  /// - Throws: ``RealmDecodingError``; the errors of reading the objects and the targets of links; what the type
  ///   throws.
  public func next() throws -> Content? {
    try objects.next()?.decoded(as: Content.self)
  }
}

extension RealmObject {
  /// The object decoded as a value of a type; see ``OpenRealm/objects(ofClass:as:)``.
  ///
  /// - Throws: same as ``DecodedObjects/next()``.
  public func decoded<Content: Decodable>(as type: Content.Type) throws -> Content {
    do {
      return try Content(from: ValueDecoder(self))
    } catch let error as DecodingError {
      throw RealmDecodingError(error, self)
    }
  }
}

/// Why an object does not fit a type.
public struct RealmDecodingError: Error, Equatable, Sendable {
  /// The class and the key of the object.
  public let className: String
  public let objectKey: ObjectKey
  /// The property, with the way to a value inside it: `addresses[0].city`.
  public let property: String
  /// What was found and what was expected.
  public let problem: String

  fileprivate init(_ error: DecodingError, _ object: RealmObject) {
    (className, objectKey) = (object.objectClass.name.text, object.key)
    var path: [any CodingKey]
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      (path, problem) = (context.codingPath, context.debugDescription)
    case .keyNotFound(let key, let context):
      path = context.codingPath + [key]
      problem = "the class has no such property"
    @unknown default: (path, problem) = ([], "\(error)")
    }
    property = path.reduce("") { text, key in
      if let index = key.intValue { return "\(text)[\(index)]" }
      return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
    }
  }
}

extension RealmDecodingError: CustomStringConvertible {
  /// One line: the class, the property, the object, and what is wrong.
  public var description: String {
    "\(className)\(property.isEmpty ? "" : ".\(property)"), object \(objectKey.raw): \(problem)"
  }
}
