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

  let content: Content
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  init(_ content: Content, _ path: [any CodingKey]) { (self.content, codingPath) = (content, path) }

  /// The value; the primary key of the target for a link.
  fileprivate var value: RealmValue {
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
  fileprivate func inner(_ content: Content, _ key: any CodingKey) throws -> ValueDecoder {
    guard codingPath.count < ValueDecoder.depthLimit else {
      throw DecodingError.dataCorrupted(
        context("values are nested deeper than \(ValueDecoder.depthLimit) levels"))
    }
    return ValueDecoder(content, codingPath + [key])
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
    // `Data` decodes its bytes one by one.
    case .binary(let bytes):
      return ElementContainer(
        decoder: self,
        elements: bytes.map { .value(.int(Int64($0)), object, objectClass: nil) })
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

/// Values by name. Those of an object are read when they are decoded.
private enum Members {
  case properties(of: RealmObject)
  /// The values of an embedded object.
  case embedded([RealmValue], ObjectClass, in: RealmObject)
  case entries([String: ValueDecoder.Content])

  var names: [String] {
    switch self {
    case .properties(let object): object.objectClass.properties.map(\.name.text)
    case .embedded(_, let objectClass, _): objectClass.properties.map(\.name.text)
    case .entries(let entries): Array(entries.keys)
    }
  }

  func contains(_ name: String) -> Bool {
    switch self {
    case .properties(let object): object.objectClass.position(ofPropertyNamed: name) != nil
    case .embedded(_, let objectClass, _): objectClass.position(ofPropertyNamed: name) != nil
    case .entries(let entries): entries[name] != nil
    }
  }

  func value(_ name: String) throws(RealmFileError) -> ValueDecoder.Content? {
    switch self {
    case .properties(let object):
      let objectClass = object.objectClass
      guard let position = objectClass.position(ofPropertyNamed: name) else { return nil }
      return content(try object.value(at: position), of: objectClass.properties[position], object)
    case .embedded(let values, let objectClass, let object):
      guard let position = objectClass.position(ofPropertyNamed: name), position < values.count
      else { return nil }
      return content(values[position], of: objectClass.properties[position], object)
    case .entries(let entries): return entries[name]
    }
  }

  private func content(
    _ value: RealmValue, of property: Property, _ object: RealmObject
  ) -> ValueDecoder.Content {
    .value(
      value, object, objectClass: property.target.map { object.realm.objectSchema.classes[$0] })
  }
}

/// The properties of an object, or the entries of a dictionary.
private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let members: Members

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { members.names.sorted().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { members.contains(key.stringValue) }

  private func inner(_ key: any CodingKey) throws -> ValueDecoder {
    guard let member = try members.value(key.stringValue) else {
      throw DecodingError.keyNotFound(key, decoder.context("there is no such member"))
    }
    return try decoder.inner(member, key)
  }

  func decodeNil(forKey key: Key) throws -> Bool { try inner(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try inner(key).decode(type)
  }

  func nestedContainer<Other: CodingKey>(
    keyedBy type: Other.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Other> {
    try inner(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try inner(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }
}

/// The elements of a list or a set, or the bytes of a binary.
private struct ElementContainer: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let elements: [ValueDecoder.Content]
  private(set) var currentIndex = 0

  /// The place of an element.
  private struct Index: CodingKey {
    let index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }

    init(_ index: Int) { self.index = index }
    init?(intValue: Int) { index = intValue }
    init?(stringValue: String) { nil }
  }

  init(decoder: ValueDecoder, elements: [ValueDecoder.Content]) {
    (self.decoder, self.elements) = (decoder, elements)
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func inner() throws -> ValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self, decoder.context("there are only \(elements.count) elements"))
    }
    return try decoder.inner(elements[currentIndex], Index(currentIndex))
  }

  mutating func decodeNil() throws -> Bool {
    let isNull = try inner().isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try inner().decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let container = try inner().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try inner().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try inner()
    currentIndex += 1
    return decoder
  }
}

/// A value as a whole.
private struct SingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}

extension ValueDecoder {
  /// Seconds from 1970 to 2001, from where `Date` counts.
  private static let referenceDate: Int64 = 978_307_200

  fileprivate var isNull: Bool {
    if case .value(.null, _, _) = content { true } else { false }
  }

  fileprivate func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
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

  fileprivate func whole() throws -> RealmValue {
    guard case .value(let value, _, _) = content else {
      throw mismatch(RealmValue.self, "a value")
    }
    return value
  }

  private func string() throws -> String {
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

  private func bool() throws -> Bool {
    guard let flag = value.bool else { throw mismatch(Bool.self, "a bool") }
    return flag
  }

  /// `Date` decodes the seconds since 2001.
  private func double() throws -> Double {
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

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
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
  fileprivate var kind: String {
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
