import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// The types that a mixed value can be given, as forms name them.
enum MixedType: String, CaseIterable {
  case null, int, bool, float, double, decimal, string, binary, date, objectId, uuid, link, list
  case dictionary

  /// The type of a value.
  init(of value: RealmValue) {
    self =
      switch value {
      case .null, .object: .null
      case .int: .int
      case .bool: .bool
      case .float: .float
      case .double: .double
      case .decimal: .decimal
      case .string, .malformedString: .string
      case .binary: .binary
      case .date: .date
      case .objectId: .objectId
      case .uuid: .uuid
      case .link: .link
      case .list: .list
      case .dictionary: .dictionary
      }
  }

  fileprivate var propertyType: PropertyType? {
    switch self {
    case .null, .list, .dictionary: nil
    case .int: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .binary: .binary
    case .date: .timestamp
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    }
  }
}

/// What a user entered for a value.
struct EnteredValue {
  var text = ""
  /// Whether a string is written as in JSON, without the quotes.
  var isEscaped = false
  var isNull = false
  /// Whether the user asks for a new object id or UUID.
  var isNew = false
  /// The type of a mixed value.
  var type: MixedType?
  /// The class of the target of a link in a mixed value.
  var linkClass: String?
  /// The content of a file; nil if the user chose none.
  var file: [UInt8]?
}

/// Values as texts that a form shows and takes back: no text loses anything of its value. Used by one thread.
struct EditorText {
  /// The most bytes of a binary that a form shows, in hexadecimal digits; longer ones come from files.
  static let binaryByteCount = 4096

  private let schema: ObjectSchema
  private let values: PatchValues

  init(_ schema: ObjectSchema) { (self.schema, values) = (schema, PatchValues(schema)) }

  // MARK: Showing

