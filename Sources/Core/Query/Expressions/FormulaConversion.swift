import RealmModel
import RealmStorage

/// Converts values to other types. A conversion that would change the value fails.
///
/// A double or float equals a decimal128 if its shortest digits are the digits of the decimal128.
struct FormulaConversion {
  /// The result of a conversion.
  enum Result {
    case value(QueryValue)
    /// The bytes of a string or an identifier.
    case bytes([UInt8])
  }

  /// Why a value cannot be converted.
  struct Failure: Error {
    let message: String
  }

  let context: any FormulaContext

  // MARK: Types

  static func target(of function: FormulaFunction) -> ValueType {
    switch function {
    case .int, .length: .int
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .date, .now: .date
    case .objectId, .newObjectId: .objectId
    case .uuid, .newUUID: .uuid
    default: .string
    }
  }

  /// The types that convert to `target`.
  static func sources(of target: ValueType) -> [ValueType] {
    switch target {
    case .int: [.int, .bool, .float, .double, .decimal, .string, .date]
    case .float, .double, .decimal: [.int, .float, .double, .decimal, .string]
    case .date: [.date, .int, .string]
    case .objectId: [.objectId, .string]
    case .uuid: [.uuid, .string]
    case .string:
      [.string, .int, .bool, .float, .double, .decimal, .date, .objectId, .uuid]
    default: [target]
    }
  }

  /// The function that converts one type to another, as a hint; nil if there is none.
  static func hint(from source: ValueType, to target: ValueType) -> String? {
    guard sources(of: target).count > 1, sources(of: target).contains(source),
      let function = FormulaFunction.allCases.first(where: { function in
        switch function {
        case .string, .int, .float, .double, .decimal, .date, .objectId, .uuid:
          self.target(of: function) == target
        default: false
        }
      })
    else { return nil }
    return "convert it with \(function.rawValue)(…)"
  }

  // MARK: Values

  /// Converts a value for assignment to a property: numbers to numbers, and anything to mixed.
  func assigned(_ value: QueryValue, to target: ValueType) throws(Failure) -> QueryValue {
    switch value {
    case .list, .dictionary:
      throw Failure(
        message: "\(text(of: value)) cannot be copied; an expression gives single values")
    default: if value.isNull || target == .mixed { return value }
    }
    let isNumeric = value.number != nil && target.isNumeric
    guard isNumeric || isValue(value, of: target) else {
      throw Failure(message: "\(described(value)) is not a value of type \(name(target))")
    }
    guard isNumeric, case .value(let number) = try converted(value, to: target) else {
      return value
    }
    return number
  }

  /// Converts a value as the conversion functions do.
  func converted(_ value: QueryValue, to target: ValueType) throws(Failure) -> Result {
    if value.isNull || isValue(value, of: target) { return .value(value) }
    switch target {
    case .int: return .value(.int(try int(value)))
    case .float: return .value(.float(try float(value)))
    case .double: return .value(.double(try double(value)))
    case .decimal: return .value(.decimal(try decimal(value)))
    case .date: return .value(try date(value))
    case .string: return .bytes(Array(try string(value).utf8))
    case .objectId:
      guard case .string(let text) = value, text.count == 24,
        let bytes = Hexadecimal.bytes(text.bytes)
      else { throw Failure(message: "\(self.text(of: value)) is not an objectId of 24 digits") }
      return .bytes(bytes)
    case .uuid:
      guard case .string(let text) = value, let bytes = Self.uuid(text.bytes) else {
        throw Failure(
          message: "\(self.text(of: value)) is not a uuid such as "
            + "3b241101-e2bb-4255-8caf-4136c566a962")
      }
      return .bytes(bytes)
    default: throw impossible(value, target)
    }
  }

  /// Whether a value is of `type`. A link is only of the type of links to its class: its key is another
  /// object in another class.
  private func isValue(_ value: QueryValue, of type: ValueType) -> Bool {
    if case .link(let position, _) = value { return type == .link(position) }
    return TypeSet(type) == value.types
  }

  private func impossible(_ value: QueryValue, _ target: ValueType) -> Failure {
    Failure(message: "\(described(value)) does not convert to \(name(target))")
  }

  private func int(_ value: QueryValue) throws(Failure) -> Int64 {
    let number: Int64?
    switch value {
    case .bool(let flag): number = flag ? 1 : 0
    case .float(let some): number = Int64(exactly: some)
    case .double(let some): number = Int64(exactly: some)
    case .decimal(let some): number = some.exactInteger
    case .string(let text): number = text.validText.flatMap { Int64($0) }
    case .date(let seconds, let nanoseconds): number = nanoseconds == 0 ? seconds : nil
    default: throw impossible(value, .int)
    }
    guard let number else {
      throw Failure(message: "\(text(of: value)) is not a whole number that fits int")
    }
    return number
  }

  private func double(_ value: QueryValue) throws(Failure) -> Double {
    let number: Double?
    switch value {
    case .int(let some): number = Double(exactly: some)
    case .float(let some): number = Double(some)
    case .decimal(let some):
      number = Double(some.description).flatMap {
        $0.isNaN || isSame(Decimal128(text: Self.shortest($0.description)), some) ? $0 : nil
      }
    case .string(let text): number = Self.number(text)
    default: throw impossible(value, .double)
    }
    guard let number else { throw inexact(value, "double") }
    return number
  }

