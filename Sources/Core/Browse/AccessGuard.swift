/// Decides who may ask for pages: only a browser that was opened with the URL that the command printed, and only under a
/// name of this machine.
///
/// Other programs of the machine, and other sites in the browser, can reach the port, too. The URL has a random token; the
/// first response replaces it by a cookie that the browser sends only with requests from our own pages, and that no
/// script can read. A site whose name suddenly means 127.0.0.1 (DNS rebinding) is refused by its name.
package struct AccessGuard: Sendable {
  /// The secret in the first URL.
  package let token: String
  private let cookieName: String

  private static let hosts: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

  package init() {
    var random = SystemRandomNumberGenerator()
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(UInt8.random(in: 0..<16, using: &random), radix: 16) }.joined()
    }
    token = digits(32)
    // Cookies do not depend on the port, so each server has a name of its own.
    cookieName = "realm-cli-" + digits(8)
  }

  /// The answer of `site`, or of the guard itself if the request is refused.
  package func respond(
    to request: HTTPRequest, _ site: (HTTPRequest) -> HTTPResponse
  ) -> HTTPResponse {
    // With any port: `ssh -L` can bring us to another one.
    let host = request.fields["host"] ?? ""
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    guard AccessGuard.hosts.contains(name.lowercased()) else {
      return .text("this server answers only as 127.0.0.1 and localhost\n", status: 421)
    }
    if let given = request.query["token"] {
      guard isToken(given) else { return refusal }
      var target = request
      target.query = request.query.without("token")
      var response = HTTPResponse.redirect(to: target.target)
      response.fields.append(
        ("Set-Cookie", "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict"))
      return response
    }
    guard let cookie = request.cookie(cookieName), isToken(cookie) else { return refusal }
    return site(request)
  }

  private var refusal: HTTPResponse {
    .text("open the URL that realm-cli printed: it has the key to these pages\n", status: 403)
  }

  /// Whether `text` is the token. The time does not depend on where they differ.
  private func isToken(_ text: String) -> Bool {
    let (a, b) = (Array(text.utf8), Array(token.utf8))
    return a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
