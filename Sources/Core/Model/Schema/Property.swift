/// What a property holds, apart from collections.
public enum PropertyType: String, Sendable, CaseIterable {
  case int, bool, string, binary, mixed, timestamp, float, double, decimal, objectId, uuid
  /// A link to an object of the class that the property names, or an embedded object of it.
  case link
  /// A link to an object of any class. No SDK makes such properties.
  case typedLink
}

/// How many values a property holds.
public enum CollectionKind: Sendable {
  case list
  case set
  case dictionary
}

/// The index that speeds up searches for the values of a property.
public enum PropertyIndex: Sendable {
  /// Finds equal values.
  case search
  /// Finds words.
  case fulltext
}

/// A property of a class, apart from where a file keeps its values.
///
/// An object, because it is passed along with every run of values, and a reference costs less than the
/// fields.
public final class Property: Sendable {
  public let name: Name
  public let type: PropertyType
  /// Values, or the elements of a collection, may be null.
  public let isOptional: Bool
  /// Nil for a single value.
  public let collection: CollectionKind?
  /// Position in ``ObjectSchema/classes`` of the class that links lead to. Nil for other types, and for
  /// links to a class that does not exist.
  public let target: Int?
  public let index: PropertyIndex?
  /// True for a dictionary with integer keys, which no SDK makes.
  public let hasIntegerKeys: Bool

  public init(
    name: Name, type: PropertyType, isOptional: Bool = false, collection: CollectionKind? = nil,
    target: Int? = nil, index: PropertyIndex? = nil, hasIntegerKeys: Bool = false
  ) {
    (self.name, self.type, self.isOptional) = (name, type, isOptional)
    (self.collection, self.target, self.index) = (collection, target, index)
    self.hasIntegerKeys = hasIntegerKeys
  }
}
