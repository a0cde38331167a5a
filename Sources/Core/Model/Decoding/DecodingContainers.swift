import RealmStorage

/// Values by name. Those of an object are read when they are decoded.
enum Members {
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
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

  // The usual types, without a cast.
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try inner(key).string() }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try inner(key).bool() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try inner(key).double() }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try inner(key).integer(type) }

  /// The decoder of a member that exists and is not null.
  private func present(_ key: Key) throws -> ValueDecoder? {
    guard let member = try members.value(key.stringValue) else { return nil }
    if case .value(.null, _, _) = member { return nil }
    return try decoder.inner(member, key)
  }

  // Otherwise each member would be read three times.
  func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey key: Key
  ) throws -> Value? {
    try present(key)?.decode(type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try present(key)?.string()
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try present(key)?.bool()
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try present(key)?.double()
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try present(key)?.integer(type)
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

/// The bytes of a binary, which `Data` decodes one by one.
struct ByteContainer: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let bytes: [UInt8]
  private(set) var currentIndex = 0

  init(decoder: ValueDecoder, bytes: [UInt8]) { (self.decoder, self.bytes) = (decoder, bytes) }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { bytes.count }
  var isAtEnd: Bool { currentIndex >= bytes.count }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, decoder.context("there are only \(bytes.count) bytes"))
    }
    defer { currentIndex += 1 }
    return bytes[currentIndex]
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard type is UInt8.Type, let byte = try decode(UInt8.self) as? Value else {
      throw decoder.mismatch(type, "bytes as UInt8")
    }
    return byte
  }

  func decodeNil() -> Bool { false }

  func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    throw decoder.mismatch([String: Any].self, "an object or a dictionary")
  }

  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw decoder.mismatch([Any].self, "a list")
  }

  func superDecoder() -> any Decoder { decoder }
}

/// The elements of a list or a set.
struct ElementContainer: UnkeyedDecodingContainer {
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
struct SingleContainer: SingleValueDecodingContainer {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.isNull }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
}
