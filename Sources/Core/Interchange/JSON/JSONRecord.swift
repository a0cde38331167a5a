import CSimdJSON
import RealmStorage

/// What a token of a record is.
enum JSONKind: UInt32 {
  case null = 0
  case no, yes
  /// A number without fraction and exponent that fits 64 bits.
  case integer
  /// A number with a fraction or an exponent.
  case double
  /// A number that neither has room for.
  case largeNumber
  case string
  /// The name of a member; the value is the next token.
  case name
  case array
  case object
}

/// One JSON value, or one row of CSV, as tokens in the order of the text: good until what made it takes the
/// next one. It keeps the text in memory.
///
/// Token 0 is the value itself. The elements of an array follow it; the members of an object do as a
/// name and a value each. A row is an object.
@safe
final class JSONRecord {
  private let tokens: UnsafePointer<csimdjson_token>
  /// Number of tokens.
  let count: Int
  /// Where the text is in memory; strings in it are changed.
  private let text: UnsafeRawPointer
  /// Where the text is in the file.
  let offset: Int
  /// What the pointers lead into.
  private let owners: (AnyObject, TextBlock)
  /// For a row of CSV: the first token of each field, and where the field is in the text.
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

  /// Every position comes from the tokens themselves, whose ends the parser sets.
  @inline(__always)
  private subscript(i: Int) -> csimdjson_token {
    precondition(i >= 0 && i < count)
    return unsafe tokens[i]
  }

  @inline(__always)
  func kind(_ i: Int) -> JSONKind { JSONKind(rawValue: unsafe self[i].kind) ?? .null }

  /// The token behind the value and all that it contains.
  @inline(__always)
  func end(_ i: Int) -> Int { Int(unsafe self[i].end) }

  /// Where the value is in the file; in a row of CSV, where its field is.
  func offset(_ i: Int) -> Int {
    guard let fields else { return offset &+ Int(unsafe self[i].offset) }
    return fields.last { $0.token <= i }?.offset ?? offset
  }

  /// Whether it is a row of CSV.
  var isRow: Bool { fields != nil }

  /// Elements of an array, or members of an object.
  @inline(__always)
  func count(_ i: Int) -> Int { Int(unsafe self[i].value.integer) }

  /// Of a token of kind `integer`.
  @inline(__always)
  func integer(_ i: Int) -> Int64 { unsafe self[i].value.integer }

  /// Of a token of kind `double`.
  @inline(__always)
  func number(_ i: Int) -> Double { unsafe self[i].value.number }

  /// Of a string or a name: its bytes with escapes replaced.
  @inline(__always)
  func bytes(_ i: Int) -> ByteSlice {
    let token = unsafe self[i]
    guard let start = unsafe token.value.bytes else { return .empty }
    return unsafe ByteSlice(start: start, count: Int(token.length))
  }

  /// Of a string: its bytes, to be replaced by fewer that it stands for.
  @unsafe
  func place(_ i: Int) -> UnsafeMutableBufferPointer<UInt8> {
    let token = unsafe self[i]
    return unsafe UnsafeMutableBufferPointer(start: token.value.bytes, count: Int(token.length))
  }

  /// A copy of token `i` for another record.
  ///
  /// - Parameters:
  ///   - base: the number of this record's first token there.
  ///   - distance: bytes from the start of the other record's text to that of this one.
  @unsafe
  func token(_ i: Int, base: Int, distance: Int) -> csimdjson_token {
    var token = unsafe self[i]
    unsafe token.end += UInt32(base)
    unsafe token.offset += UInt32(distance)
    return unsafe token
  }

  /// The text of a number.
  func numberText(_ i: Int) -> String {
    let token = unsafe self[i]
    return unsafe ByteSlice(start: text + Int(token.offset), count: Int(token.length)).text
  }

  /// Whether a number starts with a minus: an integer 0 may be a negative zero.
  func hasMinus(_ i: Int) -> Bool {
    unsafe text.load(fromByteOffset: Int(self[i].offset), as: UInt8.self) == UInt8(ascii: "-")
  }

  /// True where the string or name is `text`.
  @inline(__always)
  func isText(_ i: Int, _ text: StaticString) -> Bool {
    let bytes = bytes(i)
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: bytes.count))
    }
  }

  /// True where the string or name has these bytes.
  func isText(_ i: Int, _ text: [UInt8]) -> Bool {
    let bytes = bytes(i)
    guard bytes.count == text.count else { return false }
    return unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(text) }
  }

  /// The value of the member `name` of an object; nil where it has none.
  func member(_ i: Int, _ name: StaticString) -> Int? {
    guard kind(i) == .object else { return nil }
    var position = i + 1
    while position < end(i) {
      if isText(position, name) { return position + 1 }
      position = end(position + 1)
    }
    return nil
  }

  /// The positions of the names of an object's members.
  func names(_ i: Int) -> [Int] {
    var names: [Int] = []
    var position = i + 1
    while position < end(i) {
      names.append(position)
      position = end(position + 1)
    }
    return names
  }

  /// The positions of an array's elements.
  func elements(_ i: Int) -> [Int] {
    var elements: [Int] = []
    var position = i + 1
    while position < end(i) {
      elements.append(position)
      position = end(position)
    }
    return elements
  }

  /// The JSON pointer (RFC 6901) from the record to a value, or to the member of a name.
  func pointer(to token: Int) -> String {
    var (pointer, place) = ("", 0)
    while place < token {
      if kind(place) == .object {
        guard let name = names(place).last(where: { $0 <= token }) else { return pointer }
        let text = bytes(name).text.replacing("~", with: "~0").replacing("/", with: "~1")
        pointer += "/" + text
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

/// What is wrong with a value of a record.
struct ValueError: Error {
  /// The token.
  let token: Int
  let kind: ImportError.Kind
  var className: String?
  var property: String?

  init(_ kind: ImportError.Kind, at token: Int) { (self.kind, self.token) = (kind, token) }

  /// The same error with the place in the schema, where it has none yet.
  func adding(className: String, property: String?) -> ValueError {
    guard self.className == nil else { return self }
    var error = self
    (error.className, error.property) = (className, property)
    return error
  }
}
