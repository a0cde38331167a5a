import RealmModel

/// The type of the values of an operand, known before a query runs.
enum ValueType: Equatable, Sendable {
  /// The constant null, which compares with every type.
  case null
  case int, bool, float, double, string, binary, date, decimal, objectId, uuid
  /// Values of any type; each value knows its own.
  case mixed
  /// Objects of the class at a position in the schema.
  case link(Int)
  /// The name of a type, the result of `@type`.
  case typeName

  /// The type of the values of a property, or of the elements of its collection.
  init(_ property: Property) {
    self =
      switch property.type {
      case .int: .int
      case .bool: .bool
      case .float: .float
      case .double: .double
      case .string: .string
      case .binary: .binary
      case .timestamp: .date
      case .decimal: .decimal
      case .objectId: .objectId
      case .uuid: .uuid
      case .mixed, .typedLink: .mixed
      case .link: property.target.map { .link($0) } ?? .mixed
      }
  }

  var isNumeric: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  var isLink: Bool { if case .link = self { true } else { false } }

  var isText: Bool { self == .string || self == .binary }

  /// Whether values of the two types can be compared (chapter 6, section 4.5).
  static func areComparable(_ a: ValueType, _ b: ValueType) -> Bool {
    if a == b { return true }
    if a == .typeName || b == .typeName { return false }
    if a == .null || b == .null { return true }
    return a == .mixed || b == .mixed || (a.isNumeric && b.isNumeric)
  }

  /// The name of the type in messages.
  func name(in schema: ObjectSchema) -> String {
    switch self {
    case .null: "null"
    case .int: "int"
    case .bool: "bool"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .binary: "binary"
    case .date: "date"
    case .decimal: "decimal128"
    case .objectId: "objectId"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .link(let position): "\(schema.classes[position].name.text) object"
    case .typeName: "type name"
    }
  }
}

/// A set of types: a type name in a query can mean several (chapter 6, section 4.12). A value has one type.
struct TypeSet: OptionSet, Sendable {
  let rawValue: UInt16

  static let null = TypeSet(rawValue: 1)
  static let int = TypeSet(rawValue: 1 << 1)
  static let bool = TypeSet(rawValue: 1 << 2)
  static let string = TypeSet(rawValue: 1 << 3)
  static let binary = TypeSet(rawValue: 1 << 4)
  static let date = TypeSet(rawValue: 1 << 5)
  static let float = TypeSet(rawValue: 1 << 6)
  static let double = TypeSet(rawValue: 1 << 7)
  static let decimal = TypeSet(rawValue: 1 << 8)
  static let objectId = TypeSet(rawValue: 1 << 9)
  static let uuid = TypeSet(rawValue: 1 << 10)
  static let link = TypeSet(rawValue: 1 << 11)
  static let dictionary = TypeSet(rawValue: 1 << 12)
  static let list = TypeSet(rawValue: 1 << 13)

  private static let names: [String: TypeSet] = [
    "null": .null,
    "int": .int, "integer": .int, "int16": .int, "int32": .int, "int64": .int, "short": .int,
    "long": .int, "byte": .int, "char": .int,
    "bool": .bool, "boolean": .bool,
    "string": .string,
    "binary": .binary, "data": .binary, "bytearray": .binary, "byte[]": .binary,
    "bindata": .binary,
    "date": .date, "datetimeoffset": .date, "timestamp": .date,
    "float": .float, "double": .double,
    "decimal128": .decimal, "decimal": .decimal,
    "objectid": .objectId,
    "uuid": .uuid, "guid": .uuid,
    "objectlink": .link, "link": .link,
    "object": .dictionary, "dictionary": .dictionary,
    "array": .list, "list": .list,
    "numeric": [.int, .float, .double, .decimal],
    "collection": [.list, .dictionary],
  ]

  /// All names, for suggestions.
  static var allNames: [String] { names.keys.sorted() }

  /// The types that `name` means, in any case.
  init?(named name: String) {
    guard let types = TypeSet.names[name.lowercased()] else { return nil }
    self = types
  }

  init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The type of the values of a property that is neither a link nor mixed.
  init?(_ type: ValueType) {
    switch type {
    case .null: self = .null
    case .int: self = .int
    case .bool: self = .bool
    case .float: self = .float
    case .double: self = .double
    case .string: self = .string
    case .binary: self = .binary
    case .date: self = .date
    case .decimal: self = .decimal
    case .objectId: self = .objectId
    case .uuid: self = .uuid
    case .link: self = .link
    case .mixed, .typeName: return nil
    }
  }
}
