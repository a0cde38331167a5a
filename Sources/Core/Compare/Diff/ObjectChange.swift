public import RealmModel

/// An object that differs between two realms.
///
/// Links in its values have ``RealmLink/classPosition`` in ``RealmDiff/classNames``.
public struct ObjectChange: Sendable {
  public enum Kind: String, Sendable {
    /// Only the new realm has the object.
    case added
    /// Only the old realm has the object.
    case removed
    /// Both realms have the object, with different values.
    case changed
  }

  /// A property with its values.
  public struct Value: Sendable {
    public let name: Name
    /// The value in the old realm; nil if the object or the property exists only in the new realm.
    public let old: RealmValue?
    /// The value in the new realm; nil if the object or the property exists only in the old realm.
    public let new: RealmValue?
    /// Position of the property in the old class, if it has it.
    let oldPosition: Int?
    /// Position of the property in the new class, if it has it.
    let newPosition: Int?
  }

  public let className: Name
  /// The primary key, or the object key of an object of a class without a primary key.
  public let identity: RealmValue
  public let kind: Kind
  /// The properties that differ. All properties of an added or removed object, or none if the request does not ask
  /// for them.
  public let values: [Value]
  /// Positions of the class in the old and in the new schema.
  let classes: (old: Int?, new: Int?)
}

/// Numbers of objects of a class.
public struct ClassDifference: Sendable {
  public let className: Name
  public internal(set) var added = 0
  public internal(set) var removed = 0
  public internal(set) var changed = 0
  /// Number of objects that both realms have with equal values.
  public internal(set) var equal = 0

  init(_ className: Name) { self.className = className }

  /// Whether no object differs.
  public var isEqual: Bool { added == 0 && removed == 0 && changed == 0 }
}
