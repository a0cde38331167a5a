/// The type of a property's values, or of the elements of its collections.
public enum PropertyType: String, Sendable, CaseIterable {
  case int, bool, string, binary, mixed, timestamp, float, double, decimal, objectId, uuid
  /// A link to an object of the target class of the property, or an embedded object of that class.
  case link
  /// A link to an object of any class. No SDK creates such properties.
  case typedLink

  /// Whether a single value of the type can be a primary key.
  package var canBePrimaryKey: Bool {
    switch self {
    case .int, .string, .objectId, .uuid: true
    case .bool, .binary, .mixed, .timestamp, .float, .double, .decimal, .link, .typedLink: false
    }
  }
}

/// A kind of collection.
public enum CollectionKind: Sendable {
  case list
  case set
  case dictionary
}

/// A kind of search index.
public enum PropertyIndex: Sendable {
  /// Finds equal values.
  case search
  /// Finds words.
  case fulltext
}

/// A property of a class, independent of its storage.
///
/// It is a class rather than a struct because every run of values is passed with its property, and a
/// reference costs less to pass than the fields.
public final class Property: Sendable {
  public let name: Name
  public let type: PropertyType
  /// Whether values, or the elements of a collection, may be null.
  public let isOptional: Bool
  /// The kind of collection; nil for a single value.
  public let collection: CollectionKind?
  /// Position of the target class of links in ``ObjectSchema/classes``. Nil for other types, and
  /// for links to a class that does not exist.
  public let target: Int?
  public let index: PropertyIndex?
  /// Whether this is a dictionary with integer keys, which no SDK creates.
  public let hasIntegerKeys: Bool

  public init(
    name: Name, type: PropertyType, isOptional: Bool = false, collection: CollectionKind? = nil,
    target: Int? = nil, index: PropertyIndex? = nil, hasIntegerKeys: Bool = false
  ) {
    (self.name, self.type, self.isOptional) = (name, type, isOptional)
    (self.collection, self.target, self.index) = (collection, target, index)
    self.hasIntegerKeys = hasIntegerKeys
  }

  /// Whether the property can be the primary key of its class.
  package var canBePrimaryKey: Bool { collection == nil && type.canBePrimaryKey }
}