  private func float(_ value: QueryValue) throws(Failure) -> Float {
    let number: Float?
    switch value {
    case .int(let some): number = Float(exactly: some)
    case .double(let some): number = some.isNaN ? .nan : Float(exactly: some)
    case .decimal(let some):
      number = Float(some.description).flatMap {
        $0.isNaN || isSame(Decimal128(text: Self.shortest($0.description)), some) ? $0 : nil
      }
    case .string(let text): number = Self.number(text)
    default: throw impossible(value, .float)
    }
    guard let number else { throw inexact(value, "float") }
    return number
  }

  private func decimal(_ value: QueryValue) throws(Failure) -> Decimal128 {
    let number: Decimal128?
    switch value {
    case .int(let some): number = NumberOrder.int(some).decimal
    case .float(let some): number = Decimal128(text: Self.shortest(some.description))
    case .double(let some): number = Decimal128(text: Self.shortest(some.description))
    case .string(let text): number = text.validText.flatMap { Decimal128(text: $0) }
    default: throw impossible(value, .decimal)
    }
    guard let number else { throw inexact(value, "decimal128") }
    return number
  }

  private func isSame(_ a: Decimal128?, _ b: Decimal128) -> Bool {
    a.map { NumberOrder.compare(.decimal($0), .decimal(b)) == 0 } ?? false
  }

  private func inexact(_ value: QueryValue, _ type: String) -> Failure {
    if case .string = value { return Failure(message: "\(text(of: value)) is not a \(type)") }
    return Failure(message: "\(text(of: value)) cannot be a \(type) without rounding")
  }

  private func date(_ value: QueryValue) throws(Failure) -> QueryValue {
    switch value {
    case .int(let seconds): return .date(seconds: seconds, nanoseconds: 0)
    case .string(let text):
      if let date = context.date(text) {
        return .date(seconds: date.seconds, nanoseconds: date.nanoseconds)
      }
      let day = SliceColumn(copying: [text.bytes + Array("T00:00:00Z".utf8)])
      if let midnight = day[0].flatMap({ context.date($0) }) {
        return .date(seconds: midnight.seconds, nanoseconds: midnight.nanoseconds)
      }
      throw Failure(
        message: "\(self.text(of: value)) is not a date such as 2023-11-14T22:13:20Z")
    default: throw impossible(value, .date)
    }
  }

  private func string(_ value: QueryValue) throws(Failure) -> String {
    switch value {
    case .link, .list, .dictionary, .binary, .type: throw impossible(value, .string)
    case .date(let seconds, let nanoseconds):
      guard let text = context.text(ofDate: seconds, nanoseconds: nanoseconds) else {
        throw Failure(message: "\(text(of: value)) is outside the years 1 to 9999")
      }
      return text
    default: return plainText(value)
    }
  }

  // MARK: Strings

  /// The value as a string, without quotes.
  private func plainText(_ value: QueryValue) -> String {
    switch value {
    case .null: return "null"
    case .int(let number): return number.description
    case .bool(let flag): return flag ? "true" : "false"
    case .float(let number): return number.description
    case .double(let number): return number.description
    case .decimal(let number): return number.description
    case .string(let bytes): return bytes.text
    case .date(let seconds, let nanoseconds):
      return context.text(ofDate: seconds, nanoseconds: nanoseconds)
        ?? "T\(seconds):\(nanoseconds)"
    case .objectId(let bytes): return context.text(ofObjectId: bytes)
    case .uuid(let bytes): return context.text(ofUUID: bytes)
    case .binary(let bytes): return "a binary of \(bytes.count) bytes"
    case .link(_, let key): return "object \(key.raw)"
    case .list(let count): return "a list of \(count) values"
    case .dictionary(let count): return "a dictionary of \(count) entries"
    case .type: return "a type"
    }
  }

  /// Largest number of characters of a string in a message.
  private static let shownCount = 60

  /// The value for messages.
  func text(of value: QueryValue) -> String {
    guard case .string(let bytes) = value else { return plainText(value) }
    // Four bytes a character at most.
    let text = bytes.part(0..<min(bytes.count, 4 * Self.shownCount)).text
    let isCut = bytes.count > 4 * Self.shownCount || text.count > Self.shownCount
    return "\"\(isCut ? text.prefix(Self.shownCount) + "…" : text[...])\""
  }

  /// The value for messages about its type: a link with its class.
  private func described(_ value: QueryValue) -> String {
    guard case .link(let position, _) = value else { return text(of: value) }
    return "\(text(of: value)) of class \(context.className(at: position))"
  }

  private func name(_ type: ValueType) -> String {
    if case .link(let position) = type { return "\(context.className(at: position)) object" }
    return type.name(in: ObjectSchema(classes: []))
  }

  /// Swift's description of a number, in the form of a decimal128.
  private static func shortest(_ text: String) -> String {
    switch text {
    case "inf": "Infinity"
    case "-inf": "-Infinity"
    case "nan", "-nan": "NaN"
    default: text
    }
  }

  /// The finite number that a string of decimal digits spells.
  private static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: ByteSlice
  ) -> Number? {
    guard let text = text.validText,
      text.utf8.allSatisfy({ Lexer.isDigit($0) || "+-.eE".utf8.contains($0) }),
      let number = Number(text), number.isFinite
    else { return nil }
    return number
  }

  private static func uuid(_ text: [UInt8]) -> [UInt8]? {
    guard text.count == 36, [8, 13, 18, 23].allSatisfy({ text[$0] == UInt8(ascii: "-") }) else {
      return nil
    }
    let bytes = Hexadecimal.bytes(text.filter { $0 != UInt8(ascii: "-") })
    return bytes?.count == 16 ? bytes : nil
  }
}
