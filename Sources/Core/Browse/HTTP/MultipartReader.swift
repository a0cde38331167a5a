import RealmStorage

/// Reads the parts of a body of the media type `multipart/form-data` (RFC 7578).
///
/// ```
/// --boundary␍␊
/// Content-Disposition: form-data; name="text"␍␊
/// ␍␊
/// value␍␊
/// --boundary␍␊
/// Content-Disposition: form-data; name="file"; filename="a.png"␍␊
/// Content-Type: image/png␍␊
/// ␍␊
/// bytes␍␊
/// --boundary--␍␊
/// ```
///
/// Nothing may come before the first boundary and after the last one, and a part has no parts.
struct MultipartReader {
  /// Maximum number of bytes of the head of a part.
  private static let headLimit = 4096
  private static let lineEnd = Array("\r\n".utf8)

  private let body: [UInt8]
  private let dashedBoundary: [UInt8]
  private var position = 0
  private var isAtEnd = false

  /// - Throws: ``HTTPError`` if the boundary is missing or has characters that it must not have.
  init(_ body: [UInt8], boundary: String?) throws(HTTPError) {
    guard let boundary, 1...70 ~= boundary.utf8.count,
      boundary.allSatisfy({
        $0.isASCII && ($0.isLetter || $0.isNumber || "'()+_,-./:=?".contains($0))
      })
    else { throw HTTPError(400, "the boundary of the form is missing or wrong") }
    self.body = body
    dashedBoundary = Array("--\(boundary)".utf8)
    guard isNext(dashedBoundary) else {
      throw HTTPError(400, "the form does not begin with its boundary")
    }
    position = dashedBoundary.count
    try passBoundaryEnd()
  }

  /// The next part; nil at the end.
  mutating func next() throws(HTTPError) -> FormFields.Field? {
    guard !isAtEnd else { return nil }
    let (name, fileName) = try head()
    let start = position
    let delimiter = MultipartReader.lineEnd + dashedBoundary
    while !isNext(delimiter) {
      guard let end = body[position...].dropFirst().firstIndex(of: delimiter[0]) else {
        throw HTTPError(400, "the form ends before its last boundary")
      }
      position = end
    }
    let bytes = body[start..<position]
    position += delimiter.count
    try passBoundaryEnd()
    return FormFields.Field(name, bytes, fileName: fileName)
  }

  private func isNext(_ bytes: [UInt8]) -> Bool { body[position...].starts(with: bytes) }

  /// Passes what comes behind a boundary: a line end, or the end of the form.
  private mutating func passBoundaryEnd() throws(HTTPError) {
    if isNext(MultipartReader.lineEnd) {
      position += MultipartReader.lineEnd.count
      return
    }
    let rest = body[position...]
    guard rest.elementsEqual("--".utf8) || rest.elementsEqual("--\r\n".utf8) else {
      throw HTTPError(400, "a boundary of the form has something else behind it")
    }
    isAtEnd = true
  }

  /// Reads the head of a part.
  private mutating func head() throws(HTTPError) -> (name: String, fileName: String?) {
    var disposition: Substring?
    let limit = position + MultipartReader.headLimit
    while true {
      let line = try self.line(limit)
      guard !line.isEmpty else { break }
      guard let colon = line.firstIndex(of: ":") else {
        throw HTTPError(400, "a line in the head of a part of the form is not a field")
      }
      let value = MediaType.trimmed(line[line.index(after: colon)...])
      switch line[..<colon].lowercased() {
      case "content-disposition" where disposition == nil: disposition = value
      case "content-type" where !value.lowercased().hasPrefix("multipart/"): break
      case let name:
        throw HTTPError(
          400, "a part of the form has the field \(name.printable): \(String(value).printable)")
      }
    }
    guard let disposition else {
      throw HTTPError(400, "a part of the form has no field Content-Disposition")
    }
    return try MultipartReader.names(disposition)
  }

  /// The next line without its end.
  ///
  /// - Parameter limit: where the head must have ended.
  private mutating func line(_ limit: Int) throws(HTTPError) -> Substring {
    let searched = body[position..<min(limit, body.count)]
    guard let end = searched.firstIndex(of: MultipartReader.lineEnd[0]),
      body[end...].starts(with: MultipartReader.lineEnd)
    else { throw HTTPError(400, "the head of a part of the form does not end, or is too long") }
    let text = try FormFields.text(searched[..<end], "the head of a part of the form")
    position = end + MultipartReader.lineEnd.count
    return text[...]
  }

  /// The names in a field such as `form-data; name="a"; filename="b"`.
  private static func names(
    _ disposition: Substring
  ) throws(HTTPError) -> (name: String, fileName: String?) {
    let error = HTTPError(400, "a field Content-Disposition of the form is not understood")
    guard disposition.lowercased().hasPrefix("form-data") else { throw error }
    // In UTF-8: as a character, a quote may have a combining mark of the name behind it.
    var rest = disposition.utf8.dropFirst("form-data".utf8.count)
    var (name, fileName): (String?, String?) = (nil, nil)
    let quote = UInt8(ascii: "\"")
    while !rest.isEmpty {
      // `; name="value"`
      guard rest.popFirst() == UInt8(ascii: ";"),
        let equals = rest.firstIndex(of: UInt8(ascii: "="))
      else { throw error }
      let key = MediaType.trimmed(Substring(rest[..<equals]))
      rest = rest[equals...].dropFirst()
      guard rest.popFirst() == quote, let end = rest.firstIndex(of: quote) else { throw error }
      let value = unescaped(rest[..<end])
      rest = rest[end...].dropFirst().drop { $0 == UInt8(ascii: " ") }
      switch key {
      case "name" where name == nil: name = value
      case "filename" where fileName == nil: fileName = value
      default: throw error
      }
    }
    guard let name else { throw error }
    return (name, fileName)
  }

  /// What browsers write in names instead of quotes and line ends, and nothing else.
  private static let escapes: [(escape: [UInt8], byte: UInt8)] = [
    (Array("%22".utf8), UInt8(ascii: "\"")), (Array("%0D".utf8), UInt8(ascii: "\r")),
    (Array("%0A".utf8), UInt8(ascii: "\n")),
  ]

  private static func unescaped(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.first {
      let escape = escapes.first { rest.starts(with: $0.escape) }
      bytes.append(escape?.byte ?? byte)
      rest = rest.dropFirst(escape?.escape.count ?? 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
