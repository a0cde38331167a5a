import CSimdJSON
import RealmStorage

/// Parses JSON values, one at a time. Used by one thread.
@safe
final class JSONParser {
  /// Largest number of tokens of a value. A token takes 24 bytes.
  static let tokenLimit = 1 << 24
  /// Largest size of a value in bytes.
  static let byteLimit = 256 << 20

  private let parser: OpaquePointer?

  init() { unsafe parser = csimdjson_create() }

  deinit { unsafe csimdjson_destroy(parser) }

  /// Parses the value in a part of `block`. Changes the strings in the block, so a part can be parsed only
  /// once.
  ///
  /// - Parameter range: range in the file; must be inside the block.
  /// - Returns: the value, valid until the next call, as long as `block` exists.
  /// - Throws: `notJSON`, `truncated`, `tooLarge`; `wrongType` for a value that is neither an object nor an
  ///   array. The errors have the offset.
  func parse(_ block: TextBlock, _ range: Range<Int>) throws(ImportError) -> JSONRecord {
    precondition(range.upperBound <= block.range.upperBound)
    guard range.count <= JSONParser.byteLimit else {
      throw ImportError(.tooLarge(JSONParser.byteLimitText), offset: range.lowerBound)
    }
    guard let parser = unsafe parser else {
      throw ImportError(.tooLarge("not enough memory"), offset: range.lowerBound)
    }
    var tokens: UnsafePointer<csimdjson_token>?
    var (count, offset) = (0, 0)
    let start = unsafe block.start(at: range.lowerBound)
    let result = unsafe csimdjson_parse(
      parser, start.assumingMemoryBound(to: UInt8.self), range.count, JSONParser.tokenLimit,
      &tokens,
      &count, &offset)
    guard result == CSIMDJSON_SUCCESS.rawValue, let tokens = unsafe tokens else {
      throw failure(UInt32(result), block.bytes(range), range, offset)
    }
    return unsafe JSONRecord(
      tokens: tokens, count: count, text: start, offset: range.lowerBound, owners: (self, block))
  }

  static let tokenLimitText = "the limit is \(tokenLimit) values"
  static let byteLimitText = "the limit is \(byteLimit >> 20) MB"

  private func failure(
    _ result: UInt32, _ bytes: ByteSlice, _ range: Range<Int>, _ offset: Int
  ) -> ImportError {
    let place = range.lowerBound + min(offset, range.count)
    func error(_ why: String, at offset: Int? = nil) -> ImportError {
      ImportError(.notJSON(why), offset: offset ?? place)
    }
    switch csimdjson_error(result) {
    case CSIMDJSON_INCOMPLETE:
      return ImportError(
        .truncated("an array, object or string is not closed"), offset: range.upperBound)
    case CSIMDJSON_TRAILING: return error("found more after the end of the value")
    case CSIMDJSON_BAD_STRING: return error("the string has an invalid escape")
    case CSIMDJSON_CONTROL_CHARACTER:
      return error(
        "a string has a control character, which must be escaped",
        at: range.lowerBound + JSONParser.firstControlCharacter(bytes))
    case CSIMDJSON_BAD_UTF8:
      return error(
        "the input is not UTF-8", at: range.lowerBound + JSONParser.firstMalformed(bytes))
    case CSIMDJSON_BAD_NUMBER: return error("the number is not a valid JSON number")
    case CSIMDJSON_TOO_DEEP:
      return error("arrays and objects are nested deeper than \(CSIMDJSON_MAXIMUM_DEPTH) levels")
    case CSIMDJSON_TOO_MANY:
      return ImportError(
        .tooLarge(JSONParser.tokenLimitText), offset: range.lowerBound)
    case CSIMDJSON_NO_MEMORY:
      return ImportError(.tooLarge("not enough memory"), offset: range.lowerBound)
    case CSIMDJSON_SCALAR: return ImportError(.wrongType(expected: "an object"), offset: place)
    default: return error("a value, comma, colon or bracket is wrong or missing")
    }
  }

  /// Position of the first control character inside a string.
  private static func firstControlCharacter(_ bytes: ByteSlice) -> Int {
    var (isString, isEscaped) = (false, false)
    for i in 0..<bytes.count {
      switch bytes[i] {
      case 0..<0x20 where isString: return i
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = isString
      case UInt8(ascii: "\""): isString.toggle()
      default: break
      }
    }
    return 0
  }

  /// Position of the first byte that is not part of valid UTF-8.
  static func firstMalformed(_ bytes: ByteSlice) -> Int {
    let all = bytes.bytes
    let repaired = String(decoding: all, as: UTF8.self).utf8
    return zip(all, repaired).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
  }
}
