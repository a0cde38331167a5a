import CSimdJSON
import RealmStorage

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The kind of a token.
enum JSONKind: UInt32 {
  case null = 0
  case no, yes
  /// A number without a fraction or an exponent that fits in 64 bits.
  case integer
  /// A number with a fraction or an exponent.
  case double
  /// A number that fits neither of the two.
  case largeNumber
  case string
  /// The name of a member; the value is the next token.
  case name
  case array
  case object
}

/// One JSON value, or one row of CSV, as tokens in the order of the input. Valid until its producer makes
/// the next record. Keeps the input in memory.
///
/// Token 0 is the value itself. The elements of an array follow the array; the members of an object follow
/// it as pairs of name and value. A row is an object.
@safe
final class JSONRecord {
  private let tokens: UnsafePointer<csimdjson_token>
  /// Number of tokens.
  let count: Int
  /// Address of the value in memory. Its strings can be changed.
  private let text: UnsafeRawPointer
  /// Offset of the value in the file.
  let offset: Int
  /// Owners of the memory that the pointers refer to.
  private let owners: (AnyObject, TextBlock)
  /// For a row of CSV: the first token of each field, and the field's offset in the file.
  private let fields: [(token: Int, offset: Int)]?

  @unsafe
  init(
    tokens: UnsafePointer<csimdjson_token>, count: Int, text: UnsafeRawPointer, offset: Int,
    owners: (AnyObject, TextBlock), fields: [(token: Int, offset: Int)]? = nil
  ) {
    (self.owners, self.fields) = (owners, fields)
    unsafe (self.tokens, self.text) = (tokens, text)
    (self.count, self.offset) = (count, offset)
  }

  /// All positions come from the tokens, and the parser sets the end of each token.
  @inline(__always)
  private subscript(i: Int) -> csimdjson_token {
    precondition(i >= 0 && i < count)
    return unsafe tokens[i]
  }

  @inline(__always)
  func kind(_ i: Int) -> JSONKind { JSONKind(rawValue: unsafe self[i].kind) ?? .null }

  /// The first token after the value and its contents.
  @inline(__always)
  func end(_ i: Int) -> Int { Int(unsafe self[i].end) }

  /// The offset of the value in the file; in a row of CSV, the offset of its field.
  func offset(_ i: Int) -> Int {
    guard let fields else { return offset &+ Int(unsafe self[i].offset) }
    return fields.last { $0.token <= i }?.offset ?? offset
  }

  /// Whether the record is a row of CSV.
  var isRow: Bool { fields != nil }

  /// The number of elements of an array, or of members of an object.
  @inline(__always)
  func count(_ i: Int) -> Int { Int(unsafe self[i].value.integer) }

  /// The value of a token of kind `integer`.
  @inline(__always)
  func integer(_ i: Int) -> Int64 { unsafe self[i].value.integer }

  /// The value of a token of kind `double`.
  @inline(__always)
  func number(_ i: Int) -> Double { unsafe self[i].value.number }

  /// The bytes of a string or a name, without escapes.
  @inline(__always)
  func bytes(_ i: Int) -> ByteSlice {
    let token = unsafe self[i]
    guard let start = unsafe token.value.bytes else { return .empty }
    return unsafe ByteSlice(start: start, count: Int(token.length))
  }

  /// The bytes of a string as memory that may be overwritten, for decoding in place.
  @unsafe
  func place(_ i: Int) -> UnsafeMutableBufferPointer<UInt8> {
    let token = unsafe self[i]
    return unsafe UnsafeMutableBufferPointer(start: token.value.bytes, count: Int(token.length))
  }

  /// A copy of token `i` for another record.
  ///
  /// - Parameters:
  ///   - base: the number of this record's first token in the other record.
  ///   - distance: bytes from the start of the other record to the start of this one.
  @unsafe
  func token(_ i: Int, base: Int, distance: Int) -> csimdjson_token {
    var token = unsafe self[i]
    unsafe token.end += UInt32(base)
    unsafe token.offset += UInt32(distance)
    return unsafe token
  }

