/// Reads the head of a request: the request line and the fields (RFC 9112, sections 2 to 5).
///
/// It accepts less than a server may: no folded lines, no bare line feeds, no absolute targets, and bodies only of POST
/// and with their length. Whatever has two readings is refused, so that no two programs read a request differently.
package enum HTTPHead {
  /// Maximum number of bytes of a head, with the empty line at its end.
  package static let byteLimit = 16 << 10
  /// Maximum number of bytes of a target.
  static let targetLimit = 8 << 10
  private static let fieldLimit = 100

  /// The number of bytes of the head at the start of `bytes`; nil if its end is missing.
  ///
  /// - Parameter start: where to look for the end. The bytes before it were looked at.
  package static func byteCount(of bytes: [UInt8], from start: Int) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    var i = max(0, start - end.count)
    while i + end.count <= bytes.count {
      if bytes[i..<(i + end.count)].elementsEqual(end) { return i + end.count }
      i += 1
    }
    return nil
  }

  /// - Parameter bytes: a head with the empty line at its end.
  /// - Throws: ``HTTPError`` for anything that is not a request, or one whose body has no clear length.
  package static func parse(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> HTTPRequest {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }) else {
      throw HTTPError(400, "the head of the request has bytes other than printable ASCII")
    }
    var lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    lines.removeLast(2)
    guard let first = lines.first, !lines.contains(where: { $0.contains { $0.isNewline } }) else {
      throw HTTPError(400, "the lines of the head do not end with carriage return and line feed")
    }
    guard lines.count <= fieldLimit else {
      throw HTTPError(431, "the head of the request has more than \(fieldLimit) fields")
    }
    let words = first.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty else {
      throw HTTPError(400, "the request line does not have a method, a target and a version")
    }
    guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
      throw HTTPError(505, "only HTTP/1.1 is spoken here")
    }
    guard words[1].utf8.count <= targetLimit else {
      throw HTTPError(414, "the URL has more than \(targetLimit) bytes")
    }
    let fields = try self.fields(lines.dropFirst())
    try checkBody(method: words[0], fields)
    guard fields["host"] != nil else { throw HTTPError(400, "the field Host is missing") }
    var request = try HTTPRequest(
      method: String(words[0]), target: String(words[1]), fields: fields)
    let connection = fields["connection"]?.lowercased() ?? ""
    request.keepsAlive =
      words[2] == "HTTP/1.1" ? !connection.contains("close") : connection.contains("keep-alive")
    return request
  }

  /// Checks what the head says about a body. Whether a POST is accepted, and how long it may be, is decided later.
  private static func checkBody(
    method: Substring, _ fields: [String: String]
  ) throws(HTTPError) {
    guard fields["transfer-encoding"] == nil else {
      throw HTTPError(400, "the field Transfer-Encoding is not accepted: send Content-Length")
    }
    let length = fields["content-length"] ?? "0"
    guard method == "POST" || length == "0" else {
      throw HTTPError(400, "a request other than POST with a body is not accepted")
    }
    guard !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      throw HTTPError(400, "the field Content-Length is not a number")
    }
    guard fields["expect"].map({ $0.lowercased() == "100-continue" }) ?? true else {
      throw HTTPError(417, "the field Expect has a value other than 100-continue")
    }
  }

  private static func fields(
    _ lines: ArraySlice<Substring>
  ) throws(HTTPError) -> [String: String] {
    var fields: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0) })
      else { throw HTTPError(400, "a line of the head is not a field") }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      if let other = fields[name] {
        guard name != "host", name != "content-length" else {
          throw HTTPError(400, "the field \(name) occurs twice")
        }
        fields[name] = other + (name == "cookie" ? "; " : ", ") + value
      } else {
        fields[name] = String(value)
      }
    }
    return fields
  }
}
