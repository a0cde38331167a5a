import RealmInterchange
import RealmModel
import RealmStorage

/// Values as queries spell them.
enum QueryConstant {
  /// The value; nil for links and collections, for NaN, which equals nothing, and for strings too long for a URL.
  static func text(_ value: BatchValue) -> String? {
    switch value {
    case .null: return "null"
    case .int, .bool: return plain(value)
    case .float(let number): return float(Double(number), value)
    case .double(let number): return float(number, value)
    case .decimal(let number): return number.isNaN ? nil : "'\(plain(value))'"
    case .string(let bytes): return bytes.count > stringLimit ? nil : string(bytes)
    case .binary(let bytes): return bytes.count > stringLimit ? nil : "binary(\(base64(bytes)))"
    case .timestamp(let seconds, let nanoseconds): return "T\(seconds):\(nanoseconds)"
    case .objectId: return "oid(\(plain(value)))"
    case .uuid: return "uuid(\(plain(value)))"
    case .link, .list, .dictionary: return nil
    }
  }

  /// The target of a link, in the ways in which queries may spell it, the best one first.
  static func texts(_ link: ShownLink, in schema: ObjectSchema) -> [String] {
    let target = schema.classes[link.target]
    let byKey = link.key.map { "O\($0.raw)" }
    guard target.primaryKey != nil, let name = text(RealmValue.string(target.name.text)),
      let identity = text(link.identity)
    else { return [byKey].compactMap(\.self) }
    return ["obj(\(name), \(identity))", byKey].compactMap(\.self)
  }

  /// The name of the type of a value in a mixed property; nil for null, links and collections.
  static func typeName(of value: BatchValue) -> String? {
    switch value {
    case .null, .link, .list, .dictionary: nil
    case .int: "int"
    case .bool: "bool"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .string: "string"
    case .binary: "binary"
    case .timestamp: "date"
    case .objectId: "objectid"
    case .uuid: "uuid"
    }
  }

  /// A primary key; nil for other values.
  static func text(_ value: RealmValue) -> String? {
    switch value {
    case .null: text(BatchValue.null)
    case .int(let number): text(BatchValue.int(number))
    case .string(let text): spelled([Array(text.utf8)]) { .string($0) }
    case .objectId(let bytes): spelled([bytes]) { .objectId($0) }
    case .uuid(let bytes): spelled([bytes]) { .uuid($0) }
    default: nil
    }
  }

  private static func spelled(
    _ bytes: [[UInt8]], _ value: (ByteSlice) -> BatchValue
  ) -> String? {
    let column = SliceColumn(copying: bytes)
    return withExtendedLifetime(column) { text(value(column[0] ?? .empty)) }
  }

  /// Maximum number of bytes of a string or binary.
  private static let stringLimit = 1000

  private static func plain(_ value: BatchValue) -> String {
    var text = PlainValueText()
    return text.text(of: value)
  }

  private static func float(_ number: Double, _ value: BatchValue) -> String? {
    if number.isNaN { return nil }
    return number.isInfinite ? (number < 0 ? "-infinity" : "infinity") : plain(value)
  }

  /// In quotes where the language allows it: it has no escapes.
  private static func string(_ bytes: ByteSlice) -> String {
    let all = bytes.bytes
    if let text = bytes.validText,
      !all.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
    {
      for quote in ["\"", "'"] where !text.utf8.contains(quote.utf8.first ?? 0) {
        return quote + text + quote
      }
    }
    return base64(bytes)
  }

  private static func base64(_ bytes: ByteSlice) -> String {
    var text = TextBuffer()
    text.append(base64: bytes)
    return "B64\"\(String(decoding: text.bytes, as: UTF8.self))\""
  }
}
