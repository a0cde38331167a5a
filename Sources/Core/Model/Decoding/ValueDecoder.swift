import RealmStorage

/// Decodes a value of an object.
struct ValueDecoder: Decoder {
  /// What is decoded.
  enum Content {
    case object(RealmObject)
    /// - Parameter objectClass: the class of embedded objects in the value.
    case value(RealmValue, RealmObject, objectClass: ObjectClass?)
  }

  /// The most levels of values inside each other: objects can link to each other in circles.
  static let depthLimit = 100

  /// The way from the object to a value inside it.
  private final class Path {
    let key: any CodingKey
    let outer: Path?
    let depth: Int

    init(_ key: any CodingKey, in outer: Path?) {
      (self.key, self.outer, depth) = (key, outer, (outer?.depth ?? 0) + 1)
    }
  }

  let content: Content
  private let path: Path?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ object: RealmObject) { (content, path) = (.object(object), nil) }

  private init(_ content: Content, _ path: Path) { (self.content, self.path) = (content, path) }

  var codingPath: [any CodingKey] {
    sequence(first: path, next: { $0?.outer }).prefix { $0 != nil }.compactMap { $0?.key }
      .reversed()
  }

  /// The value; the primary key of the target for a link.
  var value: RealmValue {
    guard case .value(let value, _, _) = content else { return .null }
    guard case .link(let link) = value else { return value }
    return link.primaryKey.first ?? .null
  }

  func context(_ problem: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: problem)
  }

  func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    guard case .value(let value, _, _) = content else {
      return .typeMismatch(type, context("found an object, expected \(expected)"))
    }
    if case .null = value {
      return .valueNotFound(type, context("found null, expected \(expected)"))
    }
    return .typeMismatch(type, context("found \(value.kind), expected \(expected)"))
  }

  /// The decoder of a value inside this one.
  func inner(_ content: Content, _ key: any CodingKey) throws -> ValueDecoder {
    guard path?.depth ?? 0 < ValueDecoder.depthLimit else {
      throw DecodingError.dataCorrupted(
        context("values are nested deeper than \(ValueDecoder.depthLimit) levels"))
    }
    return ValueDecoder(content, Path(key, in: path))
  }

  // MARK: Containers

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MemberContainer<Key>(decoder: self, members: try members()))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .value(let value, let object, let objectClass) = content else {
      throw mismatch([Any].self, "a list")
    }
    switch value {
    case .list(let elements):
      return ElementContainer(
        decoder: self, elements: elements.map { .value($0, object, objectClass: objectClass) })
    case .binary(let bytes): return ByteContainer(decoder: self, bytes: bytes)
    default: throw mismatch([Any].self, "a list")
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleContainer(decoder: self)
  }

  /// The values of an object or a dictionary by name.
  private func members() throws -> Members {
    switch content {
    case .object(let object): return .properties(of: object)
    case .value(.link(let link), _, _):
      guard let target = try link.object else {
        throw DecodingError.valueNotFound(
          RealmObject.self, context("the target of the link does not exist"))
      }
      return .properties(of: target)
    case .value(.object(let values), let object, let objectClass?):
      return .embedded(values, objectClass, in: object)
    case .value(.dictionary(let entries), let object, let objectClass):
      return .entries(
        Dictionary(
          entries.map { entry in
            let key = entry.key.string ?? entry.key.int.map { "\($0)" } ?? ""
            return (key, .value(entry.value, object, objectClass: objectClass))
          }, uniquingKeysWith: { first, _ in first }))
    case .value(.decimal(let number), let object, _):
      guard let parts = number.foundationParts else {
        throw DecodingError.dataCorrupted(context("\(number) does not fit Decimal"))
      }
      return .entries(parts.mapValues { .value($0, object, objectClass: nil) })
    default: throw mismatch([String: Any].self, "an object or a dictionary")
    }
  }
}

extension ValueDecoder {
  /// Seconds from 1970 to 2001, from where `Date` counts.
  private static let referenceDate: Int64 = 978_307_200

  var isNull: Bool {
    if case .value(.null, _, _) = content { true } else { false }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let plain: Any? =
      switch type {
      case is String.Type: try string()
      case is Bool.Type: try bool()
      case is Double.Type: try double()
      case is Float.Type: try float()
      case let number as any FixedWidthInteger.Type: try integer(number)
      default: nil
      }
    guard let plain else { return try Value(from: self) }
    guard let value = plain as? Value else { throw mismatch(type, "\(type)") }
    return value
  }

  func whole() throws -> RealmValue {
    guard case .value(let value, _, _) = content else {
      throw mismatch(RealmValue.self, "a value")
    }
    return value
  }

  func string() throws -> String {
    switch value {
    case .string(let text): return text
    case .objectId(let bytes): return bytes.hexadecimal
    case .decimal(let number): return "\(number)"
    case .uuid(let bytes):
      let digits = Array(bytes.hexadecimal)
      return [0..<8, 8..<12, 12..<16, 16..<20, 20..<digits.count].map { String(digits[$0]) }
        .joined(separator: "-")
    default: throw mismatch(String.self, "a string")
    }
  }

  func bool() throws -> Bool {
    guard let flag = value.bool else { throw mismatch(Bool.self, "a bool") }
    return flag
  }

  /// `Date` decodes the seconds since 2001.
  func double() throws -> Double {
    switch value {
    case .date(let seconds, let nanoseconds):
      return Double(seconds &- ValueDecoder.referenceDate) + Double(nanoseconds) / 1e9
    case .int(let number):
      guard let exact = Double(exactly: number) else {
        throw mismatch(Double.self, "a number that a Double can hold")
      }
      return exact
    default:
      guard let number = value.double else { throw mismatch(Double.self, "a number") }
      return number
    }
  }

  private func float() throws -> Float {
    guard case .float(let number) = value else { throw mismatch(Float.self, "a float") }
    return number
  }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard let number = value.int else { throw mismatch(type, "an int") }
    guard let exact = Number(exactly: number) else {
      throw DecodingError.dataCorrupted(context("\(number) does not fit \(type)"))
    }
    return exact
  }
}

extension RealmValue: Decodable {
  /// Takes any value of a ``RealmObject``; other decoders have no such values.
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      throw DecodingError.typeMismatch(
        RealmValue.self,
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "expected a value of a realm"))
    }
    self = try decoder.whole()
  }

  /// The type, for messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .int: "an int"
    case .bool: "a bool"
    case .float: "a float"
    case .double: "a double"
    case .string: "a string"
    case .malformedString: "a string that is not valid UTF-8"
    case .binary: "a binary"
    case .date: "a date"
    case .decimal: "a decimal128"
    case .objectId: "an ObjectId"
    case .uuid: "a UUID"
    case .link: "a link"
    case .object: "an embedded object"
    case .list: "a list"
    case .dictionary: "a dictionary"
    }
  }
}
