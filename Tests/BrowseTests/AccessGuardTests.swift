import Testing

@testable import RealmBrowse

@Suite("who may see the pages of browse")
struct AccessGuardTests {
  private let access = AccessGuard()

  private func status(_ target: String, _ fields: [String: String]) throws -> Int {
    try answer(target, fields).status
  }

  private func answer(_ target: String, _ fields: [String: String]) throws -> HTTPResponse {
    access.respond(to: try HTTPRequest(target: target, fields: fields)) { _ in .text("page") }
  }

  @Test("the token in the first URL becomes a cookie, and leaves the URL")
  func token() throws {
    let first = try answer("/0/?token=\(access.token)&version=previous", ["host": "127.0.0.1:1"])
    #expect(first.status == 303)
    #expect(first.fields.contains { $0 == ("Location", "/0/?version=previous") })
    let cookie = try #require(first.fields.first { $0.name == "Set-Cookie" }?.value)
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(try status("/0/", ["host": "127.0.0.1:1", "cookie": "other=1; \(pair)"]) == 200)
    #expect(try status("/0/", ["host": "localhost:99", "cookie": pair]) == 200)
    #expect(try status("/0/", ["host": "[::1]:99", "cookie": pair]) == 200)
    #expect(try status("/0/", ["host": "evil.example:1", "cookie": pair]) == 421)
    #expect(try status("/0/", ["host": "127.0.0.1.evil.example", "cookie": pair]) == 421)
    #expect(try status("/0/", ["host": "localhost:1", "cookie": "\(pair)0"]) == 403)
  }