  /// The text of a value that has no parts; empty for null, and for a binary that is too long to show.
  func text(of value: RealmValue) -> String {
    switch value {
    case .null, .object, .list, .dictionary: return ""
    case .string(let text): return text
    case .malformedString(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .binary(let bytes):
      return bytes.count > EditorText.binaryByteCount ? "" : bytes.hexadecimal
    case .link(let link):
      return text(of: link.primaryKey.first ?? link.key.map { .int($0.raw) } ?? .null)
    case .int, .bool, .float, .double, .date, .decimal, .objectId, .uuid:
      return EditorText.unwrapped(EditorText.json(value))
    }
  }

  /// The text in a wrapper of Realm JSON with one member, such as `{"$date":"…"}`; any other text as it is.
  private static func unwrapped(_ json: String) -> String {
    let parts = json.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "{", parts[2] == ":", parts[4] == "}" else { return json }
    return String(parts[3])
  }

  // MARK: Reading

  /// The value that a user entered.
  ///
  /// - Parameters:
  ///   - property: the property with the type of the value.
  ///   - isElement: whether the value is an element of the property's collection.
  /// - Throws: ``ImportError`` for a text that is no value of the type.
  func value(
    _ entered: EnteredValue, of property: Property, isElement: Bool
  ) throws(ImportError) -> RealmValue {
    let single = isElement ? property.element : property
    let json: String
    if entered.isNull {
      json = "null"
    } else if single.collection != nil {
      json = single.collection == .dictionary ? "{}" : "[]"
    } else if single.type == .mixed || single.type == .typedLink {
      json = try mixed(entered)
    } else {
      json = try self.json(entered, single.type, target: single.target)
    }
    do throws(ImportError) {
      return try values.value(Array(json.utf8), of: single)
    } catch {
      // What the user typed need not look like JSON.
      guard case .notJSON = error.kind else { throw error }
      throw ImportError(.wrongType(expected: EditorText.expected(single.type)))
    }
  }

  private func mixed(_ entered: EnteredValue) throws(ImportError) -> String {
    let type = entered.type ?? .string
    switch type {
    case .null: return "null"
    case .list: return "[]"
    case .dictionary: return "{}"
    case .link:
      guard let name = entered.linkClass, let target = position(ofClass: name) else {
        throw ImportError(.unknownClass(entered.linkClass ?? ""))
      }
      let identity = try json(entered, .link, target: target)
      return "{\"$link\":{\"class\":\(EditorText.json(.string(name))),\"id\":\(identity)}}"
    case .float:
      let number = try json(entered, .float, target: nil)
      return "{\"$float\":\(number)}"
    case .double:
      let number = try json(entered, .double, target: nil)
      // Without a fraction, it would be an integer.
      let isPlain = number.utf8.allSatisfy { $0 == UInt8(ascii: "-") || 48...57 ~= $0 }
      return isPlain ? number + ".0" : number
    default: return try json(entered, type.propertyType ?? .string, target: nil)
    }
  }

  private func position(ofClass name: String) -> Int? {
    schema.topLevelClasses.first { schema.classes[$0].name.text.utf8.elementsEqual(name.utf8) }
  }

  /// A single value as Realm JSON.
  private func json(
    _ entered: EnteredValue, _ type: PropertyType, target: Int?
  ) throws(ImportError) -> String {
    let text = entered.text.trimmed
    let isWrapped = text.utf8.first == UInt8(ascii: "{")
    switch type {
    case .int, .bool: return text
    case .float, .double:
      if ["NaN", "Infinity", "-Infinity"].contains(text) {
        return "{\"$numberDouble\":\"\(text)\"}"
      }
      return text
    case .decimal:
      return isWrapped ? text : "{\"$numberDecimal\":\(EditorText.json(.string(text)))}"
    case .timestamp: return isWrapped ? text : "{\"$date\":\(EditorText.json(.string(text)))}"
    case .objectId:
      guard !entered.isNew else {
        return EditorText.json(.objectId(MigrationClock().makeObjectId()))
      }
      return "{\"$oid\":\(EditorText.json(.string(text)))}"
    case .uuid:
      guard !entered.isNew else { return EditorText.json(.uuid(MigrationClock().makeUUID())) }
      return "{\"$uuid\":\(EditorText.json(.string(text)))}"
    case .string where entered.isEscaped: return "\"\(entered.text)\""
    case .string, .mixed, .typedLink: return EditorText.json(.string(entered.text))
    case .binary:
      guard let bytes = entered.file ?? Hexadecimal.bytes(Array(text.utf8.filter { $0 > 32 }))
      else {
        throw ImportError(.wrongType(expected: "pairs of hexadecimal digits"))
      }
      return EditorText.json(.binary(bytes))
    case .link:
      guard let target, schema.classes.indices.contains(target) else { return "null" }
      guard let primaryKey = schema.classes[target].primaryKey else { return text }
      var key = entered
      key.isNew = false
      return try json(key, schema.classes[target].properties[primaryKey].type, target: nil)
    }
  }

  static func expected(_ type: PropertyType) -> String {
    switch type {
    case .int: "an int of 64 bits"
    case .bool: "true or false"
    case .float: "a float"
    case .double: "a double"
    case .decimal: "a decimal128"
    case .timestamp: "a date such as 2026-01-31T12:00:00Z"
    case .objectId: "24 hexadecimal digits"
    case .uuid: "a UUID"
    case .binary: "pairs of hexadecimal digits"
    case .string: "a string"
    case .link, .typedLink: "the identity of an object"
    case .mixed: "a value"
    }
  }

  /// A single value as Realm JSON.
  private static func json(_ value: RealmValue) -> String {
    var json = RealmJSONValueText()
    json.append(plain: value, inMixed: false)
    return String(decoding: json.take(), as: UTF8.self)
  }
}

extension String {
  /// Without spaces and line ends at both ends.
  fileprivate var trimmed: String {
    let isSpace = { (character: Character) in character.isWhitespace }
    return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
  }
}