  /// A number as written.
  func numberText(_ i: Int) -> String {
    let token = unsafe self[i]
    return unsafe ByteSlice(start: text + Int(token.offset), count: Int(token.length)).text
  }

  /// The number of bytes of a number as written.
  @inline(__always)
  func numberLength(_ i: Int) -> Int { Int(unsafe self[i].length) }

  /// Whether a number starts with a minus sign: an integer 0 can be negative zero.
  func hasMinus(_ i: Int) -> Bool {
    unsafe text.load(fromByteOffset: Int(self[i].offset), as: UInt8.self) == UInt8(ascii: "-")
  }

  /// True if the string or name is `text`.
  @inline(__always)
  func isText(_ i: Int, _ text: StaticString) -> Bool {
    let bytes = bytes(i)
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return unsafe memcmp(bytes.start, text.utf8Start, bytes.count) == 0
  }

  /// True if the string or name has these bytes.
  func isText(_ i: Int, _ text: [UInt8]) -> Bool { isText(i, text, text.indices) }

  /// True if the string or name has the bytes of `text` in `range`.
  @inline(__always)
  func isText(_ i: Int, _ text: [UInt8], _ range: Range<Int>) -> Bool {
    let token = unsafe self[i]
    guard unsafe Int(token.length) == range.count, let start = unsafe token.value.bytes else {
      return false
    }
    precondition(range.upperBound <= text.count)
    return unsafe text.withUnsafeBufferPointer { text in
      guard let other = text.baseAddress else { return true }
      return unsafe memcmp(start, other + range.lowerBound, range.count) == 0
    }
  }

  /// The token of the value of the member `name`; nil if the object has no such member.
  func member(_ i: Int, _ name: StaticString) -> Int? {
    guard kind(i) == .object else { return nil }
    var position = i + 1
    while position < end(i) {
      if isText(position, name) { return position + 1 }
      position = end(position + 1)
    }
    return nil
  }

  /// The value of the member `name` of an object with only this member; otherwise nil.
  func only(_ i: Int, _ name: StaticString) -> Int? {
    guard kind(i) == .object, count(i) == 1, isText(i + 1, name) else { return nil }
    return i + 2
  }

  /// The tokens of the names of an object's members.
  func names(_ i: Int) -> [Int] {
    var names: [Int] = []
    var position = i + 1
    while position < end(i) {
      names.append(position)
      position = end(position + 1)
    }
    return names
  }

  /// The tokens of an array's elements.
  func elements(_ i: Int) -> [Int] {
    var elements: [Int] = []
    var position = i + 1
    while position < end(i) {
      elements.append(position)
      position = end(position)
    }
    return elements
  }

  /// The JSON pointer (RFC 6901) from the record to a value, or to the member with a name.
  func pointer(to token: Int) -> String {
    var (pointer, place) = ("", 0)
    while place < token {
      if kind(place) == .object {
        guard let name = names(place).last(where: { $0 <= token }) else { return pointer }
        pointer += "/" + bytes(name).text.pointerEscaped
        place = name == token ? token : name + 1
      } else {
        let elements = elements(place)
        guard let index = elements.lastIndex(where: { $0 <= token }) else { return pointer }
        pointer += "/\(index)"
        place = elements[index]
      }
    }
    return pointer
  }
}

extension String {
  /// The string as a part of a JSON pointer (RFC 6901).
  var pointerEscaped: String { replacing("~", with: "~0").replacing("/", with: "~1") }
}

/// An error of a value in a record.
struct ValueError: Error {
  /// The token of the value.
  let token: Int
  let kind: ImportError.Kind
  var className: String?
  var property: String?

  init(_ kind: ImportError.Kind, at token: Int) { (self.kind, self.token) = (kind, token) }

  /// The same error with class and property, if it has none yet.
  func adding(className: String, property: String?) -> ValueError {
    guard self.className == nil else { return self }
    var error = self
    (error.className, error.property) = (className, property)
    return error
  }
}