  @Test("without the token there is no page")
  func refused() throws {
    #expect(try status("/", ["host": "127.0.0.1"]) == 403)
    #expect(try status("/?token=", ["host": "127.0.0.1"]) == 403)
    #expect(
      try status("/?token=\(access.token.dropLast())0", ["host": "127.0.0.1"]) == 403
        || access.token.hasSuffix("0"))
    #expect(try status("/?token=\(access.token)", ["host": "evil.example"]) == 421)
    #expect(try status("/assets/browse.css", ["host": "127.0.0.1"]) == 403)
  }

  @Test("each server has a token of its own")
  func random() { #expect(Set((0..<100).map { _ in AccessGuard().token }).count == 100) }

  // MARK: Changes

  /// Fields of a request that is accepted, which each test spoils.
  private func fields(_ access: AccessGuard) throws -> [String: String] {
    let first = access.respond(
      to: try HTTPRequest(target: "/?token=\(access.token)", fields: ["host": "127.0.0.1:1"])
    ) { _ in .text("page") }
    let cookie = try #require(first.fields.first { $0.name == "Set-Cookie" }?.value)
    return [
      "host": "127.0.0.1:1", "cookie": String(cookie.prefix { $0 != ";" }),
      "origin": "http://127.0.0.1:1", "x-realm-token": access.formToken ?? "",
      "content-length": "4",
    ]
  }

  /// The statuses for the head alone, nil if its body is read, and for the whole request.
  private func statuses(
    _ access: AccessGuard, body: String = "a=b1",
    _ change: (inout [String: String]) -> Void = { _ in }
  ) throws -> [Int?] {
    var fields = try fields(access)
    change(&fields)
    let head = try HTTPRequest(method: "POST", target: "/0/draft", fields: fields)
    let whole = try HTTPRequest(
      method: "POST", target: "/0/draft", fields: fields, body: Array(body.utf8))
    return [
      access.refusal(ofHead: head)?.status,
      access.respond(to: whole) { _ in .text("changed") }.status,
    ]
  }

  @Test(
    "a change needs the cookie, the origin, the token and the name of this machine, each by itself")
  func changes() throws {
    let access = AccessGuard(allowsEditing: true)
    #expect(try statuses(access) == [nil, 200])
    #expect(try statuses(access) { $0["host"] = "localhost:1" } == [403, 403])
    #expect(
      try statuses(access) {
        ($0["host"], $0["origin"]) = ("localhost:99", "http://localhost:99")
      } == [nil, 200])
    for cookie in [nil, "", "realm=1", "realm-cli-00000000=\(access.token)"] {
      #expect(try statuses(access) { $0["cookie"] = cookie } == [403, 403])
    }
    #expect(try statuses(access) { $0["cookie"]?.removeLast() } == [403, 403])
    for origin in [
      nil, "", "null", "http://127.0.0.1", "http://127.0.0.1:2", "https://127.0.0.1:1",
      "http://localhost:1", "http://evil.example", "http://127.0.0.1:1.evil.example",
      "http://127.0.0.1:1, http://evil.example",
    ] {
      #expect(try statuses(access) { $0["origin"] = origin } == [403, 403], "\(origin ?? "none")")
    }
    for host in ["evil.example:1", "127.0.0.1.evil.example", ""] {
      #expect(
        try statuses(access) { ($0["host"], $0["origin"]) = (host, "http://\(host)") } == [
          421, 421,
        ])
    }
    #expect(try statuses(access) { $0["x-realm-token"] = "" } == [403, 403])
    #expect(try statuses(access) { $0["x-realm-token"]?.removeLast() } == [403, 403])
    #expect(try statuses(access) { $0["x-realm-token"] = access.token } == [403, 403])
    #expect(try statuses(access) { $0["x-realm-token"] = nil } == [403, 403])
  }

  @Test("the token can be a field of a form, and of nothing else")
  func formToken() throws {
    let access = AccessGuard(allowsEditing: true)
    let token = try #require(access.formToken)
    let multipart = """
      --x\r\nContent-Disposition: form-data; name="token"\r\n\r\n\(token)\r\n--x--\r\n
      """
    func statuses(_ type: String, _ body: String) throws -> [Int?] {
      try self.statuses(access, body: body) {
        ($0["x-realm-token"], $0["content-type"]) = (nil, type)
      }
    }
    let encoded = "application/x-www-form-urlencoded"
    #expect(try statuses(encoded, "a=b&token=\(token)") == [nil, 200])
    #expect(try statuses(encoded, "a=b&token=\(token)0") == [nil, 403])
    #expect(try statuses(encoded, "a=b&token=") == [nil, 403])
    #expect(try statuses(encoded, "a=b") == [nil, 403])
    #expect(try statuses("multipart/form-data; boundary=x", multipart) == [nil, 200])
    #expect(
      try statuses("multipart/form-data; boundary=x", multipart.replacing("token\"", with: "tok\""))
        == [nil, 403])
    #expect(try statuses("application/json", "{\"token\":\"\(token)\"}") == [403, 403])
    #expect(try statuses("text/plain", "token=\(token)") == [403, 403])
  }

  @Test("the token of the first URL opens no change")
  func urlToken() throws {
    let access = AccessGuard(allowsEditing: true)
    var fields = try fields(access)
    fields["cookie"] = nil
    let request = try HTTPRequest(
      method: "POST", target: "/0/draft?token=\(access.token)", fields: fields)
    #expect(access.respond(to: request) { _ in .text("changed") }.status == 403)
  }

  @Test("without editing no change is answered, whatever the request has")
  func withoutEditing() throws {
    let access = AccessGuard()
    #expect(access.formToken == nil)
    let request = try HTTPRequest(
      method: "POST", target: "/0/draft",
      fields: try fields(access).merging(["x-realm-token": ""]) { $1 })
    let answer = access.respond(to: request) { _ in .text("changed") }
    #expect(answer.status == 405)
    #expect(answer.fields.contains { $0 == ("Allow", "GET, HEAD") })
    #expect(access.refusal(ofHead: request)?.status == 405)
  }

  @Test("the tokens are different secrets")
  func secrets() {
    let access = AccessGuard(allowsEditing: true)
    #expect(access.formToken?.count == 32 && access.formToken != access.token)
  }
}
