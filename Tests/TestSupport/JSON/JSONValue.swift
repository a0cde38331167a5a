/// A JSON value as written: numbers stay strings, strings are compared by their bytes, members
/// keep their order. ``JSONParser`` reads it, which shares no code with the code under test.
public indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// The token, such as `-1.50e3`.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  public struct Member: Sendable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) { (self.name, self.value) = (name, value) }
  }

  /// The member `name` of an object; nil if there is none.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  /// The element at `index` of an array; nil if there is none.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  public var array: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
  public var members: [Member]? { if case .object(let members) = self { members } else { nil } }
  public var isNull: Bool { if case .null = self { true } else { false } }
  /// The token of a number.
  public var number: String? { if case .number(let token) = self { token } else { nil } }
  /// A number without fraction and exponent.
  public var int: Int? { number.flatMap { Int($0) } }

  /// The names of an object's members, in order.
  public var names: [String] { members?.map(\.name) ?? [] }
}

extension JSONValue: Equatable {
  /// Equal JSON, except for white space and escapes: `1` is not `1.0`, and the order of members counts.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    // By bytes: strings that are only canonically equivalent differ.
    case (.number(let a), .number(let b)), (.string(let a), .string(let b)):
      a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension JSONValue.Member: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8) && a.value == b.value
  }
}
