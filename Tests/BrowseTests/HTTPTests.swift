import Testing

@testable import RealmBrowse

@Suite("HTTP of browse")
struct HTTPTests {
  private func parse(_ text: String) throws -> HTTPRequest {
    try HTTPHead.parse(Array(text.utf8)[...])
  }

  @Test("a request has its method, path, query and fields")
  func request() throws {
    let request = try parse(
      "GET /0/class/A%20b/?q=a+%3D%3D+1&c=x&c=y HTTP/1.1\r\nHost: localhost:80\r\nCookie: a=b; realm=1=2\r\n\r\n"
    )
    #expect(request.method == "GET")
    #expect(request.path == ["0", "class", "A b", ""])
    #expect(request.query["q"] == "a == 1" && request.query.all("c") == ["x", "y"])
    #expect(request.cookie("realm") == "1=2" && request.cookie("lm") == nil)
    #expect(request.keepsAlive)
    #expect(request.target == "/0/class/A%20b/?q=a%20%3D%3D%201&c=x&c=y")
  }

  @Test(
    "what is not a plain request is refused with its status",
    arguments: [
      ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/2\r\nHost: x\r\n\r\n", 505),
      ("GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n", 400),
      ("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", 400),
      (
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400
      ),
      ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: a cake\r\n\r\n", 417),
      ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /\u{0} HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("\r\n\r\n", 400),
    ])
  func refused(text: String, status: Int) throws {
    #expect(throws: HTTPError.self) { try parse(text) }
    do {
      _ = try parse(text)
    } catch let error as HTTPError {
      #expect(error.status == status, "\(text)")
    }
  }

  @Test("a URL that is too long, and too many fields, are refused")
  func limits() throws {
    do {
      _ = try parse("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: x\r\n\r\n")
      Issue.record("the URL was accepted")
    } catch let error as HTTPError {
      #expect(error.status == 414)
    }
    let fields = (0..<200).map { "A\($0): b\r\n" }.joined()
    do {
      _ = try parse("GET / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n")
      Issue.record("the fields were accepted")
    } catch let error as HTTPError {
      #expect(error.status == 431)
    }
  }

  @Test("encoding and decoding are inverse for any text")
  func encoding() {
    for text in ["", "a b", "ü/?&=#%+", "\u{0}\n\u{10FFFF}", "..", "~-._"] {
      #expect(PercentEncoding.decode(PercentEncoding.encode(text), plusIsSpace: true) == text)
    }
    #expect(PercentEncoding.encode("a b/ü") == "a%20b%2F%C3%BC")
    #expect(PercentEncoding.decode("%C3", plusIsSpace: false) == nil)
    #expect(PercentEncoding.decode("%4", plusIsSpace: false) == nil)
  }
}
