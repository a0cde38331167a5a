package import RealmStorage

/// The answer to a request.
package struct HTTPResponse {
  package enum Body {
    case bytes([UInt8])
    /// Bytes that are sent while they are made. An error ends the connection, so that the client knows that the end
    /// is missing.
    case stream((any OutputSink & Sendable) throws -> Void)
  }

  package var status = 200
  /// The media type of the body.
  package var contentType: String
  /// Further fields of the head.
  package var fields: [(name: String, value: String)] = []
  package var body: Body

  package init(_ body: Body, contentType: String, status: Int = 200) {
    (self.body, self.contentType, self.status) = (body, contentType, status)
  }

  /// The body, if it is there as a whole.
  package var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }

  package static func html(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(.bytes(bytes), contentType: "text/html; charset=utf-8", status: status)
  }

  package static func json(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(.bytes(Array(text.utf8)), contentType: "application/json", status: status)
  }

  package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      .bytes(Array(text.utf8)), contentType: "text/plain; charset=utf-8", status: status)
  }

  /// The answer to a request whose method is not one of `allowed`.
  static func notAllowed(_ allowed: String...) -> HTTPResponse {
    var response = HTTPResponse.text(
      "this is answered only for \(allowed.joined(separator: ", "))\n", status: 405)
    response.fields = [("Allow", allowed.joined(separator: ", "))]
    return response
  }

  /// Sends the client on to `target`, a path of this server.
  package static func redirect(to target: String) -> HTTPResponse {
    var response = HTTPResponse.text("see \(target)\n", status: 303)
    response.fields = [("Location", target)]
    return response
  }

  /// The fields that every response has. Pages may load nothing from anywhere else, run no script that is not a
  /// file of the server, be framed by nobody, and leave no copy in a cache. Other sites get no referrer; with
  /// `no-referrer`, browsers would send forms with `Origin: null`.
  private static let commonFields = [
    (
      "Content-Security-Policy",
      "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
  ]

  /// The head as it is sent. Fields of the response take the place of common ones.
  ///
  /// - Parameter keepsAlive: whether the connection stays open.
  func head(keepsAlive: Bool) -> [UInt8] {
    var lines = [
      "HTTP/1.1 \(status) \(HTTPResponse.reason(status))", "Content-Type: \(contentType)",
    ]
    switch body {
    case .bytes(let bytes): lines.append("Content-Length: \(bytes.count)")
    case .stream: lines.append("Transfer-Encoding: chunked")
    }
    lines += fields.map { "\($0.name): \($0.value)" }
    lines += HTTPResponse.commonFields.filter { (name, _) in
      !fields.contains { $0.name == name }
    }.map { "\($0.0): \($0.1)" }
    lines.append("Connection: \(keepsAlive ? "keep-alive" : "close")")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  package static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 303: "See Other"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 423: "Locked"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Unknown"
    }
  }
}
