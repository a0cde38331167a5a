/// A request. Only POST can have a body.
package struct HTTPRequest: Sendable {
  /// `GET` or `HEAD` for a request that is answered with a page, `POST` for one that changes something.
  package var method: String
  /// The parts of the path between its slashes, decoded. A path that ends with a slash has an empty last part.
  package var path: [String]
  package var query: URLQuery
  /// The fields of the head by their names in lower case.
  package var fields: [String: String]
  /// Whether the client keeps the connection open after the response.
  package var keepsAlive: Bool
  package private(set) var body: [UInt8] = []
  /// The fields of the body; nil if its media type is not one of forms.
  package private(set) var form: FormFields?

  /// A request, as a browser sends it.
  ///
  /// - Parameters:
  ///   - target: path and query, encoded as in a URL.
  ///   - fields: the fields of the head by their names in lower case.
  ///   - body: nil if it comes later.
  /// - Throws: ``HTTPError`` for a target that is no path, and for a body that is a damaged form.
  package init(
    method: String = "GET", target: String, fields: [String: String] = [:], body: [UInt8]? = nil
  ) throws(HTTPError) {
    guard target.utf8.first == UInt8(ascii: "/") else {
      throw HTTPError(400, "the target of a request begins with a slash")
    }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = URLQuery(encoded: parts.count > 1 ? String(parts[1]) : "") else {
      throw HTTPError(400, "the query of the URL is not encoded correctly")
    }
    var path: [String] = []
    for part in parts[0].split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      guard let decoded = PercentEncoding.decode(String(part), plusIsSpace: false) else {
        throw HTTPError(400, "the path of the URL is not encoded correctly")
      }
      path.append(decoded)
    }
    (self.method, self.path, self.query, self.fields) = (method, path, query, fields)
    keepsAlive = true
    if let body { try take(body: body) }
  }

  /// Adds the body that came behind the head.
  ///
  /// - Throws: ``HTTPError`` if it is a damaged form.
  package mutating func take(body: [UInt8]) throws(HTTPError) {
    self.body = body
    form = try FormFields(contentType: fields["content-type"] ?? "", body: body)
  }

  /// The number of bytes of the body as the head announces it, which ``HTTPHead`` has checked; nil if it does not.
  var announcedByteCount: Int? { fields["content-length"].map { Int($0) ?? .max } }

  /// The media type of the body in lower case, without parameters; empty if there is none.
  package var mediaType: String { MediaType(fields["content-type"] ?? "").name }

  /// The path and query, encoded as in a URL.
  package var target: String {
    let text = query.encoded
    return "/" + path.map { PercentEncoding.encode($0) }.joined(separator: "/")
      + (text.isEmpty ? "" : "?" + text)
  }

  /// The value of a cookie; nil if the request does not have it.
  package func cookie(_ name: String) -> String? {
    for pair in fields["cookie"]?.split(separator: ";") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
    }
    return nil
  }
}

/// Why a request gets no page.
package struct HTTPError: Error, Equatable {
  package let status: Int
  /// One line.
  package let message: String

  package init(_ status: Int, _ message: String) { (self.status, self.message) = (status, message) }
}
