/// Decides who may ask for pages: only a browser that was opened with the URL that the command printed, and only under a
/// name of this machine.
///
/// Other programs of the machine, and other sites in the browser, can reach the port, too. The URL has a random token; the
/// first response replaces it by a cookie that the browser sends only with requests from our own pages, and that no
/// script can read. A site whose name suddenly means 127.0.0.1 (DNS rebinding) is refused by its name.
///
/// A request that changes something also has to come from a page of this server, which its `Origin` says, and has to know
/// a second token that only these pages have: browsers send the cookie to every port of this machine.
package struct AccessGuard: Sendable {
  /// The secret in the first URL.
  package let token: String
  /// The secret in the pages, which requests that change something have; nil if there are no such requests.
  package let formToken: String?
  private let cookieName: String

  private static let hosts: Set<String> = ["127.0.0.1", "localhost", "[::1]"]
  /// The field of the head for ``formToken``, and the field of a form.
  private static let headField = "x-realm-token"
  static let formField = "token"

  /// - Parameter allowsEditing: whether requests may change something.
  package init(allowsEditing: Bool = false) {
    var random = SystemRandomNumberGenerator()
    func digits(_ count: Int) -> String {
      (0..<count).map { _ in String(UInt8.random(in: 0..<16, using: &random), radix: 16) }.joined()
    }
    token = digits(32)
    formToken = allowsEditing ? digits(32) : nil
    // Cookies do not depend on the port, so each server has a name of its own.
    cookieName = "realm-cli-" + digits(8)
  }

  /// The answer of `site`, or of the guard itself if the request is refused.
  package func respond(
    to request: HTTPRequest, _ site: (HTTPRequest) -> HTTPResponse
  ) -> HTTPResponse {
    if let refusal = refusal(ofHead: request) { return refusal }
    if request.method == "POST" {
      let given = request.fields[AccessGuard.headField] ?? request.form?[AccessGuard.formField]
      guard let formToken, let given, AccessGuard.isSame(given, formToken) else {
        return AccessGuard.formRefusal
      }
    } else if request.query["token"] != nil {
      var target = request
      target.query = request.query.without("token")
      var response = HTTPResponse.redirect(to: target.target)
      response.fields.append(
        ("Set-Cookie", "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict"))
      return response
    }
    return site(request)
  }

  /// The answer to a request that is refused because of its head, whatever its body may be; nil if it is not.
  package func refusal(ofHead request: HTTPRequest) -> HTTPResponse? {
    // With any port: `ssh -L` can bring us to another one.
    let host = request.fields["host"] ?? ""
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    guard AccessGuard.hosts.contains(name.lowercased()) else {
      return .text("this server answers only as 127.0.0.1 and localhost\n", status: 421)
    }
    let isPost = request.method == "POST"
    let given = isPost ? nil : request.query["token"]
    guard let secret = given ?? request.cookie(cookieName), AccessGuard.isSame(secret, token) else {
      return .text(
        "open the URL that realm-cli printed: it has the key to these pages\n", status: 403)
    }
    guard isPost else { return nil }
    guard let formToken else { return .notAllowed("GET", "HEAD") }
    guard request.fields["origin"] == "http://" + host else {
      return .text("changes are accepted only from pages of this server\n", status: 403)
    }
    // Without the field, the token has to be in a form, which is not read yet.
    if let given = request.fields[AccessGuard.headField] {
      return AccessGuard.isSame(given, formToken) ? nil : AccessGuard.formRefusal
    }
    return FormFields.mediaTypes.contains(request.mediaType) ? nil : AccessGuard.formRefusal
  }

  private static var formRefusal: HTTPResponse {
    .text("the token of the page is missing or wrong: load the page again\n", status: 403)
  }

  /// Whether a text is a secret. The time does not depend on where they differ.
  private static func isSame(_ text: String, _ secret: String) -> Bool {
    let (a, b) = (Array(text.utf8), Array(secret.utf8))
    return a.count == b.count && zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
