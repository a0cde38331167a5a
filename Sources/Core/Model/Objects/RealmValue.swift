/// A value of a property, with copies of its contents, for programs that read a few objects. Code that moves millions
/// of values uses ``ObjectBatch`` and its columns.
public enum RealmValue: Sendable, Hashable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(String)
  /// The bytes of a string that is not valid UTF-8.
  case malformedString([UInt8])
  case binary([UInt8])
  /// Seconds since 1970 and nanoseconds of the same sign.
  case date(seconds: Int64, nanoseconds: Int64)
  case decimal(Decimal128)
  /// 12 bytes.
  case objectId([UInt8])
  /// 16 bytes.
  case uuid([UInt8])
  case link(RealmLink)
  /// An embedded object: the values of its properties, in the order of its class.
  case object([RealmValue])
  /// The elements of a list, or the members of a set.
  case list([RealmValue])
  case dictionary([RealmEntry])

  /// The string, or nil for any other value.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The integer, or nil for any other value.
  public var int: Int64? { if case .int(let number) = self { number } else { nil } }
  /// The floating-point number, or nil for any other value.
  public var double: Double? {
    switch self {
    case .double(let number): number
    case .float(let number): Double(number)
    default: nil
    }
  }
  /// The boolean, or nil for any other value.
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  /// The link, or nil for any other value.
  public var link: RealmLink? { if case .link(let link) = self { link } else { nil } }
  /// The elements, or nil for any value that is neither a list nor a set.
  public var elements: [RealmValue]? { if case .list(let values) = self { values } else { nil } }
}

/// A link to another object. Links are equal if they refer to the same object, in whatever realm.
public struct RealmLink: Sendable {
  /// Position of the target's class in the schema.
  public var classPosition: Int
  /// Key of the target; nil if the source has none.
  public var key: ObjectKey?
  /// The primary key of the target as the only element; empty if its class has none, or the request did not ask
  /// for it.
  public var primaryKey: [RealmValue]
  /// Whether another device deleted the target, or has yet to upload it.
  public var isUnresolved: Bool
  /// The realm with the target; nil for links that do not come from a ``RealmObject``.
  var realm: (any OpenRealm)?

  public init(
    classPosition: Int, key: ObjectKey? = nil, primaryKey: RealmValue? = nil,
    isUnresolved: Bool = false
  ) {
    (self.classPosition, self.key) = (classPosition, key)
    (self.primaryKey, self.isUnresolved) = (primaryKey.map { [$0] } ?? [], isUnresolved)
  }
}

extension RealmLink: CustomStringConvertible {
  /// `class 2, object 7`, without the realm.
  public var description: String {
    let identity = primaryKey.first.map { "primary key \($0)" } ?? key.map { "object \($0.raw)" }
    return "class \(classPosition), " + (identity ?? "no object")
      + (isUnresolved ? ", unresolved" : "")
  }
}

extension RealmLink: Hashable {
  public static func == (a: RealmLink, b: RealmLink) -> Bool {
    a.classPosition == b.classPosition && a.key == b.key && a.primaryKey == b.primaryKey
      && a.isUnresolved == b.isUnresolved
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(classPosition)
    hasher.combine(key)
    hasher.combine(primaryKey)
    hasher.combine(isUnresolved)
  }
}

/// An entry of a dictionary.
public struct RealmEntry: Sendable, Hashable {
  /// A string, or an integer in dictionaries that no SDK writes.
  public var key: RealmValue
  public var value: RealmValue

  public init(key: RealmValue, value: RealmValue) { (self.key, self.value) = (key, value) }
}
